package cdf

import (
	"fmt"
	"io"
	"sort"
)

// readRecords passes the bytes of records [first, first+count), as they are
// stored and in order, to emit: in pieces of whole elements. It reads nothing
// that is not asked for, except that a compressed block is expanded from its
// beginning.
func (v *Variable) readRecords(first, count int, emit func([]byte)) error {
	blocks, err := v.index()
	if err != nil {
		return err
	}
	if err := v.Compression.supported(); err != nil {
		return err
	}
	ws := workspaces.Get().(*workspace)
	defer ws.done()
	end := first + count
	i := sort.Search(len(blocks), func(i int) bool { return blocks[i].last >= first })
	for first < end {
		if i < len(blocks) && blocks[i].first <= first {
			n := min(blocks[i].last+1, end) - first
			if err := v.readBlock(ws, blocks[i], first, n, emit); err != nil {
				return fmt.Errorf("records %d to %d: %w", first, first+n-1, err)
			}
			first += n
			i++
			continue
		}
		next := end
		if i < len(blocks) {
			next = min(next, blocks[i].first)
		}
		if err := v.fillGap(ws, blocks[:i], next-first, emit); err != nil {
			return err
		}
		first = next
	}
	return nil
}

// readBlock passes on n records of a block, from the record first on.
func (v *Variable) readBlock(ws *workspace, b block, first, n int, emit func([]byte)) error {
	piece := ws.piece(v)
	skip, left := int64(first-b.first)*v.recordSize, int64(n)*v.recordSize
	if !b.compressed {
		for at := b.offset + skip; left > 0; {
			p := piece[:min(left, int64(len(piece)))]
			if err := v.file.data.readAt(p, at); err != nil {
				return err
			}
			emit(p)
			at, left = at+int64(len(p)), left-int64(len(p))
		}
		return nil
	}
	if int64(cap(ws.packed)) < b.size {
		ws.packed = make([]byte, b.size)
	}
	packed := ws.packed[:b.size]
	if err := v.file.data.readAt(packed, b.offset); err != nil {
		return err
	}
	r, err := ws.expand(v.Compression, packed)
	if err != nil {
		return err
	}
	whole := !b.clipped && first+n == b.last+1
	for skip > 0 {
		p := piece[:min(skip, int64(len(piece)))]
		if _, err := io.ReadFull(r, p); err != nil {
			return expandError(err)
		}
		skip -= int64(len(p))
	}
	for left > 0 {
		p := piece[:min(left, int64(len(piece)))]
		if _, err := io.ReadFull(r, p); err != nil {
			return expandError(err)
		}
		emit(p)
		left -= int64(len(p))
	}
	if whole {
		return checkEnd(r, piece)
	}
	return nil
}

// fillGap passes on n records that are not stored, given the blocks before them.
func (v *Variable) fillGap(ws *workspace, before []block, n int, emit func([]byte)) error {
	ws.value = append(ws.value[:0], v.Pad.raw...)
	if len(ws.value) == 0 {
		ws.value = append(ws.value, defaultPad(v.Type, v.NumElems, v.file.big)...)
	}
	repeats := int64(n) * int64(v.perRecord)
	if v.Sparse == SparsePrevious && len(before) > 0 {
		b := before[len(before)-1]
		ws.value, repeats = ws.value[:0], int64(n)
		if int64(cap(ws.value)) < v.recordSize {
			ws.value = make([]byte, 0, v.recordSize)
		}
		err := v.readBlock(ws, b, b.last, 1, func(p []byte) { ws.value = append(ws.value, p...) })
		if err != nil {
			return fmt.Errorf("record %d: %w", b.last, err)
		}
	}
	value := ws.value
	for piece := ws.piece(v); repeats > 0; {
		if len(value) > len(piece) { // a record that is larger than a piece
			emit(value)
			repeats--
			continue
		}
		k := min(repeats, int64(len(piece)/len(value)))
		p := piece[:k*int64(len(value))]
		for at := 0; at < len(p); {
			at += copy(p[at:], value)
		}
		emit(p)
		repeats -= k
	}
	return nil
}

// piece returns a buffer of whole elements.
func (ws *workspace) piece(v *Variable) []byte {
	element := v.Type.Size() * v.NumElems
	n := max(pieceSize/element, 1) * element
	if cap(ws.plain) < n {
		ws.plain = make([]byte, n)
	}
	return ws.plain[:n]
}

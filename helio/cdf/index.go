package cdf

import (
	"bytes"
	"fmt"
	"slices"
)

// A block is a run of records that are stored together.
type block struct {
	first, last int   // records, both included
	offset      int64 // of the values, or of the compressed bytes
	size        int64 // bytes there
	compressed  bool
	clipped     bool // holds more records than the variable has
}

// index returns the blocks, which are looked for once, when they are first needed.
func (v *Variable) index() ([]block, error) {
	v.indexed.Do(func() { v.blocks, v.indexErr = v.readIndex() })
	return v.blocks, v.indexErr
}

// readIndex finds the blocks of the variable, in the order of their records, and
// checks that together they hold all that the variable must have.
func (v *Variable) readIndex() ([]block, error) {
	w := v.file.data.walk()
	defer w.done()
	blocks, err := v.walkIndex(w, v.vxr, nil, 0)
	if err != nil {
		return nil, fmt.Errorf("index: %w", err)
	}
	slices.SortFunc(blocks, func(a, b block) int { return a.first - b.first })
	next := 0
	for i, b := range blocks {
		switch {
		case b.first < next:
			return nil, damaged("record %d is stored twice", b.first)
		case b.first > next && v.Sparse == NotSparse:
			return nil, damaged("record %d is missing", next)
		}
		next = b.last + 1
		if err := v.checkBlock(blocks[i]); err != nil {
			return nil, err
		}
	}
	if next < v.Records && v.Sparse == NotSparse {
		return nil, damaged("records %d to %d are missing", next, v.Records-1)
	}
	return blocks, nil
}

// checkBlock makes sure that a block can hold its records, before anything is
// allocated for them.
func (v *Variable) checkBlock(b block) error {
	need, have := int64(b.last-b.first+1)*v.recordSize, b.size
	if b.compressed {
		have = v.Compression.maxExpansion(b.size)
	}
	if need > have {
		return damaged("records %d to %d need %d bytes, and their block has %d", b.first, b.last, need, b.size)
	}
	return nil
}

// walkIndex follows the index records from offset on. A hostile file could nest
// them deeply, so depth is limited; every level multiplies what can be held.
func (v *Variable) walkIndex(w *walker, offset int64, blocks []block, depth int) ([]block, error) {
	if depth > 64 {
		return nil, damaged("it is nested too deeply")
	}
	for offset != 0 {
		x, err := w.record(offset, recordVXR)
		if err != nil {
			return nil, err
		}
		offset = x.offset()
		entries, used := x.int(), x.int()
		width := 4
		if w.wide {
			width = 8
		}
		if err := x.err(); err != nil {
			return nil, err
		}
		if entries < 0 || used < 0 || used > entries || entries > len(x.rest())/(8+width) {
			return nil, damaged("%d of %d entries used in %d bytes", used, entries, len(x.rest()))
		}
		// The record's bytes are good only until the next one is read.
		body := fields{b: bytes.Clone(x.take(entries * (8 + width))), wide: w.wide}
		firsts, lasts, offsets := body, body, body
		lasts.skip(4 * entries)
		offsets.skip(8 * entries)
		blocks = slices.Grow(blocks, used)
		for range used {
			first, last, at := firsts.int(), lasts.int(), offsets.offset()
			if first < 0 && last < 0 {
				continue // not used after all
			}
			if first < 0 || last < first {
				return nil, damaged("records %d to %d", first, last)
			}
			if blocks, err = v.addBlock(w, blocks, first, last, at, depth); err != nil {
				return nil, err
			}
		}
	}
	return blocks, nil
}

func (v *Variable) addBlock(w *walker, blocks []block, first, last int, offset int64, depth int) ([]block, error) {
	b, err := w.bytes(offset, int(w.headSize()))
	if err != nil {
		return nil, err
	}
	h := fields{b: b, wide: w.wide}
	if h.offset(); h.int() == recordVXR {
		return v.walkIndex(w, offset, blocks, depth+1)
	}
	size, kind, err := w.head(offset)
	if err != nil {
		return nil, err
	}
	bl := block{first: first, last: last, offset: offset + w.headSize(), size: size - w.headSize()}
	switch kind {
	case recordVVR:
	case recordCVVR:
		if v.Compression == None {
			return nil, damaged("a compressed block at offset %d of a variable that is not compressed", offset)
		}
		n := w.headSize() + 4
		if w.wide {
			n += 8
		} else {
			n += 4
		}
		b, err := w.bytes(offset, int(min(n, size)))
		if err != nil {
			return nil, err
		}
		c := fields{b: b, wide: w.wide, offsetInFile: offset}
		c.skip(int(w.headSize()) + 4)
		bl.compressed, bl.size, bl.offset = true, c.offset(), offset+n
		if err := c.err(); err != nil {
			return nil, err
		}
		if bl.size < 0 || bl.size > size-n {
			return nil, damaged("the block at offset %d claims %d bytes", offset, bl.size)
		}
	default:
		return nil, damaged("the record at offset %d has type %d where values belong", offset, kind)
	}
	if first >= v.Records {
		return blocks, nil // allocated and never written
	}
	if last >= v.Records {
		bl.last, bl.clipped = v.Records-1, true
	}
	return append(blocks, bl), nil
}

package grep

import "bytes"

// A finder finds the next place where one of some rows of bytes fits. Rows of
// several lengths are looked for by as many bytes as the shortest has.
type finder struct {
	masks [256]uint32    // bit i: the byte fits at place i of some row
	skip  [256]uint8     // how far to go when the last byte of the window is this; 0: look closer
	after [256]uint8     // and how far when it was looked at and did not fit
	each  []*[256]uint32 // masks of each row, when there are several
	sizes []int
	size  int // of the window

	anchor byte // a rare byte that each row has at place at; at < 0: there is none
	at     int

	cost float64 // see costOf
}

// newFinder prepares a search for rows of which none is empty.
func newFinder(rows []seq) *finder {
	window, likely := overlay(rows)
	f := &finder{size: len(window), at: -1}
	f.fill(window)
	if len(rows) > 1 {
		f.split(rows)
	}
	f.cost = hopCost(window)
	if at, b, cost := rarest(window); cost < f.cost {
		f.at, f.anchor, f.cost = at, b, cost
	}
	f.cost += 1000 * likely
	return f
}

func (f *finder) fill(window seq) {
	last := f.size - 1
	for b := range 256 {
		f.skip[b], f.after[b] = uint8(f.size), uint8(f.size)
		for i := range window {
			if !window[i].has(byte(b)) {
				continue
			}
			f.masks[b] |= 1 << i
			f.skip[b] = uint8(last - i)
			if i < last {
				f.after[b] = uint8(last - i)
			}
		}
	}
}

func (f *finder) split(rows []seq) {
	for _, q := range rows {
		var masks [256]uint32
		for i := range q {
			for b := range 256 {
				if q[i].has(byte(b)) {
					masks[b] |= 1 << i
				}
			}
		}
		f.each = append(f.each, &masks)
		f.sizes = append(f.sizes, len(q))
	}
}

// next returns where the next row begins at or after a place, and where it ends,
// or -1.
func (f *finder) next(text []byte, from int) (start, end int) {
	if f.at < 0 {
		return f.hop(text, from)
	}
	// Where the rare byte turns out to be common, hopping is faster.
	misses := 0
	for i := from + f.at; i < len(text); i++ {
		k := bytes.IndexByte(text[i:], f.anchor)
		if k < 0 {
			return -1, -1
		}
		i += k
		if end := f.fits(text, i-f.at); end >= 0 {
			return i - f.at, end
		}
		if misses++; misses > 16 && misses > (i-from)/12 {
			return f.hop(text, i-f.at+1)
		}
	}
	return -1, -1
}

// hop looks at the last byte of the window, which mostly tells how far the next
// place is where a row could be.
func (f *finder) hop(text []byte, from int) (start, end int) {
	last := f.size - 1
	for i := from + last; i < len(text); {
		c := text[i]
		if s := f.skip[c]; s != 0 {
			i += int(s)
			continue
		}
		if end := f.fits(text, i-last); end >= 0 {
			return i - last, end
		}
		i += int(f.after[c])
	}
	return -1, -1
}

// fits returns the end of a row that begins at a place, or -1.
func (f *finder) fits(text []byte, start int) int {
	if start+f.size > len(text) {
		return -1
	}
	for i, c := range text[start : start+f.size] {
		if f.masks[c]>>i&1 == 0 {
			return -1
		}
	}
	if f.each == nil {
		return start + f.size
	}
rows:
	for k, masks := range f.each {
		end := start + f.sizes[k]
		if end > len(text) {
			continue
		}
		for i, c := range text[start:end] {
			if masks[c]>>i&1 == 0 {
				continue rows
			}
		}
		return end
	}
	return -1
}

package hapi

import (
	"encoding/binary"
	"math"
)

// huge is the size from which every value is fill (see series.MaskFill), as the bits of
// a float64 without its sign; NaN and the infinities are above it too.
const (
	huge     = 0x46293e5939a08cea // 1e30
	signless = 1<<63 - 1
	toTop    = 1<<63 - huge // what must be added to one that is as large to set the top bit
)

// unfilled is a double without the fill that its size tells.
func unfilled(v float64) float64 {
	if !(math.Abs(v) < 1e30) {
		return math.NaN()
	}
	return v
}

// unfill is unfilled for many.
func unfill(values []float64) {
	for i, v := range values {
		values[i] = unfilled(v)
	}
}

// doubles reads width numbers from the beginning of every size bytes of in, and reports
// whether there is fill among them, as its size tells.
func doubles(to []float64, width int, in []byte, size int) (filled bool) {
	seen := uint64(0)
	for at := 0; len(to) > 0; to = to[width:] {
		row := in[at : at+8*width]
		for i := range to[:width] {
			x := binary.LittleEndian.Uint64(row[8*i:])
			to[i] = math.Float64frombits(x)
			seen |= x&signless + toTop
		}
		at += size
	}
	return seen>>63 != 0
}

// fourDoubles is doubles for four columns of one number, of which there are as many.
func fourDoubles(a, b, c, d []float64, in []byte, size int) (filled bool) {
	b, c, d = b[:len(a)], c[:len(a)], d[:len(a)]
	seen := uint64(0)
	for i := range a {
		row := in[:4*8]
		w, x, y, z := binary.LittleEndian.Uint64(row), binary.LittleEndian.Uint64(row[8:]), binary.LittleEndian.Uint64(row[16:]), binary.LittleEndian.Uint64(row[24:])
		a[i], b[i], c[i], d[i] = math.Float64frombits(w), math.Float64frombits(x), math.Float64frombits(y), math.Float64frombits(z)
		seen |= (w&signless + toTop) | (x&signless + toTop) | (y&signless + toTop) | (z&signless + toTop)
		in = in[min(size, len(in)):]
	}
	return seen>>63 != 0
}

// integers reads width numbers of 32 bits from the beginning of every size bytes of in.
func integers(to []float64, width int, in []byte, size int) {
	for ; len(to) > 0; to = to[width:] {
		row := in[:4*width]
		for i := range to[:width] {
			to[i] = float64(int32(binary.LittleEndian.Uint32(row[4*i:])))
		}
		in = in[min(size, len(in)):]
	}
}

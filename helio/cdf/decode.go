package cdf

import (
	"encoding/binary"
	"math"

	"github.com/helios-go/helios/helio/tt"
)

// floats decodes raw to dst, which has one element for each word of it.
func floats(dst []float64, raw []byte, t Type, big bool) {
	switch t {
	case Real8, Double, Epoch, Epoch16:
		raw = raw[:8*len(dst)]
		if big {
			for i := range dst {
				dst[i] = math.Float64frombits(binary.BigEndian.Uint64(raw[8*i:]))
			}
			return
		}
		for i := range dst {
			dst[i] = math.Float64frombits(binary.LittleEndian.Uint64(raw[8*i:]))
		}
	case Real4, Float:
		if big {
			bigFloats4(dst, raw)
		} else {
			littleFloats4(dst, raw)
		}
	default:
		var whole [256]int64
		for len(dst) > 0 {
			part := whole[:min(len(whole), len(dst))]
			ints(part, raw, t, big)
			for i, n := range part {
				dst[i] = float64(n)
			}
			dst, raw = dst[len(part):], raw[len(part)*t.Size():]
		}
	}
}

// Four at a time: it is three times as fast as one by one, as each conversion
// waits for the register of the one before.

func bigFloats4(dst []float64, raw []byte) {
	for len(dst) >= 4 && len(raw) >= 16 {
		dst[0] = float64(math.Float32frombits(binary.BigEndian.Uint32(raw[0:4])))
		dst[1] = float64(math.Float32frombits(binary.BigEndian.Uint32(raw[4:8])))
		dst[2] = float64(math.Float32frombits(binary.BigEndian.Uint32(raw[8:12])))
		dst[3] = float64(math.Float32frombits(binary.BigEndian.Uint32(raw[12:16])))
		dst, raw = dst[4:], raw[16:]
	}
	for i := range dst {
		dst[i] = float64(math.Float32frombits(binary.BigEndian.Uint32(raw[4*i:])))
	}
}

func littleFloats4(dst []float64, raw []byte) {
	for len(dst) >= 4 && len(raw) >= 16 {
		dst[0] = float64(math.Float32frombits(binary.LittleEndian.Uint32(raw[0:4])))
		dst[1] = float64(math.Float32frombits(binary.LittleEndian.Uint32(raw[4:8])))
		dst[2] = float64(math.Float32frombits(binary.LittleEndian.Uint32(raw[8:12])))
		dst[3] = float64(math.Float32frombits(binary.LittleEndian.Uint32(raw[12:16])))
		dst, raw = dst[4:], raw[16:]
	}
	for i := range dst {
		dst[i] = float64(math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:])))
	}
}

// ints decodes raw to dst, which has one element for each word of it.
func ints(dst []int64, raw []byte, t Type, big bool) {
	size := t.Size()
	raw = raw[:size*len(dst)]
	// Shifting up and down again copies the sign where there is one.
	sign := 0
	if t != Uint1 && t != Uint2 && t != Uint4 {
		sign = 64 - 8*size
	}
	switch {
	case size == 1:
		for i := range dst {
			dst[i] = int64(raw[i]) << sign >> sign
		}
	case size == 2 && big:
		for i := range dst {
			dst[i] = int64(binary.BigEndian.Uint16(raw[2*i:])) << sign >> sign
		}
	case size == 2:
		for i := range dst {
			dst[i] = int64(binary.LittleEndian.Uint16(raw[2*i:])) << sign >> sign
		}
	case size == 4 && big:
		for i := range dst {
			dst[i] = int64(binary.BigEndian.Uint32(raw[4*i:])) << sign >> sign
		}
	case size == 4:
		for i := range dst {
			dst[i] = int64(binary.LittleEndian.Uint32(raw[4*i:])) << sign >> sign
		}
	case big:
		for i := range dst {
			dst[i] = int64(binary.BigEndian.Uint64(raw[8*i:]))
		}
	default:
		for i := range dst {
			dst[i] = int64(binary.LittleEndian.Uint64(raw[8*i:]))
		}
	}
}

// times decodes raw to dst. On an error it returns which element is wrong.
func times(dst []tt.Time, raw []byte, t Type, big bool) (int, error) {
	switch t {
	case TT2000:
		times2000(dst, raw, big)
		return 0, nil
	case Epoch:
		return epochs(dst, raw, big)
	}
	var pair [2]float64
	for i := range dst {
		floats(pair[:], raw[16*i:16*i+16], t, big)
		var err error
		if dst[i], err = tt.FromEpoch16(pair); err != nil {
			return i, err
		}
	}
	return 0, nil
}

func epochs(dst []tt.Time, raw []byte, big bool) (int, error) {
	var part [256]float64
	for done := 0; done < len(dst); {
		ms := part[:min(len(part), len(dst)-done)]
		floats(ms, raw[8*done:], Epoch, big)
		for _, x := range ms {
			var err error
			if dst[done], err = tt.FromEpoch(x); err != nil {
				return done, err
			}
			done++
		}
	}
	return 0, nil
}

func times2000(dst []tt.Time, raw []byte, big bool) {
	raw = raw[:8*len(dst)]
	for i := range dst {
		if big {
			dst[i] = tt.Time(binary.BigEndian.Uint64(raw[8*i:]))
		} else {
			dst[i] = tt.Time(binary.LittleEndian.Uint64(raw[8*i:]))
		}
		if dst[i] == padTT2000 {
			dst[i] = tt.Fill
		}
	}
}

// reverseWords turns each word of b around in place.
func reverseWords(b []byte, size int) {
	switch size {
	case 2:
		for ; len(b) >= 2; b = b[2:] {
			b[0], b[1] = b[1], b[0]
		}
	case 4:
		for ; len(b) >= 4; b = b[4:] {
			binary.LittleEndian.PutUint32(b, binary.BigEndian.Uint32(b))
		}
	case 8:
		for ; len(b) >= 8; b = b[8:] {
			binary.LittleEndian.PutUint64(b, binary.BigEndian.Uint64(b))
		}
	}
}

const padTT2000 = math.MinInt64 + 1

// defaultPad returns the pad value of a type that stores none, in the byte order
// given.
func defaultPad(t Type, width int, big bool) []byte {
	var order binary.ByteOrder = binary.LittleEndian
	if big {
		order = binary.BigEndian
	}
	pad := make([]byte, t.Size()*width)
	switch t {
	case Char, Uchar:
		for i := range pad {
			pad[i] = ' '
		}
	case Int1, Byte:
		pad[0] = 0x81 // -127
	case Uint1:
		pad[0] = 254
	case Int2:
		order.PutUint16(pad, 0x8001) // -32767
	case Uint2:
		order.PutUint16(pad, 65534)
	case Int4:
		order.PutUint32(pad, 0x80000001) // -2147483647
	case Uint4:
		order.PutUint32(pad, 4294967294)
	case Int8, TT2000:
		order.PutUint64(pad, 1<<63+1)
	case Real4, Float:
		order.PutUint32(pad, math.Float32bits(-1e30))
	case Real8, Double:
		order.PutUint64(pad, math.Float64bits(-1e30))
	case Epoch, Epoch16:
		// Zero: the first instant of year 0.
	}
	return pad
}

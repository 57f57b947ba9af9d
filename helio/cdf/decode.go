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
		raw = raw[:4*len(dst)]
		if big {
			for i := range dst {
				dst[i] = float64(math.Float32frombits(binary.BigEndian.Uint32(raw[4*i:])))
			}
			return
		}
		for i := range dst {
			dst[i] = float64(math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:])))
		}
	default:
		each(dst, raw, t, big, func(i int64) float64 { return float64(i) })
	}
}

// ints decodes raw to dst, which has one element for each word of it.
func ints(dst []int64, raw []byte, t Type, big bool) {
	each(dst, raw, t, big, func(i int64) int64 { return i })
}

// each decodes integers.
func each[T any](dst []T, raw []byte, t Type, big bool, as func(int64) T) {
	var order binary.ByteOrder = binary.LittleEndian
	if big {
		order = binary.BigEndian
	}
	switch t {
	case Int1, Byte:
		for i := range dst {
			dst[i] = as(int64(int8(raw[i])))
		}
	case Uint1:
		for i := range dst {
			dst[i] = as(int64(raw[i]))
		}
	case Int2:
		for i := range dst {
			dst[i] = as(int64(int16(order.Uint16(raw[2*i:]))))
		}
	case Uint2:
		for i := range dst {
			dst[i] = as(int64(order.Uint16(raw[2*i:])))
		}
	case Int4:
		for i := range dst {
			dst[i] = as(int64(int32(order.Uint32(raw[4*i:]))))
		}
	case Uint4:
		for i := range dst {
			dst[i] = as(int64(order.Uint32(raw[4*i:])))
		}
	case Int8, TT2000:
		for i := range dst {
			dst[i] = as(int64(order.Uint64(raw[8*i:])))
		}
	}
}

// times decodes raw to dst. On an error it returns which element is wrong.
func times(dst []tt.Time, raw []byte, t Type, big bool) (int, error) {
	var order binary.ByteOrder = binary.LittleEndian
	if big {
		order = binary.BigEndian
	}
	number := func(i int) float64 { return math.Float64frombits(order.Uint64(raw[8*i:])) }
	var err error
	for i := range dst {
		switch t {
		case TT2000:
			dst[i] = tt.Time(order.Uint64(raw[8*i:]))
			if dst[i] == padTT2000 {
				dst[i] = tt.Fill
			}
		case Epoch:
			dst[i], err = tt.FromEpoch(number(i))
		case Epoch16:
			dst[i], err = tt.FromEpoch16([2]float64{number(2 * i), number(2*i + 1)})
		}
		if err != nil {
			return i, err
		}
	}
	return 0, nil
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
	lowest4 := float32(-1e30)
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
		order.PutUint32(pad, math.Float32bits(lowest4))
	case Real8, Double:
		order.PutUint64(pad, math.Float64bits(-1e30))
	case Epoch, Epoch16:
		// Zero: the first instant of year 0.
	}
	return pad
}

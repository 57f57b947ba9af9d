package cdftest

import (
	"encoding/binary"
	"fmt"
	"math"
	"reflect"
	"slices"

	"github.com/helios-go/helios/helio/cdf"
	"github.com/helios-go/helios/helio/tt"
)

// encode returns values as a file holds them, one element after the other; text
// is padded with blanks to width.
func encode(t cdf.Type, values any, width int, order binary.AppendByteOrder) ([]byte, error) {
	if values == nil {
		return nil, nil
	}
	list := reflect.ValueOf(values)
	if list.Kind() != reflect.Slice {
		return nil, fmt.Errorf("values of %s: %T is no slice", t, values)
	}
	var out []byte
	var err error
	for i := range list.Len() {
		if out, err = appendValue(out, t, list.Index(i), width, order); err != nil {
			return nil, fmt.Errorf("value %d: %w", i, err)
		}
	}
	return out, nil
}

func appendValue(b []byte, t cdf.Type, v reflect.Value, width int, order binary.AppendByteOrder) ([]byte, error) {
	if at, ok := reflect.TypeAssert[tt.Time](v); ok {
		switch t {
		case cdf.Epoch:
			return order.AppendUint64(b, math.Float64bits(at.Epoch())), nil
		case cdf.Epoch16:
			v = reflect.ValueOf(at.Epoch16())
		}
	}
	switch {
	case t.IsText() && v.Kind() == reflect.String:
		s := v.String()
		if len(s) > width {
			return nil, fmt.Errorf("%q is longer than %d bytes", s, width)
		}
		b = append(b, s...)
		for range width - len(s) {
			b = append(b, ' ')
		}
		return b, nil
	case t == cdf.Epoch16 && v.Kind() == reflect.Array:
		for i := range v.Len() {
			b = order.AppendUint64(b, math.Float64bits(v.Index(i).Float()))
		}
		return b, nil
	case v.CanFloat() && (t.IsFloat() || t == cdf.Epoch):
		return appendFloat(b, t, v.Float(), order), nil
	case v.CanInt() && (t.IsFloat() || t == cdf.Epoch):
		return appendFloat(b, t, float64(v.Int()), order), nil
	case v.CanFloat() && t.IsInteger():
		return appendInt(b, t, int64(v.Float()), order), nil
	case v.CanInt() && (t.IsInteger() || t == cdf.TT2000):
		return appendInt(b, t, v.Int(), order), nil
	case v.CanUint() && (t.IsInteger() || t == cdf.TT2000):
		return appendInt(b, t, int64(v.Uint()), order), nil
	}
	return nil, fmt.Errorf("%s cannot hold a %s", t, v.Type())
}

func appendFloat(b []byte, t cdf.Type, x float64, order binary.AppendByteOrder) []byte {
	if t.Size() == 4 {
		return order.AppendUint32(b, math.Float32bits(float32(x)))
	}
	return order.AppendUint64(b, math.Float64bits(x))
}

func appendInt(b []byte, t cdf.Type, x int64, order binary.AppendByteOrder) []byte {
	switch t.Size() {
	case 1:
		return append(b, byte(x))
	case 2:
		return order.AppendUint16(b, uint16(x))
	case 4:
		return order.AppendUint32(b, uint32(x))
	}
	return order.AppendUint64(b, uint64(x))
}

// entry returns the type, the bytes, the number of elements and the number of
// strings of an attribute's entry.
func entry(v any, order binary.AppendByteOrder) (t cdf.Type, b []byte, elems, strings int, err error) {
	switch v := v.(type) {
	case string:
		return cdf.Char, []byte(v), len(v), 1, nil
	case []string:
		for i, s := range v {
			if i > 0 {
				b = append(b, `\N `...)
			}
			b = append(b, s...)
		}
		return cdf.Char, b, len(b), len(v), nil
	case Typed:
		t, width := v.Type, 0
		if t.IsText() {
			width = longest(v.Values)
		}
		b, err = encode(t, v.Values, width, order)
		return t, b, len(b) / max(t.Size(), 1), 0, err
	}
	list := reflect.ValueOf(v)
	if list.Kind() != reflect.Slice {
		one := reflect.MakeSlice(reflect.SliceOf(list.Type()), 1, 1)
		one.Index(0).Set(list)
		list = one
	}
	t, ok := entryTypes[list.Type().Elem()]
	if !ok {
		return 0, nil, 0, 0, fmt.Errorf("an attribute's entry cannot be a %T", v)
	}
	b, err = encode(t, list.Interface(), 0, order)
	return t, b, list.Len(), 0, err
}

var entryTypes = map[reflect.Type]cdf.Type{
	reflect.TypeFor[int]():     cdf.Int4,
	reflect.TypeFor[int8]():    cdf.Int1,
	reflect.TypeFor[int16]():   cdf.Int2,
	reflect.TypeFor[int32]():   cdf.Int4,
	reflect.TypeFor[int64]():   cdf.Int8,
	reflect.TypeFor[uint8]():   cdf.Uint1,
	reflect.TypeFor[uint16]():  cdf.Uint2,
	reflect.TypeFor[uint32]():  cdf.Uint4,
	reflect.TypeFor[float32](): cdf.Real4,
	reflect.TypeFor[float64](): cdf.Real8,
	reflect.TypeFor[tt.Time](): cdf.TT2000,
}

func longest(values any) int {
	n := 1
	if list, ok := values.([]string); ok {
		for _, s := range list {
			n = max(n, len(s))
		}
	}
	return n
}

// columnMajor reorders each record of elements of that size.
func columnMajor(b []byte, dims []int, element int) []byte {
	values := 1
	for _, n := range dims {
		values *= n
	}
	if len(dims) < 2 || len(b) == 0 {
		return b
	}
	out := make([]byte, len(b))
	for record := 0; record < len(b); record += values * element {
		for i := range values {
			to := columnPlace(i, values, dims)
			copy(out[record+to*element:], b[record+i*element:][:element])
		}
	}
	return out
}

// columnPlace returns where the value at the place i of row-major order, last
// dimension fastest, is in column-major order.
func columnPlace(i, values int, dims []int) (to int) {
	stride := values
	for _, n := range slices.Backward(dims) {
		stride /= n
		to += i % n * stride
		i /= n
	}
	return to
}

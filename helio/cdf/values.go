package cdf

import (
	"fmt"

	"github.com/helios-go/helios/helio/tt"
)

// Range is a run of a variable's records, to be read in one of several forms.
type Range struct {
	v            *Variable
	first, count int
	err          error
}

// Range returns the records [first, first+count). What lies outside the
// variable's records is an error when the range is read.
func (v *Variable) Range(first, count int) Range {
	r := Range{v: v, first: first, count: count}
	if first < 0 || count < 0 || first > v.Records || count > v.Records-first {
		r.err = fmt.Errorf("there are %d records", v.Records)
	}
	return r
}

// Float64s returns all values as float64: Records times PerRecord numbers, each
// record in row-major order. CDF_EPOCH gives its milliseconds. INT8 beyond 2^53
// is rounded; text, TT2000 and EPOCH16 are an error that wraps [ErrType].
func (v *Variable) Float64s() ([]float64, error) { return v.Range(0, v.Records).Float64s() }

// Int64s returns all values of an integer or TT2000 variable as int64, in the
// order of [Variable.Float64s]. Other types are an error that wraps [ErrType].
func (v *Variable) Int64s() ([]int64, error) { return v.Range(0, v.Records).Int64s() }

// Times returns all values of a time variable (CDF_EPOCH, EPOCH16, TT2000), in
// the order of [Variable.Float64s]. Values that stand for no time, fill and
// default pad, become [tt.Fill]; a time that TT2000 cannot hold is an error that
// wraps [tt.ErrRange]. Other types are an error that wraps [ErrType].
func (v *Variable) Times() ([]tt.Time, error) { return v.Range(0, v.Records).Times() }

// Strings returns all values of a text variable, in the order of
// [Variable.Float64s] and without the blanks or NULs that pad them to NumElems
// bytes. Bytes that are not UTF-8 are taken as Latin-1. Other types are an error
// that wraps [ErrType].
func (v *Variable) Strings() ([]string, error) { return v.Range(0, v.Records).Strings() }

// Bytes returns all values of any type as they are stored, except that arrays
// are in row-major order and numbers little-endian.
func (v *Variable) Bytes() ([]byte, error) { return v.Range(0, v.Records).Bytes() }

// Float64s is [Variable.Float64s] of the range.
func (r Range) Float64s() ([]float64, error) {
	t, big := r.v.Type, r.v.file.big
	if t.IsText() || t == TT2000 || t == Epoch16 {
		return nil, r.wrongType("numbers")
	}
	return decode(r, func(dst []float64, raw []byte) (int, error) {
		floats(dst, raw, t, big)
		return 0, nil
	})
}

// Int64s is [Variable.Int64s] of the range.
func (r Range) Int64s() ([]int64, error) {
	t, big := r.v.Type, r.v.file.big
	if !t.IsInteger() && t != TT2000 {
		return nil, r.wrongType("whole numbers")
	}
	return decode(r, func(dst []int64, raw []byte) (int, error) {
		ints(dst, raw, t, big)
		return 0, nil
	})
}

// Times is [Variable.Times] of the range.
func (r Range) Times() ([]tt.Time, error) {
	t, big := r.v.Type, r.v.file.big
	if !t.IsTime() {
		return nil, r.wrongType("times")
	}
	return decode(r, func(dst []tt.Time, raw []byte) (int, error) { return times(dst, raw, t, big) })
}

// decode reads the range into a new slice by way of into, which fills dst from
// raw and, with an error, says which element is wrong.
func decode[T any](r Range, into func(dst []T, raw []byte) (int, error)) ([]T, error) {
	n, err := r.begin(8)
	if err != nil {
		return nil, err
	}
	out := make([]T, n)
	err = r.inParts(func(p Range) error {
		at := (p.first - r.first) * r.v.perRecord
		part := out[at : at+p.count*r.v.perRecord]
		rest := part
		var wrong error
		err := p.each(func(raw []byte) {
			k := len(raw) / r.v.Type.Size()
			if i, err := into(rest[:k], raw); err != nil && wrong == nil {
				wrong = fmt.Errorf("value %d: %w", at+len(part)-len(rest)+i, err)
			}
			rest = rest[k:]
		})
		if err == nil {
			err = wrong
		}
		if err == nil {
			rowMajor(r.v, part)
		}
		return err
	})
	if err != nil {
		return nil, r.fail(err)
	}
	return out, nil
}

// Strings is [Variable.Strings] of the range.
func (r Range) Strings() ([]string, error) {
	if !r.v.Type.IsText() {
		return nil, r.wrongType("text")
	}
	width := r.v.NumElems
	n, err := r.begin(16 + width)
	if err != nil {
		return nil, err
	}
	out := make([]string, 0, n)
	err = r.each(func(raw []byte) {
		// One string for the whole piece, of which the values are parts.
		whole := string(raw)
		for ; whole != ""; whole = whole[width:] {
			out = append(out, text(whole[:width]))
		}
	})
	if err != nil {
		return nil, r.fail(err)
	}
	rowMajor(r.v, out)
	return out, nil
}

// Bytes is [Variable.Bytes] of the range.
func (r Range) Bytes() ([]byte, error) {
	element := r.v.Type.Size() * r.v.NumElems
	n, err := r.begin(element)
	if err != nil {
		return nil, err
	}
	out := make([]byte, 0, n*element)
	swap := r.v.file.big && !r.v.Type.IsText()
	err = r.each(func(raw []byte) {
		at := len(out)
		out = append(out, raw...)
		if swap {
			reverseWords(out[at:], r.v.Type.word())
		}
	})
	if err != nil {
		return nil, r.fail(err)
	}
	rowMajorBytes(r.v, out, element)
	return out, nil
}

// begin checks the range and that the result, of that many bytes a value, is
// within bounds, and returns how many values it has.
func (r Range) begin(bytesPerValue int) (int, error) {
	if r.err != nil {
		return 0, r.fail(r.err)
	}
	if _, err := r.v.index(); err != nil {
		return 0, r.fail(err)
	}
	perRecord := int64(r.v.perRecord) * int64(bytesPerValue)
	if int64(r.count) > r.v.file.maxRead/perRecord {
		return 0, r.fail(fmt.Errorf("the result would be %d times %d bytes, out of proportion to a file of %d; read it in parts", r.count, perRecord, r.v.file.size))
	}
	return r.count * r.v.perRecord, nil
}

func (r Range) each(emit func([]byte)) error {
	return r.v.readRecords(r.first, r.count, emit)
}

func (r Range) fail(err error) error {
	if r.first == 0 && r.count == r.v.Records {
		return fmt.Errorf("read %q: %w", r.v.Name, err)
	}
	return fmt.Errorf("read %d records of %q from %d on: %w", r.count, r.v.Name, r.first, err)
}

func (r Range) wrongType(what string) error {
	return fmt.Errorf("read %q: %w: %s holds no %s", r.v.Name, ErrType, r.v.Type, what)
}

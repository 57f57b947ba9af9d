package cdf

import (
	"fmt"
	"strings"
	"unicode/utf8"

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
	t := r.v.Type
	if t.IsText() || t == TT2000 || t == Epoch16 {
		return nil, r.wrongType("numbers")
	}
	n, err := r.begin(8)
	if err != nil {
		return nil, err
	}
	out := make([]float64, n)
	rest := out
	err = r.each(func(raw []byte) {
		k := len(raw) / t.Size()
		floats(rest[:k], raw, t, r.v.file.big)
		rest = rest[k:]
	})
	return finish(r, out, err)
}

// Int64s is [Variable.Int64s] of the range.
func (r Range) Int64s() ([]int64, error) {
	t := r.v.Type
	if !t.IsInteger() && t != TT2000 {
		return nil, r.wrongType("whole numbers")
	}
	n, err := r.begin(8)
	if err != nil {
		return nil, err
	}
	out := make([]int64, n)
	rest := out
	err = r.each(func(raw []byte) {
		k := len(raw) / t.Size()
		ints(rest[:k], raw, t, r.v.file.big)
		rest = rest[k:]
	})
	return finish(r, out, err)
}

// Times is [Variable.Times] of the range.
func (r Range) Times() ([]tt.Time, error) {
	t := r.v.Type
	if !t.IsTime() {
		return nil, r.wrongType("times")
	}
	n, err := r.begin(8)
	if err != nil {
		return nil, err
	}
	out := make([]tt.Time, n)
	rest := out
	var wrong error
	err = r.each(func(raw []byte) {
		k := len(raw) / t.Size()
		if i, err := times(rest[:k], raw, t, r.v.file.big); err != nil && wrong == nil {
			wrong = fmt.Errorf("value %d: %w", n-len(rest)+i, err)
		}
		rest = rest[k:]
	})
	if err == nil {
		err = wrong
	}
	return finish(r, out, err)
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
			s := strings.TrimRight(whole[:width], " \x00")
			if !utf8.ValidString(s) {
				s = latin1([]byte(s))
			}
			out = append(out, s)
		}
	})
	return finish(r, out, err)
}

// Bytes is [Variable.Bytes] of the range.
func (r Range) Bytes() ([]byte, error) {
	element := r.v.Type.Size() * r.v.NumElems
	n, err := r.begin(element)
	if err != nil {
		return nil, err
	}
	out := make([]byte, 0, n*element)
	err = r.each(func(raw []byte) {
		out = append(out, raw...)
	})
	if err != nil {
		return nil, r.fail(err)
	}
	if word := r.v.Type.word(); r.v.file.big && word > 1 && !r.v.Type.IsText() {
		for i := 0; i < len(out); i += word {
			for a, b := i, i+word-1; a < b; a, b = a+1, b-1 {
				out[a], out[b] = out[b], out[a]
			}
		}
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
	perRecord := int64(r.v.perRecord) * int64(bytesPerValue)
	if int64(r.count) > r.v.file.maxRead/perRecord {
		return 0, r.fail(fmt.Errorf("the result would be %d times %d bytes, out of proportion to a file of %d; read it in parts", r.count, perRecord, r.v.file.size))
	}
	if _, err := r.v.index(); err != nil {
		return 0, r.fail(err)
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

// finish orders the values, or reports what went wrong.
func finish[T any](r Range, out []T, err error) ([]T, error) {
	if err != nil {
		return nil, r.fail(err)
	}
	rowMajor(r.v, out)
	return out, nil
}

package cdf

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/helios-go/helios/helio/tt"
)

// Value is one entry of an attribute: one or more elements of a type.
type Value struct {
	Type Type
	Num  int // number of the entry, or of the variable that it belongs to

	raw string // as in the file
	big bool
}

// Len returns the number of elements, of text the characters' bytes.
func (v Value) Len() int {
	if n := v.Type.Size(); n > 0 {
		return len(v.raw) / n
	}
	return 0
}

// String returns text as it is and other values in their shortest form, several
// separated by a blank.
func (v Value) String() string {
	switch {
	case v.Type.IsText():
		s := text(v.raw)
		if !strings.Contains(s, separator) {
			return s
		}
		return strings.Join(v.Strings(), " ")
	case v.Type.IsTime():
		times, err := v.Times()
		if err != nil {
			return err.Error()
		}
		return join(times, tt.Time.String)
	case v.Type.IsInteger():
		return join(v.Int64s(), func(i int64) string { return strconv.FormatInt(i, 10) })
	}
	bits := 64
	if v.Type.Size() == 4 {
		bits = 32
	}
	return join(v.Float64s(), func(x float64) string { return strconv.FormatFloat(x, 'g', -1, bits) })
}

func join[T any](list []T, text func(T) string) string {
	parts := make([]string, len(list))
	for i, x := range list {
		parts[i] = text(x)
	}
	return strings.Join(parts, " ")
}

// separator is what stands between the strings of one entry.
const separator = `\N `

// Strings returns the strings of a text entry, which may hold several, without
// padding; nil for other types.
func (v Value) Strings() []string {
	if !v.Type.IsText() {
		return nil
	}
	parts := strings.Split(text(v.raw), separator)
	for i, p := range parts {
		parts[i] = strings.TrimRight(p, " \x00")
	}
	return parts
}

// Float64s returns the elements as numbers, times as the numbers that the file
// holds (of EPOCH16 two each); nil for text.
func (v Value) Float64s() []float64 {
	if v.Type.IsText() || len(v.raw) == 0 {
		return nil
	}
	out := make([]float64, len(v.raw)/v.Type.word())
	floats(out, []byte(v.raw), v.Type, v.big)
	return out
}

// Int64s returns the elements of an integer or TT2000 entry; nil for others.
func (v Value) Int64s() []int64 {
	if !v.Type.IsInteger() && v.Type != TT2000 {
		return nil
	}
	out := make([]int64, v.Len())
	ints(out, []byte(v.raw), v.Type, v.big)
	return out
}

// Times returns the elements of a time entry. Missing times are [tt.Fill];
// times that TT2000 cannot hold are an error.
func (v Value) Times() ([]tt.Time, error) {
	if !v.Type.IsTime() {
		return nil, fmt.Errorf("%w: %s holds no times", ErrType, v.Type)
	}
	out := make([]tt.Time, v.Len())
	if i, err := times(out, []byte(v.raw), v.Type, v.big); err != nil {
		return nil, fmt.Errorf("element %d: %w", i, err)
	}
	return out, nil
}

// text removes the padding. Old files are in Latin-1.
func text(s string) string {
	for s != "" && (s[len(s)-1] == 0 || s[len(s)-1] == ' ') {
		s = s[:len(s)-1]
	}
	if utf8.ValidString(s) {
		return s
	}
	return latin1(s)
}

func latin1(s string) string {
	r := make([]rune, len(s))
	for i := range r {
		r[i] = rune(s[i])
	}
	return string(r)
}

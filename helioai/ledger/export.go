package ledger

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"github.com/helios-go/helios/helio/tt"
)

// frame is an export frame as it comes from the sandbox. Numbers stay text:
// whether one was written as a whole number matters.
type frame struct {
	Name       string            `json:"name"`
	Kind       Kind              `json:"kind"`
	Units      *string           `json:"units"`
	Value      json.RawMessage   `json:"value"`
	Shape      []int             `json:"shape"`
	N          *int              `json:"n_finite"`
	NaN        *int              `json:"n_nan"`
	Mean       json.RawMessage   `json:"mean"`
	Min        json.RawMessage   `json:"min"`
	Max        json.RawMessage   `json:"max"`
	Std        json.RawMessage   `json:"std"`
	Sample     []json.RawMessage `json:"sample"`
	TimesNS    []*int64          `json:"times_ns_unix"`
	TimeNS     *int64            `json:"time_ns_unix"`
	Time       *string           `json:"time"`
	ToleranceS json.RawMessage   `json:"tolerance_s"`
	Text       *string           `json:"text"`
}

// FromExport turns an export frame, which code in the sandbox wrote and which
// is therefore untrusted, into an entry of the given origin. An error says in
// one sentence what is wrong with the frame, fit to be shown to the author of
// the code.
//
// A frame is one JSON object of at most [MaxFrame] bytes. Members that are not
// named here are ignored. Always present:
//
//	"name"   string, 1 to 128 bytes, printable
//	"kind"   "number", "series", "time" or "text"
//	"units"  string of at most 64 bytes, printable; may be absent, null or ""
//
// Kind "number", one number:
//
//	"value"  a JSON number; a whole-number type (int, numpy integer, bool as
//	         0 or 1) is written without point and exponent (11), a float with
//	         one (11.0, 3.67e-05): so the ledger knows what to compare exactly.
//	         NaN is null or "NaN"; the infinities are "Infinity", "-Infinity"
//
// Kind "series", an array of zero or of more than one element:
//
//	"shape"     array of at most 8 whole numbers
//	"n_finite"  how many elements are finite
//	"n_nan"     how many are not; both add up to the product of the shape
//	"mean" "min" "max" "std"
//	            over the finite elements; null when there are none
//	"sample"    the first at most 8 elements, row-major; null for non-finite
//
// An array of instants has "times_ns_unix" (the first at most 8 elements, whole
// nanoseconds since 1970, null for a missing one) in place of "mean" to
// "sample"; its "n_nan" counts the missing.
//
// Kind "time", one instant in UTC:
//
//	"time_ns_unix"  whole nanoseconds since 1970, every day of 86400 s, as in
//	                numpy's datetime64[ns]; the lowest int64 (NaT) or null for none
//	"time"          in its place: a string that tt.Parse reads
//	"tolerance_s"   seconds, 0 to a year: the cadence of the data; may be absent
//
// Kind "text":
//
//	"text"  string of at most 4096 bytes; control characters become blanks
//
// The bare words NaN, Infinity and -Infinity, which Python's json module writes
// although JSON has none, are read as the strings.
func FromExport(raw json.RawMessage, origin Origin) (Entry, error) {
	if len(raw) > MaxFrame {
		return Entry{}, fmt.Errorf("export: the frame has %d bytes, at most %d are allowed", len(raw), MaxFrame)
	}
	if !json.Valid(raw) {
		raw = quoteBare(raw)
	}
	var f frame
	if trimmed := bytes.TrimSpace(raw); len(trimmed) == 0 || trimmed[0] != '{' {
		return Entry{}, errors.New("export: the frame is not a JSON object")
	}
	if err := json.Unmarshal(raw, &f); err != nil {
		return Entry{}, fmt.Errorf("export %s: the frame cannot be read: %w", shorten(f.Name), err)
	}
	e := Entry{Name: f.Name, Kind: f.Kind, Origin: origin}
	if f.Units != nil {
		e.Units = strings.TrimSpace(*f.Units)
	}
	if err := f.fill(&e); err != nil {
		return Entry{}, fmt.Errorf("export %s: %w", shorten(f.Name), err)
	}
	if err := e.validate(); err != nil {
		return Entry{}, fmt.Errorf("export: %w", err)
	}
	return e, nil
}

// fill sets what the frame's kind has.
func (f *frame) fill(e *Entry) error {
	switch f.Kind {
	case KindNumber:
		return f.number(e)
	case KindSeries:
		return f.series(e)
	case KindTime:
		return f.instant(e)
	case KindText:
		if f.Text == nil {
			return errors.New(`a text needs "text"`)
		}
		e.Text = strings.Map(func(r rune) rune {
			if unicode.IsControl(r) && r != '\n' {
				return ' '
			}
			return r
		}, *f.Text)
		return nil
	}
	return fmt.Errorf("kind %.20q is none of number, series, time, text", f.Kind)
}

func (f *frame) number(e *Entry) error {
	if f.Value == nil {
		return errors.New(`a number needs "value"`)
	}
	var err error
	e.Value, e.Integer, err = parseReal(f.Value)
	return err
}

func (f *frame) series(e *Entry) error {
	if f.N == nil || f.NaN == nil || len(f.Shape) == 0 {
		return errors.New(`a series needs "shape", "n_finite" and "n_nan"`)
	}
	e.N, e.NaN, e.Shape = *f.N, *f.NaN, f.Shape
	if f.TimesNS != nil {
		if len(f.TimesNS) > MaxSample {
			return fmt.Errorf("a sample has at most %d values", MaxSample)
		}
		for _, ns := range f.TimesNS {
			t, err := fromNS(ns)
			if err != nil {
				return err
			}
			e.Times = append(e.Times, t)
		}
		e.Mean, e.Min, e.Max, e.Std = math.NaN(), math.NaN(), math.NaN(), math.NaN()
		return nil
	}
	var err error
	for _, s := range []struct {
		name string
		raw  json.RawMessage
		to   *float64
	}{{"mean", f.Mean, &e.Mean}, {"min", f.Min, &e.Min}, {"max", f.Max, &e.Max}, {"std", f.Std, &e.Std}} {
		if *s.to, _, err = parseReal(s.raw); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		if finite := !math.IsNaN(*s.to) && !math.IsInf(*s.to, 0); finite != (e.N > 0) && s.name != "mean" && s.name != "std" {
			return fmt.Errorf("%d finite elements do not go with the %s %v", e.N, s.name, *s.to)
		}
	}
	if e.Min > e.Max || e.Std < 0 || e.Mean < e.Min-slack(e) || e.Mean > e.Max+slack(e) {
		return fmt.Errorf("mean %v, min %v, max %v and std %v contradict each other", e.Mean, e.Min, e.Max, e.Std)
	}
	if len(f.Sample) > MaxSample || len(f.Sample) > e.N+e.NaN {
		return fmt.Errorf("a sample has at most %d values and no more than the array", MaxSample)
	}
	e.Integer = len(f.Sample) > 0
	for _, raw := range f.Sample {
		v, whole, err := parseReal(raw)
		if err != nil {
			return fmt.Errorf("sample: %w", err)
		}
		e.Sample, e.Integer = append(e.Sample, v), e.Integer && whole
	}
	return nil
}

// slack is what rounding in a mean may exceed the extremes by.
func slack(e *Entry) float64 { return 1e-6 * max(math.Abs(e.Min), math.Abs(e.Max)) }

func (f *frame) instant(e *Entry) error {
	if f.ToleranceS != nil {
		s, _, err := parseReal(f.ToleranceS)
		if err != nil {
			return fmt.Errorf("tolerance_s: %w", err)
		}
		if !math.IsNaN(s) {
			e.Tolerance = seconds(s)
		}
	}
	if f.Time != nil {
		t, err := tt.Parse(*f.Time)
		e.Time = t
		return err
	}
	t, err := fromNS(f.TimeNS)
	e.Time = t
	return err
}

// fromNS reads nanoseconds since 1970; nil is a missing time.
func fromNS(ns *int64) (tt.Time, error) {
	if ns == nil {
		return tt.Fill, nil
	}
	return tt.FromUnixNano(*ns)
}

var wholeNumber = regexp.MustCompile(`^-?\d{1,16}$`)

// parseReal reads a number of a frame and says whether it was written as a
// whole number that a float64 holds exactly.
func parseReal(raw json.RawMessage) (v float64, whole bool, err error) {
	text := strings.TrimSpace(string(raw))
	switch text {
	case "":
		return math.NaN(), false, errors.New("a number is missing")
	case "true":
		return 1, true, nil
	case "false":
		return 0, true, nil
	}
	var r scalar
	if err := r.UnmarshalJSON([]byte(text)); err != nil {
		return math.NaN(), false, err
	}
	v = float64(r)
	return v, wholeNumber.MatchString(text) && math.Abs(v) < 1<<53, nil
}

var bareWord = regexp.MustCompile(`^-?(NaN|Infinity)`)

// quoteBare puts the bare words NaN, Infinity and -Infinity of a JSON text into
// quotes, outside strings.
func quoteBare(raw []byte) []byte {
	var out bytes.Buffer
	inString := false
	for i := 0; i < len(raw); i++ {
		c := raw[i]
		switch {
		case inString && c == '\\' && i+1 < len(raw):
			out.WriteByte(c)
			i++
			c = raw[i]
		case c == '"':
			inString = !inString
		case !inString && (c == 'N' || c == 'I' || c == '-'):
			if word := bareWord.Find(raw[i:]); word != nil {
				out.WriteString(strconv.Quote(string(word)))
				i += len(word) - 1
				continue
			}
		}
		out.WriteByte(c)
	}
	return out.Bytes()
}

// shorten quotes a name for an error.
func shorten(name string) string {
	if len(name) > 40 {
		name = strings.ToValidUTF8(name[:40], "") + "..."
	}
	return strconv.Quote(name)
}

package ledger

import (
	"errors"
	"fmt"
	"slices"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/helios-go/helios/helio/tt"
)

// Kind says what an entry holds.
type Kind string

// The kinds.
const (
	KindNumber Kind = "number" // Value, Integer
	KindSeries Kind = "series" // Shape, N, NaN and either Mean ... Sample or Times
	KindTime   Kind = "time"   // Time, Tolerance
	KindText   Kind = "text"   // Text
)

// Entry is one recorded value. Fields that its kind does not name are zero.
// An Entry is a plain value; its slices belong to whoever made it.
type Entry struct {
	Name  string
	Kind  Kind
	Units string // as the program or the file wrote it; may be empty

	// A number. Integer says that it was computed as a whole number (a count,
	// an index), so that it is compared exactly.
	Value   float64
	Integer bool

	// An array of more than one value: statistics over its N finite elements
	// (NaN when there are none), NaN counting the rest, and at most MaxSample
	// values from its start, row-major.
	Mean, Min, Max, Std float64
	N, NaN              int
	Shape               []int
	Sample              []float64
	// Times is the sample of an array of instants, which has no statistics.
	Times []tt.Time

	// An instant and how far a statement of it may be off: the cadence of the
	// data. tt.Fill means that there was none to be found.
	Time      tt.Time
	Tolerance time.Duration

	Text string

	Origin  Origin
	Created time.Time
}

// Origin says where a value came from. Fields that do not apply are empty.
type Origin struct {
	Tool          string  `json:"tool,omitempty"`        // "run_python"
	Call          string  `json:"call,omitempty"`        // the tool call's id
	Code          string  `json:"code,omitempty"`        // the saved script, "code_3.py"
	CodeSHA256    string  `json:"code_sha256,omitempty"` // of that script
	Recipe        string  `json:"recipe,omitempty"`
	RecipeVersion string  `json:"recipe_version,omitempty"`
	Inputs        []Input `json:"inputs,omitempty"`
}

// Input is one dataset that went into a value, over the half-open window
// [Start, Stop). Both zero means that no window was noted.
type Input struct {
	ID      string  `json:"id,omitempty"`      // "local/ac_h0_mfi_20230102_v07/BGSM"
	Dataset string  `json:"dataset,omitempty"` // its name in the session
	SHA256  string  `json:"sha256,omitempty"`  // of the source bytes
	Start   tt.Time `json:"start"`
	Stop    tt.Time `json:"stop"`
}

// HasWindow reports whether the input's window was noted.
func (in Input) HasWindow() bool {
	return (in.Start != 0 || in.Stop != 0) && !in.Start.IsFill() && !in.Stop.IsFill()
}

// NewNumber returns an entry for a measured or computed number.
func NewNumber(name string, v float64, units string, o Origin) Entry {
	return Entry{Name: name, Kind: KindNumber, Value: v, Units: units, Origin: o}
}

// NewCount returns an entry for a whole number, which is compared exactly.
func NewCount(name string, n int64, units string, o Origin) Entry {
	return Entry{Name: name, Kind: KindNumber, Value: float64(n), Integer: true, Units: units, Origin: o}
}

// NewTime returns an entry for an instant that the data resolve to tolerance.
func NewTime(name string, t tt.Time, tolerance time.Duration, o Origin) Entry {
	return Entry{Name: name, Kind: KindTime, Time: t, Tolerance: tolerance, Origin: o}
}

// NewText returns an entry for a text.
func NewText(name, text string, o Origin) Entry {
	return Entry{Name: name, Kind: KindText, Text: text, Origin: o}
}

// clone returns e with slices of its own.
func (e Entry) clone() Entry {
	e.Shape, e.Sample, e.Times = slices.Clone(e.Shape), slices.Clone(e.Sample), slices.Clone(e.Times)
	e.Origin.Inputs = slices.Clone(e.Origin.Inputs)
	return e
}

// validate holds the caps and the shape of every entry, trusted or not.
func (e Entry) validate() error {
	if err := checkName(e.Name); err != nil {
		return fmt.Errorf("record %.40q: %w", e.Name, err)
	}
	if err := e.invalid(); err != nil {
		return fmt.Errorf("record %q: %w", e.Name, err)
	}
	return nil
}

func checkName(name string) error {
	switch {
	case name == "":
		return errors.New("the name is empty")
	case len(name) > MaxName:
		return fmt.Errorf("the name has %d bytes, at most %d are allowed", len(name), MaxName)
	case !printable(name) || name[0] == ' ' || name[len(name)-1] == ' ':
		return errors.New("the name must be printable text without blanks around it")
	}
	return nil
}

func (e Entry) invalid() error {
	switch {
	case len(e.Units) > MaxUnits || !printable(e.Units):
		return fmt.Errorf("units must be printable text of at most %d bytes", MaxUnits)
	case len(e.Sample) > MaxSample || len(e.Times) > MaxSample:
		return fmt.Errorf("a sample has at most %d values", MaxSample)
	case len(e.Origin.Inputs) > MaxInputs:
		return fmt.Errorf("%d inputs, at most %d are allowed", len(e.Origin.Inputs), MaxInputs)
	case len(e.Text) > MaxText || !utf8.ValidString(e.Text):
		return fmt.Errorf("the text must be UTF-8 of at most %d bytes", MaxText)
	case e.Tolerance < 0 || e.Tolerance > maxTolerance:
		return errors.New("the tolerance of a time must lie between 0 and a year")
	case e.N < 0 || e.NaN < 0:
		return errors.New("counts of elements cannot be negative")
	}
	switch e.Kind {
	case KindNumber, KindTime, KindText:
		return nil
	case KindSeries:
		return e.checkShape()
	}
	return fmt.Errorf("kind %.20q is none of number, series, time, text", e.Kind)
}

// checkShape holds a series' shape against its counts.
func (e Entry) checkShape() error {
	if len(e.Shape) > MaxDims {
		return fmt.Errorf("%d dimensions, at most %d are allowed", len(e.Shape), MaxDims)
	}
	const most = 1 << 40 // far beyond any array that a session can hold
	total := 1
	for _, n := range e.Shape {
		if n < 0 || n > most/max(total, 1) {
			return errors.New("the shape is not that of an array")
		}
		total *= n
	}
	if e.N > most || e.NaN > most || len(e.Shape) > 0 && e.N+e.NaN != total {
		return fmt.Errorf("shape %v does not hold %d finite and %d other elements", e.Shape, e.N, e.NaN)
	}
	return nil
}

// printable reports whether s is valid UTF-8 of printable characters.
func printable(s string) bool {
	for _, r := range s {
		if r == utf8.RuneError || !unicode.IsPrint(r) {
			return false
		}
	}
	return true
}

package python

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/helios-go/helios/helioai/ledger"
)

// A Report is what the frames of one run say.
type Report struct {
	Started  bool // the script's own code began to run
	Finished bool // and came to its end without an error

	Values  []ledger.Entry // exported values in order, without an origin
	Refused []Refusal      // exports that could not be recorded
	Figures []Figure
	Loaded  []string // names given to load_data, each once
	Failure *Failure // nil: none was reported

	Versions map[string]string // of Python and the libraries that were used

	// Fonts is matplotlib's font list by file name, when the run had to build
	// it: hand it to [SaveFonts]. It was sent before the script's code ran.
	Fonts map[string][]byte

	Dropped int // frames that the runtime would not have sent
}

// A Refusal is an export that could not be recorded.
type Refusal struct {
	Name   string
	Reason string // one clause
	Repr   string // what it was, as Python shows it, shortened
}

// A Figure is one figure as two files in the workspace.
type Figure struct {
	PNG string `json:"png"` // 100 dpi, for the screen
	PDF string `json:"pdf"` // for the paper
}

// A Failure is the exception that ended a script.
type Failure struct {
	Exception string `json:"exception"` // its type, as in "NameError"
	Message   string `json:"message"`
	Line      int    `json:"line,omitempty"` // of the script; 0 when unknown
	Traceback string `json:"traceback"`      // the script's own lines only
}

// Error is the last line of the traceback, as Python prints it.
func (f *Failure) Error() string {
	switch {
	case f.Message == "":
		return f.Exception
	case f.Exception == "SystemExit":
		return f.Message
	}
	return f.Exception + ": " + f.Message
}

// maxValues bounds what one script may export.
const maxValues = 2000

var exceptionOK = regexp.MustCompile(`^\w{1,100}$`)

// Read makes a report of the frames of the script with that index. Frames are
// untrusted: what does not look like the runtime's is dropped and counted.
func Read(index int, frames []json.RawMessage) *Report {
	r := &Report{}
	for _, frame := range frames {
		if err := r.take(index, frame); err != nil {
			r.Dropped++
		}
	}
	return r
}

// envelope is the union of the fields of all frames but exports.
type envelope struct {
	Type     string            `json:"type"`
	Name     string            `json:"name"`
	Data     []byte            `json:"data"`
	Value    json.RawMessage   `json:"value"`
	Versions map[string]string `json:"versions"`
	Figure
	Failure
}

func (r *Report) take(index int, frame json.RawMessage) error {
	var e envelope
	if err := json.Unmarshal(frame, &e); err != nil {
		return err
	}
	switch e.Type {
	case "fontlist":
		if r.Started {
			return errors.New("a font list from the script")
		}
		return r.takeFonts(e.Name, e.Data)
	case "started":
		r.Started = true
		return nil
	case "finished":
		r.Finished = true
		return r.takeVersions(e.Versions)
	case "load":
		if err := plain("name", e.Name, 1, maxName); err != nil {
			return err
		}
		if !slices.Contains(r.Loaded, e.Name) {
			r.Loaded = append(r.Loaded, e.Name)
		}
		return nil
	case "export":
		return r.takeValue(e.Value)
	case "figure":
		return r.takeFigure(index, e.Figure)
	case "error":
		return r.takeFailure(e.Failure)
	}
	return fmt.Errorf("unknown frame %.20q", e.Type)
}

// takeValue reads an exported value, or the reason why there is none.
func (r *Report) takeValue(raw json.RawMessage) error {
	if len(r.Values)+len(r.Refused) >= maxValues {
		return fmt.Errorf("more than %d exports", maxValues)
	}
	var refused struct {
		Name, Kind, Error, Repr string
	}
	known := json.Unmarshal(raw, &refused) == nil
	refusal := Refusal{Name: oneLine(refused.Name, maxName), Reason: oneLine(refused.Error, maxText), Repr: oneLine(refused.Repr, maxText)}
	if known && refused.Kind == "error" {
		r.Refused = append(r.Refused, refusal)
		return nil
	}
	entry, err := ledger.FromExport(raw, ledger.Origin{})
	if err != nil {
		if known && refusal.Name != "" {
			refusal.Reason = err.Error()
			r.Refused = append(r.Refused, refusal)
		}
		return err
	}
	r.Values = append(r.Values, entry)
	return nil
}

// takeFigure accepts only the names that the runtime gives to figures.
func (r *Report) takeFigure(index int, f Figure) error {
	stem := fmt.Sprintf("fig_%d_%d", index, len(r.Figures)+1)
	if f.PNG != stem+".png" || f.PDF != stem+".pdf" {
		return fmt.Errorf("a figure called %.40q", f.PNG)
	}
	r.Figures = append(r.Figures, f)
	return nil
}

func (r *Report) takeFailure(f Failure) error {
	if r.Failure != nil || !exceptionOK.MatchString(f.Exception) {
		return fmt.Errorf("an error called %.40q", f.Exception)
	}
	f.Message = oneLine(f.Message, maxText)
	f.Traceback = strings.ToValidUTF8(f.Traceback, "")
	r.Failure = &f
	return nil
}

func (r *Report) takeVersions(versions map[string]string) error {
	for name, version := range versions {
		if !slices.Contains([]string{"python", "numpy", "scipy", "matplotlib"}, name) || plain("version", version, 1, 40) != nil {
			return fmt.Errorf("a version of %.20q", name)
		}
	}
	r.Versions = versions
	return nil
}

// Progress says in a few words what a frame tells, "" when nothing worth showing.
func Progress(frame json.RawMessage) string {
	var e envelope
	if json.Unmarshal(frame, &e) != nil {
		return ""
	}
	switch {
	case e.Type == "figure" && plain("name", e.PNG, 1, maxName) == nil:
		return "drew " + e.PNG
	case e.Type == "export":
		if entry, err := ledger.FromExport(e.Value, ledger.Origin{}); err == nil {
			return "computed " + entry.Name
		}
	}
	return ""
}

const (
	maxName = 200
	maxText = 4000
)

// oneLine makes any text fit for a sentence.
func oneLine(s string, most int) string {
	s = strings.Map(func(r rune) rune {
		if r == utf8.RuneError || unicode.IsControl(r) {
			return ' '
		}
		return r
	}, s)
	for len(s) > most {
		_, size := utf8.DecodeLastRuneInString(s)
		s = s[:len(s)-size]
	}
	return s
}

// plain checks a short string for people: no control characters.
func plain(what, s string, least, most int) error {
	if n := len(s); n < least || n > most {
		return fmt.Errorf("a %s of %d bytes", what, n)
	}
	for _, r := range s {
		if r == utf8.RuneError || unicode.IsControl(r) {
			return fmt.Errorf("a %s with control characters", what)
		}
	}
	return nil
}

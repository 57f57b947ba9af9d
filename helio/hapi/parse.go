package hapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/helios-go/helios/helio/tt"
)

// ParseInfo reads a header: the answer of info, or what stands before data. It
// resolves references to definitions and takes what servers write although the
// specification has it otherwise: a number for a fill value, a bare number for a
// size, one string for a list of one. The error is one sentence that names the
// parameter. A status other than 1200 and 1201 is not an error of the header.
func ParseInfo(data []byte) (*Info, error) {
	var w wireInfo
	if err := json.Unmarshal(data, &w); err != nil {
		return nil, fmt.Errorf("read a HAPI header: %w", describeJSON(err))
	}
	in := &Info{
		HAPI: w.HAPI.text(), Status: Status{Code: w.Status.Code.int(), Message: w.Status.Message.text()}, Format: Format(strings.ToLower(w.Format.text())),
		TimeStampLocation: strings.ToLower(w.TimeStampLocation.text()), UnitsSchema: w.UnitsSchema.text(),
		CoordinateSystemSchema: w.CoordinateSystemSchema.text(), Title: w.Title.text(), Description: w.Description.text(),
		ResourceURL: w.ResourceURL.text(), ResourceID: w.ResourceID.text(), Citation: first(w.DatasetCitation.text(), w.Citation.text()),
		License: w.LicenseURL.text(), Provenance: w.Provenance.text(), Contact: w.Contact.text(), ContactID: w.ContactID.text(),
		Note: w.Note.text(), Warning: w.Warning.text(), Modified: w.ModificationDate.text(),
		Raw: bytes.Clone(data),
	}
	var err error
	for _, date := range []struct {
		to   *tt.Time
		from loose
		name string
	}{{&in.StartDate, w.StartDate, "startDate"}, {&in.StopDate, w.StopDate, "stopDate"}, {&in.SampleStart, w.SampleStartDate, "sampleStartDate"}, {&in.SampleStop, w.SampleStopDate, "sampleStopDate"}} {
		if *date.to, err = headerTime(date.from.text()); err != nil {
			return nil, fmt.Errorf("read a HAPI header: %s: %w", date.name, err)
		}
	}
	in.Cadence, in.MaxRequestDuration = headerDuration(w.Cadence.text()), headerDuration(w.MaxRequestDuration.text())
	if in.TimeStampLocation != "" && !strings.Contains(" begin center end other ", " "+in.TimeStampLocation+" ") {
		in.TimeStampLocation = "other"
	}
	for i, raw := range w.Parameters {
		p, err := parseParameter(raw, w.Definitions)
		if err != nil {
			return nil, fmt.Errorf("read a HAPI header: parameter %d%s: %w", i+1, named(p.Name), err)
		}
		in.Parameters = append(in.Parameters, p)
	}
	if err := in.check(); err != nil {
		return nil, fmt.Errorf("read a HAPI header: %w", err)
	}
	return in, nil
}

// first returns the first text that is not empty.
func first(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}

func named(name string) string {
	if name == "" {
		return ""
	}
	return fmt.Sprintf(" (%q)", name)
}

// describeJSON says where a text stops being JSON.
func describeJSON(err error) error {
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		return fmt.Errorf("not valid JSON at byte %d: %w", syntax.Offset, err)
	}
	return err
}

// check refuses what no data could be read with.
func (in *Info) check() error {
	seen := map[string]bool{}
	for i := range in.Parameters {
		p := &in.Parameters[i]
		if i == 0 && p.Type != IsoTime {
			return fmt.Errorf("the first parameter, %q, is no isotime, and so no time axis", p.Name)
		}
		if i == 0 && p.Width() != 1 {
			return fmt.Errorf("the first parameter, %q, has more than one value", p.Name)
		}
		if seen[p.Name] {
			return fmt.Errorf("there are two parameters %q", p.Name)
		}
		seen[p.Name] = true
	}
	return nil
}

// wireInfo is a header on the wire.
type wireInfo struct {
	HAPI, Format loose
	Status       struct{ Code, Message loose }

	StartDate, StopDate, SampleStartDate, SampleStopDate loose
	Parameters                                           []json.RawMessage
	Cadence, MaxRequestDuration                          loose

	TimeStampLocation, UnitsSchema, CoordinateSystemSchema loose
	Title, Description, ResourceURL, ResourceID            loose
	DatasetCitation, Citation, LicenseURL, Provenance      loose
	Contact, ContactID, Note, Warning, ModificationDate    loose

	Definitions map[string]json.RawMessage
}

type wireParameter struct {
	Name, Type, Fill, Length, Size loose
	Units, Label, Description      loose
	CoordinateSystemName           loose
	VectorComponents               loose
	StringType                     loose
	Bins                           []wireBin
}

type wireBin struct {
	Name, Units, Label, Description loose
	Centers, Ranges                 loose
}

// maxWidth is how many values a record of one parameter may have.
const maxWidth = 1 << 20

func parseParameter(raw json.RawMessage, definitions map[string]json.RawMessage) (Parameter, error) {
	raw, err := resolve(raw, definitions)
	if err != nil {
		return Parameter{}, err
	}
	var w wireParameter
	if err := json.Unmarshal(raw, &w); err != nil {
		return Parameter{}, describeJSON(err)
	}
	p := Parameter{
		Name: w.Name.text(), Type: Type(strings.ToLower(w.Type.text())), Description: w.Description.text(),
		Length: w.Length.int(), CoordinateSystem: w.CoordinateSystemName.text(), VectorComponents: w.VectorComponents.texts(),
		Units: w.Units.texts(), Label: w.Label.texts(), URI: w.StringType.raw(),
	}
	if p.Name == "" {
		return p, errors.New("it has no name")
	}
	switch p.Type {
	case IsoTime, String, Double, Integer:
	default:
		return p, fmt.Errorf("its type is %q, which is none of isotime, string, double and integer", p.Type)
	}
	if p.Length < 0 || p.Length > maxWidth {
		return p, fmt.Errorf("a text of %d bytes is none that can be read", p.Length)
	}
	if p.Fill, p.HasFill = w.Fill.text(), !w.Fill.null(); p.HasFill && p.Fill == "" && !p.Type.IsText() {
		p.HasFill = false
	}
	if p.Size, err = w.Size.sizes(); err != nil {
		return p, err
	}
	if len(p.VectorComponents) == 0 && p.CoordinateSystem != "" && len(p.Size) == 1 && p.Size[0] == 3 {
		p.VectorComponents = []string{"x", "y", "z"}
	}
	p.Units, p.Label = fit(p.Units, p.Width()), fit(p.Label, p.Width())
	for i, b := range w.Bins {
		if i == len(p.Size) {
			break // more bins than dimensions: the first are believed
		}
		bin, err := b.bin(p.Size[i])
		if err != nil {
			return p, fmt.Errorf("bins of dimension %d: %w", i+1, err)
		}
		p.Bins = append(p.Bins, bin)
	}
	return p, nil
}

// fit drops a list that has neither one entry nor one for each value.
func fit(list []string, width int) []string {
	if len(list) == 1 || len(list) == width {
		return list
	}
	return nil
}

func (w wireBin) bin(n int) (Bin, error) {
	b := Bin{Name: w.Name.text(), Label: w.Label.text(), Description: w.Description.text(), Units: first(w.Units.texts()...)}
	if w.Centers.isText() {
		b.CentersFrom = w.Centers.text()
	} else {
		b.Centers = w.Centers.floats()
	}
	if w.Ranges.isText() {
		b.RangesFrom = w.Ranges.text()
	} else {
		b.Ranges = w.Ranges.floats()
	}
	if len(b.Centers) != 0 && len(b.Centers) != n {
		return b, fmt.Errorf("there are %d centers for %d places", len(b.Centers), n)
	}
	if len(b.Ranges) != 0 && len(b.Ranges) != 2*n {
		return b, fmt.Errorf("there are %d limits of ranges for %d places, not two each", len(b.Ranges), n)
	}
	return b, nil
}

// resolve puts definitions in the place of references to them. A definition has no
// references itself.
func resolve(raw json.RawMessage, definitions map[string]json.RawMessage) (json.RawMessage, error) {
	if !bytes.Contains(raw, []byte(`"$ref"`)) {
		return raw, nil
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, describeJSON(err)
	}
	v, err := replaceRefs(v, definitions)
	if err != nil {
		return nil, err
	}
	return json.Marshal(v)
}

func replaceRefs(v any, definitions map[string]json.RawMessage) (any, error) {
	var err error
	switch v := v.(type) {
	case []any:
		for i := range v {
			if v[i], err = replaceRefs(v[i], definitions); err != nil {
				return nil, err
			}
		}
	case map[string]any:
		if ref, ok := v["$ref"].(string); ok {
			name, ok := strings.CutPrefix(ref, "#/definitions/")
			target, found := definitions[name]
			if !ok || !found {
				return nil, fmt.Errorf("it refers to %q, and there is no such definition", ref)
			}
			return target, nil
		}
		for k := range v {
			if v[k], err = replaceRefs(v[k], definitions); err != nil {
				return nil, err
			}
		}
	}
	return v, nil
}

// loose is a JSON value of any kind, read as what is wanted.
type loose json.RawMessage

func (l *loose) UnmarshalJSON(b []byte) error {
	*l = append((*l)[:0], b...)
	return nil
}

func (l loose) null() bool   { return len(l) == 0 || string(l) == "null" }
func (l loose) isText() bool { return len(l) > 0 && l[0] == '"' }

func (l loose) raw() json.RawMessage {
	if l.null() {
		return nil
	}
	return json.RawMessage(l)
}

// text is a string as it is, a number or a truth as it is written, and "" for the
// rest.
func (l loose) text() string {
	if l.null() || l[0] == '{' || l[0] == '[' {
		return ""
	}
	if l.isText() {
		var s string
		if json.Unmarshal(l, &s) != nil {
			return ""
		}
		return s
	}
	return string(l)
}

// texts is a list, nested ones flattened, of one where there is none. null in a list
// is "".
func (l loose) texts() []string {
	if l.null() {
		return nil
	}
	if l[0] != '[' {
		if text := l.text(); text != "" {
			return []string{text}
		}
		return nil
	}
	var list []loose
	if json.Unmarshal(l, &list) != nil {
		return nil
	}
	var out []string
	for _, one := range list {
		if len(one) > 0 && one[0] == '[' {
			out = append(out, one.texts()...)
			continue
		}
		out = append(out, one.text())
	}
	return out
}

func (l loose) int() int {
	f, err := strconv.ParseFloat(l.text(), 64)
	if err != nil || f != math.Trunc(f) || math.Abs(f) > math.MaxInt32 {
		return 0
	}
	return int(f)
}

// floats is a list of numbers, nested ones flattened; what is no number is NaN.
func (l loose) floats() []float64 {
	if l.null() || l[0] != '[' {
		return nil
	}
	var out []float64
	for _, text := range l.texts() {
		f, err := strconv.ParseFloat(text, 64)
		if err != nil {
			f = math.NaN()
		}
		out = append(out, f)
	}
	return out
}

// sizes is the shape of a record.
func (l loose) sizes() ([]int, error) {
	if l.null() {
		return nil, nil
	}
	var out []int
	width := 1
	for _, text := range l.texts() {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > maxWidth || width*n > maxWidth {
			return nil, fmt.Errorf("its size %.40s is none", string(l))
		}
		width *= n
		out = append(out, n)
	}
	return out, nil
}

func headerTime(text string) (tt.Time, error) {
	if text == "" {
		return tt.Fill, nil
	}
	return tt.Parse(text)
}

// headerDuration is 0 for what cannot be read: it is advice, not data.
func headerDuration(text string) time.Duration {
	d, err := parseISODuration(text)
	if err != nil {
		return 0
	}
	return d
}

package hapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/helios-go/helios/helio/tt"
)

// ParseInfo reads a header: the answer of info, or what stands before data, of any
// version. It puts definitions in the place of references to them and takes what
// servers write although the specification has it otherwise: a fill value of any kind
// of JSON, a bare number for a size, one value for a list of one, null for what is
// missing, NaN and Infinity, which JSON does not have. What only describes the data and
// cannot be read, such as a date or bins that do not fit the size, is left out; a date
// that [tt.Time] cannot reach becomes the nearest that it can. What data could not be
// read without is an error, one sentence that names the parameter. A status other than
// 1200 and 1201 is not an error of the header.
func ParseInfo(data []byte) (*Info, error) {
	in, err := parseInfo(data)
	if err != nil {
		return nil, fmt.Errorf("read a HAPI header: %w", err)
	}
	return in, nil
}

func parseInfo(data []byte) (*Info, error) {
	w, err := readWire(data)
	if err != nil {
		return nil, err
	}
	in := &Info{
		HAPI: w.HAPI.text(), Status: w.Status.status(), Format: Format(strings.ToLower(w.Format.text())),
		StartDate: headerTime(w.StartDate), StopDate: headerTime(w.StopDate),
		SampleStart: headerTime(w.SampleStartDate), SampleStop: headerTime(w.SampleStopDate),
		Cadence: headerDuration(w.Cadence), MaxRequestDuration: headerDuration(w.MaxRequestDuration),
		TimeStampLocation: strings.ToLower(w.TimeStampLocation.text()), UnitsSchema: w.UnitsSchema.text(),
		CoordinateSystemSchema: w.CoordinateSystemSchema.text(), Title: w.Title.text(), Description: w.Description.text(),
		ResourceURL: w.ResourceURL.text(), ResourceID: w.ResourceID.text(), Citation: first(w.DatasetCitation.text(), w.Citation.text()),
		License: first(w.LicenseURL.texts()...), Provenance: w.Provenance.text(), Contact: w.Contact.text(), ContactID: w.ContactID.text(),
		Note: strings.Join(w.Note.texts(), "; "), Warning: strings.Join(w.Warning.texts(), "; "), Modified: w.ModificationDate.text(),
		Raw: bytes.Clone(data), Extra: extra(data),
	}
	if in.TimeStampLocation != "" && !slices.Contains([]string{"begin", "center", "end", "other"}, in.TimeStampLocation) {
		in.TimeStampLocation = "other"
	}
	parameters, err := w.Parameters.list("parameters")
	if err != nil {
		return nil, err
	}
	refs := newReferences(w.Definitions)
	for i, raw := range parameters {
		p, err := parseParameter(raw, refs)
		if err != nil {
			return nil, fmt.Errorf("parameter %d%s: %w", i+1, named(p.Name), err)
		}
		in.Parameters = append(in.Parameters, p)
	}
	return in, in.check()
}

// wireInfo is a header on the wire.
type wireInfo struct {
	HAPI, Format, Status loose

	StartDate, StopDate, SampleStartDate, SampleStopDate loose
	Parameters, Definitions                              loose
	Cadence, MaxRequestDuration                          loose

	TimeStampLocation, UnitsSchema, CoordinateSystemSchema loose
	Title, Description, ResourceURL, ResourceID            loose
	DatasetCitation, Citation, LicenseURL, Provenance      loose
	Contact, ContactID, Note, Warning, ModificationDate    loose
}

var errNoObject = errors.New("it is no JSON object")

func readWire(data []byte) (*wireInfo, error) {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	if !bytes.HasPrefix(bytes.TrimLeft(data, " \t\r\n"), []byte("{")) {
		return nil, errNoObject
	}
	w := &wireInfo{}
	err := json.Unmarshal(data, w)
	if err == nil {
		return w, nil
	}
	again := &wireInfo{}
	if repaired, changed := quoteNaN(data); changed && json.Unmarshal(repaired, again) == nil {
		return again, nil
	}
	return nil, describeJSON(err)
}

// describeJSON says where a text stops being JSON.
func describeJSON(err error) error {
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		return fmt.Errorf("not valid JSON at byte %d: %w", syntax.Offset, err)
	}
	return err
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
	return fmt.Sprintf(" (%.60q)", name)
}

// check refuses what no data could be read with.
func (in *Info) check() error {
	seen := map[string]bool{}
	for i := range in.Parameters {
		p := &in.Parameters[i]
		if i == 0 && p.Type != IsoTime {
			return fmt.Errorf("the first parameter, %.60q, is no isotime, and so no time axis", p.Name)
		}
		if i == 0 && p.Width() != 1 {
			return fmt.Errorf("the first parameter, %.60q, has more than one value", p.Name)
		}
		if seen[p.Name] {
			return fmt.Errorf("there are two parameters %.60q", p.Name)
		}
		seen[p.Name] = true
	}
	return nil
}

// extra are the members of an object whose names begin with x_, of which the
// specification says nothing.
func extra(object []byte) map[string]json.RawMessage {
	if !bytes.Contains(object, []byte(`"x_`)) {
		return nil
	}
	var all map[string]json.RawMessage
	if json.Unmarshal(object, &all) != nil {
		return nil
	}
	for name := range all {
		if !strings.HasPrefix(name, "x_") {
			delete(all, name)
		}
	}
	if len(all) == 0 {
		return nil
	}
	return all
}

// headerTime is Fill for what is no time.
func headerTime(l loose) tt.Time {
	text := l.text()
	t, err := tt.Parse(text)
	switch {
	case !errors.Is(err, tt.ErrRange):
		return t
	case text < "2000": // years have four digits
		return tt.Min
	}
	return tt.Max
}

// headerDuration is 0 for what cannot be read.
func headerDuration(l loose) time.Duration {
	d, err := tt.ParseDuration(l.text())
	if err != nil {
		return 0
	}
	return d
}

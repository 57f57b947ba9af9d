// Package hapi speaks the Heliophysics Application Programmer's Interface (HAPI),
// by which most space-physics archives give out time series: versions 2.x and 3.x,
// as real servers speak them.
//
//	client := hapi.New("https://cdaweb.gsfc.nasa.gov/hapi", &hapi.Options{Cache: store})
//	records, err := client.Fetch(ctx, hapi.Query{
//		Dataset: "AC_H0_MFI", Parameters: []string{"BGSEc"}, Start: start, Stop: stop,
//	})
//	if err != nil {
//		return err
//	}
//	b, ok := records.Column("BGSEc") // b.Float has three numbers a record
//
// The types follow the specification (3.3): an [Info] describes a dataset and its
// parameters, [Records] are data, column by column. A [Decoder] reads a stream of
// data in any of the three formats.
//
// A [Client] asks one server, in the words of its version. It cuts a window into
// chunks that the server takes and that lie on a fixed grid of the calendar, and
// keeps each in a [cache.Cache], whole or not at all: what is there, from an earlier
// call, another process or one that was killed, is not fetched again while the
// dataset is what it was. [Client.Data] gives the records chunk by chunk,
// [Client.Fetch] all of them.
//
// What it promises: the three formats give the same records; fill values are NaN,
// or "" where the parameter holds text; a stream that was cut off is a
// [*StreamError] that names the place, never a short result. Where a server closes
// its connection without saying that this is the end, the client asks for what
// follows before it believes it. Such a cut is asked for again a few times, and so
// is what a busy server puts off; a refusal is an [*Error] with the server's words.
package hapi

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/helios-go/helios/helio/tt"
)

// Format is a form of data on the wire.
type Format string

// The formats of the specification. Every server has CSV.
const (
	CSV    Format = "csv"
	Binary Format = "binary"
	JSON   Format = "json"
)

// Type is the type of a parameter's values.
type Type string

// The types of the specification.
const (
	IsoTime Type = "isotime"
	String  Type = "string"
	Double  Type = "double"
	Integer Type = "integer"
)

// IsText reports whether values are words rather than numbers.
func (t Type) IsText() bool { return t == IsoTime || t == String }

// Info describes a dataset, or the part of it that a request selects. It is not
// changed once it was read, and may be shared.
type Info struct {
	HAPI   string // version of the specification, as in "3.2"
	Status Status
	Format Format // of the data that follow; "" where there are none

	// StartDate and StopDate are where data begin and end; [tt.Fill] where the
	// server does not say.
	StartDate, StopDate tt.Time
	// Parameters has the time first.
	Parameters []Parameter

	Cadence            time.Duration // usual step; 0 where nothing is said
	MaxRequestDuration time.Duration // longest window of one request; 0: no limit is known
	// SampleStart and SampleStop are a window that holds data, to try.
	SampleStart, SampleStop tt.Time

	// TimeStampLocation is "begin", "center", "end" or "other" in lower case; ""
	// where nothing is said, which the specification calls center.
	TimeStampLocation      string
	UnitsSchema            string
	CoordinateSystemSchema string
	Title                  string
	Description            string
	ResourceURL            string
	ResourceID             string // SPASE id of the dataset
	Citation               string
	License                string
	Provenance             string
	Contact                string
	ContactID              string
	Note                   string
	Warning                string
	// Modified is when the dataset last changed, as the server writes it.
	Modified string

	Raw json.RawMessage // the whole header, as it came
	// Extra has the members whose names begin with x_, which are the server's own; nil
	// where there are none.
	Extra map[string]json.RawMessage
}

// Parameter describes one parameter.
type Parameter struct {
	Name string
	Type Type
	// Units has one unit for all values of a record, or one for each; nil where
	// nothing is said or the values have none.
	Units []string
	// Fill is what marks a missing value, as the header writes it; HasFill is false
	// where nothing does.
	Fill    string
	HasFill bool
	Length  int   // bytes of a text in binary; 0 for numbers, or where nothing is said
	Size    []int // shape of a record; nil for a scalar
	// Label has one label for all values of a record, or one for each; nil where
	// nothing is said.
	Label       []string
	Description string
	Bins        []Bin // nil, or one for each dimension of Size

	CoordinateSystem string
	VectorComponents []string // as in x, y, z; nil where the values are no vector

	// URI says that the texts are addresses: "uri" or what the header says of them.
	URI json.RawMessage
	// Extra is that of [Info], for the parameter.
	Extra map[string]json.RawMessage
}

// Bin says what the places along one dimension stand for. One without centers and
// ranges is not binned.
type Bin struct {
	Name        string
	Units       string
	Label       string
	Description string
	Centers     []float64 // NaN where a place has none
	Ranges      []float64 // pairs of lower and upper limit
	// CentersFrom and RangesFrom name the parameter that holds them record by
	// record; "" where they do not change.
	CentersFrom, RangesFrom string
}

// Width is the number of values in a record: the product of Size, 1 for a scalar.
func (p *Parameter) Width() int {
	w := 1
	for _, n := range p.Size {
		w *= n
	}
	return w
}

// Width is the number of values of all parameters in a record, the time among them.
func (in *Info) Width() int {
	w := 0
	for i := range in.Parameters {
		w += in.Parameters[i].Width()
	}
	return w
}

// Parameter returns the parameter of that name.
func (in *Info) Parameter(name string) (*Parameter, bool) {
	for i := range in.Parameters {
		if in.Parameters[i].Name == name {
			return &in.Parameters[i], true
		}
	}
	return nil, false
}

// Select returns the header of a request for some of the parameters: those named,
// in the header's order, and always the time. Without names it is the whole. The
// error is an [*UnknownParameterError].
func (in *Info) Select(names ...string) (*Info, error) {
	if len(names) == 0 || len(in.Parameters) == 0 {
		return in, nil
	}
	wanted := make(map[string]bool, len(names))
	for _, name := range names {
		if _, ok := in.Parameter(name); !ok {
			return nil, &UnknownParameterError{Name: name, Known: in.Names()}
		}
		wanted[name] = true
	}
	out := *in
	out.Parameters = nil
	for i, p := range in.Parameters {
		if i == 0 || wanted[p.Name] {
			out.Parameters = append(out.Parameters, p)
		}
	}
	return &out, nil
}

// Names lists the parameters, the time first.
func (in *Info) Names() []string {
	names := make([]string, len(in.Parameters))
	for i := range in.Parameters {
		names[i] = in.Parameters[i].Name
	}
	return names
}

// UnknownParameterError says that a dataset has no such parameter.
type UnknownParameterError struct {
	Name  string
	Known []string
}

func (e *UnknownParameterError) Error() string {
	const most = 20
	known := e.Known
	more := ""
	if len(known) > most {
		known, more = known[:most], fmt.Sprintf(" and %d more", len(e.Known)-most)
	}
	return fmt.Sprintf("there is no parameter %q; there are %s%s", e.Name, strings.Join(known, ", "), more)
}

// Records are data of the parameters of Info: a time for each record, and a column
// for each parameter after the time. The zero value has none.
type Records struct {
	Info    *Info
	Time    []tt.Time
	Columns []Column
}

// A Column holds the values of one parameter, record after record, Width of them
// each: numbers or texts, the other is nil.
type Column struct {
	Float []float64 // of double and integer; missing is NaN
	Text  []string  // of string and isotime, without padding; missing is ""
}

// Len returns the number of records.
func (r *Records) Len() int { return len(r.Time) }

// Column returns the column of a parameter.
func (r *Records) Column(name string) (*Column, bool) {
	if r.Info == nil {
		return nil, false
	}
	for i := 1; i < len(r.Info.Parameters) && i <= len(r.Columns); i++ {
		if r.Info.Parameters[i].Name == name {
			return &r.Columns[i-1], true
		}
	}
	return nil, false
}

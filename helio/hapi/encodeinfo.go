package hapi

import (
	"bytes"
	"encoding/json"
	"math"

	"github.com/helios-go/helios/helio/tt"
)

// An object is a JSON object with its members in order.
type object []member

type member struct {
	name  string
	value any
}

func (o *object) add(name string, value any) { *o = append(*o, member{name, value}) }

// addText adds a text that is not empty.
func (o *object) addText(name, text string) {
	if text != "" {
		o.add(name, text)
	}
}

// MarshalJSON writes the members in their order, without escapes for HTML.
func (o object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	for i, m := range o {
		b.WriteByte("{,"[min(i, 1)])
		for j, v := range []any{m.name, m.value} {
			if j == 1 {
				b.WriteByte(':')
			}
			if err := enc.Encode(v); err != nil {
				return nil, err
			}
			b.Truncate(b.Len() - 1) // Encode ends with a line feed
		}
	}
	if len(o) == 0 {
		b.WriteByte('{')
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// MarshalJSON writes the header as version 3 of the specification has it, from the
// fields and not from Raw. [ParseInfo] reads it back.
func (in *Info) MarshalJSON() ([]byte, error) {
	o := object{{"HAPI", first(in.HAPI, "3.3")}}
	status := in.Status
	if status.Code == 0 {
		status = Status{Code: OK, Message: "OK"}
	}
	o.add("status", object{{"code", status.Code}, {"message", status.Message}})
	o.addText("format", string(in.Format))
	for _, date := range []struct {
		name string
		at   tt.Time
	}{{"startDate", in.StartDate}, {"stopDate", in.StopDate}, {"sampleStartDate", in.SampleStart}, {"sampleStopDate", in.SampleStop}} {
		if date.at != tt.Fill {
			o.add(date.name, date.at.String())
		}
	}
	if in.Cadence > 0 {
		o.add("cadence", tt.FormatDuration(in.Cadence))
	}
	if in.MaxRequestDuration > 0 {
		o.add("maxRequestDuration", tt.FormatDuration(in.MaxRequestDuration))
	}
	for _, m := range []struct{ name, text string }{
		{"timeStampLocation", in.TimeStampLocation}, {"unitsSchema", in.UnitsSchema}, {"coordinateSystemSchema", in.CoordinateSystemSchema},
		{"title", in.Title}, {"description", in.Description}, {"resourceURL", in.ResourceURL}, {"resourceID", in.ResourceID},
		{"datasetCitation", in.Citation}, {"licenseURL", in.License}, {"provenance", in.Provenance}, {"contact", in.Contact},
		{"contactID", in.ContactID}, {"modificationDate", in.Modified}, {"note", in.Note}, {"warning", in.Warning},
	} {
		o.addText(m.name, m.text)
	}
	list := make([]object, len(in.Parameters))
	for i := range in.Parameters {
		list[i] = in.Parameters[i].object()
	}
	o.add("parameters", list)
	return json.Marshal(o)
}

func (p *Parameter) object() object {
	o := object{{"name", p.Name}, {"type", string(p.Type)}}
	switch len(p.Units) {
	case 0:
		o.add("units", nil)
	case 1:
		o.add("units", p.Units[0])
	default:
		o.add("units", shaped(p.Units, p.Size))
	}
	o.add("fill", nil)
	if p.HasFill {
		o[len(o)-1].value = p.Fill
	}
	if p.Type.IsText() {
		o.add("length", p.Length)
	}
	if len(p.Size) > 0 {
		o.add("size", p.Size)
	}
	switch len(p.Label) {
	case 0:
	case 1:
		o.add("label", p.Label[0])
	default:
		o.add("label", shaped(p.Label, p.Size))
	}
	o.addText("description", p.Description)
	o.addText("coordinateSystemName", p.CoordinateSystem)
	if len(p.VectorComponents) > 0 {
		o.add("vectorComponents", p.VectorComponents)
	}
	if p.URI != nil {
		o.add("stringType", p.URI)
	}
	if len(p.Bins) > 0 {
		bins := make([]object, len(p.Bins))
		for i := range p.Bins {
			bins[i] = p.Bins[i].object()
		}
		o.add("bins", bins)
	}
	return o
}

// shaped nests a list as a record is nested, the last index fastest.
func shaped(list []string, size []int) any {
	if len(size) < 2 {
		return list
	}
	w := len(list) / size[0]
	out := make([]any, size[0])
	for i := range out {
		out[i] = shaped(list[i*w:(i+1)*w], size[1:])
	}
	return out
}

func (b *Bin) object() object {
	o := object{{"name", b.Name}}
	o.add("units", nil)
	if b.Units != "" {
		o[len(o)-1].value = b.Units
	}
	switch {
	case b.CentersFrom != "":
		o.add("centers", b.CentersFrom)
	case len(b.Centers) > 0:
		o.add("centers", numbers(b.Centers))
	default:
		o.add("centers", nil)
	}
	switch {
	case b.RangesFrom != "":
		o.add("ranges", b.RangesFrom)
	case len(b.Ranges) > 0:
		pairs := make([][]any, len(b.Ranges)/2)
		for i := range pairs {
			pairs[i] = numbers(b.Ranges[2*i : 2*i+2])
		}
		o.add("ranges", pairs)
	}
	o.addText("label", b.Label)
	o.addText("description", b.Description)
	return o
}

// numbers is a list for JSON, which has no NaN.
func numbers(values []float64) []any {
	out := make([]any, len(values))
	for i, v := range values {
		if !math.IsNaN(v) && !math.IsInf(v, 0) {
			out[i] = v
		}
	}
	return out
}

package archive

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/helios-go/helios/helio/hapi"
	"github.com/helios-go/helios/helio/series"
)

// hapiDataset describes a dataset by its HAPI header.
func hapiDataset(provider, id, title string, in *hapi.Info) *Dataset {
	d := &Dataset{
		ID: id, Title: firstOf(title, in.Title, in.Description), Provider: provider, Source: provider,
		Start: in.StartDate, Stop: in.StopDate, Cadence: in.Cadence,
		DOI: doiIn(in.ResourceID, in.Citation, in.ResourceURL), Citation: in.Citation,
		SPASE: spaseIn(in.ResourceID, in.ResourceURL), ResourceURL: in.ResourceURL, License: in.License, Modified: in.Modified,
	}
	for i := range in.Parameters {
		if i == 0 {
			continue // the time
		}
		p := &in.Parameters[i]
		d.Parameters = append(d.Parameters, Parameter{
			ID: JoinID(provider, id, p.Name), Dataset: id, Name: p.Name, Description: hapiDescription(p),
			Units: hapiUnits(p), Columns: listedColumns(p), Dims: slices.Clone(p.Size), Text: p.Type.IsText(),
			Frame: hapiFrame(p), Role: "data", Start: in.StartDate, Stop: in.StopDate, Cadence: in.Cadence,
		})
	}
	return d
}

// hapiDescription falls back to a label that says more than the name.
func hapiDescription(p *hapi.Parameter) string {
	if p.Description == "" && len(p.Label) == 1 && p.Label[0] != p.Name {
		return p.Label[0]
	}
	return p.Description
}

// hapiUnits is one unit, or those of the components joined by commas where they
// differ.
func hapiUnits(p *hapi.Parameter) string {
	if len(p.Units) == 0 {
		return ""
	}
	for _, u := range p.Units {
		if u != p.Units[0] {
			return strings.Join(p.Units, ", ")
		}
	}
	return p.Units[0]
}

// maxListed is how many labels are made up for a list of parameters, which would
// grow beyond measure with those of images.
const maxListed = 64

func listedColumns(p *hapi.Parameter) []string {
	if w := p.Width(); w > maxListed && len(p.Label) != w {
		return nil
	}
	return hapiColumns(p)
}

// hapiColumns names the values of a record: by the labels, by the components of a
// vector, or by number.
func hapiColumns(p *hapi.Parameter) []string {
	w := p.Width()
	switch {
	case len(p.Label) == w:
		return slices.Clone(p.Label)
	case len(p.Size) == 0:
		return []string{p.Name}
	}
	out := make([]string, w)
	for i := range out {
		if len(p.Size) == 1 && len(p.VectorComponents) == w {
			out[i] = p.Name + "_" + p.VectorComponents[i]
			continue
		}
		out[i] = fmt.Sprintf("%s_%d", p.Name, i+1)
	}
	return out
}

func hapiFrame(p *hapi.Parameter) string {
	if p.CoordinateSystem != "" {
		return strings.ToUpper(p.CoordinateSystem)
	}
	return frameIn(p.Name, strings.Join(p.Label, " "), p.Description)
}

// binSources are the parameters that hold the bins of p, record by record.
func binSources(p *hapi.Parameter) []string {
	var out []string
	for _, b := range p.Bins {
		for _, from := range []string{b.CentersFrom, b.RangesFrom} {
			if from != "" && !slices.Contains(out, from) {
				out = append(out, from)
			}
		}
	}
	return out
}

// hapiSeries makes a series of one parameter of records.
func hapiSeries(provider, dataset string, in *hapi.Info, r *hapi.Records, name string) (*series.Series, error) {
	p, ok := in.Parameter(name)
	id := JoinID(provider, dataset, name)
	if !ok {
		return nil, &UnknownError{ID: id}
	}
	if p.Type.IsText() {
		return nil, &TextError{ID: id}
	}
	s := &series.Series{
		ID: id, Name: p.Name, Units: hapiUnits(p), Description: hapiDescription(p),
		Columns: hapiColumns(p), Dims: slices.Clone(p.Size), Time: r.Time,
		Meta: series.Meta{
			Dataset: dataset, DatasetTitle: firstOf(in.Title, in.Description), Frame: hapiFrame(p), Role: "data", Source: provider,
			DOI: doiIn(in.ResourceID, in.Citation, in.ResourceURL), SPASE: spaseIn(in.ResourceID, in.ResourceURL),
			Citation: in.Citation, ResourceURL: in.ResourceURL, License: in.License, TimeStampLocation: in.TimeStampLocation,
		},
	}
	if p.HasFill {
		if fill, err := strconv.ParseFloat(strings.TrimSpace(p.Fill), 64); err == nil {
			s.Meta.Fill = []float64{fill}
		}
	}
	if c, ok := r.Column(name); ok {
		s.Values = c.Float
	}
	if len(s.Values) != len(s.Time)*s.Width() {
		return nil, fmt.Errorf("read %s: %d values came for %d records of %d", id, len(s.Values), len(s.Time), s.Width())
	}
	s.Axes = hapiAxes(p, r)
	return s, nil
}

func hapiAxes(p *hapi.Parameter, r *hapi.Records) []series.Axis {
	out := make([]series.Axis, len(p.Size))
	binned := false
	for i, b := range p.Bins {
		if i == len(out) {
			break
		}
		a := series.Axis{Name: firstOf(b.Name, b.Label), Units: b.Units, Centers: b.Centers, Ranges: b.Ranges}
		if b.CentersFrom != "" {
			a.Centers, a.Varying = binColumn(r, b.CentersFrom, p.Size[i])
		}
		if b.RangesFrom != "" {
			var varying bool
			a.Ranges, varying = binColumn(r, b.RangesFrom, 2*p.Size[i])
			switch {
			case varying && !a.Varying && len(a.Centers) > 0:
				a.Centers = slices.Repeat(a.Centers, r.Len())
			case !varying:
				a.Ranges = nil
			}
			a.Varying = a.Varying || varying
		} else if a.Varying && len(a.Ranges) > 0 {
			a.Ranges = slices.Repeat(a.Ranges, r.Len())
		}
		out[i], binned = a, binned || a.Binned()
	}
	if !binned {
		return nil
	}
	return out
}

// binColumn returns the bins that a parameter holds record by record.
func binColumn(r *hapi.Records, name string, width int) (values []float64, ok bool) {
	c, ok := r.Column(name)
	if !ok || len(c.Float) != r.Len()*width {
		return nil, false
	}
	return c.Float, true
}

var doiPattern = regexp.MustCompile(`\b10\.\d{4,9}/[^\s"<>,;]+`)

// doiIn finds a DOI in the first of the texts that has one.
func doiIn(texts ...string) string {
	for _, t := range texts {
		if doi := doiPattern.FindString(t); doi != "" {
			return strings.TrimRight(doi, ".)]")
		}
	}
	return ""
}

func spaseIn(texts ...string) string {
	for _, t := range texts {
		if i := strings.Index(t, "spase://"); i >= 0 {
			return strings.Fields(t[i:])[0]
		}
	}
	return ""
}

package hapiserver

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/helios-go/helios/helio/archive"
	"github.com/helios-go/helios/helio/hapi"
	"github.com/helios-go/helios/helio/tt"
)

// A dataset is what the server shows as one: parameters on one time axis, in one
// file or in several.
type dataset struct {
	id    string
	title string
	info  *hapi.Info // of all parameters
	parts []part     // in order of time
	// cadence is the usual step, to guess how much a window holds; 0: not known.
	cadence time.Duration
}

// A part is one file, or the parameters of one that share a time axis.
type part struct {
	start, stop tt.Time // first and last record
	records     int
	ids         map[string]string // of the archive, by the parameter's name
}

// A piece is a part before it is known to which dataset it belongs.
type piece struct {
	part
	stem       string // of the file's name, without date and version
	day        string
	version    []int
	of         *archive.Dataset
	parameters []archive.Parameter
}

// collect makes datasets of what an archive lists.
func collect(list []archive.Dataset, maxRecords int) []*dataset {
	groups := map[string][]*piece{}
	var order []string
	for i := range list {
		for _, p := range pieces(&list[i]) {
			key := p.stem + "\x00" + p.shape()
			if groups[key] == nil {
				order = append(order, key)
			}
			groups[key] = append(groups[key], p)
		}
	}
	var out []*dataset
	taken := map[string]bool{}
	for _, key := range order {
		d := newDataset(newest(groups[key]), maxRecords)
		for n := 2; taken[d.id]; n++ {
			d.id = strings.TrimSuffix(d.id, "_"+strconv.Itoa(n-1)) + "_" + strconv.Itoa(n)
		}
		taken[d.id] = true
		out = append(out, d)
	}
	slices.SortFunc(out, func(a, b *dataset) int { return cmp.Compare(a.id, b.id) })
	return out
}

// datedName is a file of a series of files: name_date, or name_date_version.
var datedName = regexp.MustCompile(`^(.+?)[_-](\d{8}(?:\d{2}|\d{4}|\d{6})?|\d{4}-\d{2}-\d{2})(?:[_-]v?(\d+(?:\.\d+)*))?$`)

// pieces splits a dataset of the archive by time axes.
func pieces(d *archive.Dataset) []*piece {
	var out []*piece
	byAxis := map[string]*piece{}
	for _, p := range d.Parameters {
		if p.Records == 0 || p.Text {
			continue
		}
		one := byAxis[p.TimeAxis]
		if one == nil {
			one = &piece{stem: d.ID, of: d}
			if m := datedName.FindStringSubmatch(d.ID); m != nil {
				one.stem, one.day, one.version = m[1], m[2], numbers(m[3])
			}
			if len(byAxis) > 0 {
				one.stem += "/" + p.TimeAxis
			}
			one.part = part{start: p.Start, stop: p.Stop, ids: map[string]string{}}
			byAxis[p.TimeAxis] = one
			out = append(out, one)
		}
		one.parameters = append(one.parameters, p)
		one.ids[p.Name] = p.ID
		one.start, one.stop, one.records = min(one.start, p.Start), max(one.stop, p.Stop), max(one.records, p.Records)
	}
	return out
}

func numbers(version string) []int {
	var out []int
	for text := range strings.SplitSeq(version, ".") {
		n, err := strconv.Atoi(text)
		if err == nil {
			out = append(out, n)
		}
	}
	return out
}

// shape tells pieces apart that have other parameters, units or sizes, which cannot
// be one dataset.
func (p *piece) shape() string {
	var b strings.Builder
	for _, q := range p.parameters {
		b.WriteString(q.Name + "\x01" + q.Units + "\x01")
		for _, n := range q.Dims {
			b.WriteString(strconv.Itoa(n) + "x")
		}
		b.WriteString("\x02")
	}
	return b.String()
}

// newest keeps, of several versions of one day, the newest, and puts the pieces in
// order of time.
func newest(all []*piece) []*piece {
	slices.SortStableFunc(all, func(a, b *piece) int {
		return cmp.Or(cmp.Compare(a.day, b.day), slices.Compare(b.version, a.version))
	})
	out := all[:0]
	for _, p := range all {
		if n := len(out); n > 0 && p.day != "" && out[n-1].day == p.day {
			continue
		}
		out = append(out, p)
	}
	slices.SortStableFunc(out, func(a, b *piece) int { return cmp.Compare(a.start, b.start) })
	return out
}

func newDataset(all []*piece, maxRecords int) *dataset {
	first := all[0]
	d := &dataset{id: first.stem, title: first.of.Title}
	if len(all) == 1 {
		// One file keeps its whole name, which says which one it is.
		d.id = first.of.ID
		if i := strings.IndexByte(first.stem, '/'); i >= 0 {
			d.id += first.stem[i:]
		}
	}
	decimals := 3
	in := &hapi.Info{
		HAPI: Version, StartDate: first.start, StopDate: first.stop, SampleStart: tt.Fill, SampleStop: tt.Fill,
		Description: first.of.Title, ResourceURL: first.of.ResourceURL, ResourceID: first.of.SPASE,
		Citation: citation(first.of), License: first.of.License, Note: note(first.of),
	}
	for _, p := range all {
		d.parts = append(d.parts, p.part)
		in.StopDate = max(in.StopDate, p.stop)
		in.Modified = max(in.Modified, p.of.Modified)
		for _, q := range p.parameters {
			decimals = max(decimals, q.TimeDecimals)
			d.cadence = max(d.cadence, q.Cadence)
		}
	}
	in.Cadence = d.cadence
	// The stop of the specification is exclusive, and the last record is one.
	in.StopDate = ceil(in.StopDate.Add(max(d.cadence, time.Millisecond)))
	in.StartDate = floor(in.StartDate)
	if d.cadence > 0 && float64(maxRecords)*float64(d.cadence) < 250*365*24*float64(time.Hour) {
		in.MaxRequestDuration = (d.cadence * time.Duration(maxRecords)).Truncate(time.Second)
	}
	in.Parameters = []hapi.Parameter{{Name: "Time", Type: hapi.IsoTime, Units: []string{"UTC"}, Length: len("2023-01-02T03:04:05.Z") + decimals}}
	for _, q := range first.parameters {
		in.Parameters = append(in.Parameters, parameter(q, first.parameters))
	}
	// A variable may be called Time as well.
	for slices.ContainsFunc(in.Parameters[1:], func(p hapi.Parameter) bool { return p.Name == in.Parameters[0].Name }) {
		in.Parameters[0].Name += "_"
	}
	d.info = in
	return d
}

func floor(t tt.Time) tt.Time { return cut(t, 0) }
func ceil(t tt.Time) tt.Time  { return cut(t, time.Millisecond-1) }

// cut drops what is below a millisecond of t and more.
func cut(t tt.Time, more time.Duration) tt.Time {
	at, err := tt.Parse(t.Add(more).Format(3))
	if err != nil {
		return t
	}
	return at
}

func citation(d *archive.Dataset) string {
	if d.Citation == "" && d.DOI != "" {
		return "https://doi.org/" + d.DOI
	}
	return d.Citation
}

func note(d *archive.Dataset) string {
	text := d.Acknowledgement
	if d.Synthetic {
		text = strings.TrimSpace("The data are synthetic, not measured. " + text)
	}
	return text
}

func parameter(q archive.Parameter, all []archive.Parameter) hapi.Parameter {
	p := hapi.Parameter{
		Name: q.Name, Type: hapi.Double, Fill: "NaN", HasFill: true, Size: q.Dims, Description: q.Description, CoordinateSystem: q.Frame,
	}
	if q.Units != "" {
		p.Units = []string{q.Units}
	}
	if w := p.Width(); len(q.Columns) == w && w > 1 || len(q.Columns) == 1 && len(q.Dims) == 0 {
		p.Label = q.Columns
	}
	if q.Frame != "" && len(q.Dims) == 1 && q.Dims[0] == 3 {
		p.VectorComponents = []string{"x", "y", "z"}
		if spherical(q.Columns) {
			p.VectorComponents, p.CoordinateSystem = nil, ""
		}
	} else {
		p.CoordinateSystem = ""
	}
	for _, a := range q.Axes {
		b := hapi.Bin{Name: a.Name, Units: a.Units, Centers: a.Centers, Ranges: a.Ranges}
		if a.Varying {
			b.Centers, b.Ranges = nil, nil
			if slices.ContainsFunc(all, func(o archive.Parameter) bool { return o.Name == a.Name }) {
				b.CentersFrom = a.Name
			}
		}
		p.Bins = append(p.Bins, b)
	}
	return p
}

// spherical reports whether labels name angles: such components are no x, y and z.
func spherical(labels []string) bool {
	for _, l := range labels {
		l = strings.ToLower(l)
		for _, word := range []string{"lat", "lon", "theta", "phi", "elev", "azim", "radius", "|"} {
			if strings.Contains(l, word) {
				return true
			}
		}
	}
	return false
}

package archive

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/helios-go/helios/helio/cdf"
	"github.com/helios-go/helios/helio/series"
	"github.com/helios-go/helios/helio/tt"
)

// cdfFormat reads CDF files by the attributes of the ISTP guidelines.
type cdfFormat struct{}

func (cdfFormat) open(f *file, h *handle) (*cdf.File, error) {
	c, err := cdf.New(h, h.size)
	if err != nil {
		return nil, f.damaged(err)
	}
	return c, nil
}

// damaged says that the file is not what its name promises.
func (f *file) damaged(err error) error {
	return &FormatError{Path: f.path, Reason: strings.TrimPrefix(err.Error(), "open CDF: "), Err: err}
}

func (c cdfFormat) describe(f *file, h *handle) (*Dataset, error) {
	file, err := c.open(f, h)
	if err != nil {
		return nil, err
	}
	m := about(file)
	d := &Dataset{
		Title: m.DatasetTitle, Mission: m.Mission, Instrument: m.Instrument,
		DOI: m.DOI, Acknowledgement: m.Acknowledgement, Synthetic: m.Synthetic,
	}
	axes := map[*cdf.Variable]span{}
	for _, v := range file.Variables() {
		axis := timeAxis(file, v)
		if axis == nil {
			continue
		}
		covered, ok := axes[axis]
		if !ok {
			if covered, err = readSpan(axis); err != nil {
				return nil, f.damaged(err)
			}
			axes[axis] = covered
		}
		p := parameter(v)
		p.TimeAxis, p.TimeDecimals, p.Axes = axis.Name, covered.decimals, listedAxes(file, v)
		p.Start, p.Stop = tt.Fill, tt.Fill
		if v.Records > 0 {
			p.Start, p.Stop, p.Cadence, p.Records = covered.first, covered.last, covered.cadence, min(covered.records, v.Records)
		}
		d.Parameters = append(d.Parameters, p)
	}
	return d, nil
}

// A span is what an inventory needs to know of a time axis.
type span struct {
	first, last tt.Time
	cadence     time.Duration
	records     int
	decimals    int
}

func readSpan(axis *cdf.Variable) (span, error) {
	times, err := axis.Times()
	if err != nil {
		return span{}, err
	}
	s := span{}
	s.first, s.last, s.records = extent(times)
	if s.records < len(times) {
		times = slices.DeleteFunc(times, func(t tt.Time) bool { return t == tt.Fill })
	}
	s.cadence, s.decimals = series.Cadence(times), decimals(times)
	return s, nil
}

// decimals is how many decimals of a second the times need: 3, 6 or 9.
func decimals(times []tt.Time) int {
	n := 3
	for _, t := range times {
		_, _, _, _, _, _, ns := t.Calendar()
		switch {
		case t == tt.Fill:
		case ns%1000 != 0:
			return 9
		case ns%1_000_000 != 0:
			n = 6
		}
	}
	return n
}

// timeAxis returns the axis of a variable that is a parameter, nil for one
// that is not: text, times themselves, and what does not vary with time. A
// file without DEPEND_0 is read by its only time variable.
func timeAxis(file *cdf.File, v *cdf.Variable) *cdf.Variable {
	if !v.RecordVarying || v.Type.IsText() || v.Type.IsTime() {
		return nil
	}
	if v.DependName(0) != "" {
		axis, err := v.TimeAxis()
		if err != nil || axis.PerRecord() != 1 {
			return nil
		}
		return axis
	}
	var only *cdf.Variable
	for _, other := range file.Variables() {
		if !other.Type.IsTime() || !other.RecordVarying || other.PerRecord() != 1 {
			continue
		}
		if only != nil {
			return nil
		}
		only = other
	}
	if only == nil || (v.Records != 0 && v.Records != only.Records) {
		return nil
	}
	return only
}

// parameter describes a variable, except for its coverage.
func parameter(v *cdf.Variable) Parameter {
	p := Parameter{
		Name:        v.Name,
		Description: firstOf(v.AttributeString("CATDESC"), v.AttributeString("FIELDNAM"), v.AttributeString("VAR_NOTES")),
		Dims:        slices.Clone(v.Dims),
		Role:        "data",
	}
	if role := strings.ToLower(strings.TrimSpace(v.AttributeString("VAR_TYPE"))); role == "support_data" || role == "metadata" {
		p.Role = role
	}
	// A unit or a label that cannot be read is no reason to hide the variable.
	if units, err := v.Units(); err == nil {
		p.Units = strings.TrimSpace(units)
	}
	labels, err := v.Labels()
	if err != nil || len(labels) != v.PerRecord() {
		labels = make([]string, v.PerRecord())
		for i := range labels {
			if labels[i] = v.Name; len(labels) > 1 {
				labels[i] = fmt.Sprintf("%s_%d", v.Name, i+1)
			}
		}
	}
	p.Columns = labels
	p.Frame = frame(v, labels)
	return p
}

func (c cdfFormat) fetch(f *file, h *handle, r request) (*series.Series, error) {
	file, err := c.open(f, h)
	if err != nil {
		return nil, err
	}
	s, err := c.read(file, r)
	if damage, ok := errors.AsType[*damage](err); ok {
		return nil, f.damaged(damage.error)
	}
	return s, err
}

// damage is an error of the file itself.
type damage struct{ error }

// read reads one variable of a file. The error is errUnknown, one about the
// window, or damage.
func (c cdfFormat) read(file *cdf.File, r request) (*series.Series, error) {
	v, ok := file.Variable(r.name)
	if !ok {
		return nil, errUnknown
	}
	axis := timeAxis(file, v)
	if axis == nil {
		return nil, errUnknown
	}
	times, err := axis.Times()
	if err != nil {
		return nil, &damage{err}
	}
	if v.Records > 0 && len(times) == 0 {
		return nil, &damage{fmt.Errorf("the time axis %q of %q has no records", axis.Name, v.Name)}
	}
	times = times[:min(len(times), v.Records)]
	first, last, n := extent(times)
	if err := r.checkWindow(first, last); err != nil {
		return nil, err
	}
	s := c.series(file, v)
	if n == 0 {
		return s, nil
	}
	lo, hi, dense := r.records(times)
	if lo == hi {
		return nil, &EmptyError{ID: r.id, Start: r.start, Stop: r.stop, First: first, Last: last}
	}
	if s.Values, err = v.Range(lo, hi-lo).Float64s(); err != nil {
		return nil, &damage{err}
	}
	s.Time = times[lo:hi:hi]
	s.Axes = axes(file, v, lo, hi-lo)
	if !dense {
		r.compact(s)
	}
	series.MaskFill(s.Values, s.Width(), s.Meta.Fill)
	return s, nil
}

// series describes a variable as a series that has no record yet.
func (cdfFormat) series(file *cdf.File, v *cdf.Variable) *series.Series {
	p := parameter(v)
	s := &series.Series{Name: p.Name, Units: p.Units, Description: p.Description, Columns: p.Columns, Dims: p.Dims, Meta: about(file)}
	s.Meta.Frame, s.Meta.Role, s.Meta.Fill = p.Frame, p.Role, v.FillValue()
	s.Meta.ValidMin, s.Meta.ValidMax = v.ValidRange()
	return s
}

func (r request) holds(t tt.Time) bool {
	return t != tt.Fill && t >= r.start && (r.stop == tt.Fill || t < r.stop)
}

// records returns the shortest range that holds all records of the window, and
// whether it holds nothing else.
func (r request) records(times []tt.Time) (lo, hi int, dense bool) {
	inside := 0
	for i, t := range times {
		if !r.holds(t) {
			continue
		}
		if inside == 0 {
			lo = i
		}
		hi = i + 1
		inside++
	}
	return lo, hi, inside == hi-lo
}

// compact drops records without a time or outside the window.
func (r request) compact(s *series.Series) {
	keep := make([]int, 0, s.Len())
	for i, t := range s.Time {
		if r.holds(t) {
			keep = append(keep, i)
		}
	}
	for i := range s.Axes {
		if a := &s.Axes[i]; a.Varying {
			a.Centers = pick(a.Centers, keep, s.Len())
		}
	}
	s.Values = pick(s.Values, keep, s.Len())
	for n, i := range keep {
		s.Time[n] = s.Time[i]
	}
	s.Time = s.Time[:len(keep)]
}

// pick keeps some of n records, in place.
func pick(values []float64, keep []int, n int) []float64 {
	if n == 0 {
		return values
	}
	w := len(values) / n
	for to, from := range keep {
		copy(values[to*w:], values[from*w:(from+1)*w])
	}
	return values[:len(keep)*w]
}

// listedAxes are the bins of a variable as an inventory lists them.
func listedAxes(file *cdf.File, v *cdf.Variable) []series.Axis {
	out := axes(file, v, 0, 0)
	for i := range v.Dims {
		dep, ok := file.Variable(v.DependName(i + 1))
		if !ok || !bins(dep, v.Dims[i]) || !varies(dep) {
			continue
		}
		if out == nil {
			out = make([]series.Axis, len(v.Dims))
		}
		out[i] = series.Axis{Name: dep.Name, Varying: true}
		if units, err := dep.Units(); err == nil {
			out[i].Units = strings.TrimSpace(units)
		}
	}
	return out
}

// bins reports whether a variable can hold the bins of a dimension of n places.
func bins(dep *cdf.Variable, n int) bool {
	return !dep.Type.IsText() && !dep.Type.IsTime() && dep.PerRecord() == n
}

func varies(dep *cdf.Variable) bool { return dep.RecordVarying && dep.Records != 1 }

// axes reads what DEPEND_1, DEPEND_2 ... name: the energies of a spectrum, for
// one. What cannot be read as numbers, such as the labels of a vector, leaves its
// dimension without bins; nil when no dimension has any.
func axes(file *cdf.File, v *cdf.Variable, first, count int) []series.Axis {
	out := make([]series.Axis, len(v.Dims))
	binned := false
	for i, n := range v.Dims {
		dep, ok := file.Variable(v.DependName(i + 1))
		if !ok || !bins(dep, n) {
			continue
		}
		a := series.Axis{Name: dep.Name, Varying: varies(dep)}
		if units, err := dep.Units(); err == nil {
			a.Units = strings.TrimSpace(units)
		}
		var err error
		if a.Varying {
			a.Centers, err = dep.Range(first, count).Float64s()
		} else {
			a.Centers, err = dep.Range(0, min(1, dep.Records)).Float64s()
		}
		if err != nil || len(a.Centers) == 0 {
			continue
		}
		series.MaskFill(a.Centers, n, dep.FillValue())
		out[i], binned = a, true
	}
	if !binned {
		return nil
	}
	return out
}

// cdfSeries reads one variable of a CDF that an archive has sent. The name is what
// errors call the file. The error for a variable that is not in it is errUnknown;
// a window without records gives an empty series.
func cdfSeries(name string, data []byte, variable, id string, start, stop tt.Time) (*series.Series, error) {
	file, err := cdf.New(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, &FormatError{Path: name, Reason: strings.TrimPrefix(err.Error(), "open CDF: "), Err: err}
	}
	format := cdfFormat{}
	s, err := format.read(file, request{id: id, name: variable, start: start, stop: stop})
	if damage, ok := errors.AsType[*damage](err); ok {
		return nil, &FormatError{Path: name, Reason: damage.Error(), Err: damage.error}
	}
	if _, ok := errors.AsType[*EmptyError](err); ok {
		v, _ := file.Variable(variable)
		s, err = format.series(file, v), nil
	}
	if err != nil {
		return nil, err
	}
	s.ID, s.Meta.Source = id, name
	return s, nil
}

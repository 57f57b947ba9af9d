package archive

import (
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/helios-go/helios/helio/series"
	"github.com/helios-go/helios/helio/tt"
)

// csvFormat reads tables by their header line, see [series.ReadCSV].
type csvFormat struct{}

func (csvFormat) read(f *file, h *handle, timesOnly bool) ([]*series.Series, error) {
	all, err := series.ReadCSV(io.NewSectionReader(h, 0, h.size), &series.CSVOptions{Name: f.path, TimesOnly: timesOnly})
	if err != nil {
		reason := errors.Unwrap(err)
		if reason == nil {
			reason = err
		}
		return nil, &FormatError{Path: f.path, Reason: reason.Error(), Err: err}
	}
	for _, s := range all {
		if s.Meta.Frame == "" {
			s.Meta.Frame = frameIn(s.Name, strings.Join(s.Columns, " "))
		}
	}
	return all, nil
}

func (c csvFormat) describe(f *file, h *handle) (*Dataset, error) {
	all, err := c.read(f, h, true)
	if err != nil {
		return nil, err
	}
	d := &Dataset{}
	for i, s := range all {
		if i == 0 {
			m := s.Meta
			d.Title, d.Mission, d.Instrument = m.DatasetTitle, m.Mission, m.Instrument
			d.DOI, d.Acknowledgement, d.Synthetic = m.DOI, m.Acknowledgement, m.Synthetic
		}
		p := Parameter{
			Name: s.Name, Description: s.Description, Units: s.Units, Columns: s.Columns, Dims: s.Dims,
			Frame: s.Meta.Frame, Role: s.Meta.Role, Start: tt.Fill, Stop: tt.Fill,
		}
		if s.Len() > 0 {
			p.Start, p.Stop, p.Records = extent(s.Time)
			p.Cadence = series.Cadence(s.Time)
			p.TimeDecimals = decimals(s.Time)
		}
		d.Parameters = append(d.Parameters, p)
	}
	return d, nil
}

func (c csvFormat) fetch(f *file, h *handle, r request) (*series.Series, error) {
	all, err := c.read(f, h, false)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(all, func(s *series.Series) bool { return s.Name == r.name })
	if i < 0 {
		return nil, errUnknown
	}
	s := all[i]
	first, last, n := extent(s.Time)
	if err := r.checkWindow(first, last); err != nil {
		return nil, err
	}
	if s = s.Window(r.start, r.stop); s.Len() == 0 && n > 0 {
		return nil, &EmptyError{ID: r.id, Start: r.start, Stop: r.stop, First: first, Last: last}
	}
	return s, nil
}

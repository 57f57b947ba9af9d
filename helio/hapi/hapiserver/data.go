package hapiserver

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/helios-go/helios/helio/archive"
	"github.com/helios-go/helios/helio/hapi"
	"github.com/helios-go/helios/helio/series"
	"github.com/helios-go/helios/helio/tt"
)

func escapeQuery(text string) string { return url.QueryEscape(text) }

var contentTypes = map[hapi.Format]string{hapi.CSV: "text/csv; charset=utf-8", hapi.Binary: "application/octet-stream", hapi.JSON: "application/json; charset=utf-8"}

// A wanted is a request for data that is right.
type wanted struct {
	dataset     *dataset
	info        *hapi.Info
	start, stop tt.Time
	format      hapi.Format
	header      bool
}

// wanted checks a request for data.
func (s *Server) wanted(r *http.Request) (*wanted, *refusal) {
	f, e := fields(r, "dataset", "id", "start", "time.min", "stop", "time.max", "parameters", "format", "include", "resolve_references")
	if e == nil {
		e = references(f)
	}
	if e != nil {
		return nil, e
	}
	q := &wanted{format: hapi.CSV}
	if q.dataset, e = s.dataset(f); e != nil {
		return nil, e
	}
	if q.start, q.stop, e = q.dataset.window(f); e != nil {
		return nil, e
	}
	if q.info, e = q.dataset.selected(f); e != nil {
		return nil, e
	}
	if text, given := f["format"]; given {
		if q.format = hapi.Format(text); contentTypes[q.format] == "" {
			return nil, refuse(1409, "%.40q is none of csv, binary and json", text)
		}
	}
	if text, given := f["include"]; given {
		if q.header = text == "header"; !q.header {
			return nil, refuse(1410, "%.40q is not header", text)
		}
	}
	if n := q.dataset.estimate(q.start, q.stop); n > float64(s.opts.MaxRecords)*1.01+1 {
		return nil, refuse(1408, "about %.0f records, and at most %d are given at a time", n, s.opts.MaxRecords)
	}
	return q, nil
}

// estimate is how many records a window has, about.
func (d *dataset) estimate(start, stop tt.Time) float64 {
	n := 0.0
	for _, p := range d.parts {
		length := float64(p.stop-p.start) + 1
		inside := float64(min(stop, p.stop+1)) - float64(max(start, p.start))
		if inside > 0 {
			n += float64(p.records) * min(1, inside/length)
		}
	}
	return n
}

func (s *Server) data(w http.ResponseWriter, r *http.Request) *refusal {
	q, e := s.wanted(r)
	if e != nil {
		return e
	}
	w.Header().Set("Content-Type", contentTypes[q.format])
	if r.Method == http.MethodHead {
		return nil
	}
	select {
	case s.places <- struct{}{}:
		defer func() { <-s.places }()
	case <-r.Context().Done():
		return nil
	}
	out := &answer{w: w, want: q, zip: acceptsGzip(r)}
	err := s.write(r.Context(), q, out)
	if err == nil {
		err = out.close()
	}
	switch {
	case err == nil:
		return nil
	case out.begun:
		// Too late for a status: a stream that breaks off is one that nobody takes for
		// the whole.
		s.failed(err)
		panic(http.ErrAbortHandler)
	case r.Context().Err() != nil:
		return nil
	}
	s.failed(err)
	return refuse(1500, "the data could not be read")
}

func acceptsGzip(r *http.Request) bool {
	for part := range strings.SplitSeq(r.Header.Get("Accept-Encoding"), ",") {
		name, weight, _ := strings.Cut(strings.TrimSpace(part), ";")
		if strings.TrimSpace(name) == "gzip" {
			weight = strings.ReplaceAll(weight, " ", "")
			return weight != "q=0" && weight != "q=0.0"
		}
	}
	return false
}

// write reads part after part of the dataset and writes what is in the window.
func (s *Server) write(ctx context.Context, q *wanted, out *answer) error {
	last := tt.Fill
	for _, p := range q.dataset.parts {
		if p.stop < q.start || p.start >= q.stop {
			continue
		}
		records, err := s.read(ctx, q, p)
		if err != nil {
			return err
		}
		// Files may overlap; time goes on.
		if records = after(records, last); records.Len() == 0 {
			continue
		}
		last = records.Time[records.Len()-1]
		if err := out.write(records); err != nil {
			return err
		}
	}
	return nil
}

// after drops the records up to an instant.
func after(r *hapi.Records, last tt.Time) *hapi.Records {
	n := 0
	for last != tt.Fill && n < r.Len() && r.Time[n] <= last {
		n++
	}
	if n == 0 {
		return r
	}
	r.Time = r.Time[n:]
	for i := range r.Columns {
		w := r.Info.Parameters[i+1].Width()
		r.Columns[i].Float = r.Columns[i].Float[n*w:]
	}
	return r
}

// read reads one part: its parameters, which share a time axis.
func (s *Server) read(ctx context.Context, q *wanted, p part) (*hapi.Records, error) {
	out := &hapi.Records{Info: q.info, Columns: make([]hapi.Column, len(q.info.Parameters)-1)}
	names := q.info.Names()[1:]
	if len(names) == 0 {
		// Only the times: any parameter has them.
		names = q.dataset.info.Names()[1:2]
	}
	for i, name := range names {
		one, err := s.arch.Fetch(ctx, p.ids[name], q.start, q.stop)
		if _, none := errors.AsType[*archive.EmptyError](err); none {
			return &hapi.Records{Info: q.info, Columns: make([]hapi.Column, len(q.info.Parameters)-1)}, nil
		}
		if err != nil {
			return nil, err
		}
		one = one.Sorted()
		if i == 0 {
			out.Time = one.Time
		}
		if !slices.Equal(one.Time, out.Time) {
			one = align(one, out.Time)
		}
		if len(out.Columns) > 0 {
			out.Columns[i].Float = one.Values
		}
	}
	return out, nil
}

// align puts a parameter on the times of the first: what it has no record for is
// missing.
func align(s *series.Series, times []tt.Time) *series.Series {
	w := s.Width()
	values := make([]float64, len(times)*w)
	k := 0
	for i, t := range times {
		for k < s.Len() && s.Time[k] < t {
			k++
		}
		if k < s.Len() && s.Time[k] == t {
			copy(values[i*w:], s.Row(k))
			k++
			continue
		}
		for j := range w {
			values[i*w+j] = math.NaN()
		}
	}
	out := *s
	out.Time, out.Values = times, values
	return &out
}

// An answer is the body of a request for data. It begins with the first record, so
// that what goes wrong before can still be told.
type answer struct {
	w     http.ResponseWriter
	want  *wanted
	zip   bool
	begun bool

	z   *gzip.Writer
	enc *hapi.Encoder
}

func (a *answer) begin(status hapi.Status) error {
	a.begun = true
	var out io.Writer = a.w
	if a.zip {
		a.w.Header().Set("Content-Encoding", "gzip")
		a.w.Header().Add("Vary", "Accept-Encoding")
		var err error
		if a.z, err = gzip.NewWriterLevel(a.w, gzip.BestSpeed); err != nil {
			return err
		}
		out = a.z
	}
	in := *a.want.info
	in.Status = status
	var err error
	a.enc, err = hapi.NewEncoder(out, &in, a.want.format, a.want.header)
	return err
}

func (a *answer) write(r *hapi.Records) error {
	if !a.begun {
		if err := a.begin(hapi.Status{Code: hapi.OK, Message: "OK"}); err != nil {
			return err
		}
	}
	return a.enc.Write(r)
}

// close ends the body. Without a record it is empty, but for a header that was asked
// for, and JSON.
func (a *answer) close() error {
	if !a.begun {
		if a.want.format != hapi.JSON && !a.want.header {
			a.w.WriteHeader(http.StatusOK)
			return nil
		}
		if err := a.begin(hapi.Status{Code: hapi.NoData, Message: "OK - no data for time range"}); err != nil {
			return err
		}
	}
	if err := a.enc.Close(); err != nil {
		return fmt.Errorf("write the answer: %w", err)
	}
	if a.z != nil {
		return a.z.Close()
	}
	return nil
}

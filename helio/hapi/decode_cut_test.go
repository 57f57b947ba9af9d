package hapi_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/helios-go/helios/helio/hapi"
)

// firstRecords is the first n of some records.
func firstRecords(r *hapi.Records, n int) *hapi.Records {
	out := &hapi.Records{Info: r.Info, Time: r.Time[:n], Columns: make([]hapi.Column, len(r.Columns))}
	for i := range out.Columns {
		c, w := r.Columns[i], r.Info.Parameters[i+1].Width()
		if c.Text != nil {
			out.Columns[i].Text = c.Text[:n*w]
		} else {
			out.Columns[i].Float = c.Float[:n*w]
		}
	}
	return out
}

// boundaries are the places between records of a stream: where it may end.
func (s *sample) boundaries(t *testing.T, in stream) map[int]int {
	t.Helper()
	places := map[int]int{}
	part := &sample{info: s.info}
	part.want = hapi.Records{Info: s.info, Columns: make([]hapi.Column, len(s.info.Parameters)-1)}
	whole := len(s.data(t, in.format))
	start := len(in.text) - whole
	for n, record := range append([][]any{nil}, s.records...) {
		if n > 0 {
			part.records = append(part.records, record)
		}
		places[start+len(part.data(t, in.format))] = n
	}
	return places
}

// A place is where a stream was cut.
type place struct {
	seed uint64
	name string
	n    int
	text string
}

func (p place) String() string {
	return fmt.Sprintf("sample %d, %s, cut at %d of %d: %.3000q", p.seed, p.name, p.n, len(p.text), p.text[:p.n])
}

// A stream that is cut at any byte is an error that names the place and gives the whole
// records before it; only between two records of csv and binary, which have no end of
// their own, it cannot be one.
//
//nolint:gocognit // one walk through all places
func TestAStreamThatIsCutAnywhereIsAnError(t *testing.T) {
	t.Parallel()
	cuts := 0
	for seed := range uint64(14) {
		s := newSample(t, seed)
		all := s.streams(t)
		delete(all, "csv, CRLF") // its places differ
		for name, in := range all {
			between := map[int]int{0: 0}
			if in.format != hapi.JSON {
				between = s.boundaries(t, in)
				between[0] = 0
			}
			for n := range in.text {
				cuts++
				got, d, err := read(strings.NewReader(in.text[:n]), s.info, in.format, 1000)
				where := place{seed, name, n, in.text}
				if !equal(got, firstRecords(&s.want, got.Len())) {
					t.Fatalf("%s: other records: %v", where, got)
				}
				if whole, ok := between[n]; ok {
					if err != nil || got.Len() != whole {
						t.Fatalf("%s: %d records, %v; want %d", where, got.Len(), err, whole)
					}
					continue
				}
				if in.format == hapi.JSON && err == nil && strings.TrimSpace(in.text[n:]) == "" {
					continue
				}
				if name == "csv, a comment" && n == len("# made by hand\n") {
					continue
				}
				bad, ok := errors.AsType[*hapi.StreamError](err)
				switch {
				case !ok:
					t.Fatalf("%s: %d records, %v", where, got.Len(), err)
				case errors.Is(err, io.EOF):
					t.Fatalf("%s: looks like an end: %v", where, err)
				case bad.Record != int64(got.Len()) || bad.Format != in.format:
					t.Fatalf("%s: record %d of %s, want %d: %v", where, bad.Record, bad.Format, got.Len(), err)
				case errors.Is(err, io.ErrUnexpectedEOF) && bad.Offset != int64(n):
					t.Fatalf("%s: byte %d, want %d: %v", where, bad.Offset, n, err)
				case !errors.Is(err, io.ErrUnexpectedEOF) && !strings.Contains(bad.Reason, "HAPI header"): // many lines, cut between two
					t.Fatalf("%s: %v", where, err)
				}
				if _, again := d.Read(got, 1); again != err { //nolint:errorlint // the very same
					t.Fatalf("%s: then %v", where, again)
				}
			}
		}
	}
	if cuts < 100_000 {
		t.Errorf("only %d cuts", cuts)
	}
}

var errLine = errors.New("the line is dead")

// Where the transport says that something is wrong, that is an error between two
// records too, and never taken for the end, not even when it wraps io.EOF.
func TestWhatTheTransportSaysIsAnError(t *testing.T) {
	t.Parallel()
	s := newSample(t, 7)
	for name, in := range s.streams(t) {
		for _, failure := range []error{errLine, io.ErrUnexpectedEOF, fmt.Errorf("connection: %w", io.EOF)} {
			for _, n := range []int{0, len(in.text) / 2, len(in.text)} {
				r := io.MultiReader(strings.NewReader(in.text[:n]), iotest.ErrReader(failure))
				got, _, err := read(r, s.info, in.format, 1000)
				bad, ok := errors.AsType[*hapi.StreamError](err)
				if !ok || errors.Is(err, io.EOF) || bad.Offset > int64(n) {
					t.Fatalf("%s, %v behind byte %d: %d records, %v", name, failure, n, got.Len(), err)
				}
				if errors.Is(failure, errLine) && !errors.Is(err, errLine) {
					t.Fatalf("%s: %v does not tell the cause", name, err)
				}
			}
		}
	}
}

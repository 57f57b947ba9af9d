package hapi_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/helios-go/helios/helio/hapi"
)

const kindsHeader = `{"HAPI":"3.2","status":{"code":1200,"message":"OK"},"startDate":"1970-01-01Z","stopDate":"2016-12-31Z","parameters":[
 {"name":"Time","type":"isotime","units":"UTC","fill":null,"length":24},
 {"name":"speed","type":"double","units":"km/s","fill":"-1e31"},
 {"name":"count","type":"integer","units":null,"fill":"-999"},
 {"name":"name with blank","type":"string","units":null,"fill":"none","length":12},
 {"name":"seen","type":"isotime","units":"UTC","fill":null,"length":20},
 {"name":"B","type":"double","units":["nT","nT","nT"],"fill":"NaN","size":[3],"coordinateSystemName":"GSE"},
 {"name":"P","type":"integer","units":"x","fill":null,"size":[2,2],"bins":[{"name":"a","units":"keV","centers":[1,2]},{"name":"b","units":"deg","centers":"B"}]}]}`

func kinds(t testing.TB) *hapi.Info {
	t.Helper()
	in, err := hapi.ParseInfo([]byte(kindsHeader))
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// read reads a stream to its end, so many records at a time. The end itself is no
// error.
func read(r io.Reader, info *hapi.Info, f hapi.Format, limit int) (*hapi.Records, *hapi.Decoder, error) {
	d := hapi.NewDecoder(r, info, f)
	records := &hapi.Records{}
	for {
		before := records.Len()
		n, err := d.Read(records, limit)
		if records.Len() != before+n || n > limit {
			return records, d, fmt.Errorf("Read returns %d of at most %d, and there are %d more", n, limit, records.Len()-before)
		}
		if errors.Is(err, io.EOF) {
			return records, d, nil
		}
		if err != nil {
			return records, d, err
		}
	}
}

// decode reads a stream that is in memory, a record at a time.
func decode(info *hapi.Info, f hapi.Format, data []byte) (*hapi.Records, *hapi.Decoder, error) {
	return read(bytes.NewReader(data), info, f, 1)
}

// equal reports whether two sets of records are the same, bit for bit. Every column must
// be of one kind and have all values.
func equal(a, b *hapi.Records) bool {
	if len(a.Columns) != len(b.Columns) || fmt.Sprint(a.Time) != fmt.Sprint(b.Time) {
		return false
	}
	for i := range a.Columns {
		x, y := &a.Columns[i], &b.Columns[i]
		if len(x.Float) != len(y.Float) || fmt.Sprintf("%q", x.Text) != fmt.Sprintf("%q", y.Text) || a.Len() > 0 && (x.Text == nil) != (y.Text == nil) {
			return false
		}
		for j := range x.Float {
			if v, w := x.Float[j], y.Float[j]; math.Float64bits(v) != math.Float64bits(w) && !(math.IsNaN(v) && math.IsNaN(w)) {
				return false
			}
		}
	}
	return true
}

// Whatever the parameters are, all ways of writing the same records read the same,
// however the bytes arrive and however few records are asked for.
func TestTheFormatsGiveTheSameRecords(t *testing.T) {
	t.Parallel()
	for seed := range uint64(300) {
		s := newSample(t, seed)
		for name, in := range s.streams(t) {
			for arrives, r := range map[string]io.Reader{
				"whole":        strings.NewReader(in.text),
				"byte by byte": iotest.OneByteReader(strings.NewReader(in.text)),
				"with its end": iotest.DataErrReader(strings.NewReader(in.text)),
			} {
				limit := []int{1, 3, 1000, math.MaxInt}[(seed+uint64(len(arrives)))%4]
				got, d, err := read(r, s.info, in.format, limit)
				if err != nil || !equal(got, &s.want) {
					t.Fatalf("sample %d, %s, %s, %d at a time: %v\n%.2000q\nread %v\nwant %v", seed, name, arrives, limit, err, in.text, got, &s.want)
				}
				if strings.Contains(name, "line") != (d.Header() != nil) && in.format != hapi.JSON {
					t.Fatalf("sample %d, %s: header %v", seed, name, d.Header())
				}
			}
		}
	}
}

// Records are added behind those that are there.
func TestReadAppends(t *testing.T) {
	t.Parallel()
	s := newSample(t, 7)
	for f, text := range map[hapi.Format]string{hapi.CSV: string(s.data(t, hapi.CSV)), hapi.Binary: string(s.data(t, hapi.Binary)), hapi.JSON: string(s.data(t, hapi.JSON))} {
		var twice hapi.Records
		for range 2 {
			if n, err := hapi.NewDecoder(strings.NewReader(text), s.info, f).Read(&twice, 1000); !errors.Is(err, io.EOF) || n != s.want.Len() {
				t.Fatalf("%s: %d, %v", f, n, err)
			}
		}
		if twice.Len() != 2*s.want.Len() || twice.Info != s.info || len(twice.Columns[0].Float) != 2*len(s.want.Columns[0].Float) {
			t.Errorf("%s: %d records, want %d", f, twice.Len(), 2*s.want.Len())
		}
	}
}

func TestRecordsMustHaveTheColumnsOfTheStream(t *testing.T) {
	t.Parallel()
	s := newSample(t, 7)
	r := hapi.Records{Columns: make([]hapi.Column, 1)}
	if n, err := hapi.NewDecoder(bytes.NewReader(s.data(t, hapi.CSV)), s.info, hapi.CSV).Read(&r, 1); n != 0 || err == nil || errors.Is(err, io.EOF) {
		t.Errorf("read %d, %v", n, err)
	}
}

// More records than are read together, with fill in the one or the other of four
// columns, in blocks that end anywhere in the buffer.
func TestLongStreams(t *testing.T) {
	t.Parallel()
	info := four(t)
	var want *hapi.Records
	for _, f := range []hapi.Format{hapi.CSV, hapi.Binary, hapi.JSON} {
		data := fourColumns(20_001, -1, f)
		for _, limit := range []int{1, 255, 4096, math.MaxInt} {
			got, _, err := read(bytes.NewReader(data), info, f, limit)
			if err != nil {
				t.Fatalf("%s, %d at a time: %v", f, limit, err)
			}
			if want == nil {
				want = got
			}
			if got.Len() != 20_001 || !equal(got, want) {
				t.Errorf("%s, %d at a time: other records than csv", f, limit)
			}
		}
	}
	for i, at := range []int{0, 255, 256, 19_999} {
		data := fourColumns(20_001, 0, hapi.Binary)
		copy(data[at*56+24+8*i:], "\xff\xff\xff\xff\xff\xff\xef\x7f") // the largest number
		got, _, err := read(bytes.NewReader(data), info, hapi.Binary, math.MaxInt)
		if err != nil || !math.IsNaN(got.Columns[i].Float[at]) {
			t.Errorf("fill in record %d of column %d is %v, %v", at, i, got.Columns[i].Float[at], err)
		}
		for j := range got.Columns {
			for k, v := range got.Columns[j].Float {
				if math.IsNaN(v) && (j != i || k != at) {
					t.Fatalf("record %d of column %d is fill", k, j)
				}
			}
		}
	}
}

// An answer without data has no records: nothing at all, or the line feed of the
// reference server, or JSON without any.
func TestNoData(t *testing.T) {
	t.Parallel()
	s := newSample(t, 7)
	for _, in := range []stream{
		{hapi.CSV, ""}, {hapi.CSV, "\n"}, {hapi.CSV, "\r\n\n"}, {hapi.CSV, "#" + s.header + "\n"}, {hapi.CSV, "#" + s.header + "\n\n"},
		{hapi.Binary, ""}, {hapi.Binary, "\n"}, {hapi.Binary, "#" + s.header + "\n"}, {hapi.Binary, "#" + s.header + "\n\n"},
		{hapi.JSON, ""}, {hapi.JSON, "\n"}, {hapi.JSON, "[]"}, {hapi.JSON, " [ ] \n"}, {hapi.JSON, "{}"}, {hapi.JSON, s.header}, {hapi.JSON, s.header[:len(s.header)-1] + `,"data":[]}`},
	} {
		got, _, err := read(strings.NewReader(in.text), s.info, in.format, 10)
		if err != nil || got.Len() != 0 {
			t.Errorf("%s %q: %d records, %v", in.format, in.text, got.Len(), err)
		}
	}
}

// A refusal in JSON is a header with a status, before the data or behind them.
func TestStatusOfTheStream(t *testing.T) {
	t.Parallel()
	s := newSample(t, 7)
	head := s.header[:len(s.header)-1]
	for text, want := range map[string]int{
		`{"HAPI":"3.0","status":{"code":1406,"message":"unknown dataset"}}`:                      1406,
		head + `,"data":` + string(s.data(t, hapi.JSON)) + `}`:                                   1200,
		head + `,"data":` + string(s.data(t, hapi.JSON)) + `,"status":{"code":1500}}`:            1500,
		`{"data":` + string(s.data(t, hapi.JSON)) + `,"status":{"code":1500,"message":"error"}}`: 1500,
	} {
		_, d, err := read(strings.NewReader(text), s.info, hapi.JSON, 10)
		if err != nil || d.Header() == nil || d.Header().Status.Code != want {
			t.Errorf("%.60s: %v, %v, want %d", text, d.Header(), err, want)
		}
	}
}

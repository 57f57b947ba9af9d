package hapi_test

import (
	"bytes"
	"errors"
	"fmt"
	"testing"
	"testing/iotest"

	"github.com/helios-go/helios/helio/hapi"
)

// fuzzStream reads any bytes in one format: whole and byte by byte, all records and one
// at a time, which must come to the same; with an end or an error that has a place.
func fuzzStream(f *testing.F, format hapi.Format) {
	f.Helper()
	infos := []*hapi.Info{kinds(f)}
	f.Add(uint8(0), []byte(`[["1970-01-01T00:00:00.000Z",1.5,7,"a,\"b\"","2016-12-31T23:59:60Z",[1,2,3],[[1,2],[3,4]]]]`))
	f.Add(uint8(1), []byte("[[00"))
	f.Add(uint8(0), []byte("1970-01-01T00:00:00.000Z,1.5,7,\"a,\"\"b\"\"\",2016-12-31T23:59:60Z,1,NaN,,1,2,3,4\r\n\n#\n"))
	for seed := range uint64(12) {
		s := newSample(f, seed)
		infos = append(infos, s.info)
		for _, in := range s.streams(f) {
			if in.format == format {
				f.Add(uint8(len(infos)-1), []byte(in.text))
			}
		}
	}
	f.Fuzz(func(t *testing.T, which uint8, data []byte) {
		info := infos[int(which)%len(infos)]
		got, d, err := read(bytes.NewReader(data), info, format, 1000)
		again, e, failure := read(iotest.OneByteReader(bytes.NewReader(data)), info, format, 1)
		// Which of two things that are wrong is told, may depend on what has arrived.
		if (err == nil) != (failure == nil) || format != hapi.JSON && fmt.Sprint(err) != fmt.Sprint(failure) || !equal(got, again) || (d.Header() == nil) != (e.Header() == nil) {
			t.Fatalf("whole: %v, %v\nbyte by byte: %v, %v", got, err, again, failure)
		}
		for i, c := range got.Columns {
			if n := got.Len() * info.Parameters[i+1].Width(); len(c.Float)+len(c.Text) != n {
				t.Fatalf("%d values of %q in %d records", len(c.Float)+len(c.Text), info.Parameters[i+1].Name, got.Len())
			}
		}
		if bad, ok := errors.AsType[*hapi.StreamError](err); err != nil && (!ok || bad.Offset > int64(len(data)) || bad.Record != int64(got.Len()) && bad.Record != 0) {
			t.Fatalf("%d records, %v", got.Len(), err)
		}
	})
}

func FuzzCSV(f *testing.F)    { fuzzStream(f, hapi.CSV) }
func FuzzBinary(f *testing.F) { fuzzStream(f, hapi.Binary) }
func FuzzJSON(f *testing.F)   { fuzzStream(f, hapi.JSON) }

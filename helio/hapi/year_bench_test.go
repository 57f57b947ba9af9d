package hapi_test

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/helios-go/helios/helio/cache"
	"github.com/helios-go/helios/helio/hapi"
	"github.com/helios-go/helios/helio/hapi/hapitest"
	"github.com/helios-go/helios/helio/series"
)

// BenchmarkYearOfMinutes fetches a year of 1-minute vectors from a server on this
// machine into an empty cache and writes them. The split of the time is measured by
// doing each part once more by itself: transfer is the bytes over the connection,
// decode their decoding from memory, cache what a cache adds to the fetch.
func BenchmarkYearOfMinutes(b *testing.B) {
	for _, format := range []hapi.Format{hapi.Binary, hapi.CSV, hapi.JSON} {
		b.Run(string(format), func(b *testing.B) {
			s := hapitest.New(b, &hapitest.Options{Memo: true, BareJSON: true}, hapitest.Minutes())
			q := ask(b, "minutes", "2023-01-01", "2024-01-01", "B_GSE")
			q.Format = format
			plain := newClient(b, s, hapi.Options{})
			r := fetch(b, plain, q) // the server makes the bytes once
			address := s.URL + "/data?" + rawQuery(s)
			body := get(b, address)

			split := map[string]time.Duration{}
			timed := func(part string, f func()) {
				start := time.Now()
				f()
				split[part] += time.Since(start)
			}
			dir := b.TempDir()
			b.ReportAllocs()
			b.SetBytes(int64(len(body)))
			for b.Loop() {
				timed("total", func() {
					store, err := cache.Open(filepath.Join(dir, "cache"), nil)
					if err != nil {
						b.Fatal(err)
					}
					timed("fetch", func() { r = fetch(b, newClient(b, s, hapi.Options{Cache: store}), q) })
					year := &series.Series{ID: "test/minutes/B_GSE", Name: "B_GSE", Units: "nT", Time: r.Time, Values: r.Columns[0].Float, Dims: []int{3}, Columns: []string{"Bx", "By", "Bz"}}
					timed("npz", func() { write(b, filepath.Join(dir, "year.npz"), year.WriteNPZ) })
					timed("csv", func() {
						write(b, filepath.Join(dir, "year.csv"), func(w io.Writer) error { return series.WriteCSV(w, year) })
					})
				})
				b.StopTimer()
				timed("plain", func() { fetch(b, plain, q) })
				timed("transfer", func() { get(b, address) })
				timed("decode", func() { decodeAll(b, body, r.Info, format) })
				if err := os.RemoveAll(filepath.Join(dir, "cache")); err != nil {
					b.Fatal(err)
				}
				b.StartTimer()
			}
			split["cache"] = split["fetch"] - split["plain"]
			for _, part := range []string{"total", "transfer", "decode", "cache", "npz", "csv"} {
				b.ReportMetric(float64(split[part].Microseconds())/1000/float64(b.N), part+"-ms")
			}
			if r.Len() != 365*1440 {
				b.Fatal(r.Len())
			}
		})
	}
}

func rawQuery(s *hapitest.Server) string {
	q := s.Data()[0].Query
	return q.Encode()
}

func get(b *testing.B, address string) []byte {
	resp, err := http.Get(address)
	if err != nil {
		b.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		b.Fatal(resp.Status, err)
	}
	return body
}

func decodeAll(b *testing.B, body []byte, info *hapi.Info, format hapi.Format) {
	d := hapi.NewDecoder(bytes.NewReader(body), info, format)
	var r hapi.Records
	for {
		if _, err := d.Read(&r, 4096); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			b.Fatal(err)
		}
	}
}

func write(b *testing.B, path string, to func(io.Writer) error) {
	f, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	if err := to(f); err != nil {
		b.Fatal(err)
	}
}

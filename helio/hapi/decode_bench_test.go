package hapi_test

import (
	"bytes"
	"encoding/binary"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"strconv"
	"testing"
	"time"

	"github.com/helios-go/helios/helio/hapi"
	"github.com/helios-go/helios/helio/tt"
)

const fourHeader = `{"HAPI":"3.3","status":{"code":1200,"message":"OK"},"startDate":"2020-01-01Z","stopDate":"2024-01-01Z","parameters":[
 {"name":"Time","type":"isotime","units":"UTC","fill":null,"length":24},
 {"name":"a","type":"double","units":"nT","fill":"-1e31"},{"name":"b","type":"double","units":"nT","fill":"-1e31"},
 {"name":"c","type":"double","units":"nT","fill":"-1e31"},{"name":"d","type":"double","units":"nT","fill":"-1e31"}]}`

func four(tb testing.TB) *hapi.Info {
	tb.Helper()
	in, err := hapi.ParseInfo([]byte(fourHeader))
	if err != nil {
		tb.Fatal(err)
	}
	return in
}

// fourColumns is data of a time every second and four values, as csv, binary or JSON.
// digits is how many decimals the values have; below 0 all that they need.
func fourColumns(records, digits int, f hapi.Format) []byte {
	rng := rand.New(rand.NewPCG(1, 2))
	at := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
	var b []byte
	for i := range records {
		stamp := at.Add(time.Duration(i) * time.Second).Format("2006-01-02T15:04:05.000Z")
		switch f {
		case hapi.CSV:
			b = append(b, stamp...)
		case hapi.Binary:
			b = append(b, stamp...)
		case hapi.JSON:
			b = fmt.Appendf(b, "%c\n[%q", "[,"[min(i, 1)], stamp)
		}
		for range 4 {
			v := rng.NormFloat64() * 10
			if f == hapi.Binary {
				b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
				continue
			}
			b = strconv.AppendFloat(append(b, ','), v, 'f', digits, 64)
		}
		switch f {
		case hapi.CSV:
			b = append(b, '\n')
		case hapi.JSON:
			b = append(b, ']')
		}
	}
	if f == hapi.JSON {
		b = append(b, ']')
	}
	return b
}

// BenchmarkCSV reads a time and four columns, and the same in the plainest way with
// encoding/csv, strconv.ParseFloat and the same reader of times; ratio is how many
// times faster the decoder is.
func BenchmarkCSV(b *testing.B) {
	info := four(b)
	for _, c := range []struct {
		name   string
		digits int
	}{{"3decimals", 3}, {"17digits", -1}} {
		data := fourColumns(50_000, c.digits, hapi.CSV)
		speed := map[string]float64{}
		for _, way := range []struct {
			name string
			read func(r *hapi.Records) error
		}{
			{"encodingcsv", func(r *hapi.Records) error { return withEncodingCSV(r, data) }},
			{"decoder", func(r *hapi.Records) error { return all(hapi.NewDecoder(bytes.NewReader(data), info, hapi.CSV), r) }},
		} {
			b.Run(c.name+"/"+way.name, func(b *testing.B) {
				b.SetBytes(int64(len(data)))
				b.ReportAllocs()
				r := hapi.Records{Columns: make([]hapi.Column, 4)}
				for b.Loop() {
					reset(&r)
					if err := way.read(&r); err != nil || r.Len() != 50_000 {
						b.Fatal(r.Len(), err)
					}
				}
				speed[way.name] = float64(len(data)) * float64(b.N) / b.Elapsed().Seconds()
				if base := speed["encodingcsv"]; way.name == "decoder" && base > 0 {
					b.ReportMetric(speed["decoder"]/base, "ratio")
				}
			})
		}
	}
}

// reset takes the records out and keeps the memory.
func reset(r *hapi.Records) {
	r.Time = r.Time[:0]
	for i := range r.Columns {
		r.Columns[i].Float, r.Columns[i].Text = r.Columns[i].Float[:0], r.Columns[i].Text[:0]
	}
}

func all(d *hapi.Decoder, r *hapi.Records) error {
	_, err := d.Read(r, math.MaxInt)
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

func withEncodingCSV(r *hapi.Records, data []byte) error {
	in := csv.NewReader(bytes.NewReader(data))
	in.ReuseRecord = true
	var clock tt.Sequence
	var text []byte
	for {
		fields, err := in.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		text = append(text[:0], fields[0]...)
		at, err := clock.Parse(text)
		if err != nil {
			return err
		}
		r.Time = append(r.Time, at)
		for i, field := range fields[1:] {
			v, err := strconv.ParseFloat(field, 64)
			if err != nil {
				return err
			}
			r.Columns[i].Float = append(r.Columns[i].Float, v)
		}
	}
}

// BenchmarkBinary reads 64 MB of a time and four columns into memory that is there, and
// copies the same bytes; ratio is the decoder's speed over that of copying.
func BenchmarkBinary(b *testing.B) {
	info := four(b)
	const records = 64 << 20 / (24 + 4*8)
	data := fourColumns(records, 0, hapi.Binary)
	speed := map[string]float64{}
	to := make([]byte, len(data))
	var r hapi.Records
	for _, way := range []struct {
		name string
		read func() error
	}{
		{"copy", func() error { copy(to, data); return nil }},
		{"decoder", func() error {
			reset(&r)
			if err := all(hapi.NewDecoder(bytes.NewReader(data), info, hapi.Binary), &r); err != nil || r.Len() != records {
				return fmt.Errorf("%d records: %w", r.Len(), err)
			}
			return nil
		}},
	} {
		b.Run(way.name, func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			if err := way.read(); err != nil { // once, so that the memory is there
				b.Fatal(err)
			}
			for b.Loop() {
				if err := way.read(); err != nil {
					b.Fatal(err)
				}
			}
			speed[way.name] = float64(len(data)) * float64(b.N) / b.Elapsed().Seconds()
			if base := speed["copy"]; way.name == "decoder" && base > 0 {
				b.ReportMetric(speed["decoder"]/base, "ratio")
			}
		})
	}
}

// BenchmarkJSON reads what BenchmarkCSV reads; there is nothing to compare it with.
func BenchmarkJSON(b *testing.B) {
	info := four(b)
	data := fourColumns(50_000, 3, hapi.JSON)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	var r hapi.Records
	for b.Loop() {
		reset(&r)
		if err := all(hapi.NewDecoder(bytes.NewReader(data), info, hapi.JSON), &r); err != nil || r.Len() != 50_000 {
			b.Fatal(r.Len(), err)
		}
	}
}

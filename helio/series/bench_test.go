package series_test

import (
	"fmt"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/helios-go/helios/helio/series"
	"github.com/helios-go/helios/helio/tt"
)

// day is a field vector every 16 s for a day.
func day() *series.Series {
	s := &series.Series{ID: "local/day/B", Columns: []string{"Bx", "By", "Bz"}, Dims: []int{3}}
	for i := range 5400 {
		s.Time = append(s.Time, tt.Time(i)*16e9)
		x := float64(i) / 300
		s.Values = append(s.Values, 4*math.Cos(x), 4*math.Sin(x), math.Sin(3*x))
	}
	return s
}

func dayCSV() string {
	var b strings.Builder
	b.WriteString("time,Bx (nT),By (nT),Bz (nT)\n")
	s := day()
	for i, t := range s.Time {
		r := s.Row(i)
		fmt.Fprintf(&b, "%v,%.3f,%.3f,%.3f\n", t, r[0], r[1], r[2])
	}
	return b.String()
}

func BenchmarkStats(b *testing.B) {
	s := day()
	b.ReportAllocs()
	b.SetBytes(int64(8 * s.Len()))
	for b.Loop() {
		s.Stats(2)
	}
}

func BenchmarkQuality(b *testing.B) {
	s := day()
	b.ReportAllocs()
	for b.Loop() {
		s.Quality()
	}
}

func BenchmarkMaskFill(b *testing.B) {
	s := day()
	b.ReportAllocs()
	b.SetBytes(int64(8 * len(s.Values)))
	for b.Loop() {
		series.MaskFill(s.Values, 3, []float64{-1e31})
	}
}

func BenchmarkWriteNPZ(b *testing.B) {
	s := day()
	b.ReportAllocs()
	b.SetBytes(int64(8 * (2*s.Len() + len(s.Values))))
	for b.Loop() {
		if err := s.WriteNPZ(io.Discard); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkReadCSV(b *testing.B) {
	text := dayCSV()
	b.ReportAllocs()
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if _, err := series.ReadCSV(strings.NewReader(text), nil); err != nil {
			b.Fatal(err)
		}
	}
}

package archive_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/helios-go/helios/helio/archive"
	"github.com/helios-go/helios/helio/cdf"
	"github.com/helios-go/helios/helio/cdf/cdftest"
	"github.com/helios-go/helios/helio/tt"
)

const dayRecords = 5400

// day is an archive of a CDF and a table with a field vector every 16 s.
func day(tb testing.TB) *archive.Local {
	tb.Helper()
	times := make([]tt.Time, dayRecords)
	values := make([]float64, 0, 3*dayRecords)
	table := strings.Builder{}
	table.WriteString("time,Bx (nT),By (nT),Bz (nT)\n")
	for i := range times {
		times[i] = at(tb, "2023-01-02") + tt.Time(i)*16e9
		x := float64(i) / 300
		values = append(values, 4*math.Cos(x), 4*math.Sin(x), math.Sin(3*x))
		fmt.Fprintf(&table, "%v,%.3f,%.3f,%.3f\n", times[i], values[3*i], values[3*i+1], values[3*i+2])
	}
	file := cdftest.File{Variables: []cdftest.Variable{
		{Name: "Epoch", Type: cdf.TT2000, Values: times, Compression: cdf.GZIP},
		{Name: "B", Type: cdf.Real4, Dims: []int{3}, Values: values, Compression: cdf.GZIP, Attributes: attributes("DEPEND_0", "Epoch")},
	}}
	return open(tb, map[string][]byte{"day.cdf": encode(tb, file), "table.csv": []byte(table.String())})
}

func BenchmarkFetchDay(b *testing.B) {
	a := day(b)
	for _, id := range []string{"local/day/B", "local/table/B"} {
		b.Run(strings.Split(id, "/")[1], func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(dayRecords * 4 * 8)
			for b.Loop() {
				if _, err := a.Fetch(b.Context(), id, tt.Fill, tt.Fill); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkListDay(b *testing.B) {
	data := encode(b, small(b))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := open(b, map[string][]byte{"day.cdf": data}).Inventory(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}

package series_test

import (
	"bytes"
	"fmt"
	"math"
	"strings"

	"github.com/helios-go/helios/helio/series"
	"github.com/helios-go/helios/helio/tt"
)

const table = `# title: a minute of solar wind
# fill: 999.9
time,Bx (nT),By (nT),Bz (nT),V (km/s)
2023-01-02T03:41:00Z,1.0,-2.5,4.0,401
2023-01-02T03:41:16Z,1.5,-2.0,-4.5,404
2023-01-02T03:41:32Z,1.0,-2.0,-3.0,999.9
2023-01-02T03:41:48Z,0.5,-1.5,2.0,407
2023-01-02T03:42:04Z,0.5,-1.0,2.5,404
`

func ExampleReadCSV() {
	all, err := series.ReadCSV(strings.NewReader(table), &series.CSVOptions{Name: "wind.csv"})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, s := range all {
		fmt.Println(s.Name, s.Columns, s.Units, s.Len(), "records every", s.Cadence())
	}

	_, err = series.ReadCSV(strings.NewReader("time,V\n2023-01-02,410\n2023-01-02,400\n2023-01-03\n"), &series.CSVOptions{Name: "bad.csv"})
	fmt.Println(err)
	// Output:
	// B [Bx By Bz] nT 5 records every 16s
	// V [V] km/s 5 records every 16s
	// read CSV "bad.csv": line 4 has 1 fields and the header 2; give every row as many fields as the header has
}

func ExampleSeries_Stats() {
	all, _ := series.ReadCSV(strings.NewReader(table), nil)
	bz, v := all[0].Stats(2), all[1].Stats(0)
	fmt.Println("min Bz", bz.Min, "at", bz.MinTime)
	fmt.Println("mean V", v.Mean, "of", v.Valid, "of", v.N)
	// Output:
	// min Bz -4.5 at 2023-01-02T03:41:16Z
	// mean V 404 of 4 of 5
}

func ExampleSeries_Window() {
	all, _ := series.ReadCSV(strings.NewReader(table), nil)
	from, _ := tt.Parse("2023-01-02T03:41:16")
	to, _ := tt.Parse("2023-01-02T03:41:48")
	w := all[1].Window(from, to) // half open
	fmt.Println(w.Len(), w.Time[0], w.Values)
	// Output: 2 2023-01-02T03:41:16Z [404 NaN]
}

func ExampleSeries_Quality() {
	s := &series.Series{Columns: []string{"N"}, Values: []float64{5, 6, math.NaN(), math.NaN(), math.NaN(), 7, 5, 6}}
	start, _ := tt.Parse("2024-09-12")
	for i := range s.Values {
		s.Time = append(s.Time, start+tt.Time(i)*3600e9)
	}
	q := s.Quality()
	fmt.Printf("%.1f %% missing, %d gap of %v from %v\n", q.MissingPct, q.NGaps, q.Gaps[0].Duration, q.Gaps[0].Start)
	// Output: 37.5 % missing, 1 gap of 4h0m0s from 2024-09-12T01:00:00Z
}

func ExampleSeries_WriteNPZ() {
	all, _ := series.ReadCSV(strings.NewReader(table), nil)
	var file bytes.Buffer
	if err := all[0].WriteNPZ(&file); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("numpy.load gives time, tt2000, values (5, 3) and columns")
	// Output: numpy.load gives time, tt2000, values (5, 3) and columns
}

func ExampleMaskFill() {
	speed := []float64{401, 99999.8984375, -1e31} // the fill value stored as float32
	fmt.Println(series.MaskFill(speed, 1, []float64{99999.9}), speed)
	temperature := []float64{99093}
	fmt.Println(series.MaskFill(temperature, 1, []float64{-1e31}), temperature)
	// Output:
	// 2 [401 NaN NaN]
	// 0 [99093]
}

package series_test

import (
	"fmt"
	"time"

	"github.com/helios-go/helios/helio/series"
	"github.com/helios-go/helios/helio/tt"
)

func ExampleGrid() {
	start, _ := tt.Parse("2016-12-31T23:58")
	stop, _ := tt.Parse("2017-01-01T00:02")
	minutes, _ := series.Grid(start, stop, time.Minute)
	for i, t := range minutes[1:] {
		fmt.Println(t, "after", t.Sub(minutes[i]))
	}
	// Output:
	// 2016-12-31T23:59:00Z after 1m0s
	// 2017-01-01T00:00:00Z after 1m1s
	// 2017-01-01T00:01:00Z after 1m0s
}

func ExampleEdges() {
	fmt.Println(series.Edges([]float64{10, 30, 50}, false))
	fmt.Printf("%.2f\n", series.Edges([]float64{10, 100, 1000}, true))
	// Output:
	// [0 20 20 40 40 60]
	// [3.16 31.62 31.62 316.23 316.23 3162.28]
}

func ExampleSeries_Restamped() {
	start, _ := tt.Parse("2024-05-10")
	dst := &series.Series{Name: "Dst", Columns: []string{"Dst"}, Time: []tt.Time{start, start.Add(time.Hour)}, Values: []float64{-40, -90}}
	dst.Meta.TimeStampLocation = series.Begin
	centred, _ := dst.Restamped(series.Center, 0)
	fmt.Println(centred.Time)
	// Output: [2024-05-10T00:30:00Z 2024-05-10T01:30:00Z]
}

func ExampleSeries_Sorted() {
	s := &series.Series{Columns: []string{"N"}, Time: []tt.Time{20, 10, 30}, Values: []float64{2, 1, 3}}
	fmt.Println(s.Ordered(), s.Sorted().Values)
	// Output: false [1 2 3]
}

func ExampleSeries_Bin() {
	s := &series.Series{Name: "flux", Columns: []string{"10 keV", "20 keV"}, Dims: []int{2}, Time: []tt.Time{0, 1}, Values: []float64{5, 3, 6, 4},
		Axes: []series.Axis{{Name: "energy", Units: "keV", Centers: []float64{10, 20}}}}
	one, _ := s.Bin(0, 1)
	fmt.Println(one.Columns, one.Values)
	mean, _ := s.Averaged(0, 5, 25)
	fmt.Println(mean.Values)
	// Output:
	// [20 keV] [3 4]
	// [4 5]
}

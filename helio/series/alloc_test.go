//go:build !race

package series_test

import (
	"io"
	"strings"
	"testing"

	"github.com/helios-go/helios/helio/series"
)

// Ceilings for a day of 5,400 records: far below one allocation a record, so
// that a year of one-second data costs what its numbers cost.
func TestADayCostsNoAllocationPerRecord(t *testing.T) {
	s := day()
	text := dayCSV()
	for _, c := range []struct {
		name string
		most float64
		run  func()
	}{
		{"Window", 1, func() { s.Window(s.Time[100], s.Time[200]) }},
		{"Stats", 1, func() { s.Stats(2) }},
		{"Quality", 10, func() { s.Quality() }},
		{"MaskFill", 0, func() { series.MaskFill(s.Values, 3, nil) }},
		{"WriteNPZ", 250, func() {
			if err := s.WriteNPZ(io.Discard); err != nil {
				t.Fatal(err)
			}
		}},
		{"ReadCSV", 150, func() {
			if _, err := series.ReadCSV(strings.NewReader(text), nil); err != nil {
				t.Fatal(err)
			}
		}},
	} {
		if got := testing.AllocsPerRun(5, c.run); got > c.most {
			t.Errorf("%s: got %v allocations, want at most %v", c.name, got, c.most)
		}
	}
}

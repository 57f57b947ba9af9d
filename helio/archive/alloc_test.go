//go:build !race

package archive_test

import (
	"testing"

	"github.com/helios-go/helios/helio/tt"
)

// A day of 5,400 vectors, a tenth of an allocation a record at the very most.
func TestFetchingADayCostsNoAllocationPerRecord(t *testing.T) {
	a := day(t)
	for _, id := range []string{"local/day/B", "local/table/B"} {
		got := testing.AllocsPerRun(5, func() {
			if _, err := a.Fetch(t.Context(), id, tt.Fill, tt.Fill); err != nil {
				t.Fatal(err)
			}
		})
		if got > dayRecords/10 {
			t.Errorf("%s: got %v allocations for %d records", id, got, dayRecords)
		}
	}
}

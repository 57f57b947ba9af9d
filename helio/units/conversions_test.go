package units_test

import (
	"bufio"
	"errors"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/helios-go/helios/helio/units"
)

// TestConversionsGiveKnownValues reads a table of conversions that were worked out by
// hand from the sources named beside them. A result of NaN must be refused.
func TestConversionsGiveKnownValues(t *testing.T) {
	t.Parallel()
	f, err := os.Open("testdata/conversions.tsv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows := 0
	for lines := bufio.NewScanner(f); lines.Scan(); {
		part := strings.Split(lines.Text(), "\t")
		if strings.HasPrefix(lines.Text(), "#") && len(part) != 5 || strings.HasPrefix(lines.Text(), "# value") {
			continue
		}
		v, err := strconv.ParseFloat(part[0], 64)
		want, err2 := strconv.ParseFloat(part[3], 64)
		if err = errors.Join(err, err2); err != nil || len(part) != 5 {
			t.Fatalf("cannot read line %q: %v", lines.Text(), err)
		}
		rows++
		got, err := units.Convert(v, part[1], part[2])
		if math.IsNaN(want) {
			if err == nil {
				t.Errorf("Convert(%g, %q, %q) = %g, want an error", v, part[1], part[2], got)
			}
			continue
		}
		tolerance := 1e-14
		if strings.Contains(part[4], "to 8 digits") {
			tolerance = 5e-8
		}
		if err != nil || math.Abs(got-want) > tolerance*math.Abs(want) {
			t.Errorf("Convert(%v, %q, %q) = %v, %v, want %v", v, part[1], part[2], got, err, want)
		}
		// Back again: what is left of a value near zero Celsius is less exact.
		back, err := units.Convert(want, part[2], part[1])
		if err != nil || math.Abs(back-v) > tolerance*math.Abs(v)+1e-12 {
			t.Errorf("Convert(%v, %q, %q) = %v, %v, want %v", want, part[2], part[1], back, err, v)
		}
	}
	if rows < 100 {
		t.Errorf("%d conversions, want 100 at least", rows)
	}
}

func TestPowersOfTenAreExact(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		v        float64
		from, to string
		want     float64
	}{{3.67, "nT", "pT", 3670}, {0.1, "km", "m", 100}, {5, "cm^-3", "m^-3", 5e6}, {0.3, "V", "mV", 300}, {7, "s^3/km^6", "s^3/m^6", 7e-18}} {
		if got, err := units.Convert(c.v, c.from, c.to); got != c.want || err != nil {
			t.Errorf("Convert(%v, %q, %q) = %v, %v, want exactly %v", c.v, c.from, c.to, got, err, c.want)
		}
	}
}

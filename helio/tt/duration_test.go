package tt_test

import (
	"errors"
	"os"
	"regexp"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/helios-go/helios/helio/tt"
	"github.com/helios-go/helios/internal/testdata"
)

func TestDurationsAreRead(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	for text, want := range map[string]time.Duration{
		"PT16S": 16 * time.Second, "PT0.5S": 500 * time.Millisecond, "PT0.00015S": 150 * time.Microsecond, "P1D": day,
		"P1DT12H": 36 * time.Hour, "P7D": 7 * day, "P1W": 7 * day, "P1M": 30 * day, "PT1M": time.Minute, "P1Y": 365 * day,
		"P1Y2M3DT4H5M6.7S": 365*day + 60*day + 3*day + 4*time.Hour + 5*time.Minute + 6700*time.Millisecond,
		"PT3600S":          time.Hour, "PT1,5M": 90 * time.Second, " PT1H ": time.Hour, "PT0S": 0, "PT0.0000000004S": 0, "PT0.0000000006S": 1,
		"PT33.333333333S": 33_333_333_333,
	} {
		if got, err := tt.ParseDuration(text); err != nil || got != want {
			t.Errorf("ParseDuration(%q) = %v, %v; want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "P", "PT", "P1", "1D", "PT1", "P1DT", "PT1S1M", "P1D1D", "PT1.5M2S", "P-1D", "PT.5S", "PT5.S", "PT1.2.3S", "p1d", "PT1X", "P1S", "PT1H x", "PTT1S"} {
		if got, err := tt.ParseDuration(text); !errors.Is(err, tt.ErrSyntax) {
			t.Errorf("ParseDuration(%q) = %v, %v; want a syntax error", text, got, err)
		}
	}
	if _, err := tt.ParseDuration("P300Y"); !errors.Is(err, tt.ErrRange) {
		t.Errorf("300 years: %v", err)
	}
}

func TestSamplingsAreRead(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]time.Duration{
		"5M": 5 * time.Minute, "16S": 16 * time.Second, "0.00015S": 150 * time.Microsecond, "1H": time.Hour, "1D": 24 * time.Hour, "4s": 4 * time.Second, "64 S": 64 * time.Second,
	} {
		if got, err := tt.ParseSampling(text); err != nil || got != want {
			t.Errorf("ParseSampling(%q) = %v, %v; want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "5", "S", "-1S", "5X", "dependent on mode"} {
		if got, err := tt.ParseSampling(text); !errors.Is(err, tt.ErrSyntax) {
			t.Errorf("ParseSampling(%q) = %v, %v; want a syntax error", text, got, err)
		}
	}
}

// TestSamplingsOfAMDA reads every sampling of the real inventory.
func TestSamplingsOfAMDA(t *testing.T) {
	t.Parallel()
	inventory, err := os.ReadFile(testdata.File(t, "data/amda_obsdatatree.xml"))
	if err != nil {
		t.Fatal(err)
	}
	read := 0
	for _, m := range regexp.MustCompile(`[sS]ampling="([^"]+)"`).FindAllSubmatch(inventory, -1) {
		d, err := tt.ParseSampling(string(m[1]))
		if err != nil || d < 100*time.Microsecond || d > 24*time.Hour {
			t.Errorf("ParseSampling(%q) = %v, %v", m[1], d, err)
		}
		read++
	}
	if read < 1046 {
		t.Errorf("read %d samplings, want one of each of 1046 datasets at least", read)
	}
}

func FuzzParseDuration(f *testing.F) {
	for _, text := range []string{"PT16S", "P1Y2M3DT4H5M6.7S", "P1W", "16S", "0.00015S"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if d, err := tt.ParseDuration(text); err == nil {
			if again, err := tt.ParseDuration(tt.FormatDuration(d)); err != nil || again != d {
				t.Errorf("%q is %v, written as %q and read as %v, %v", text, int64(d), tt.FormatDuration(d), again, err)
			}
		}
		if d, err := tt.ParseSampling(text); err == nil && d < 0 {
			t.Errorf("%q is %v", text, d)
		}
	})
}

func TestDurationsAreWritten(t *testing.T) {
	t.Parallel()
	for want, d := range map[string]time.Duration{
		"PT0S": 0, "PT16S": 16 * time.Second, "P1DT12H": 36 * time.Hour, "PT1H0.5S": time.Hour + 500*time.Millisecond, "P7D": 7 * 24 * time.Hour, "-PT1M": -time.Minute, "PT0.000000001S": 1,
	} {
		if got := tt.FormatDuration(d); got != want {
			t.Errorf("FormatDuration(%v) = %q, want %q", d, got, want)
		}
	}
}

func TestDurationsComeBack(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		d := time.Duration(rapid.Int64Range(0, 1<<63-1).Draw(t, "ns"))
		if got, err := tt.ParseDuration(tt.FormatDuration(d)); got != d || err != nil {
			t.Fatalf("%d is %s, read as %d, %v", d, tt.FormatDuration(d), got, err)
		}
	})
}

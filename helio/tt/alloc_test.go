//go:build !race

package tt_test

import (
	"testing"

	"github.com/helios-go/helios/helio/tt"
)

func TestAllocations(t *testing.T) {
	at := parse(t, "2023-01-02T03:41:01.123Z")
	buf := make([]byte, 0, 64)
	text := []byte("1967-01-02T03:41:01.123Z")
	var sequence tt.Sequence
	for name, c := range map[string]struct {
		ceiling float64
		run     func()
	}{
		"Parse":        {0, func() { at, _ = tt.Parse("2023-01-02T03:41:01.123Z") }},
		"AppendFormat": {0, func() { buf = at.AppendFormat(buf[:0], -1) }},
		"String":       {1, func() { _ = at.String() }},
		"FromEpoch":    {0, func() { at, _ = tt.FromEpoch(63840000000123) }},
		"FromEpoch16":  {0, func() { at, _ = tt.FromEpoch16([2]float64{63840000000, 123e9}) }},
		"UnixNanoUTC":  {0, func() { _ = at.UnixNanoUTC() }},
		"FromTime":     {0, func() { at, _ = tt.FromTime(at.UTC()) }},
		"Sequence":     {0, func() { at, _ = sequence.Parse(text) }},
		"Calendar":     {0, func() { _, _, _, _, _, _, _ = at.Calendar() }},
	} {
		if got := testing.AllocsPerRun(100, c.run); got > c.ceiling {
			t.Errorf("%s allocates %v times, at most %v is promised", name, got, c.ceiling)
		}
	}
}

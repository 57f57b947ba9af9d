package check_test

import (
	"strings"
	"testing"

	"github.com/helios-go/helios/helioai/check"
)

// A page of prose against a session's ledger.
func BenchmarkAnswer(b *testing.B) {
	in := check.Input{
		Question: "mean and maximum of the magnitude on 2023-01-02?",
		Answer:   strings.Repeat("The mean magnitude was 3.67 nT; the maximum, 5.261 nT, came at 03:41:01 on 2023-01-02.\n\n", 10),
		Claims:   []check.Claim{claim("magnitude_mean", num("3.67"), "nT")},
		Entries:  ace(b),
	}
	b.ReportAllocs()
	for b.Loop() {
		check.Answer(in)
	}
}

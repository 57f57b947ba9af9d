package cli

import (
	"strings"
	"testing"

	"github.com/helios-go/helios/llm"
)

// What files, programs and models write must neither steer a terminal nor pass
// for a line of the program's own.
func TestForeignTextCannotSteerTheTerminal(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"Bz GSM, 5 µT ✓":            "Bz GSM, 5 µT ✓",
		"\x1b[31mred\x1b[0m":        "[31mred[0m",
		"\x1b]0;title\x07":          "]0;title",
		"\x1b[2J\x1b[H":             "[2J[H",
		"a\bb\x00c\x7f":             "abc",
		"\u009b31mred":              "31mred",
		"two\nlines\tand a tab":     "two\nlines\tand a tab",
		"over\rwritten":             "over written",
		"\u202eright to left\u202c": "right to left",
		"zero\u200bwidth":           "zerowidth",
		"5\u00a0nT, 7\u2009nT":      "5 nT, 7 nT",
	} {
		if got := printable(in); got != want {
			t.Errorf("printable(%q) = %q, want %q", in, got, want)
		}
	}
	if got := oneLine("x\n✓ matched\r\n  5"); got != "x ✓ matched 5" {
		t.Errorf("oneLine keeps more than one line: %q", got)
	}
	if got := clip(strings.Repeat("é\x1b", 500)); got != strings.Repeat("é", mostClipped-1)+"…" {
		t.Errorf("clip = %q", got)
	}
}

func TestCountsAndAmountsAreReadable(t *testing.T) {
	t.Parallel()
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567", -1000: "-1,000"} {
		if got := grouped(n); got != want {
			t.Errorf("grouped(%d) = %s, want %s", n, got, want)
		}
	}
	for n, want := range map[int64]string{0: "?", 512: "512", 8192: "8k", 131072: "131k", 1_000_000: "1M", 1_050_000: "1.05M", 1_048_576: "1.05M"} {
		if got := window(n); got != want {
			t.Errorf("window(%d) = %s, want %s", n, got, want)
		}
	}
	for n, want := range map[llm.Micros]string{0: "$0.00", 1: "$0.0001", 9800: "$0.0098", 9801: "$0.0099", 1_500_000: "$1.50"} {
		if got := cost(n); got != want {
			t.Errorf("cost(%d) = %s, want %s", n, got, want)
		}
	}
	for m, want := range map[llm.Micros]string{0: "", 125_000: "0.125", 2_000_000: "2.00", 37_500: "0.0375"} {
		if got := dollars(m); got != want {
			t.Errorf("dollars(%d) = %s, want %s", m, got, want)
		}
	}
}

func TestABudgetIsAnAmountOfDollars(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]llm.Micros{"": 0, "0.50": 500_000, "$2": 2_000_000, " 0.000001 ": 1, "1e2": 100_000_000} {
		if got, err := parseBudget(s); err != nil || got != want {
			t.Errorf("parseBudget(%q) = %d, %v; want %d", s, got, err, want)
		}
	}
	for _, s := range []string{"0", "-1", "NaN", "Inf", "1e300", "0.0000001", "two", "1,5"} {
		if got, err := parseBudget(s); err == nil {
			t.Errorf("parseBudget(%q) = %d, want an error", s, got)
		}
	}
}

package cli

import (
	"strings"
	"testing"
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

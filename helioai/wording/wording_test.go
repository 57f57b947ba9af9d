package wording_test

import (
	"testing"
	"time"

	"github.com/helios-go/helios/helioai/wording"
)

func TestIntervalsReadAsPeopleSayThem(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{
		0:                                     "",
		-time.Second:                          "",
		250 * time.Microsecond:                "0.25 ms",
		62500 * time.Microsecond:              "62.5 ms",
		time.Second:                           "1 s",
		1500 * time.Millisecond:               "1.5 s",
		16 * time.Second:                      "16 s",
		59999999 * time.Microsecond:           "1 min",
		60 * time.Second:                      "1 min",
		64 * time.Second:                      "64 s",
		64*time.Second + 3*time.Millisecond/2: "64 s",
		92 * time.Second:                      "92 s",
		5 * time.Minute:                       "5 min",
		615 * time.Second:                     "10.25 min",
		90 * time.Minute:                      "90 min",
		time.Hour:                             "1 h",
		24 * time.Hour:                        "1 d",
		27 * 24 * time.Hour:                   "27 d",
		36 * time.Hour:                        "36 h",
		365*24*time.Hour + 6*time.Hour:        "365.3 d",
	} {
		if got := wording.Interval(d); got != want {
			t.Errorf("Interval(%v) = %q, want %q", d, got, want)
		}
	}
}

func TestLinesAreCutAtCharacters(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		text string
		most int
		want string
	}{
		{"", 5, ""},
		{" a \n\t b ", 5, "a b"},
		{"abcde", 5, "abcde"},
		{"abcdef", 5, "abcd…"},
		{"abc def", 5, "abc…"},
		{"ééééé", 3, "éé…"},
		{"ab", 1, "…"},
	} {
		if got := wording.Line(tc.text, tc.most); got != tc.want {
			t.Errorf("Line(%q, %d) = %q, want %q", tc.text, tc.most, got, tc.want)
		}
	}
}

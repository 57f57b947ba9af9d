package check_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/helios-go/helios/helioai/check"
)

// sound holds what every verdict promises.
func sound(t interface{ Fatalf(string, ...any) }, in check.Input) {
	v := check.Answer(in)
	if v == nil || v.Claims == nil || v.Numbers == nil {
		t.Fatalf("the verdict or a list is nil")
	}
	if len(v.Claims) != len(in.Claims) {
		t.Fatalf("%d lines for %d claims", len(v.Claims), len(in.Claims))
	}
	if n := v.Matched + v.Contradicted + v.Derived + v.Unsourced + v.Given; n != len(v.Claims)+len(v.Numbers) {
		t.Fatalf("the counts give %d, there are %d lines", n, len(v.Claims)+len(v.Numbers))
	}
	for _, l := range slices.Concat(v.Claims, v.Numbers) {
		if l.Status == check.Contradicted && l.Entry == "" {
			t.Fatalf("%q is contradicted by nothing", l.Text)
		}
	}
	if _, err := json.Marshal(v); err != nil {
		t.Fatalf("the verdict is no JSON: %v", err)
	}
	if s := v.Summary(); s == "" || strings.ContainsAny(s, "\n\r") {
		t.Fatalf("summary %q is not one line", s)
	}
}

func FuzzAnswer(f *testing.F) {
	for _, s := range []string{
		"The mean magnitude was 3.67 nT at 2023-01-02T03:41:01Z.", "5,261 nT; 1.234,5; .5; 5.; 1e999 nT; 10^400", "| a (nT) | b |\n|--|--|\n| 5 | 6 |",
		"```py\n5", "`", "2-5 January 2023, 31 February, 24:00 on 2023-12-31", "5 nT/cm^-3 per per per", "−−5 ±± 5 × 10^", "((((((5 ((((((", "1. 2. 3.\n1)\n", "\xff5\xfe nT",
		"3–5–7 nT; 5/0 = 3; 5 / 0 nT = 7", "on the 99th at 99:99", "5\u00a0000\u00a0000 K", "|5|\n|", "in 2015 |", "9999999999999999999999999 and 0x5", "2023-01-02T00:00:60 23:59:60",
	} {
		f.Add(s, s, "magnitude_mean", s, "nT")
	}
	entries := ace(f)
	f.Fuzz(func(t *testing.T, question, answer, name, value, units string) {
		in := check.Input{Question: question, Answer: answer, Entries: entries,
			Claims: []check.Claim{claim(name, value, units), claim(name, json.Number(value), units), {Name: name, Value: value, Units: units, Source: name}}}
		sound(t, in)
		in.Entries = nil
		sound(t, in)
	})
}

func TestEveryNumberGetsExactlyOneLine(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.SampledFrom([]string{"3.67 nT", "−4.394 nT", "5.7×10^5 K", "11", "1.53 %", "2023-01-02T03:41:01", "14:00", "17 March 2015", "400 km/s", "9,79 nT", "0.5", "720 hours"})
		filler := rapid.SampledFrom([]string{"the mean was", "AC_H0_MFI,", "and", "maximum", "for `data/x_5.npz`", "magnitude", "is", "at 1 AU,", "with"})
		n := rapid.IntRange(0, 6).Draw(t, "numbers")
		var b strings.Builder
		for range n {
			b.WriteString(filler.Draw(t, "words") + " value " + value.Draw(t, "number") + "; ")
		}
		in := check.Input{Answer: b.String(), Entries: ace(quiet{})}
		sound(t, in)
		if v := check.Answer(in); len(v.Numbers) != n {
			t.Fatalf("%q has %d numbers, the verdict %d lines: %v", b.String(), n, len(v.Numbers), lines(v))
		}
	})
}

// quiet is a testing.TB for helpers that cannot fail here.
type quiet struct{ testing.TB }

func (quiet) Helper() {}

func TestBrokenTextIsReadAsFarAsItGoes(t *testing.T) {
	t.Parallel()
	v := check.Answer(check.Input{Answer: "\xff\xfe the mean magnitude was 3.67 nT \xf0\x9f", Entries: ace(t)})
	expect(t, v, "3.67 nT: matched magnitude_mean")
	if !utf8.ValidString(v.Numbers[0].Text) {
		t.Errorf("the line is not UTF-8: %q", v.Numbers[0].Text)
	}
}

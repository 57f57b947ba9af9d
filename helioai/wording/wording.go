// Package wording writes what several parts of HelioAI show in the same words:
// how often data come, and any text on one line.
//
//	wording.Interval(64 * time.Second)          // "64 s"
//	wording.Interval(time.Hour)                 // "1 h"
//	wording.Line("mean field\n  at ACE", 100)   // "mean field at ACE"
//
// All functions are pure and safe for concurrent use.
package wording

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// Interval writes a step between records as people say it: "62.5 ms", "16 s",
// "64 s", "1 min", "90 min", "1 h". Minutes, hours and days are used where there
// is a whole number of them or at least ten, so that 64 s never reads as
// 1.067 min. Four digits are kept: real clocks jitter. It is empty for what is
// no step, zero or less.
func Interval(d time.Duration) string {
	if d <= 0 {
		return ""
	}
	seconds := fourDigits(d.Seconds())
	for _, unit := range []struct {
		name    string
		seconds float64
	}{{"d", 86400}, {"h", 3600}, {"min", 60}} {
		n := seconds / unit.seconds
		if n >= 1 && (n == math.Trunc(n) || n >= 10) {
			return number(n) + " " + unit.name
		}
	}
	if seconds >= 1 {
		return number(seconds) + " s"
	}
	return number(seconds*1000) + " ms"
}

func fourDigits(v float64) float64 {
	r, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 4, 64), 64)
	if err != nil {
		return v
	}
	return r
}

// number writes four digits without an exponent.
func number(v float64) string { return strconv.FormatFloat(fourDigits(v), 'f', -1, 64) }

// Line puts a text on one line: each run of white space becomes a blank, and
// what is longer than most characters ends in an ellipsis. most is at least 1.
func Line(text string, most int) string {
	text = strings.Join(strings.Fields(text), " ")
	if runes := []rune(text); len(runes) > most {
		return strings.TrimRight(string(runes[:most-1]), " ") + "…"
	}
	return text
}

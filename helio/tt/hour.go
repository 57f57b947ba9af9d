package tt

import (
	"fmt"
	"strings"
)

// ParseHours reads which hours of a day are meant, as geomagnetic indices have it:
// "2015-03-17 22-23 UT" are the hours from 22 to 23, the first included and the end
// not. An hour alone, such as Kyoto's stamp of an hourly Dst value, is where its hour
// begins: "2015-03-17T22:00" is the same. The date and the hour have any form that
// [Parse] reads; the end has two digits, is later, and 24 or 00 is the end of the day.
// UT, UTC or Z may follow. Errors wrap [ErrSyntax] or [ErrRange].
func ParseHours(s string) (start, stop Time, err error) {
	text, end, reason := cutHours(strings.TrimSpace(s))
	if reason != "" {
		return Fill, Fill, badHours(s, reason)
	}
	if start, err = Parse(text); err != nil {
		return Fill, Fill, fmt.Errorf("hours %q: %w", clip(s), err)
	}
	year, month, dayOfMonth, hour, minute, sec, ns := start.Calendar()
	switch {
	case minute != 0 || sec != 0 || ns != 0:
		return Fill, Fill, badHours(s, "they begin inside an hour")
	case end < 0:
		end = hour + 1
	case end == 0:
		end = 24
	}
	if end <= hour || end > 24 {
		return Fill, Fill, badHours(s, "they end before they begin, or after the day")
	}
	stop, err = FromCalendar(year, month, dayOfMonth, end, 0, 0, 0)
	if err != nil {
		return Fill, Fill, fmt.Errorf("hours %q: %w", clip(s), err)
	}
	return start, stop, nil
}

func badHours(s, reason string) error {
	return fmt.Errorf("%w: hours %q: %s; write them like 2015-03-17 22-23 UT", ErrSyntax, clip(s), reason)
}

// cutHours takes the end, -1 where there is none, and the name of the time scale off
// a text.
func cutHours(s string) (start string, end int, reason string) {
	for _, scale := range []string{"UTC", "UT"} {
		if rest, ok := strings.CutSuffix(s, scale); ok {
			s = strings.TrimRight(rest, " ")
			break
		}
	}
	s = strings.TrimSuffix(s, "Z")
	parts := strings.FieldsFunc(s, func(r rune) bool { return r == ' ' || r == 'T' || r == '/' })
	least := 2
	if len(parts) > 0 && len(parts[0]) == 4 {
		least = 3 // 2015 076 22
	}
	if len(parts) < least || !isDigit(parts[len(parts)-1][0]) {
		return "", 0, "a date and an hour are needed"
	}
	last := parts[len(parts)-1]
	if len(last) != len("22-23") || last[2] != '-' {
		return s, -1, ""
	}
	p := parser{rest: last[3:]}
	if p.digits() != 2 {
		return "", 0, errTwo
	}
	return s[:len(s)-len("-23")], p.number(2), ""
}

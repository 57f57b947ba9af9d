package series

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/helios-go/helios/helio/tt"
)

// A clock makes the time of a row from one or several of its fields.
type clock struct {
	single int // the column that holds it whole, or the date; -1 for none
	ofDay  int // the column with the time of the day, beside a date; -1 for none

	// Columns of a time in numbers; -1 where there is none.
	year, doy, month, day, hour, minute, second int
}

// Names under which columns are found, in lower case.
var (
	timeNames = []string{"time", "epoch", "utc", "datetime", "date_time", "timestamp", "time_utc", "utc_time", "isotime", "iso_time", "date"}
	yearNames = []string{"year", "yyyy", "yr"}
	doyNames  = []string{"doy", "day_of_year", "dayofyear", "ddd"}
)

// findClock decides which columns hold the time, by their names or else by the
// first row.
func (t *table) findClock(first string) error {
	index := func(names ...string) int {
		return slices.IndexFunc(t.columns, func(c column) bool { return slices.Contains(names, strings.ToLower(c.name)) })
	}
	c := clock{single: -1, ofDay: -1, year: index(yearNames...), doy: index(doyNames...), month: index("month", "mo"), day: index("day", "dd"),
		hour: index("hour", "hr", "hh"), minute: index("minute", "min"), second: index("second", "sec", "ss")}
	date, ofDay := index("date"), index("time", "utc")
	switch {
	case len(t.notes.series) > 0 && strings.EqualFold(t.columns[0].name, "time"):
		c.single = 0
	case date >= 0 && ofDay >= 0 && !t.wholeTime(first, ofDay):
		c.single, c.ofDay = date, ofDay
	case ofDay >= 0:
		c.single = ofDay
	case index(timeNames...) >= 0:
		c.single = index(timeNames...)
	case c.year >= 0 && (c.doy >= 0 || (c.month >= 0 && c.day >= 0)):
	default:
		c.single = t.guessTime(first)
		if c.single < 0 {
			return errors.New("no column holds the time; name one of them time, or give year and doy")
		}
	}
	t.clock = c
	for _, i := range c.columns() {
		t.columns[i].kind = columnTime
	}
	return nil
}

func (c *clock) columns() []int {
	all := []int{c.single, c.ofDay}
	if c.single < 0 {
		all = []int{c.year, c.doy, c.month, c.day, c.hour, c.minute, c.second}
	}
	return slices.DeleteFunc(all, func(i int) bool { return i < 0 })
}

// wholeTime reports whether field i of the first row is a date with its time.
func (t *table) wholeTime(first string, i int) bool {
	if t.split(first) != nil || i >= len(t.fields) {
		return false
	}
	_, err := tt.Parse(t.fields[i])
	return err == nil
}

// guessTime finds the first field of the first row that is a time and could
// not be a plain number; -1 when there is none.
func (t *table) guessTime(first string) int {
	if first == "" || t.split(first) != nil || len(t.fields) != len(t.columns) {
		return -1
	}
	return slices.IndexFunc(t.fields, func(f string) bool {
		if _, ok := number(f); ok {
			return false
		}
		_, err := tt.Parse(f)
		return err == nil
	})
}

// read returns the time of a row, [tt.Fill] where the row has none.
func (c *clock) read(fields []string) (tt.Time, error) {
	if c.single < 0 {
		return c.readNumbers(fields)
	}
	text := fields[c.single]
	if c.ofDay >= 0 {
		if fields[c.ofDay] != "" && text != "" {
			text += "T" + fields[c.ofDay]
		}
	}
	at, err := tt.Parse(text)
	if err == nil {
		return at, nil
	}
	if v, ok := number(text); ok && math.IsNaN(v) {
		return tt.Fill, nil
	}
	return tt.Fill, err
}

func (c *clock) readNumbers(fields []string) (tt.Time, error) {
	part := func(i, otherwise int) (int, error) {
		if i < 0 {
			return otherwise, nil
		}
		n, err := strconv.Atoi(fields[i])
		if err != nil {
			return 0, fmt.Errorf("%q is not a whole number and so no part of a time", clip(fields[i]))
		}
		return n, nil
	}
	if fields[c.year] == "" {
		return tt.Fill, nil
	}
	var n [5]int
	for k, p := range [5]struct{ column, otherwise int }{{c.year, 0}, {c.month, 1}, {c.day, 1}, {c.hour, 0}, {c.minute, 0}} {
		var err error
		if n[k], err = part(p.column, p.otherwise); err != nil {
			return tt.Fill, err
		}
	}
	if c.doy >= 0 {
		doy, err := part(c.doy, 1)
		if err != nil {
			return tt.Fill, err
		}
		d := time.Date(n[0], time.January, doy, 0, 0, 0, 0, time.UTC)
		if doy < 1 || d.Year() != n[0] {
			return tt.Fill, fmt.Errorf("the year %d has no day %d", n[0], doy)
		}
		n[1], n[2] = int(d.Month()), d.Day()
	}
	second, ns := 0, 0
	if c.second >= 0 {
		v, err := strconv.ParseFloat(fields[c.second], 64)
		if err != nil || !(v >= 0 && v < 61) {
			return tt.Fill, fmt.Errorf("%q is no second of a minute", clip(fields[c.second]))
		}
		// Rounded in nanoseconds, so that 0.1 is not 0.099999999, but not up
		// into a minute that the row does not name.
		total := int64(math.Round(v * 1e9))
		if v < 60 {
			total = min(total, 60e9-1)
		}
		second, ns = int(total/1e9), int(total%1e9)
	}
	return tt.FromCalendar(n[0], n[1], n[2], n[3], n[4], second, ns)
}

package catalog

import (
	"regexp"
	"slices"
	"strings"

	"github.com/helios-go/helios/helio/tt"
)

// ParseTime reads a time as catalogues write it: what [tt.Parse] reads, and besides
// dates with slashes (2015/03/17 04:45) and an offset of zero (+00:00). An empty
// text and the usual words for nothing (NaT, nan, none, null, 9999...) are no times.
func ParseTime(text string) (tt.Time, error) {
	text = strings.TrimSpace(text)
	if slashes.MatchString(text) {
		text = text[:4] + "-" + text[5:7] + "-" + text[8:]
	}
	for _, zero := range []string{"+00:00", "+0000", " UTC", "UTC"} {
		if rest, ok := strings.CutSuffix(text, zero); ok {
			text = strings.TrimSpace(rest)
			break
		}
	}
	return tt.Parse(text)
}

var slashes = regexp.MustCompile(`^\d{4}/\d{2}/\d{2}\b`)

// Names of columns that hold the times, the most certain first.
var (
	startNames = []string{
		"start", "start_time", "time_start", "tstart", "t_start", "starttime", "timeintervalstart", "start_date", "startdate", "date_start",
		"event_start", "start_datetime", "datetime_start", "begin", "begin_time", "time_begin", "tbegin", "t_begin", "onset", "t0", "from",
		"icme_start_time", "icme_start", "mo_start_time", "sir_start_time", "start_utc", "utc_start",
	}
	stopNames = []string{
		"stop", "stop_time", "time_stop", "tstop", "t_stop", "stoptime", "timeintervalstop", "stop_date", "stopdate", "date_stop",
		"event_stop", "stop_datetime", "datetime_stop", "end", "end_time", "time_end", "tend", "t_end", "endtime", "end_date", "enddate", "date_end",
		"event_end", "end_datetime", "datetime_end", "t1", "to", "until",
		"icme_end_time", "icme_end", "icme_stop_time", "mo_end_time", "mo_stop_time", "sir_end_time", "stop_utc", "end_utc", "utc_stop", "utc_end",
	}
	startWords = []string{"start", "begin", "tstart"}
	stopWords  = []string{"stop", "end", "tstop", "tend"}
)

// timeColumns finds the columns of start and stop by their names.
func timeColumns(names []string) (start, stop int, ok bool) {
	plain := make([]string, len(names))
	for i, name := range names {
		plain[i] = plainName(name)
	}
	start = nameIn(plain, startNames, startWords)
	stop = nameIn(plain, stopNames, stopWords)
	return start, stop, start >= 0 && stop >= 0 && start != stop
}

// nameIn finds the best of the known names, else the first with one of the words.
func nameIn(names, known, words []string) int {
	for _, k := range known {
		if i := slices.Index(names, k); i >= 0 {
			return i
		}
	}
	for i, name := range names {
		for word := range strings.SplitSeq(name, "_") {
			if slices.Contains(words, word) {
				return i
			}
		}
	}
	return -1
}

// plainName is a name in small letters, words joined by _, without what stands in
// brackets: "Start Time (UTC)" is start_time.
func plainName(name string) string {
	name, _, _ = strings.Cut(name, "(")
	name, _, _ = strings.Cut(name, "[")
	return strings.Join(strings.FieldsFunc(strings.ToLower(name), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	}), "_")
}

// interval reads the two times of an event; false when one is missing or they are
// the wrong way round.
func interval(start, stop string) (a, b tt.Time, ok bool) {
	a, err := ParseTime(start)
	if err != nil {
		return 0, 0, false
	}
	if b, err = ParseTime(stop); err != nil {
		return 0, 0, false
	}
	return a, b, a <= b
}

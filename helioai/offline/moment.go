package offline

import (
	"regexp"
	"strconv"
	"strings"
	"time"
)

// A moment is a date, a clock time, or both, as far as the question says it.
// What is not said is zero and is filled in from the rest of the question or
// from what the data cover.
type moment struct {
	year, month, day int
	doy              int // day of the year, instead of month and day
	clock            time.Duration
	step             time.Duration // precision of the clock; 0 when there is none
	last             *moment       // the last day of "10-15 September"
	joined           string        // what stands between the two days: "-", "to", "and", ...
	split            bool          // the clock was said apart from the date: "18:00 on 12 September"
	problem          string        // why it cannot be read; "" when it can
}

func (m *moment) hasDate() bool { return m.year != 0 || m.month != 0 || m.day != 0 || m.doy != 0 }

func (m *moment) hasClock() bool { return m.step != 0 }

// hasDay says that the date is a single day.
func (m *moment) hasDay() bool { return m.day != 0 || m.doy != 0 }

var monthNumbers = map[string]int{
	"january": 1, "february": 2, "march": 3, "april": 4, "may": 5, "june": 6, "july": 7, "august": 8, "september": 9, "october": 10, "november": 11, "december": 12,
	"jan": 1, "feb": 2, "mar": 3, "apr": 4, "jun": 6, "jul": 7, "aug": 8, "sep": 9, "sept": 9, "oct": 10, "nov": 11, "dec": 12,
	"janvier": 1, "fevrier": 2, "mars": 3, "avril": 4, "mai": 5, "juin": 6, "juillet": 7, "aout": 8, "septembre": 9, "octobre": 10, "novembre": 11, "decembre": 12,
}

const (
	monthForm = `(january|february|march|april|may|june|july|august|september|october|november|december|` +
		`janvier|fevrier|mars|avril|mai|juin|juillet|aout|septembre|octobre|novembre|decembre|` +
		`jan|feb|mar|apr|jun|jul|aug|sept|sep|oct|nov|dec)\b\.?`
	dayForm   = `(\d{1,2})(?:st|nd|rd|th|er)?`
	yearForm  = `(?:,? *(?:of |in |de |en )?((?:19|20)\d\d))?`
	toForm    = ` *(-|to|until|till|through|and|au|et) *`
	zoneForm  = `(?: ?(?:ut|utc|z|gmt|tu)\b)?`
	clockForm = `(\d{1,2})(?::?(\d\d)(?::?(\d\d)(\.\d{1,9})?)?)?`
)

// momentForms are tried in this order at the beginning of a word or number.
var momentForms = []struct {
	form *regexp.Regexp
	read func(g []string) *moment // nil: not a time after all
}{
	{regexp.MustCompile(`^(\d{4})-(\d{1,2})-(\d{1,2})(?:t` + clockForm + `)?` + zoneForm), func(g []string) *moment {
		return withClock(&moment{year: atoi(g[1]), month: atoi(g[2]), day: atoi(g[3])}, g[4:8])
	}},
	{regexp.MustCompile(`^(\d{4})/(\d{1,2})/(\d{1,2})`), func(g []string) *moment {
		return &moment{year: atoi(g[1]), month: atoi(g[2]), day: atoi(g[3])}
	}},
	{regexp.MustCompile(`^(\d{4})-(\d{3})(?:t` + clockForm + `)?` + zoneForm), func(g []string) *moment {
		return withClock(&moment{year: atoi(g[1]), doy: atoi(g[2])}, g[3:7])
	}},
	{regexp.MustCompile(`^((?:19|20)\d\d)(\d\d)(\d\d)(?:t` + clockForm + zoneForm + `)?`), func(g []string) *moment {
		return withClock(&moment{year: atoi(g[1]), month: atoi(g[2]), day: atoi(g[3])}, g[4:8])
	}},
	{regexp.MustCompile(`^((?:19|20)\d\d)-(\d\d)`), func(g []string) *moment {
		return &moment{year: atoi(g[1]), month: atoi(g[2])}
	}},
	{regexp.MustCompile(`^(\d{1,2})\.(\d{1,2})\.((?:19|20)\d\d)`), func(g []string) *moment {
		return &moment{year: atoi(g[3]), month: atoi(g[2]), day: atoi(g[1])}
	}},
	{regexp.MustCompile(`^(\d{1,2})[/-](\d{1,2})[/-]((?:19|20)\d\d)`), func(g []string) *moment {
		first, second := atoi(g[1]), atoi(g[2])
		switch {
		case first > 12 || first == second:
			return &moment{year: atoi(g[3]), month: second, day: first}
		case second > 12:
			return &moment{year: atoi(g[3]), month: first, day: second}
		}
		return &moment{year: atoi(g[3]), month: first, day: second, problem: "the date " + g[0] + " can be read in two ways; write it as 2024-09-12"}
	}},
	{regexp.MustCompile(`^` + dayForm + toForm + dayForm + `(?: (?:of|de))? *` + monthForm + yearForm), func(g []string) *moment {
		month, year := monthNumbers[g[4]], atoi(g[5])
		return &moment{year: year, month: month, day: atoi(g[1]), joined: g[2], last: &moment{year: year, month: month, day: atoi(g[3])}}
	}},
	{regexp.MustCompile(`^` + monthForm + ` *` + dayForm + `` + toForm + dayForm + `\b` + yearForm), func(g []string) *moment {
		month, year := monthNumbers[g[1]], atoi(g[5])
		return &moment{year: year, month: month, day: atoi(g[2]), joined: g[3], last: &moment{year: year, month: month, day: atoi(g[4])}}
	}},
	{regexp.MustCompile(`^` + dayForm + `(?:-| (?:of |de )?)?` + monthForm + `-?` + yearForm), func(g []string) *moment {
		return &moment{year: atoi(g[3]), month: monthNumbers[g[2]], day: atoi(g[1])}
	}},
	{regexp.MustCompile(`^` + monthForm + ` (?:the )?` + dayForm + `\b` + yearForm), func(g []string) *moment {
		return &moment{year: atoi(g[3]), month: monthNumbers[g[1]], day: atoi(g[2])}
	}},
	{regexp.MustCompile(`^` + monthForm + yearForm), func(g []string) *moment {
		if (g[1] == "may" || g[1] == "mar" || g[1] == "mars") && g[2] == "" {
			return nil // "may I ask"; mar and mars are words too
		}
		return &moment{year: atoi(g[2]), month: monthNumbers[g[1]]}
	}},
	{regexp.MustCompile(`^(?:day|jour)(?:[ -](?:of|de)(?:[ -](?:the|l))?[ -](?:year|annee))? (\d{1,3})\b` + yearForm), func(g []string) *moment {
		return &moment{year: atoi(g[2]), doy: atoi(g[1])}
	}},
	{regexp.MustCompile(`^doy ?(\d{1,3})\b` + yearForm), func(g []string) *moment {
		return &moment{year: atoi(g[2]), doy: atoi(g[1])}
	}},
	{regexp.MustCompile(`^(\d{1,2}):(\d\d)(?::(\d\d)(\.\d{1,9})?)? ?(am|pm|a\.m\.?|p\.m\.?)?` + zoneForm), func(g []string) *moment {
		return halfDay(withClock(&moment{}, g[1:5]), g[5])
	}},
	{regexp.MustCompile(`^(\d{1,2}) ?(am|pm|a\.m\.?|p\.m\.?)` + zoneForm), func(g []string) *moment {
		return halfDay(withClock(&moment{}, []string{g[1], "", "", ""}), g[2])
	}},
	{regexp.MustCompile(`^(\d\d)(\d\d) ?(?:ut|utc|z|gmt|tu)`), func(g []string) *moment {
		return withClock(&moment{}, []string{g[1], g[2], "", ""})
	}},
	{regexp.MustCompile(`^(\d{1,2}) ?(?:ut|utc|gmt|tu|o'clock)`), func(g []string) *moment {
		return withClock(&moment{}, []string{g[1], "", "", ""})
	}},
	{regexp.MustCompile(`^(\d{1,2})h(\d\d)?` + zoneForm), func(g []string) *moment {
		return withClock(&moment{}, []string{g[1], g[2], "", ""})
	}},
	{regexp.MustCompile(`^(noon|midday|midi|midnight|minuit)` + zoneForm), func(g []string) *moment {
		if strings.HasPrefix(g[1], "min") || g[1] == "midnight" {
			return &moment{step: time.Minute}
		}
		return &moment{clock: 12 * time.Hour, step: time.Minute}
	}},
}

// longestMoment is how many bytes a time may take. The forms see no more of the
// question, because their cost grows with what they see.
const longestMoment = 64

// readMoment reads the time that rest, in lower case, begins with. It returns
// nil when there is none.
func readMoment(rest string) (*moment, int) {
	if c := rest[0]; !('0' <= c && c <= '9') && !('a' <= c && c <= 'z') {
		return nil, 0
	}
	head := rest[:min(len(rest), longestMoment)]
	for _, f := range momentForms {
		g := f.form.FindStringSubmatch(head)
		if g == nil {
			continue
		}
		n := len(g[0])
		if n < len(rest) && (isWordByte(rest[n]) && isWordByte(rest[n-1]) || rest[n] == ':') {
			continue // "September 10:00" is no tenth of September
		}
		if m := f.read(g); m != nil {
			m.check(g[0])
			return m, n
		}
	}
	return nil, 0
}

// check notes a date or clock time that no calendar has.
func (m *moment) check(text string) {
	if m.problem != "" {
		return
	}
	days := 31
	if m.month > 0 && m.month <= 12 {
		year := m.year
		if year == 0 {
			year = 2000
		}
		days = time.Date(year, time.Month(m.month)+1, 0, 0, 0, 0, 0, time.UTC).Day()
	}
	if m.month > 12 || m.day > days || m.doy > 366 || m.clock > 24*time.Hour ||
		m.hasDate() && m.year == 0 && m.month == 0 && m.day == 0 && m.doy == 0 {
		m.problem = "no calendar has " + strconv.Quote(text)
	}
	if m.last != nil {
		m.last.check(text)
		m.problem = m.last.problem
	}
}

// withClock adds hours, minutes, seconds and their decimals, each "" when it
// is not said.
func withClock(m *moment, g []string) *moment {
	if g[0] == "" {
		return m
	}
	m.step = time.Hour
	m.clock = time.Duration(atoi(g[0])) * time.Hour
	if g[1] != "" {
		m.step = time.Minute
		m.clock += time.Duration(atoi(g[1])) * time.Minute
	}
	if g[2] != "" {
		m.step = time.Second
		m.clock += time.Duration(atoi(g[2])) * time.Second
	}
	if g[3] != "" {
		m.step = time.Millisecond
		fraction, _ := strconv.ParseFloat("0"+g[3], 64)
		m.clock += time.Duration(fraction*1e9 + 0.5)
	}
	if atoi(g[1]) > 59 || atoi(g[2]) > 60 {
		m.clock = 25 * time.Hour // check says so
	}
	return m
}

func halfDay(m *moment, mark string) *moment {
	if mark == "" {
		return m
	}
	if m.clock >= 13*time.Hour {
		m.problem = "a clock time past 12 has no am or pm"
		return m
	}
	m.clock %= 12 * time.Hour
	if mark[0] == 'p' {
		m.clock += 12 * time.Hour
	}
	return m
}

func atoi(s string) int {
	n, _ := strconv.Atoi(s)
	return n
}

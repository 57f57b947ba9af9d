package check

import (
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// The ways in which prose writes dates and times. Each is tried in order over
// the whole text; what one has taken the next does not see.
const (
	clockRE = `(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,12}))?)?`
	zoneRE  = `(?:\s?(Z|UTC|UT|GMT|[+-]\d{2}:?\d{2})\b)?`
	monthRE = `(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?`
	dayRE   = `(\d{1,2})(?:st|nd|rd|th)?`
)

// form is one way to write a moment; read turns the groups into one, or into
// two for a range of days.
type form struct {
	re   *regexp.Regexp
	read func(g []string) []moment
}

var forms = []form{
	// 2023-01-02T03:41:01.5Z, 2023-01-02 03:41, 2024-09-12T14
	{regexp.MustCompile(`(\d{4})-(\d{2})-(\d{2})(?:(?:T|\s+|,\s*|\s+at\s+)` + clockRE + zoneRE + `|T(\d{2})(?:\s?(?:Z|UTC|UT)\b)?)`),
		func(g []string) []moment {
			m := date(g[1], g[2], g[3])
			if g[9] != "" {
				m.hour = number(g[9])
				return one(m)
			}
			return one(m.clocked(g[4:8]).zoned(g[8]))
		}},
	// 2023-002T03:41
	{regexp.MustCompile(`(\d{4})-(\d{3})(?:T(?:` + clockRE + `|(\d{2})))?(?:\s?(?:Z|UTC|UT)\b)?`),
		func(g []string) []moment {
			m := dayOfYear(g[1], g[2])
			if g[7] != "" {
				m.hour = number(g[7])
			} else if g[3] != "" {
				m = m.clocked(g[3:7])
			}
			return one(m)
		}},
	// 20230102T034101Z
	{regexp.MustCompile(`((?:19|20)\d{2})(\d{2})(\d{2})(?:T(\d{2})(\d{2})(\d{2})?Z?)?`),
		func(g []string) []moment {
			m := date(g[1], g[2], g[3])
			if g[4] != "" {
				m = m.clocked([]string{g[4], g[5], g[6], ""})
			}
			return one(m)
		}},
	{regexp.MustCompile(`(\d{4})[-/](\d{1,2})[-/](\d{1,2})`), func(g []string) []moment { return one(date(g[1], g[2], g[3])) }},
	{regexp.MustCompile(`(\d{1,2})\.\s?(\d{1,2})\.\s?(\d{4})`), func(g []string) []moment { return one(date(g[3], g[2], g[1])) }},
	// 12/09/2024: day and month cannot be told apart below 13.
	{regexp.MustCompile(`(\d{1,2})/(\d{1,2})/(\d{4})`), func(g []string) []moment {
		if a, b := number(g[1]), number(g[2]); a <= 12 && b <= 12 && a != b {
			return one(date(g[3], "", ""))
		} else if a > 12 {
			return one(date(g[3], g[2], g[1]))
		}
		return one(date(g[3], g[1], g[2]))
	}},
	// 2-5 January 2023
	{regexp.MustCompile(`(?i)` + dayRE + `\s?(?:-|–|to|and|until)\s?` + dayRE + `\s+(?:of\s+)?` + monthRE + `(?:,?\s+(\d{4}))?`),
		func(g []string) []moment {
			return []moment{worded(g[4], g[3], g[1]), worded(g[4], g[3], g[2])}
		}},
	// 2 January 2023, 2nd of January
	{regexp.MustCompile(`(?i)` + dayRE + `(?:\s+of)?[\s-]+` + monthRE + `(?:[\s,-]+(\d{4}))?`),
		func(g []string) []moment { return one(worded(g[3], g[2], g[1])) }},
	// January 2-5, 2023
	{regexp.MustCompile(`(?i)` + monthRE + `\s+` + dayRE + `\s?(?:-|–|to|and|until)\s?` + dayRE + `(?:,?\s+(\d{4}))?`),
		func(g []string) []moment {
			return []moment{worded(g[4], g[1], g[2]), worded(g[4], g[1], g[3])}
		}},
	// January 2, 2023
	{regexp.MustCompile(`(?i)` + monthRE + `\s+` + dayRE + `(?:,?\s+(\d{4}))?`),
		func(g []string) []moment { return one(worded(g[3], g[1], g[2])) }},
	// September 2024
	{regexp.MustCompile(`(?i)` + monthRE + `[\s,]+(?:of\s+)?(\d{4})`),
		func(g []string) []moment { return one(worded(g[2], g[1], "")) }},
	// day 2 of 2023, DOY 002 2023, 2023 day 2
	{regexp.MustCompile(`(?i)(?:day(?:[ -]of[ -](?:the[ -])?year)?|doy)[\s:=]*(\d{1,3})\s*(?:of|,|/|in)?\s*(\d{4})`),
		func(g []string) []moment { return one(dayOfYear(g[2], g[1])) }},
	{regexp.MustCompile(`(?i)(\d{4})[\s,]+(?:day(?:[ -]of[ -](?:the[ -])?year)?|doy)[\s:=]*(\d{1,3})`),
		func(g []string) []moment { return one(dayOfYear(g[1], g[2])) }},
	// on the 12th
	{regexp.MustCompile(`(?i)\bon the (\d{1,2})(?:st|nd|rd|th)\b`), func(g []string) []moment { return one(date("", "", g[1])) }},
	// 2024-09
	{regexp.MustCompile(`((?:19|20)\d{2})-(\d{2})`), func(g []string) []moment { return one(date(g[1], g[2], "")) }},
	// 03:41:01, 3:41 pm
	{regexp.MustCompile(`(?i)` + clockRE + `(?:\s?(Z|UTC|UT|GMT|a\.?m\.?|p\.?m\.?)\b)?`),
		func(g []string) []moment {
			m := nowhere.clocked(g[1:5])
			switch strings.ToLower(strings.ReplaceAll(g[5], ".", "")) {
			case "pm":
				m.hour = m.hour%12 + 12
			case "am":
				m.hour %= 12
			}
			return one(m)
		}},
	// 03h41, 14 UT, 1400 UTC
	{regexp.MustCompile(`(\d{1,2})h(\d{2})(?:m(\d{2})s?)?m?`), func(g []string) []moment {
		return one(nowhere.clocked([]string{g[1], g[2], g[3], ""}))
	}},
	{regexp.MustCompile(`(?i)(\d{1,2})\s?(a\.m\.|p\.m\.|am\b|pm\b)`), func(g []string) []moment {
		m := nowhere.clocked([]string{g[1], "", "", ""})
		if m.hour %= 12; g[2][0]|0x20 == 'p' {
			m.hour += 12
		}
		return one(m)
	}},
	{regexp.MustCompile(`(\d{2})(\d{2})\s?(?:UTC|UT)\b`), func(g []string) []moment {
		return one(nowhere.clocked([]string{g[1], g[2], "", ""}))
	}},
	{regexp.MustCompile(`(\d{1,2})\s?(?:-|–|to|and)\s?(\d{1,2})\s?(?:h\s)?(?:UTC|UT)\b`), func(g []string) []moment {
		return []moment{nowhere.clocked([]string{g[1], "", "", ""}), nowhere.clocked([]string{g[2], "", "", ""})}
	}},
	{regexp.MustCompile(`(\d{1,2})\s?(?:h\s)?(?:UTC|UT)\b`), func(g []string) []moment {
		return one(nowhere.clocked([]string{g[1], "", "", ""}))
	}},
	// a year in a phrase that speaks of time
	{regexp.MustCompile(`(?i)\b(?:in|since|during|from|to|and|until|till|by|year|early|late|mid|before|after|through)\s+((?:19|20)\d{2})`),
		func(g []string) []moment { return one(date(g[1], "", "")) }},
}

func one(m moment) []moment { return []moment{m} }

// number reads digits; "" is none.
func number(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		return none
	}
	return n
}

func date(year, month, day string) moment {
	m := nowhere
	m.year, m.month, m.day = number(year), number(month), number(day)
	return m
}

func worded(year, month, day string) moment {
	const names = "janfebmaraprmayjunjulaugsepoctnovdec"
	m := date(year, "", day)
	m.month = strings.Index(names, strings.ToLower(month[:3]))/3 + 1
	return m
}

// dayOfYear counts from 1; beyond the year's end gives an invalid moment.
func dayOfYear(year, day string) moment {
	m := date(year, "", "")
	n := number(day)
	t := time.Date(m.year, 1, n, 0, 0, 0, 0, time.UTC)
	if n < 1 || t.Year() != m.year {
		m.month = 99
		return m
	}
	m.month, m.day = int(t.Month()), t.Day()
	return m
}

// clocked sets the clock from hour, minute, second and decimals.
func (m moment) clocked(g []string) moment {
	m.hour, m.minute, m.sec = number(g[0]), number(g[1]), number(g[2])
	if g[3] != "" {
		digits := g[3][:min(len(g[3]), 9)]
		m.digits = len(digits)
		m.ns = number(digits + strings.Repeat("0", 9-len(digits)))
	}
	return m
}

// zoned moves a moment with a numerical offset to UTC.
func (m moment) zoned(zone string) moment {
	if zone == "" || zone[0] != '+' && zone[0] != '-' {
		return m
	}
	digits := strings.ReplaceAll(zone[1:], ":", "")
	offset := number(digits[:2])*60 + number(digits[2:])
	if zone[0] == '-' {
		offset = -offset
	}
	t := time.Date(m.year, time.Month(m.month), m.day, m.hour, m.minute-offset, max(m.sec, 0), 0, time.UTC)
	m.year, m.month, m.day, m.hour, m.minute = t.Year(), int(t.Month()), t.Day(), t.Hour(), t.Minute()
	return m
}

// moments finds the dates and times of a text that the mask leaves free, masks
// them and returns their tokens.
func moments(text string, mask []bool) []token {
	var found []token
	for _, f := range forms {
		for _, at := range f.re.FindAllStringSubmatchIndex(text, -1) {
			start, end := at[0], at[1]
			// Where the expression begins with a word, the digits are what counts.
			for start < end && !isDigit(text[start]) && f.re == forms[len(forms)-1].re {
				start++
			}
			if masked(mask, start, end) || !stands(text, start, end) {
				continue
			}
			groups := make([]string, len(at)/2)
			for i := range groups {
				if at[2*i] >= 0 {
					groups[i] = text[at[2*i]:at[2*i+1]]
				}
			}
			ms := f.read(groups)
			ok := true
			for _, m := range ms {
				ok = ok && m.valid()
			}
			if !ok || isYear(ms) && counts(text, end) {
				continue
			}
			for i := start; i < end; i++ {
				mask[i] = true
			}
			for _, m := range ms {
				found = append(found, token{start: start, end: end, text: text[start:end], isTime: true, when: m})
			}
		}
	}
	return found
}

func isYear(ms []moment) bool {
	return len(ms) == 1 && ms[0].month == none && ms[0].year != none
}

var countNoun = regexp.MustCompile(`(?i)^\s+(?:samples?|points?|records?|rows?|values?|hours?|days?|minutes?|seconds?|measurements?|spectra|events?|nt|km|ev|k)\b`)

// counts reports whether what follows makes a number like 2016 a count.
func counts(text string, end int) bool {
	return countNoun.MatchString(text[end:min(len(text), end+40)])
}

func masked(mask []bool, start, end int) bool {
	for i := start; i < end; i++ {
		if mask[i] {
			return true
		}
	}
	return false
}

// stands reports whether text[start:end] is not a part of something longer: a
// name, a path, a number.
func stands(text string, start, end int) bool {
	before, n := utf8.DecodeLastRuneInString(text[:start])
	if start > 0 {
		switch {
		case unicode.IsLetter(before) || unicode.IsDigit(before) || before == '_' || before == '#' || before == '\\':
			return false
		case before == '.' || before == ':' || before == ',':
			r, _ := utf8.DecodeLastRuneInString(text[:start-n])
			if unicode.IsDigit(r) {
				return false
			}
		case before == '-' || before == '/':
			// "GOES-16", "path/2023": a name; but an interval "A/B" of times is fine.
			r, _ := utf8.DecodeLastRuneInString(text[:start-n])
			if unicode.IsLetter(r) && r != 'Z' {
				return false
			}
		}
	}
	after, n := utf8.DecodeRuneInString(text[end:])
	if end == len(text) {
		return true
	}
	if unicode.IsLetter(after) || unicode.IsDigit(after) || after == '_' || after == '%' || after == '°' {
		return false
	}
	if after == '.' || after == ':' || after == ',' || after == '-' {
		r, _ := utf8.DecodeRuneInString(text[end+n:])
		return !unicode.IsDigit(r) || after == ','
	}
	return true
}

var (
	dateThenClock = regexp.MustCompile(`^(?:,?\s+(?:UTC?\s+)?(?:at|around|near|about|@)?\s*(?:about\s+|around\s+)?|,\s*|T)$`)
	clockThenDate = regexp.MustCompile(`^\s+(?:UTC?\s+)?(?:on|of)\s+(?:the\s+)?$`)
)

// join makes one token of a date and the time of day written beside it.
func join(text string, tokens []token) []token {
	var out []token
	for _, t := range tokens {
		if len(out) > 0 {
			last := &out[len(out)-1]
			if last.isTime && t.isTime && last.end <= t.start {
				between := text[last.end:t.start]
				day, clock := last.when, t.when
				pair := day.day != none && !day.hasClock() && !clock.hasDate() && dateThenClock.MatchString(between)
				if !pair {
					day, clock = t.when, last.when
					pair = day.day != none && !day.hasClock() && !clock.hasDate() && clockThenDate.MatchString(between)
				}
				if pair {
					day.hour, day.minute, day.sec, day.ns, day.digits = clock.hour, clock.minute, clock.sec, clock.ns, clock.digits
					last.when, last.end = day, t.end
					last.text = text[last.start:t.end]
					continue
				}
			}
		}
		out = append(out, t)
	}
	return out
}

package offline

import (
	"math"
	"slices"
	"strings"
	"time"
)

type spanKind uint8

const (
	wholeSpan  spanKind = iota // all of a day, month or year: "on 2 January"
	rangeSpan                  // from a to b
	afterSpan                  // from a on
	beforeSpan                 // up to a
	atSpan                     // one instant: "at 03:41"
	aroundSpan                 // near an instant: "around 04:00"
	partSpan                   // "the first half of September", "the last six hours"
)

// A span is one statement about time in the question, not yet placed on a
// calendar: that needs the coverage of the data ([resolve]).
type span struct {
	kind  spanKind
	a, b  *moment
	incl  bool          // afterSpan: "from" and "since" include the day that "after" leaves out; beforeSpan: "until" includes it
	part  string        // partSpan: "first", "last", "second", "third"
	of    string        // partSpan: "half", "third", "quarter", or "" for a duration
	count float64       // partSpan: how many of unit
	unit  time.Duration // partSpan and offsets
	base  string        // partSpan: "day", "month", "file" or "" when it is not said
	text  string        // as written
}

// calendarUnits are the units of a duration; a month or a year is none.
var calendarUnits = map[string]time.Duration{
	"second": time.Second, "seconds": time.Second, "sec": time.Second, "secs": time.Second, "s": time.Second,
	"minute": time.Minute, "minutes": time.Minute, "min": time.Minute, "mins": time.Minute,
	"hour": time.Hour, "hours": time.Hour, "hr": time.Hour, "hrs": time.Hour, "h": time.Hour, "heure": time.Hour, "heures": time.Hour,
	"day": 24 * time.Hour, "days": 24 * time.Hour, "jour": 24 * time.Hour, "jours": 24 * time.Hour,
	"week": 7 * 24 * time.Hour, "weeks": 7 * 24 * time.Hour,
}

var numberWords = map[string]float64{
	"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12,
	"deux": 2, "trois": 3, "quatre": 4, "cinq": 5, "sept": 7, "huit": 8, "neuf": 9, "dix": 10, "zero": 0,
}

var (
	betweenWords = []string{"between", "entre", "within"}
	fromWords    = []string{"from", "since", "starting", "beginning", "de", "du", "depuis"}
	afterWords   = []string{"after", "past", "following", "apres"}
	toWords      = []string{"to", "until", "till", "through", "-", "/", "au", "a", "up", "->", "...", "jusque"}
	beforeWords  = []string{"before", "until", "till", "preceding", "avant", "jusque", "through"}
	aroundWords  = []string{"around", "near", "about", "vers", "autour", "circa"}
	onWords      = []string{"on", "in", "during", "for", "over", "le", "en", "pendant", "of", "du", "de", "au", "throughout", "within"}
	bases        = map[string]string{
		"day": "day", "jour": "day", "journee": "day", "month": "month", "mois": "month",
		"file": "file", "data": "file", "dataset": "file", "period": "file", "interval": "file", "record": "file", "fichier": "file", "series": "file", "coverage": "file",
	}
	partWords = map[string]string{
		"first": "first", "1st": "first", "opening": "first", "initial": "first", "premier": "first", "premiere": "first", "premieres": "first", "premiers": "first",
		"last": "last", "final": "last", "closing": "last", "dernier": "last", "derniere": "last", "dernieres": "last", "derniers": "last",
		"second": "second", "2nd": "second", "seconde": "second", "deuxieme": "second", "third": "third", "3rd": "third",
	}
	shareWords = map[string]string{"half": "half", "moitie": "half", "third": "third", "quarter": "quarter"}
)

// readSpans replaces everything that the question says about time by items.
func (p *parser) readSpans() {
	p.mergeMoments()
	for i := 0; p.has(i); i++ {
		if s, n := p.readSpan(i); s != nil {
			s.text = p.written(i, i+n)
			p.replace(i, n, &item{kind: spanItem, span: s})
		}
	}
}

// mergeMoments joins a date and a clock time that stand side by side, and makes
// moments of years, of "the 12th", and of the hour in "from 3 to 5 UT".
func (p *parser) mergeMoments() {
	for i := 0; p.has(i); i++ {
		t := &p.tokens[i]
		if t.kind == numberToken && t.moment == nil {
			t.moment = p.momentOfNumber(i)
			if t.moment != nil {
				t.kind = momentToken
			}
		}
		if t.kind == momentToken && t.moment.doy != 0 && t.moment.year == 0 && p.is(i+1, "of") && p.is(i+2, "the", "month") {
			t.moment = &moment{day: t.moment.doy}
		}
	}
	for i := 0; p.has(i + 1); i++ {
		a := p.momentAt(i)
		if a == nil || a.last != nil {
			continue
		}
		j := i + 1
		if p.is(j, "at", ",", "on", "le", "of", "@", "a", "t") {
			j++
		}
		b := p.momentAt(j)
		if b == nil || b.last != nil || a.hasClock() == b.hasClock() || a.hasDate() == b.hasDate() || !(a.hasDay() || b.hasDay()) {
			continue
		}
		date, clock := a, b
		if a.hasClock() {
			date, clock = b, a
		}
		both := *date
		both.clock, both.step, both.split = clock.clock, clock.step, true
		if both.problem == "" {
			both.problem = clock.problem
		}
		p.tokens[i].moment = &both
		p.tokens[i].end = p.tokens[j].end
		p.tokens = slices.Delete(p.tokens, i+1, j+1)
	}
}

func (p *parser) momentOfNumber(i int) *moment {
	t := p.tokens[i]
	n := int(t.number)
	if t.number != math.Trunc(t.number) || n < 0 {
		return nil
	}
	ordinal := strings.TrimLeft(t.text, "0123456789") != ""
	switch {
	case len(t.text) == 4 && n >= 1950 && n < 2100 && p.is(i-1, "in", "of", "during", "year", "en", "for"):
		return &moment{year: n}
	case ordinal && n >= 1 && n <= 31 && p.is(i-1, "the", "on", "le") && shareWords[p.word(i+1)] == "" && p.word(i+1) != "percentile" && calendarUnits[p.word(i+1)] == 0:
		return &moment{day: n}
	case n >= 1 && n <= 31 && !ordinal && p.is(i-1, "from", "between", "de", "du", "entre", "le", "the") && p.is(i+1, "to", "and", "-", "au", "et", "a"):
		if b := p.momentAt(p.skip(i+2, "the", "le")); b != nil && b.day != 0 && b.month != 0 && !b.hasClock() {
			return &moment{day: n}
		}
	}
	switch {
	case n <= 24 && !ordinal && p.is(i-1, "from", "between", "de", "entre") && p.is(i+1, "to", "and", "-", "a", "et"):
		if b := p.momentAt(i + 2); b != nil && b.hasClock() && !b.hasDate() {
			return &moment{clock: time.Duration(n) * time.Hour, step: b.step}
		}
	}
	return nil
}

// readSpan reads the span that begins at token i and returns its length in
// tokens.
func (p *parser) readSpan(i int) (*span, int) {
	if s, n := p.readPart(i); s != nil {
		return s, n
	}
	if s, n := p.readOffset(i); s != nil {
		return s, n
	}
	j := i
	if p.is(j, betweenWords...) || p.is(j, fromWords...) || p.is(j, onWords...) {
		j++
	}
	j = p.skip(j, "the", "les", "le", "at", "on", "a")
	a := p.momentAt(j)
	if a != nil {
		if s, n := p.readRange(i, j, a); s != nil {
			return s, n
		}
	}
	switch {
	case p.is(i, fromWords...):
		j = p.skip(i+1, "the", "le", "at", "on", "from", "a")
		if a := p.momentAt(j); a != nil && !p.is(i, "du", "de") {
			return &span{kind: afterSpan, a: a, incl: true}, p.onwards(j+1) - i
		}
	case p.is(i, afterWords...), p.is(i, "later") && p.is(i+1, "than"):
		j = p.skip(i+1, "the", "le", "than")
		if a := p.momentAt(j); a != nil {
			return &span{kind: afterSpan, a: a}, p.onwards(j+1) - i
		}
	case p.is(i, beforeWords...), p.is(i, "prior", "up") && p.is(i+1, "to"), p.is(i, "earlier") && p.is(i+1, "than"):
		j = p.skip(i+1, "the", "le", "to", "than", "a", "au")
		if a := p.momentAt(j); a != nil {
			return &span{kind: beforeSpan, a: a, incl: !p.is(i, "before", "prior", "earlier", "preceding", "avant")}, j + 1 - i
		}
	case p.is(i, aroundWords...):
		j = p.skip(i+1, "the", "de", "le", "du")
		if a := p.momentAt(j); a != nil {
			return &span{kind: aroundSpan, a: a}, j + 1 - i
		}
	}
	j = i
	at := p.is(i, "at", "a")
	if at || p.is(i, onWords...) {
		j = p.skip(i+1, "the", "of", "le", "la", "mois", "de", "month", "date", "day")
	}
	if a := p.momentAt(j); a != nil {
		if a.hasClock() {
			return &span{kind: atSpan, a: a}, j + 1 - i
		}
		return &span{kind: wholeSpan, a: a}, j + 1 - i
	}
	return nil, 0
}

// readRange reads "A to B" whose A is token j; the span begins at token i.
func (p *parser) readRange(i, j int, a *moment) (*span, int) {
	between := p.is(i, betweenWords...)
	if a.last != nil {
		first := *a
		first.last = nil
		if (a.joined == "and" || a.joined == "et") && !between {
			first.problem = "two separate days cannot be taken together here; ask for one window at a time"
		}
		return &span{kind: rangeSpan, a: &first, b: a.last}, j + 1 - i
	}
	k := j + 1
	switch {
	case between && p.is(k, "and", "et"), p.is(k, toWords...):
		k = p.skip(k+1, "the", "le", "to", "at", "and", "a")
	case p.is(k, "and") && p.is(k+1, "until", "before", "ending"):
		k += 2
	default:
		return nil, 0
	}
	if b := p.momentAt(k); b != nil && b.last == nil {
		return &span{kind: rangeSpan, a: a, b: b}, k + 1 - i
	}
	return nil, 0
}

// readPart reads "the first half of the day", "the last six hours".
func (p *parser) readPart(i int) (*span, int) {
	j := i
	if p.is(j, onWords...) {
		j++
	}
	j = p.skip(j, "the", "la", "les", "le")
	part := partWords[p.word(j)]
	if part == "" {
		return nil, 0
	}
	j++
	s := &span{kind: partSpan, part: part, count: 1}
	counted := false
	if n, ok := p.count(j); ok {
		s.count, counted = n, true
		j++
	} else if m := p.momentAt(j); m != nil && m.step == time.Hour && !m.hasDate() && strings.HasSuffix(strings.TrimSpace(p.tokens[j].text), "h") {
		s.count, s.unit = m.clock.Hours(), time.Hour // "first 3h"
		j++
	}
	if s.unit == 0 {
		if s.of = shareWords[p.word(j)]; s.of == "" {
			s.unit = calendarUnits[p.word(j)]
		}
		plural := strings.HasSuffix(p.word(j), "s")
		if s.of == "" && (s.unit == 0 || p.word(j) == "s" || plural && !counted) {
			return nil, 0 // "the first days" says not how many
		}
		j++
	}
	if !p.is(j, "of", "de", "du", "in") {
		return s, j - i
	}
	k := p.skip(j+1, "the", "that", "this", "la", "le", "l", "whole")
	if base := bases[p.word(k)]; base != "" {
		s.base = base
		return s, k + 1 - i
	}
	if a := p.momentAt(k); a != nil && !a.hasClock() {
		s.a = a
		return s, k + 1 - i
	}
	return s, j - i
}

// readOffset reads "30 minutes before 12:00", "within 10 min of 04:00".
func (p *parser) readOffset(i int) (*span, int) {
	j := p.skip(i, "within", "in", "for", "the", "during")
	n, ok := p.count(j)
	unit := calendarUnits[p.word(j+1)]
	if !ok || unit == 0 {
		return nil, 0
	}
	length := n * float64(unit)
	s := &span{kind: rangeSpan, count: length, part: "after"}
	k := j + 3
	switch {
	case p.is(j+2, "before", "preceding"):
		s.part = "before"
	case p.is(j+2, "around"), p.is(j+2, "of") && p.is(i, "within"):
		s.part = "around"
	case p.is(j+2, "on") && p.is(j+3, "either") && p.is(j+4, "side") && p.is(j+5, "of"):
		s.part, k = "around", j+6
	case p.is(j+2, "starting", "beginning"):
		k = p.skip(k, "at", "from", "on")
	case !p.is(j+2, "after", "following", "from"):
		return nil, 0
	}
	k = p.skip(k, "the")
	s.a = p.momentAt(k)
	if s.a == nil || length > float64(366*24*time.Hour) {
		return nil, 0
	}
	return s, k + 1 - i
}

// onwards skips what may follow "from 12:00": "on", "onwards".
func (p *parser) onwards(j int) int {
	if p.is(j, "on") && p.momentAt(j+1) == nil && (p.word(j+1) == "" || p.tokens[j+1].kind == symbolToken) {
		return j + 1
	}
	return p.skip(j, "onwards", "onward", "and", "later")
}

func (p *parser) count(i int) (float64, bool) {
	if i < 0 || i >= len(p.tokens) {
		return 0, false
	}
	if t := p.tokens[i]; t.kind == numberToken {
		return t.number, t.number > 0
	}
	n, ok := numberWords[p.word(i)]
	return n, ok && n > 0
}

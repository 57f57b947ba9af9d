package offline

import (
	"slices"
	"strings"
)

// An ask is one thing that the question wants to know about one quantity.
type ask struct {
	phrase    *phrase // nil: none is named
	implies   quantityKind
	component string // implied: "southward" speaks of z
	stats     []stat
	sized     bool // a stat is one of size: "strongest"
	when      bool
	which     string // "first" or "last" time
	measures  []measure
	per       string // unit of a duration or count
	condition *condition
	missing   bool
	gaps      bool
	unit      string // wanted for the answer
	spans     []*span
	homes     []string // missions that the question names elsewhere
	segment   int
	pronoun   bool
	order     string // "first", "last" on its own
	value     bool   // "and how strong was it"
	nested    bool   // a statistic of a statistic
	crossed   bool   // two quantities around a statistic
	fresh     bool   // a full stop or the like stands before it
	question  bool   // it begins with "what was"
	statFirst bool   // the statistic stands before the quantity
}

// empty says that nothing is asked yet.
func (a *ask) empty() bool {
	return len(a.stats) == 0 && !a.when && len(a.measures) == 0 && a.condition == nil && !a.missing && !a.gaps
}

// A sentence is the whole question, in the order of its parts.
type sentence struct {
	asks  []*ask
	plot  bool
	spans []*span // all that is said about time
	units []string
	homes []string // the missions and datasets that are named apart from a quantity
}

// assemble puts the items together: which statistic belongs to which quantity.
// Parts are cut at commas and "and"; a part without a quantity goes with the
// one before it ("and when", "its maximum") or, at the beginning, with the one
// after it ("mean and maximum of ...").
func (p *parser) assemble() (*sentence, *refusal) {
	s := &sentence{}
	parts, phrases, r := p.parts(s)
	if r != nil {
		return nil, r
	}
	completePhrases(phrases)
	lendWords(parts)
	b := builder{sentence: s, parts: parts}
	for k := range parts {
		if r := b.add(k); r != nil {
			return nil, r
		}
	}
	return b.finish()
}

// A builder turns parts into asks, one after the other.
type builder struct {
	*sentence
	parts   []*part
	pending *ask // what was asked before any quantity was named
	group   int  // index of the first ask that "and its maximum" speaks of
	homes   []string
}

// add takes part k.
func (b *builder) add(k int) *refusal {
	pt := b.parts[k]
	if len(pt.homes) > 0 {
		b.homes = pt.homes
	}
	if pt.order != "" {
		if pt.condition == nil && !pt.when && len(b.asks) == 0 && b.pending == nil {
			return refuse("%q asks for single records, which is more than a statistic", pt.order)
		}
		if pt.which == "" {
			pt.which = pt.order
		}
		pt.when = true
	}
	if pt.crossed {
		return refuse("it names several quantities around one statistic, and which it is of is not clear")
	}
	if pt.question && pt.empty() && len(pt.phrases) > 0 && len(b.asks) > 0 {
		return refuse("which statistic of %q it asks for is not clear", pt.phrases[0].text)
	}
	if pt.nested {
		return refuse("it asks for a statistic of a statistic")
	}
	if pt.value {
		if len(b.asks) == 0 && b.pending == nil && len(pt.phrases) == 0 || len(pt.stats) > 0 || pt.condition != nil ||
			len(pt.phrases) == 0 && len(b.asks) > 0 && !slices.ContainsFunc(b.asks[len(b.asks)-1].stats, stat.extremum) {
			return refuse("how strong or how large something is has no one meaning without a statistic")
		}
		if len(pt.phrases) == 0 && pt.empty() {
			return nil // the value stands with its time anyway
		}
	}
	if pt.condition != nil && len(pt.measures) == 0 && !pt.when && b.conditioned() {
		return refuse("it states two conditions, and whether they hold together or apart is not clear")
	}
	if pt.condition != nil && len(pt.stats) > 0 {
		r := refuse("it puts the condition %q on a statistic, or on another quantity", pt.condition.text)
		if pt.condition.unit == "" && strings.ContainsAny(pt.condition.text, "0123456789") {
			r.hint = "If that is a time of day, write it as 06:00."
		}
		return r
	}
	if len(pt.phrases) > 1 && pt.condition != nil {
		return refuse("it speaks of several quantities and of one condition, %q, at once", pt.condition.text)
	}
	switch {
	case len(pt.phrases) > 0:
		return b.addQuantities(k)
	case pt.empty():
		b.addUnit(pt)
		return nil
	case b.forward(k):
		b.wait(pt)
		return nil
	}
	return b.addToLast(pt)
}

// conditioned reports whether what was asked last has a condition.
func (b *builder) conditioned() bool {
	return len(b.asks) > 0 && b.asks[len(b.asks)-1].condition != nil || b.pending != nil && b.pending.condition != nil
}

// forward says that a part without a quantity belongs to what comes after it.
func (b *builder) forward(k int) bool {
	if len(b.asks) == 0 {
		return true
	}
	pt := b.parts[k]
	if pt.pronoun || pt.when || pt.condition != nil || len(pt.stats) == 0 || pt.missing {
		return false
	}
	last := b.asks[len(b.asks)-1]
	if last.empty() || !last.statFirst {
		return false
	}
	for _, next := range b.parts[k+1:] {
		if next.when || next.pronoun || next.fresh {
			return false
		}
		if len(next.phrases) > 0 {
			return next.statFirst || next.empty()
		}
	}
	return false
}

// wait keeps what is asked until its quantity is named.
func (b *builder) wait(pt *part) {
	if b.pending == nil {
		b.pending = &ask{segment: pt.segment, statFirst: true}
	}
	b.pending.absorb(&pt.ask)
}

// setWhich asks for the first or the last time; both together is neither alone.
func (a *ask) setWhich(which string) {
	switch {
	case which == "":
	case a.which == "" || a.which == which:
		a.which = which
	default:
		a.which, a.when = "", true
	}
}

// absorb adds what o asks.
func (a *ask) absorb(o *ask) {
	a.stats = append(a.stats, o.stats...)
	a.measures = append(a.measures, o.measures...)
	a.when = a.when || o.when
	a.sized = a.sized || o.sized
	a.missing = a.missing || o.missing
	a.gaps = a.gaps || o.gaps
	a.statFirst = a.statFirst || o.statFirst
	a.spans = append(a.spans, o.spans...)
	if o.condition != nil {
		a.condition = o.condition
	}
	a.setWhich(o.which)
	for _, f := range []struct{ to, from *string }{{&a.per, &o.per}, {&a.component, &o.component}, {&a.unit, &o.unit}} {
		if *f.from != "" {
			*f.to = *f.from
		}
	}
	if o.implies != "" {
		a.implies = o.implies
	}
}

func (b *builder) addQuantities(k int) *refusal {
	pt := b.parts[k]
	var before *ask
	if len(b.asks) > 0 {
		before = b.asks[len(b.asks)-1]
	}
	if b.pending != nil {
		both := *b.pending
		both.absorb(&pt.ask)
		pt.ask, b.pending = both, nil
	}
	listed := pt.empty() && before != nil && !before.empty() && !pt.fresh && (before.statFirst || !b.statsNext(k)) // "mean of V, N and T"
	if !listed && (before == nil || !before.empty()) {
		b.group = len(b.asks)
	}
	for _, ph := range pt.phrases {
		one := pt.ask
		one.phrase, one.homes = ph, b.homes
		if listed {
			spans, unit := one.spans, one.unit
			one = *before
			one.phrase, one.spans, one.unit, one.segment = ph, spans, unit, pt.segment
			one.implies, one.component = "", ""
		}
		b.asks = append(b.asks, &one)
	}
	return nil
}

// statsNext reports whether the part after k says what part k asks for, as in
// "V: mean, N: maximum".
func (b *builder) statsNext(k int) bool {
	return k+1 < len(b.parts) && len(b.parts[k+1].phrases) == 0 && !b.parts[k+1].empty() && !b.parts[k+1].pronoun
}

// addUnit takes a part that only says a unit, a mission or a time.
func (b *builder) addUnit(pt *part) {
	if len(b.asks) == 0 {
		return
	}
	for _, a := range b.asks[b.group:] {
		if a.unit == "" {
			a.unit = pt.unit
		}
	}
	last := b.asks[len(b.asks)-1]
	last.spans = append(last.spans, pt.spans...)
}

// addToLast takes a part that speaks of the quantity before it.
func (b *builder) addToLast(pt *part) *refusal {
	group := b.asks[b.group:]
	last := group[len(group)-1]
	if pt.when && len(pt.stats) == 0 && pt.condition == nil {
		for _, a := range group {
			if a.condition == nil && !slices.ContainsFunc(a.stats, stat.extremum) {
				return refuse("it asks when, and of what is not clear")
			}
			a.when = true
			a.setWhich(pt.which)
		}
		b.addUnit(pt)
		return nil
	}
	if len(pt.measures) > 0 && pt.condition == nil && last.condition != nil && len(pt.stats) == 0 && !pt.missing && !pt.gaps {
		for _, a := range group { // "... above 10 nT, and for how many hours?"
			a.absorb(&pt.ask)
		}
		return nil
	}
	if last.empty() { // "Bz, By: mean and maximum"
		for _, a := range group {
			if a.empty() {
				a.absorb(&pt.ask)
				a.statFirst = false
			}
		}
		return nil
	}
	if pt.condition == nil && last.condition == nil && !pt.missing && !last.missing && len(pt.measures) == 0 && len(last.measures) == 0 {
		for _, a := range group {
			a.absorb(&pt.ask)
		}
		return nil
	}
	for _, a := range slices.Clone(group) {
		one := pt.ask
		one.phrase, one.homes, one.statFirst = a.phrase, a.homes, a.statFirst
		if one.implies == "" {
			one.implies = a.implies
		}
		if one.component == "" {
			one.component = a.component
		}
		b.asks = append(b.asks, &one)
	}
	b.group = len(b.asks) - len(group)
	return nil
}

// finish settles what only the whole sentence tells.
func (b *builder) finish() (*sentence, *refusal) {
	if b.pending != nil {
		if len(b.asks) > 0 {
			return nil, refuse("which quantity a part of it speaks of is not clear")
		}
		b.pending.homes = b.homes
		b.asks = append(b.asks, b.pending)
	}
	// "how often were Bx and By below -2 nT"
	for i := len(b.asks) - 2; i >= 0; i-- {
		a, next := b.asks[i], b.asks[i+1]
		if len(a.measures) > 0 && a.condition == nil && !a.missing && next.condition != nil && len(next.measures) == 0 && len(next.stats) == 0 {
			a.condition, next.measures, next.per = next.condition, a.measures, a.per
		}
	}
	for _, a := range b.asks {
		if a.homes == nil {
			a.homes = b.homes
		}
		if r := a.check(); r != nil {
			return nil, r
		}
	}
	return b.sentence, nil
}

// check refuses combinations that have no one reading.
func (a *ask) check() *refusal {
	a.stats = unique(a.stats)
	a.measures = unique(a.measures)
	counts := len(a.measures) > 0
	switch {
	case a.condition != nil && (a.missing || a.gaps):
		return refuse("it asks for missing samples under the condition %q", a.condition.text)
	case a.when && a.condition == nil && !slices.ContainsFunc(a.stats, stat.extremum):
		if a.missing || a.gaps {
			return refuse("it asks when samples are missing")
		}
		return refuse("it asks when, and of what is not clear")
	case a.which != "" && a.condition == nil:
		return refuse("the %s time of a statistic has no one meaning", a.which)
	case counts && a.condition == nil && !a.missing && !a.gaps:
		if len(a.stats) > 0 {
			return refuse("it counts, and what it counts is not clear")
		}
		if !(len(a.measures) == 1 && a.measures[0] == measureCount) {
			return refuse("it asks how often or how long, and of what is not clear")
		}
	case a.gaps && slices.ContainsFunc(a.measures, func(m measure) bool { return m != measureCount && m != measureTimes }):
		return refuse("it asks how long gaps are")
	}
	return nil
}

func unique[T comparable](list []T) []T {
	var out []T
	for _, x := range list {
		if !slices.Contains(out, x) {
			out = append(out, x)
		}
	}
	return out
}

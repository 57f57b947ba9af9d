package offline

import (
	"fmt"
	"slices"

	"github.com/helios-go/helios/helio/units"
)

// A task is one thing to find out about one leaf in one window.
type task struct {
	leaf   *leaf
	window window

	stats     []stat
	measures  []measure
	per       string // unit of a duration
	condition *condition
	limits    conversion // from the condition's unit to the data's
	when      bool
	which     string
	missing   bool
	gaps      bool
	value     bool       // the value at window.instant
	summary   bool       // no statistic was named
	plotOnly  bool       // only the figure is asked for
	unit      conversion // from the data's unit to the answer's
}

// maxTasks is how much one question may ask for. It keeps the exports of one
// script below what run_python shows.
const maxTasks = 14

// tasks looks up what each ask speaks of and places it in time.
func (c *catalog) tasks(s *sentence, previous *ask) ([]*task, []string, *refusal) {
	asks := s.asks
	if len(asks) == 0 {
		asks = []*ask{{}}
	}
	var tasks []*task
	var notes []string
	usedUnits := map[string]bool{}
	for _, a := range asks {
		spans, r := s.spansOf(a)
		if r != nil {
			return nil, nil, r
		}
		ph, note, r := c.phraseOf(a, previous)
		if r != nil {
			return nil, nil, r
		}
		if note != "" {
			notes = append(notes, note)
		}
		places, more, r := c.find(ph, a.homes, spans)
		if r != nil {
			return nil, nil, r
		}
		notes = append(notes, more...)
		if a.gaps && len(a.stats) == 0 && a.condition == nil && !a.missing {
			places = onePerDataset(places)
		}
		for _, pl := range places {
			t, r := newTask(a, pl, s)
			if r != nil {
				return nil, nil, r
			}
			if a.condition != nil && a.condition.unit != "" && unitName(pl.leaf.param.Units) == "" {
				notes = append(notes, fmt.Sprintf("the file tells no unit of %s, so %q is compared as it stands", pl.leaf.param.Name, a.condition.text))
			}
			if a.sized && pl.leaf.directed() {
				t.stats = unique(append(slices.Clone(t.stats), statMin, statMax))
				notes = append(notes, "a component has a sign, so both of its extremes are given")
			}
			if t.unit.to != "" {
				usedUnits[t.unit.to] = true
			}
			if t.per != "" {
				usedUnits[t.per] = true
			}
			tasks = append(tasks, t)
		}
	}
	for _, u := range s.units {
		if !usedUnits[u] && u != "%" {
			return nil, nil, refuse("nothing that it asks for can be given in %s", u)
		}
	}
	if len(tasks) > maxTasks {
		return nil, nil, refuse("it asks for %d things at once; ask for fewer", len(tasks))
	}
	return mergeTasks(tasks), unique(notes), nil
}

// onePerDataset keeps one column of each dataset and cadence: gaps in time are
// the same for all.
func onePerDataset(places []place) []place {
	type axis struct {
		dataset string
		records int
		window  window
	}
	seen := map[axis]bool{}
	return slices.DeleteFunc(slices.Clone(places), func(p place) bool {
		key := axis{p.leaf.dataset.ID, p.leaf.param.Records, p.window}
		drop := seen[key]
		seen[key] = true
		return drop
	})
}

// spansOf returns the spans that apply to one ask: all of them when they make
// one window together, else its own.
func (s *sentence) spansOf(a *ask) ([]*span, *refusal) {
	if len(s.spans) == len(a.spans) || len(s.asks) <= 1 {
		return s.spans, nil
	}
	own := 0
	for _, other := range s.asks {
		if len(other.spans) > 0 {
			own++
		}
	}
	if len(s.spans) == 1 {
		return s.spans, nil
	}
	if own == len(s.asks) {
		return a.spans, nil
	}
	// A date here and a time of day there belong together.
	days := 0
	for _, sp := range s.spans {
		if sp.kind == wholeSpan {
			days++
		}
	}
	if days <= 1 && len(s.spans)-days <= 1 {
		return s.spans, nil
	}
	return nil, refuse("which of its times belongs to which quantity is not clear")
}

// phraseOf is the phrase that an ask speaks of, named or implied.
func (c *catalog) phraseOf(a *ask, previous *ask) (*phrase, string, *refusal) {
	if a.phrase != nil && !a.phrase.partial() {
		ph := *a.phrase
		if a.component != "" && vectorKind(ph.kind) {
			if ph.component != "" && ph.component != a.component {
				return nil, "", refuse("%q has no direction to the north or south", ph.text)
			}
			ph.component = a.component
		}
		return &ph, "", nil
	}
	ph := phrase{}
	if a.phrase != nil {
		ph = *a.phrase
	}
	kind := a.implies
	if kind == "" && a.condition != nil && a.condition.unit != "" {
		kind = kindOfUnit(a.condition.unit)
	}
	if kind == "" && a.unit != "" {
		kind = kindOfUnit(a.unit)
	}
	switch {
	case kind != "":
		ph.kind = kind
		if a.component != "" {
			ph.component = a.component
		}
		if ph.text == "" {
			ph.text = string(kind)
		}
		return &ph, "", nil
	case ph.partial() && previous != nil:
		whole := *previous.phrase
		if ph.component != "" {
			whole.component = ph.component
		}
		if ph.frame != "" {
			whole.frame = ph.frame
		}
		return &whole, fmt.Sprintf("the quantity is that of the question before, %s", previous.phrase.text), nil
	}
	if only := c.onlyParameter(a); only != "" {
		return &phrase{param: only, text: only}, "", nil
	}
	if a.aboutRecords() && (a.phrase == nil || a.phrase.homeOnly()) {
		return &phrase{role: "data", homes: ph.homes, text: "all parameters"}, "no quantity is named, so all parameters are given", nil
	}
	return nil, "", &refusal{reason: "it names no quantity", hint: "The data hold: " + c.summary() + "."}
}

// aboutRecords says that only records are asked for: how many, missing, gaps.
// That can be told of all parameters at once.
func (a *ask) aboutRecords() bool {
	return len(a.stats) == 0 && a.condition == nil && !a.when && (a.missing || a.gaps || slices.Contains(a.measures, measureCount))
}

// onlyParameter is the one data parameter that there is, within the missions
// that the question names; "" when there are several.
func (c *catalog) onlyParameter(a *ask) string {
	var ids []string
	for _, l := range c.leaves {
		home := c.dataset[l.dataset.ID]
		if l.param.Role == "data" && !slices.ContainsFunc(a.homes, func(w string) bool { return !home[w] }) {
			ids = append(ids, l.param.ID)
		}
	}
	if ids = unique(ids); len(ids) == 1 {
		return ids[0]
	}
	return ""
}

// kindOfUnit is the kind of quantity that a unit can only belong to.
func kindOfUnit(unit string) quantityKind {
	u := units.Parse(unit)
	for _, k := range []struct {
		unit string
		kind quantityKind
	}{{"nT", kindField}, {"km/s", kindSpeed}, {"cm^-3", kindDensity}, {"K", kindTemperature}, {"Pa", kindPressure}} {
		if u.Compatible(units.Parse(k.unit)) {
			return k.kind
		}
	}
	return ""
}

// newTask settles units, and what is computed when no statistic was named.
func newTask(a *ask, pl place, s *sentence) (*task, *refusal) {
	l := pl.leaf
	t := &task{
		leaf: l, window: pl.window, stats: a.stats, measures: a.measures, per: a.per, condition: a.condition,
		when: a.when, which: a.which, missing: a.missing, gaps: a.gaps,
		unit: conversion{factor: 1, from: l.param.Units},
	}
	if err := t.setUnit(a, s); err != nil {
		return nil, reject("%v", err)
	}
	if t.condition != nil {
		if t.condition.unit == "%" && unitName(l.param.Units) != "%" {
			return nil, refuse("%q compares with a share of something", t.condition.text)
		}
		limits, err := convertUnits(t.condition.unit, l.param.Units)
		if t.condition.unit == "" || unitName(l.param.Units) == "" {
			limits, err = conversion{factor: 1, from: l.param.Units}, nil
		}
		if err != nil {
			return nil, reject("the condition %q does not fit %s, which is in %s", t.condition.text, l.param.ID, unitName(l.param.Units))
		}
		t.limits = limits
	}
	if !pl.window.instant.IsZero() {
		if !a.empty() || s.plot {
			return nil, refuse("it gives one instant, %s, where a stretch of time is needed", isoTime(pl.window.instant))
		}
		t.value = true
		return t, nil
	}
	if a.empty() {
		if s.plot {
			t.plotOnly = true
		} else {
			t.summary = true
			t.stats = []stat{statMean, statMin, statMax}
		}
	}
	return t, nil
}

// setUnit settles the unit of the answer: the one that the ask wants, or the
// only one that the question names, where it fits.
func (t *task) setUnit(a *ask, s *sentence) error {
	want := a.unit
	if want == "" && len(unique(s.units)) == 1 {
		want = s.units[0]
	}
	if want == "" || want == "%" {
		return nil
	}
	if slices.Contains(t.measures, measureDuration) && units.Compatible(want, "s") {
		t.per = want
		return nil
	}
	c, err := convertUnits(t.leaf.param.Units, want)
	if err != nil {
		if a.unit == "" || len(s.asks) > 1 {
			return nil // it belongs to another quantity; tasks checks that one takes it
		}
		return fmt.Errorf("%s is in %s, which cannot be given in %s", t.leaf.param.ID, unitName(t.leaf.param.Units), want)
	}
	c.to = want
	t.unit = c
	return nil
}

// mergeTasks joins what is asked about one leaf in one window, where it does
// not need to be told apart.
func mergeTasks(tasks []*task) []*task {
	var out []*task
	for _, t := range tasks {
		i := slices.IndexFunc(out, func(o *task) bool {
			return o.leaf == t.leaf && o.window == t.window && o.unit == t.unit && o.plotOnly == t.plotOnly && o.summary == t.summary &&
				(o.condition == nil || t.condition == nil) && o.value == t.value
		})
		if i < 0 {
			out = append(out, t)
			continue
		}
		o := out[i]
		o.stats = unique(append(o.stats, t.stats...))
		o.measures = unique(append(o.measures, t.measures...))
		if t.condition != nil {
			o.condition, o.limits, o.which = t.condition, t.limits, t.which
		}
		o.missing, o.gaps, o.when = o.missing || t.missing, o.gaps || t.gaps, o.when || t.when
		if t.per != "" {
			o.per = t.per
		}
	}
	return out
}

package offline

import (
	"fmt"
	"strings"
)

// A reading is what the planner understood: something to do, or a refusal.
type reading struct {
	tasks     []*task
	plot      bool
	formula   *formula
	method    *method
	inventory *inventory
	notes     []string
	refusal   *refusal
}

// read turns a question into a reading. Before is the question before it in the
// conversation, "" when there is none: "and the minimum?" takes its quantity
// from there.
func read(question, before string, c *catalog) *reading {
	if len(question) > maxQuestion {
		return &reading{refusal: refuse("it is longer than the %d bytes that the grammar reads", maxQuestion)}
	}
	p := newParser(question, c)
	if len(p.tokens) == 0 {
		return &reading{refusal: refuse("it is empty")}
	}
	if f, r := p.readFormula(); f != nil || r != nil {
		return &reading{formula: f, refusal: r, notes: p.notes}
	}
	if inv := p.readInventory(); inv != nil {
		return &reading{inventory: inv, notes: p.notes}
	}
	if len(c.leaves) == 0 && len(c.datasets) > 0 {
		return &reading{refusal: reject("the data hold no variable with a time axis")}
	}
	if len(c.leaves) == 0 {
		return &reading{refusal: reject("there are no data; name files with --data")}
	}
	m := p.readMethod()
	p.parse()
	if len(p.unknown) > 0 {
		return &reading{refusal: p.notUnderstood()}
	}
	if p.clash != "" {
		return &reading{refusal: refuse("%q puts two quantities together", p.clash)}
	}
	s, r := p.assemble()
	if r != nil {
		return &reading{refusal: r}
	}
	if m != nil {
		r := p.completeMethod(m, s)
		return &reading{method: m, refusal: r, notes: p.notes, plot: true}
	}
	if len(s.asks) == 0 && !s.plot && len(s.spans) == 0 {
		return &reading{refusal: refuse("it names no quantity that the data hold"), notes: p.notes}
	}
	var previous *ask
	if before != "" {
		previous = askOf(before, c)
	}
	if previous != nil && p.followsUp() && len(s.asks) <= 1 && !s.plot {
		if note := s.inherit(previous); note != "" {
			p.notes = append(p.notes, note)
		}
	}
	tasks, notes, r := c.tasks(s, previous)
	return &reading{tasks: tasks, plot: s.plot, notes: append(p.notes, notes...), refusal: r}
}

// followsUp says that the question is put as an addition to the one before.
func (p *parser) followsUp() bool {
	text := asciiLower(strings.TrimSpace(p.text))
	for _, start := range []string{"and ", "what about ", "how about ", "et ", "same ", "then ", "also "} {
		if strings.HasPrefix(text, start) {
			return true
		}
	}
	return false
}

// inherit fills what a follow-up leaves out from the question before, and says
// what that was.
func (s *sentence) inherit(previous *ask) string {
	if len(s.asks) == 0 {
		s.asks = []*ask{{spans: s.spans}}
	}
	a := s.asks[0]
	var took []string
	if a.empty() {
		a.absorb(&ask{stats: previous.stats, measures: previous.measures, when: previous.when, which: previous.which, per: previous.per,
			condition: previous.condition, missing: previous.missing, gaps: previous.gaps, implies: previous.implies})
		took = append(took, "what to compute")
	}
	if len(s.spans) == 0 && len(previous.spans) > 0 {
		s.spans, a.spans = previous.spans, previous.spans
		took = append(took, "the time")
	}
	if len(took) == 0 {
		return ""
	}
	return strings.Join(took, " and ") + " as in the question before"
}

// askOf is the one thing that a question asks for; nil when it asks for several
// or is not understood.
func askOf(question string, c *catalog) *ask {
	if len(question) > maxQuestion {
		return nil
	}
	p := newParser(question, c)
	p.parse()
	s, r := p.assemble()
	if r != nil || len(p.unknown) > 0 || len(s.asks) == 0 || s.asks[0].phrase == nil {
		return nil
	}
	one := *s.asks[0]
	one.spans = s.spans
	for _, a := range s.asks[1:] {
		if a.phrase != one.phrase {
			return nil
		}
	}
	return &one
}

// notUnderstood refuses a question for the words that no pass took.
func (p *parser) notUnderstood() *refusal {
	for _, w := range p.unknown {
		if looksLikeName(w) {
			return &refusal{bad: true, reason: fmt.Sprintf("there is no parameter %q", w),
				hint: "The nearest names are " + strings.Join(p.catalog.nearestNames(w, 3), ", ") + "."}
		}
	}
	for _, w := range p.unknown {
		if strings.HasPrefix(asciiLower(w), "by ") || strings.HasPrefix(asciiLower(w), "par ") {
			return refuse("%q asks for averages over sub-intervals, which it cannot do", w)
		}
		if reason := beyond[strings.ToLower(w)]; reason != "" {
			return refuse("%q asks for %s, which it cannot do", w, reason)
		}
	}
	var quoted []string
	for _, w := range p.unknown[:min(4, len(p.unknown))] {
		quoted = append(quoted, fmt.Sprintf("%q", w))
	}
	r := refuse("it does not know what %s means here", strings.Join(quoted, ", "))
	r.hint = "The data hold: " + p.catalog.summary() + "."
	return r
}

// looksLikeName says that a word is written as only variables are.
func looksLikeName(w string) bool {
	letters, upper := 0, 0
	for i := range len(w) {
		if isLetter(w[i]) && w[i] != '_' {
			letters++
			if 'A' <= w[i] && w[i] <= 'Z' {
				upper++
			}
		}
	}
	return letters > 0 && (strings.Contains(w, "_") && len(w) > 2 || letters >= 3 && upper >= 2 && beyond[strings.ToLower(w)] == "")
}

package offline

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// maxAlternatives is how many parameters one phrase may mean before the planner
// asks which one.
const maxAlternatives = 3

// A place is a leaf in a window.
type place struct {
	leaf   *leaf
	window window
}

// find looks a phrase up. When it can mean several parameters all of them are
// returned, for the answer to tell apart; when there are too many, or none, the
// refusal names what there is.
func (c *catalog) find(ph *phrase, homes []string, spans []*span) ([]place, []string, *refusal) {
	var found []*leaf
	if ph.lent != nil {
		both := *ph
		if both.merge(ph.lent) {
			found = c.matching(&both, homes)
		}
	}
	if len(found) == 0 {
		found = c.matching(ph, homes)
	}
	if len(found) == 0 && len(ph.homes) == 0 && len(homes) > 0 {
		found = c.matching(ph, nil) // the mission belonged to another part of the question
	}
	if len(found) == 0 {
		return nil, nil, c.absent(ph)
	}
	places, r := inWindows(found, spans)
	if r != nil {
		return nil, nil, r
	}
	var notes []string
	places, notes = narrow(ph, places)
	var params []string
	for _, p := range places {
		params = append(params, p.leaf.param.ID)
	}
	params = unique(params)
	if len(params) > maxAlternatives && ph.role == "" {
		return nil, nil, &refusal{reason: fmt.Sprintf("%q can mean %d parameters", ph.text, len(params)), hint: "Name one of them: " + strings.Join(params, ", ") + "."}
	}
	if len(params) > 1 && ph.role == "" {
		notes = append(notes, fmt.Sprintf("%q can mean %d parameters here, so all are given", ph.text, len(params)))
	}
	return places, notes, nil
}

// matching returns the leaves that meet every word of the phrase.
func (c *catalog) matching(ph *phrase, homes []string) []*leaf {
	homes = append(slices.Clone(homes), ph.homes...)
	var found []*leaf
	for _, l := range c.leaves {
		if c.meets(l, ph, homes) {
			found = append(found, l)
		}
	}
	return found
}

func (c *catalog) meets(l *leaf, ph *phrase, homes []string) bool {
	home := c.dataset[l.dataset.ID]
	for _, w := range homes {
		if !home[w] {
			return false
		}
	}
	for _, w := range ph.words {
		if !l.words[w] && !home[w] {
			return false
		}
	}
	exact := ph.param != "" || len(ph.names) > 0 || ph.role != ""
	switch {
	case ph.role != "" && (ph.role != l.param.Role || l.column == magnitudeColumn),
		ph.param != "" && ph.param != l.param.ID,
		len(ph.names) > 0 && !slices.Contains(ph.names, l.param.ID),
		ph.kind != "" && ph.kind != l.kind && (!exact || l.kind != kindOther),
		ph.frame != "" && ph.frame != l.frame,
		!speciesMeets(ph.species, l.species):
		return false
	}
	if !exact {
		asked := slices.ContainsFunc(ph.words, func(w string) bool { return specialWords[w] })
		flagged := ph.kind == kindFlag || slices.ContainsFunc(ph.words, func(w string) bool { return w == "quality" || w == "status" })
		if l.special && !asked || l.kind == kindFlag && !flagged {
			return false
		}
	}
	return componentMeets(l, ph, exact)
}

// specialWords tell a parameter from the plain quantity of its unit.
var specialWords = wordSet("rms std sigma deviation error uncertainty variance fluctuation thermal")

// speciesMeets lets protons and ions stand for each other, which the answer
// shows by the parameter's own description, but never electrons for ions.
func speciesMeets(asked, has string) bool {
	switch asked {
	case "", has:
		return true
	case "proton", "ion":
		return has == "" || has == "ion" || has == "proton"
	}
	return false
}

func componentMeets(l *leaf, ph *phrase, exact bool) bool {
	switch ph.component {
	case "all":
		return l.column != magnitudeColumn && l.component != "" && l.component != "mag"
	case "":
		if exact || !vectorKind(l.kind) || ph.kind == "" || l.kind == kindPosition {
			return l.column != magnitudeColumn
		}
		return l.component == "mag"
	case "mag":
		return l.component == "mag" || exact && l.width == 1 && l.component == ""
	}
	return l.component == ph.component
}

// inWindows places the windows on each leaf's coverage and keeps the leaves
// that have data there.
func inWindows(found []*leaf, spans []*span) ([]place, *refusal) {
	var places []place
	var bad *timeProblem
	var outside *place
	for _, l := range found {
		windows, problem := resolve(spans, l.coverage())
		if problem != nil {
			if bad == nil || problem.bad {
				bad = problem
			}
			continue
		}
		for _, w := range windows {
			if l.overlaps(w) || w.whole() {
				places = append(places, place{l, w})
			} else if outside == nil {
				outside = &place{l, w}
			}
		}
	}
	switch {
	case len(places) > 0:
		return places, nil
	case outside != nil:
		c := outside.leaf.coverage()
		if c.start.IsZero() {
			return nil, reject("%s has no records", outside.leaf.param.ID)
		}
		return nil, reject("%s has no data %s; it covers %s to %s", outside.leaf.param.ID, inWords(outside.window), isoTime(c.start), isoTime(c.stop))
	case bad.bad:
		return nil, reject("%s", bad.reason)
	}
	return nil, refuse("%s", bad.reason)
}

func inWords(w window) string {
	switch {
	case w.text != "":
		return strconv.Quote(w.text)
	case !w.instant.IsZero():
		return "near " + isoTime(w.instant)
	case w.start.IsZero(), w.stop.IsZero():
		return w.String()
	}
	return "from " + w.String()
}

// narrow drops readings that another one makes unlikely.
func narrow(ph *phrase, places []place) ([]place, []string) {
	var notes []string
	keep := func(test func(p place) bool) {
		if kept := slices.DeleteFunc(slices.Clone(places), func(p place) bool { return !test(p) }); len(kept) > 0 {
			places = kept
		}
	}
	exact := ph.param != "" || len(ph.names) > 0 || ph.role != ""
	if !exact {
		keep(func(p place) bool { return p.leaf.param.Role != "support_data" })
		keep(func(p place) bool { return p.leaf.kind != kindOther || ph.kind == kindOther })
	}
	// A length that the file holds beats one that must be computed, and of
	// several that must be computed one is enough: frames do not change it.
	native := map[string]bool{}
	for _, p := range places {
		if p.leaf.column != magnitudeColumn {
			native[p.leaf.dataset.ID] = true
		}
	}
	if ph.component != "all" && !exact {
		first := map[string]string{}
		keep(func(p place) bool {
			if p.leaf.column != magnitudeColumn {
				return true
			}
			key := p.leaf.dataset.ID + " " + strings.Join(sharedWords(p.leaf), " ")
			if native[p.leaf.dataset.ID] {
				return false
			}
			if first[key] == "" {
				first[key] = p.leaf.param.ID
			}
			return first[key] == p.leaf.param.ID
		})
	}
	best := 0
	score := func(p place) int {
		n := 0
		for _, w := range ph.soft {
			if p.leaf.words[w] {
				n++
			}
		}
		return n
	}
	for _, p := range places {
		best = max(best, score(p))
	}
	keep(func(p place) bool { return score(p) == best })
	if ph.frame == "" && !exact && (ph.component == "x" || ph.component == "all") {
		// GSE and GSM share their x axis; and one frame is enough for a figure.
		first := map[string]string{}
		var others []string
		keep(func(p place) bool {
			key := p.leaf.dataset.ID + string(p.leaf.kind)
			if !slices.Contains([]string{"GSE", "GSM"}, p.leaf.frame) {
				return true
			}
			if first[key] == "" {
				first[key] = p.leaf.frame
			}
			if first[key] != p.leaf.frame {
				others = append(others, p.leaf.frame)
			}
			return first[key] == p.leaf.frame
		})
		if len(others) > 0 && ph.component == "all" {
			notes = append(notes, fmt.Sprintf("no frame was named, so %s was taken; %s is there too", places[0].leaf.frame, strings.Join(unique(others), ", ")))
		}
	}
	return places, notes
}

// sharedWords are what a parameter's words say besides its name and frame, in
// order: the two lengths of one vector in two frames have the same.
func sharedWords(l *leaf) []string {
	var words []string
	own := wordsOf(l.param.Name)
	for w := range l.words {
		if !frameWord.MatchString(w) && !own[w] {
			words = append(words, w)
		}
	}
	slices.Sort(words)
	return words
}

// absent says that no parameter meets a phrase, and what there is instead.
func (c *catalog) absent(ph *phrase) *refusal {
	r := reject("the data hold no %s", strings.TrimSpace(strings.Join(strings.Fields(ph.text), " ")))
	loose := phrase{kind: ph.kind, param: ph.param, names: ph.names}
	var ids []string
	if ph.kind != "" || ph.param != "" || len(ph.names) > 0 {
		for _, l := range c.leaves {
			if l.kind == loose.kind || loose.param == l.param.ID || slices.Contains(loose.names, l.param.ID) {
				ids = append(ids, l.param.ID)
			}
		}
	}
	if ids = unique(ids); len(ids) > 0 {
		r.hint = "The nearest that they hold: " + strings.Join(ids[:min(4, len(ids))], ", ") + "."
		return r
	}
	r.hint = "They hold: " + c.summary() + "."
	return r
}

// summary lists the names of all data parameters, dataset by dataset.
func (c *catalog) summary() string {
	var parts []string
	for i := range c.datasets {
		d := &c.datasets[i]
		var names []string
		for k := range d.Parameters {
			if d.Parameters[k].Role == "data" && d.Parameters[k].Records > 0 {
				names = append(names, d.Parameters[k].Name)
			}
		}
		if len(names) > 12 {
			names = append(names[:12], "...")
		}
		parts = append(parts, d.ID+" ("+strings.Join(names, ", ")+")")
	}
	if len(parts) > 6 {
		parts = append(parts[:6], fmt.Sprintf("and %d more datasets", len(c.datasets)-6))
	}
	return strings.Join(parts, "; ")
}

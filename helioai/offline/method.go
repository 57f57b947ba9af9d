package offline

import "slices"

// A method is a recipe of the shelf run on the magnetic field in a window.
type method struct {
	recipe string // "mvab" or "theta_bn"
	name   string // for people
	frame  string
	fields []*leaf // the three components, in order
	window window
	shock  string // time of the shock, ISO; "" where the recipe shall look for one
}

var methods = []struct {
	phrases      [][]string
	recipe, name string
}{
	{splitPhrases("minimum variance analysis|minimum variance|minimum variance direction|minimum variance normal|minimum variance frame|mva|mvab|variance analysis|variance minimale|variance minimum|analyse de variance minimale|analyse de variance minimum"), "mvab", "minimum variance analysis"},
	{splitPhrases("theta bn|theta_bn|thetabn|shock normal|shock normal angle|shock geometry|coplanarity|coplanarity normal|magnetic coplanarity|normal of the shock|normale du choc|normal to the shock|shock angle|angle between the shock normal and the field|angle between shock normal and field"), "theta_bn", "shock normal by magnetic coplanarity"},
}

// methodFillers may stand beside the name of a method.
var methodFillers = wordSet("run do make perform apply carry out analysis analyse analyze normal normals direction eigenvalue eigenvalues ratio estimate estimated shock angle upstream downstream current sheet discontinuity boundary magnetic of quasi perpendicular parallel nature how good is well determined")

// readMethod recognises a minimum variance analysis or a shock normal and takes
// its words out of the question.
func (p *parser) readMethod() *method {
	var m *method
	at, length := 0, 0
	for i := range p.tokens {
		for _, spec := range methods {
			for _, words := range spec.phrases {
				if n := p.phraseAt(i, words); n > length {
					m, at, length = &method{recipe: spec.recipe, name: spec.name}, i, n
				}
			}
		}
	}
	if m == nil {
		return nil
	}
	p.tokens = slices.Delete(p.tokens, at, at+length)
	p.tokens = slices.DeleteFunc(p.tokens, func(t token) bool {
		return t.kind == wordToken && methodFillers[t.text]
	})
	return m
}

// completeMethod finds the field and the window that a method works on.
func (p *parser) completeMethod(m *method, s *sentence) *refusal {
	ph := &phrase{kind: kindField, component: "all", text: "magnetic field vector"}
	for _, a := range s.asks {
		if !a.empty() {
			return refuse("it asks for a %s and for something else at once", m.name)
		}
		if a.phrase == nil {
			continue
		}
		if a.phrase.kind != "" && a.phrase.kind != kindField {
			return refuse("a %s of %q is not what the recipe does", m.name, a.phrase.text)
		}
		one := *a.phrase
		if one.component == "mag" {
			return refuse("a %s needs the field's components, not its magnitude", m.name)
		}
		one.component = "all"
		if one.kind == "" && len(one.names) == 0 && one.param == "" {
			one.kind = kindField
		}
		ph = &one
	}
	places, _, r := p.catalog.find(ph, s.homes, s.spans)
	if r != nil {
		return r
	}
	m.fields, m.window, r = vectorOf(places)
	if r != nil {
		return r
	}
	m.frame = m.fields[0].frame
	if m.frame != "" && ph.frame == "" && len(ph.names) == 0 && ph.param == "" {
		p.notes = append(p.notes, "no frame was named, so "+m.frame+" was taken")
	}
	if m.recipe == "theta_bn" {
		m.placeShock()
		return nil
	}
	if !m.window.instant.IsZero() {
		return refuse("a %s needs a window, not the single time %s", m.name, isoTime(m.window.instant))
	}
	return nil
}

// vectorOf takes three components of one frame: those of a vector, or three
// scalars of one dataset.
func vectorOf(places []place) ([]*leaf, window, *refusal) {
	if len(places) == 0 {
		return nil, window{}, refuse("no field vector was found")
	}
	first := places[0]
	var fields []*leaf
	for _, p := range places {
		l := p.leaf
		if p.window != first.window {
			return nil, window{}, refuse("it names several windows")
		}
		if l.dataset != first.leaf.dataset || l.frame != first.leaf.frame || first.leaf.width > 1 && l.param != first.leaf.param {
			r := refuse("which field vector it means is not clear")
			r.hint = "Name one of them: " + first.leaf.param.ID + ", " + l.param.ID + "."
			return nil, window{}, r
		}
		fields = append(fields, l)
	}
	if len(fields) != 3 {
		return nil, window{}, reject("%s has no field vector of three components in one frame", first.leaf.dataset.ID)
	}
	return fields, first.window, nil
}

// placeShock settles the time of the shock, and which stretch of data the recipe
// gets to see.
func (m *method) placeShock() {
	if m.window.instant.IsZero() {
		return // the recipe looks for a shock in the window
	}
	m.shock = isoTime(m.window.instant)
	// The recipe looks at up to 3 + 15 minutes on either side.
	m.window = window{start: m.window.instant.Add(-shockReach), stop: m.window.instant.Add(shockReach), text: m.window.text}
}

package offline

import (
	"slices"
	"strings"
)

// A part is what stands between two separators.
type part struct {
	ask
	phrases []*phrase
	between bool // a statistic follows the last quantity
}

// parts cuts the items at the separators.
func (p *parser) parts(s *sentence) (parts []*part, phrases []*phrase, r *refusal) {
	current := &part{}
	flush := func(fresh bool) {
		if !current.empty() || len(current.phrases) > 0 || current.unit != "" || len(current.spans) > 0 || current.order != "" || len(current.homes) > 0 || current.pronoun || current.value {
			current.segment = len(parts)
			parts = append(parts, current)
		} else {
			fresh = fresh || current.fresh
		}
		current = &part{ask: ask{fresh: fresh}}
	}
	for _, t := range p.tokens {
		it := t.item
		switch it.kind {
		case separatorItem:
			flush(strings.ContainsAny(it.text, ";.?!"))
		case spanItem:
			current.spans = append(current.spans, it.span)
			s.spans = append(s.spans, it.span)
		case contextItem:
			return nil, nil, refuse("%q asks for one quantity at the time of another", it.text)
		case questionItem:
			current.question = true
		case statItem:
			current.between = len(current.phrases) > 0
			current.nested = current.nested || nests(current.stats, it.stats)
			current.stats = append(current.stats, it.stats...)
			current.sized = current.sized || it.sized
			current.hint(it)
			current.statFirst = current.statFirst || len(current.phrases) == 0
		case whenItem:
			current.between = len(current.phrases) > 0
			current.when = true
			if it.which != "" {
				current.which = it.which
			}
		case orderItem:
			current.order = it.which
		case measureItem:
			current.measures = append(current.measures, it.measure)
			if it.unit != "" {
				current.per = it.unit
			}
		case missingItem:
			current.missing = true
		case gapItem:
			current.gaps = true
		case plotItem:
			s.plot = true
		case conditionItem:
			if current.condition != nil {
				flush(false)
			}
			current.condition = it.condition
			current.hint(it)
		case unitItem:
			current.unit = it.unit
			s.units = append(s.units, it.unit)
		case pronounItem:
			current.pronoun = true
		case valueItem:
			current.value = true
		case quantityItem:
			if it.quantity.homeOnly() {
				current.homes = append(current.homes, it.quantity.homes...)
				s.homes = append(s.homes, it.quantity.homes...)
				continue
			}
			current.crossed = current.crossed || current.between
			current.phrases = append(current.phrases, it.quantity)
			phrases = append(phrases, it.quantity)
		}
	}
	flush(false)
	return parts, phrases, nil
}

// nests reports whether two statistics that stand together without an "and" are
// one of the other, as in "maximum of the mean". Minimum and maximum are not.
func nests(a, b []stat) bool {
	if len(a) == 0 || slices.Equal(a, b) {
		return false
	}
	plain := func(s stat) bool { return !s.extremum() }
	return slices.ContainsFunc(a, plain) || slices.ContainsFunc(b, plain)
}

func (a *ask) hint(it *item) {
	if it.implies != "" {
		a.implies = it.implies
	}
	if it.component != "" {
		a.component = it.component
	}
}

// completePhrases lends what a list says once to its other members: "Bx, By and
// Bz in GSM", "the x and y components of the field", "Bz in GSM and GSE".
func completePhrases(phrases []*phrase) {
	for i, ph := range phrases {
		if !ph.partial() {
			continue
		}
		var from *phrase
		if i > 0 && !phrases[i-1].partial() {
			from = phrases[i-1]
		}
		for k := i + 1; from == nil && k < len(phrases); k++ {
			if !phrases[k].partial() {
				from = phrases[k]
			}
		}
		if from == nil {
			continue
		}
		whole := *from
		whole.text = ph.text
		if ph.component != "" {
			whole.component = ph.component
		}
		if ph.frame != "" {
			whole.frame = ph.frame
		}
		if ph.species != "" {
			whole.species = ph.species
		}
		if len(ph.homes) > 0 {
			whole.homes = ph.homes
		}
		*ph = whole
	}
	frames := map[quantityKind][]string{}
	for _, ph := range phrases {
		if ph.frame != "" && !slices.Contains(frames[ph.kind], ph.frame) {
			frames[ph.kind] = append(frames[ph.kind], ph.frame)
		}
	}
	for _, ph := range phrases {
		if ph.frame == "" && ph.component != "" && ph.component != "mag" && len(frames[ph.kind]) == 1 {
			ph.frame = frames[ph.kind][0]
		}
	}
}

// lendWords lets the members of a list share what one of them says: "Vx and Vy
// from HPA". What is lent is met where that is possible.
func lendWords(parts []*part) {
	var list []*phrase
	lend := func() {
		var from *phrase
		for _, ph := range list {
			if len(ph.words)+len(ph.homes) > 0 || ph.species != "" {
				from = ph
			}
		}
		for _, ph := range list {
			if from != nil && len(ph.words)+len(ph.homes) == 0 && ph.species == "" && ph.param == "" && len(ph.names) == 0 {
				ph.lent = &phrase{words: from.words, homes: from.homes, species: from.species}
			}
		}
		list = nil
	}
	for _, pt := range parts {
		if !pt.empty() {
			lend()
		}
		list = append(list, pt.phrases...)
	}
	lend()
}

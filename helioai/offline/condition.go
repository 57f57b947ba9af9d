package offline

import (
	"math"
	"slices"
	"strings"
)

// A bound is one side of a condition.
type bound struct {
	value     float64
	inclusive bool
}

// A condition is what "below -2 nT" or "between 10 and 20" asks of a value. A
// side that is nil is open.
type condition struct {
	low, high *bound
	unit      string // as understood; "" where none was said
	text      string // as written
}

type comparator struct {
	words     []string
	low       bool // the number is the lower side
	inclusive bool
	implies   quantityKind
}

// comparators in the order of trial: longer ones before their beginnings.
var comparators = buildComparators([]comparatorRow{
	{"less than|lower than|smaller than|fewer than|below|under|beneath|underneath|<|inferieur a|inferieure a|inferieurs a|inferieures a|inferieur|inferieure|en dessous de|au dessous de|sous|moins de|plus petit que|plus petite que|plus bas que|more negative than", false, false, ""},
	{"weaker than|plus faible que", false, false, kindField},
	{"slower than|plus lent que", false, false, kindSpeed},
	{"colder than|cooler than|plus froid que", false, false, kindTemperature},
	{"no more than|not more than|at most|<=|at or below|au plus|up to", false, true, ""},
	{"greater than|more than|higher than|larger than|bigger than|above|over|exceed|exceeds|exceeded|exceeding|in excess of|>|superieur a|superieure a|superieurs a|superieures a|superieur|superieure|au dessus de|plus de|plus grand que|plus grande que|plus eleve que|plus elevee que|depasse|depassent|depassait|a depasse|more positive than|surpass|surpasses|surpassed", true, false, ""},
	{"stronger than|plus fort que", true, false, kindField},
	{"faster than|plus rapide que", true, false, kindSpeed},
	{"hotter than|warmer than|plus chaud que", true, false, kindTemperature},
	{"denser than|plus dense que", true, false, kindDensity},
	{"no less than|not less than|at least|>=|at or above|au moins|reach|reached|reaches", true, true, ""},
})

// compass are sides of zero that have a name.
var compass = map[string]struct {
	low       bool
	component string
}{
	"negative": {false, ""}, "positive": {true, ""}, "negatif": {false, ""}, "positif": {true, ""},
	"southward": {false, "z"}, "northward": {true, "z"}, "south": {false, "z"}, "north": {true, "z"}, "southwards": {false, "z"}, "northwards": {true, "z"},
}

// moves are verbs that may stand before a comparator.
var moves = []string{
	"go", "goes", "went", "get", "gets", "got", "drop", "drops", "dropped", "fall", "falls", "fell", "dip", "dips", "dipped", "rise", "rises", "rose", "climb", "climbs", "climbed",
	"stay", "stays", "stayed", "remain", "remains", "remained", "was", "were", "is", "are", "be", "been", "descend", "descendue", "descendu", "passe", "passed", "jump", "jumped",
}

// A comparatorRow is a comparator for each of several phrases.
type comparatorRow struct {
	phrases   string
	low       bool
	inclusive bool
	implies   quantityKind
}

func buildComparators(table []comparatorRow) []comparator {
	var out []comparator
	for _, row := range table {
		for _, words := range splitPhrases(row.phrases) {
			out = append(out, comparator{words, row.low, row.inclusive, row.implies})
		}
	}
	// A longer phrase must be tried before a shorter one that it begins with.
	slices.SortStableFunc(out, func(a, b comparator) int { return len(b.words) - len(a.words) })
	return out
}

// splitPhrases cuts "less than|below" into its phrases and these into words.
func splitPhrases(text string) [][]string {
	var out [][]string
	for phrase := range strings.SplitSeq(text, "|") {
		out = append(out, strings.Fields(phrase))
	}
	return out
}

// readConditions replaces conditions by items.
func (p *parser) readConditions() {
	for i := 0; p.has(i); i++ {
		if it, n := p.readCondition(i); it != nil {
			from := i
			for from > 0 && p.is(from-1, moves...) {
				from--
			}
			n += i - from
			it.condition.text = p.written(i, from+n)
			p.replace(from, n, it)
			i = from
		}
	}
	p.mergeConditions()
}

func (p *parser) readCondition(i int) (*item, int) {
	if it, n := p.readBetween(i); it != nil {
		return it, n
	}
	if side, ok := compass[p.word(i)]; ok && !p.is(i-1, "most", "strongest", "deepest", "largest", "maximum", "peak", "max") {
		return &item{kind: conditionItem, component: side.component, condition: side0(side.low)}, 1
	}
	for _, c := range comparators {
		n := p.phraseAt(i, c.words)
		if n == 0 {
			continue
		}
		value, unit, used, ok := p.readValue(i + n)
		if !ok {
			continue
		}
		b := &bound{value: value, inclusive: c.inclusive}
		it := &item{kind: conditionItem, implies: c.implies, condition: &condition{unit: unit}}
		if c.low {
			it.condition.low = b
		} else {
			it.condition.high = b
		}
		return it, n + used
	}
	if p.is(i, "=", "==") || p.is(i, "equal", "equals", "equalled", "egal", "egale") {
		j := p.skip(i+1, "to", "a")
		if value, unit, used, ok := p.readValue(j); ok {
			b := &bound{value: value, inclusive: true}
			return &item{kind: conditionItem, condition: &condition{low: b, high: b, unit: unit}}, j + used - i
		}
	}
	if p.tokens[i].kind == numberToken { // "500 km/s or more"
		value, unit, used, ok := p.readValue(i)
		j := i + used
		if ok && p.is(j, "or", "ou") {
			b := &bound{value: value, inclusive: true}
			c := &condition{unit: unit}
			switch {
			case p.is(j+1, "more", "above", "higher", "greater", "larger", "stronger", "faster", "plus"):
				c.low = b
			case p.is(j+1, "less", "below", "lower", "smaller", "weaker", "slower", "moins"):
				c.high = b
			default:
				return nil, 0
			}
			return &item{kind: conditionItem, condition: c}, j + 2 - i
		}
	}
	return nil, 0
}

func side0(low bool) *condition {
	if low {
		return &condition{low: &bound{}}
	}
	return &condition{high: &bound{}}
}

// readBetween reads "between 10 and 20 nT", "from 10 to 20 nT", "in the range
// 10-20 nT", "10 to 20 nT".
func (p *parser) readBetween(i int) (*item, int) {
	j := i
	between := p.is(j, "between", "entre", "within")
	if between || p.is(j, "from", "de") {
		j++
	} else if p.is(j, "in") && p.is(j+1, "the") && p.is(j+2, "range") {
		j += 3
		between = true
		j = p.skip(j, "of", "from", "between")
	}
	a, unitA, used, ok := p.readValue(j)
	if !ok {
		return nil, 0
	}
	k := j + used
	switch {
	case between && p.is(k, "and", "et"), p.is(k, "to", "-", "a"):
	default:
		return nil, 0
	}
	b, unitB, used, ok := p.readValue(k + 1)
	if !ok || !between && unitA+unitB == "" {
		return nil, 0
	}
	if unitA == "" || unitB == "" {
		unitA += unitB
	} else if unitA != unitB {
		return nil, 0
	}
	low, high := math.Min(a, b), math.Max(a, b)
	it := &item{kind: conditionItem, condition: &condition{unit: unitA, low: &bound{low, true}, high: &bound{high, true}}}
	return it, k + 1 + used - i
}

// readValue reads a number and its unit.
func (p *parser) readValue(i int) (value float64, unit string, used int, ok bool) {
	j := p.skip(i, "than", "a", "the", "value", "of", "de", "que", "to", "about", "roughly", "approximately", "environ", "t", "elle", "elles", "il", "ils")
	sign := 1.0
	if p.is(j, "minus", "-", "moins") {
		sign = -1
		j++
	}
	switch {
	case j >= len(p.tokens):
		return 0, "", 0, false
	case p.tokens[j].kind == numberToken:
		value = sign * p.tokens[j].number
	case p.is(j, "zero"):
	default:
		return 0, "", 0, false
	}
	j++
	if p.is(j, "times", "samples", "points", "records", "percent", "fois", "sigma") {
		return 0, "", 0, false // "more than 5 times" counts, and is no limit of the quantity
	}
	unit, n := p.unitAt(j)
	return value, unit, j + n - i, true
}

// mergeConditions makes one condition of "above 5 and below 10 nT".
func (p *parser) mergeConditions() {
	for i := 0; p.has(i + 2); i++ {
		a, b := p.itemAt(i), p.itemAt(i+2)
		if a == nil || b == nil || a.kind != conditionItem || b.kind != conditionItem || !p.is(i+1, "and", "but", "et") {
			continue
		}
		x, y := *a.condition, b.condition
		if x.low == nil && y.low != nil && y.high == nil {
			x.low = y.low
		} else if x.high == nil && y.high != nil && y.low == nil {
			x.high = y.high
		} else {
			continue
		}
		if x.low.value > x.high.value {
			continue
		}
		if x.unit == "" {
			x.unit = y.unit
		} else if y.unit != "" && x.unit != y.unit {
			continue
		}
		x.text = p.written(i, i+3)
		p.replace(i, 3, &item{kind: conditionItem, condition: &x, implies: a.implies, component: a.component})
	}
}

// phraseAt returns how many tokens the phrase takes at token i; 0 when it is
// not there.
func (p *parser) phraseAt(i int, phrase []string) int {
	for n, w := range phrase {
		if p.word(i+n) != w {
			return 0
		}
	}
	return len(phrase)
}

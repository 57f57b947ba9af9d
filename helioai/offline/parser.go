package offline

import (
	"slices"
	"strings"
	"time"
)

type itemKind uint8

const (
	spanItem      itemKind = iota + 1 // a statement about time
	statItem                          // a statistic
	whenItem                          // the time of something is asked for
	orderItem                         // "first", "last"
	measureItem                       // how often, how many, how long
	missingItem                       // missing samples
	gapItem                           // gaps in the time axis
	plotItem                          // a figure is asked for
	conditionItem                     // below, above, between
	quantityItem                      // a phrase that names a quantity
	unitItem                          // the unit that the answer shall be in
	valueItem                         // how strong it was, at the extremum named before
	questionItem                      // "what was", which begins a new question
	contextItem                       // "at that time", which leans on another answer
	emptyItem                         // a phrase without a meaning of its own
	pronounItem                       // it, its
	separatorItem                     // and, a comma
)

type measure string

// The measures of how much of the time something holds.
const (
	measureOften    measure = "often"
	measureFraction measure = "fraction"
	measureCount    measure = "count"
	measureDuration measure = "duration"
	measureTimes    measure = "times"
)

// An item is a part of the question that was understood.
type item struct {
	kind      itemKind
	span      *span
	stats     []stat
	sized     bool         // the statistic is one of size: "strongest", "slowest"
	implies   quantityKind // the quantity a stat or condition speaks of when none is named
	component string       // likewise, its component
	which     string       // "first" or "last" of whenItem and orderItem
	measure   measure
	unit      string // of unitItem, and of measureItem
	condition *condition
	quantity  *phrase
	text      string // as written
}

// A parser turns a question into items. It works in passes, from what cannot be
// misread (parameter ids) to what needs its surroundings (single words); each
// pass replaces tokens by items. It holds no state beyond one question.
type parser struct {
	text    string // folded question
	tokens  []token
	catalog *catalog
	notes   []string // readings that the answer has to tell, such as a corrected typing error
	clash   string   // words that put two quantities into one, as in "energy of the field"
	unknown []string // words that nothing understood
}

func newParser(question string, c *catalog) *parser {
	p := &parser{text: fold(question), catalog: c}
	p.tokens = tokenize(p.text)
	p.correct()
	// Hyphens within words join them: "z-component", "day-of-year".
	p.tokens = slices.DeleteFunc(p.tokens, func(t token) bool {
		return t.text == "-" && t.start > 0 && t.end < len(p.text) && isLetter(p.text[t.start-1]) && isLetter(p.text[t.end])
	})
	p.markMissions()
	return p
}

// markMissions tells the spacecraft Wind from the wind, and the motion of a
// spacecraft from that of the plasma.
func (p *parser) markMissions() {
	for i := range p.tokens {
		t := &p.tokens[i]
		switch t.text {
		case "wind":
			capital := t.orig != "wind" && i > 0
			if !p.is(i-1, "solar", "the") && (capital || p.is(i-1, "at", "from", "by")) {
				t.text = windMission
			}
		case "spacecraft", "satellite", "probe":
			if p.is(i+1, "speed", "velocity", "potential") || p.is(i-1, "the") && p.is(i-2, "of") && p.is(i-3, "speed", "velocity") {
				t.text = "motion of the " + t.text
			}
		}
	}
}

// windMission is the text of a token that means the spacecraft Wind.
const windMission = "wind (spacecraft)"

func isLetter(c byte) bool { return isWordByte(c) && (c < '0' || c > '9') }

// text of token i; "" beyond the ends and for items.
func (p *parser) word(i int) string {
	if i < 0 || i >= len(p.tokens) || p.tokens[i].kind == itemToken {
		return ""
	}
	return p.tokens[i].text
}

// has reports whether there is a token i. Passes shorten the list while they
// walk it, so its length is asked for anew each time.
func (p *parser) has(i int) bool { return i >= 0 && i < len(p.tokens) }

// is reports whether token i is one of the words.
func (p *parser) is(i int, words ...string) bool {
	w := p.word(i)
	return w != "" && slices.Contains(words, w)
}

// skip returns the index of the next token from i on that is none of the words.
func (p *parser) skip(i int, words ...string) int {
	for p.is(i, words...) {
		i++
	}
	return i
}

func (p *parser) momentAt(i int) *moment {
	if i < 0 || i >= len(p.tokens) || p.tokens[i].kind != momentToken {
		return nil
	}
	return p.tokens[i].moment
}

// itemAt returns the item at token i, nil where there is none.
func (p *parser) itemAt(i int) *item {
	if i < 0 || i >= len(p.tokens) || p.tokens[i].kind != itemToken {
		return nil
	}
	return p.tokens[i].item
}

// written returns the tokens from i to before j as the question writes them.
func (p *parser) written(i, j int) string {
	if j > len(p.tokens) {
		j = len(p.tokens)
	}
	if i >= j {
		return ""
	}
	return strings.TrimSpace(p.text[p.tokens[i].start:p.tokens[j-1].end])
}

// replace puts an item in the place of n tokens.
func (p *parser) replace(i, n int, it *item) {
	it.text = p.written(i, i+n)
	t := token{kind: itemToken, item: it, start: p.tokens[i].start, end: p.tokens[i+n-1].end}
	p.tokens = slices.Replace(p.tokens, i, i+n, t)
}

// parse runs the passes over everything but formulas.
func (p *parser) parse() {
	p.readIDs()
	p.readSpans()
	p.readConditions()
	p.readNames()
	p.readUnits()
	p.readPhrases()
	p.readQuantities()
	p.readLeftovers()
}

// longestPhrase is how many words the longest entry of the lexicon has.
var longestPhrase = func() int {
	n := 0
	for text := range phrases {
		n = max(n, strings.Count(text, " ")+1)
	}
	return n
}()

// readPhrases replaces the words of the lexicon.
func (p *parser) readPhrases() {
	for i := 0; p.has(i); i++ {
		if p.keepForQuantity(i) {
			continue
		}
		for n := min(longestPhrase, len(p.tokens)-i); n > 0; n-- {
			text, ok := p.joined(i, n)
			if !ok {
				continue
			}
			if m, known := phrases[text]; known {
				it := m.item
				it.implies = m.implies
				p.replace(i, n, &it)
				break
			}
		}
	}
	p.readPercentiles()
	p.readNegatives()
}

// joined returns n words from token i on as the lexicon would write them.
func (p *parser) joined(i, n int) (string, bool) {
	if n == 1 {
		w := p.word(i)
		return w, w != ""
	}
	var b strings.Builder
	for k := i; k < i+n; k++ {
		if p.word(k) == "" || p.tokens[k].kind == numberToken || p.tokens[k].kind == momentToken {
			return "", false
		}
		if k > i {
			b.WriteByte(' ')
		}
		b.WriteString(p.word(k))
	}
	return b.String(), true
}

// keepForQuantity says that a word of the lexicon is part of a parameter's
// description here: the "average" of "lowest average energy".
func (p *parser) keepForQuantity(i int) bool {
	if !p.is(i, "average", "mean") {
		return false
	}
	j := i + 1
	if speciesWords[p.word(j)] != "" {
		j++
	}
	if !p.is(j, "energy") || !p.catalog.words["average"] {
		return false
	}
	for k := range p.tokens { // with another statistic about, "average" is no statistic
		if it := p.itemAt(k); k != i && (it != nil && (it.kind == statItem || it.kind == conditionItem) || phrases[p.word(k)].item.kind == statItem && p.word(k) != p.word(i)) {
			return true
		}
	}
	return false
}

// readPercentiles replaces "95th percentile".
func (p *parser) readPercentiles() {
	for i := 0; p.has(i + 1); i++ {
		t := p.tokens[i]
		if t.kind != numberToken || t.number <= 0 || t.number >= 100 {
			continue
		}
		if i+3 < len(p.tokens) && p.is(i+3, "percentiles") && p.tokens[i+2].kind == numberToken && p.tokens[i+2].number > 0 && p.tokens[i+2].number < 100 {
			p.replace(i, 4, &item{kind: statItem, stats: []stat{percentileOf(t), percentileOf(p.tokens[i+2])}})
			continue
		}
		if !p.is(i+1, "percentile", "centile") {
			continue
		}
		p.replace(i, 2, &item{kind: statItem, stats: []stat{percentileOf(t)}})
	}
}

// percentileOf is the statistic of "95th": p95.
func percentileOf(t token) stat { return stat("p" + strings.TrimRight(t.text, "stndrhem")) }

// readNegatives replaces "no" before a quantity by missing samples: "hours with
// no field". Any other negation stays, and is not understood.
func (p *parser) readNegatives() {
	for i := range p.tokens {
		if p.is(i, "no", "without", "sans") && p.catalog.namesQuantity(p.word(p.skip(i+1, "any", "magnetic", "valid", "a"))) {
			p.replace(i, 1, &item{kind: missingItem})
		}
	}
}

// readLeftovers drops the filler words and collects what nothing understood.
func (p *parser) readLeftovers() {
	for i := range p.tokens { // "by day" asks for one value a day
		if p.is(i, "by", "par") && calendarUnits[p.word(i+1)] >= time.Minute {
			p.unknown = append(p.unknown, p.written(i, i+2))
		}
	}
	rest := p.tokens[:0]
	for _, t := range p.tokens {
		switch {
		case t.kind == itemToken && t.item.kind == emptyItem:
		case t.kind == itemToken && t.item.kind == questionItem && len(rest) == 0:
		case t.kind == itemToken:
			rest = append(rest, t)
		case t.kind == momentToken, t.kind == numberToken, !fillers[t.text]:
			p.unknown = append(p.unknown, p.text[t.start:t.end])
		}
	}
	p.tokens = rest
}

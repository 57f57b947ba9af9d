package offline

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/helios-go/helios/helio/units"
)

// correct repairs typing errors: a word that nothing knows and that is one
// letter off a single word of the lexicon is taken for it, and the answer says
// so. Long words may be two letters off. The text is cut anew afterwards,
// because a corrected word may be a month.
func (p *parser) correct() {
	var text strings.Builder
	done, strange := 0, 0
	for _, t := range p.tokens {
		if t.kind != wordToken || len(t.text) < 5 || p.knows(t) {
			continue
		}
		if strange++; strange > maxStrange {
			break // that is another language, and no corrections make it this one
		}
		if meant := p.nearestWord(t.text); meant != "" {
			p.notes = append(p.notes, fmt.Sprintf("%q read as %q", t.orig, meant))
			text.WriteString(p.text[done:t.start] + meant)
			done = t.end
		}
	}
	if done > 0 {
		text.WriteString(p.text[done:])
		p.text = text.String()
		p.tokens = tokenize(p.text)
	}
}

// maxStrange is how many unknown words are looked at for typing errors.
const maxStrange = 8

// nearestWord returns the one word of the lexicon that w may be a typing error
// of; "" when there is none or when there are several.
func (p *parser) nearestWord(w string) string {
	allowed := 1
	if len(w) >= 9 {
		allowed = 2
	}
	best, found := allowed+1, ""
	for _, known := range lexiconWords {
		if len(known) < 4 || known[0] != w[0] && len(known) < 7 || max(len(known), len(w))-min(len(known), len(w)) > allowed {
			continue
		}
		switch d := distance(w, known); {
		case d < best:
			best, found = d, known
		case d == best && !alike(known, found):
			found = ""
		}
	}
	return found
}

// knows reports whether some pass can make sense of the word.
func (p *parser) knows(t token) bool {
	w := t.text
	if commonWord(w) || p.catalog.words[w] || p.catalog.homes[w] || monthNumbers[w] != 0 || numberWords[w] != 0 || calendarUnits[w] != 0 || partWords[w] != "" {
		return true
	}
	if strings.ContainsAny(w, "_0123456789") || strings.IndexFunc(t.orig[1:], unicode.IsUpper) >= 0 || unicode.IsUpper(rune(t.orig[0])) && t.start > 0 {
		return true // a name, which must be right as it stands
	}
	if lexiconSet[w] || units.Parse(t.orig).Class() == units.Measured || p.splitName(w) != nil {
		return true
	}
	return strings.HasSuffix(w, "s") && (p.catalog.words[strings.TrimSuffix(w, "s")] || lexiconSet[strings.TrimSuffix(w, "s")])
}

// alike says that two words mean the same to the lexicon.
func alike(a, b string) bool {
	if strings.TrimSuffix(a, "s") == strings.TrimSuffix(b, "s") {
		return true
	}
	x, okX := phrases[a]
	y, okY := phrases[b]
	return okX && okY && x.item.kind == y.item.kind && slices.Equal(x.item.stats, y.item.stats) && x.item.kind == statItem
}

// lexiconWords are the single words of all phrases, sorted.
var lexiconWords = func() []string {
	set := map[string]bool{}
	for text := range phrases {
		for w := range strings.FieldsSeq(text) {
			set[w] = true
		}
	}
	for _, c := range comparators {
		for _, w := range c.words {
			set[w] = true
		}
	}
	for w := range quantityWords {
		set[w] = true
	}
	for w := range monthNumbers {
		set[w] = true
	}
	for _, w := range []string{"percentile", "component", "components", "between", "before", "after", "during", "half", "negative", "positive", "southward", "northward", "available", "parameters", "variables", "datasets", "cadence", "coverage"} {
		set[w] = true
	}
	words := make([]string, 0, len(set))
	for w := range set {
		words = append(words, w)
	}
	slices.Sort(words)
	return words
}()

// lexiconSet holds the same words.
var lexiconSet = wordSet(strings.Join(lexiconWords, " "))

// distance is the number of single-letter edits between two words, where the
// swap of two neighbours counts as one.
func distance(a, b string) int {
	if len(a) > 40 || len(b) > 40 {
		return max(len(a), len(b))
	}
	before, last := make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row := make([]int, len(b)+1)
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last = last, row
	}
	return last[len(b)]
}

package check

import (
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/helios-go/helios/helio/units"
	"github.com/helios-go/helios/helioai/ledger"
)

// synonyms are words that prose uses for the words of entry names.
var synonyms = map[string][]string{
	"max":       {"max", "maximum", "maxima", "peak", "peaked", "peaks", "highest", "strongest", "largest", "greatest", "fastest", "densest", "hottest"},
	"min":       {"min", "minimum", "minima", "lowest", "weakest", "smallest", "slowest", "coldest"},
	"mean":      {"mean", "average", "averaged", "averages", "avg"},
	"median":    {"median"},
	"std":       {"std", "deviation", "sigma", "stddev"},
	"missing":   {"missing", "absent", "gap", "gaps", "invalid"},
	"samples":   {"samples", "sample", "points", "records", "rows", "values"},
	"fraction":  {"fraction", "share", "percentage", "percent", "frac"},
	"magnitude": {"magnitude", "strength"},
	"temp":      {"temp", "temperature"},
	"speed":     {"speed", "velocity"},
}

var canonical = func() map[string]string {
	to := map[string]string{}
	for c, words := range synonyms {
		for _, w := range words {
			to[w] = c
		}
	}
	return to
}()

// words splits a text into lower-case words of letters and digits without
// accents, each reduced to the name of its group of synonyms.
func words(s string) []string {
	fields := strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	for i, w := range fields {
		fields[i] = canon(w)
	}
	return fields
}

var accents = strings.NewReplacer("á", "a", "à", "a", "ä", "a", "â", "a", "é", "e", "è", "e", "ê", "e", "ë", "e",
	"í", "i", "ï", "i", "ó", "o", "ö", "o", "ô", "o", "ú", "u", "ü", "u", "ñ", "n", "ç", "c", "β", "beta", "θ", "theta", "σ", "sigma")

func canon(w string) string {
	w = accents.Replace(w)
	if c, ok := canonical[w]; ok {
		return c
	}
	if s, ok := strings.CutSuffix(w, "s"); ok && len(s) > 3 {
		return s
	}
	return w
}

// nameWords returns the words of an entry's name that must be found around a
// number for the name to be meant. Words that only repeat the unit or the kind
// are left out.
func nameWords(e ledger.Entry, u units.Unit) []string {
	drop := map[string]bool{"n": true, "num": true, "of": true, "the": true, "number": true, "count": true}
	for _, text := range []string{e.Units, u.String()} {
		parts := words(text)
		drop[strings.Join(parts, "")] = true
		for _, w := range parts {
			drop[w] = true
		}
	}
	if isPercent(u) {
		drop["fraction"], drop["pct"] = true, true
	}
	if e.Kind == ledger.KindTime {
		for _, w := range []string{"time", "at", "t", "when", "utc", "epoch"} {
			drop[w] = true
		}
	}
	var out []string
	for i, w := range words(e.Name) {
		if !drop[w] || i == 0 && len(w) > 1 && w != "number" && w != "count" {
			out = append(out, w)
		}
	}
	return out
}

// statistics are the words that tell one value of a quantity from another.
var statistics = map[string]bool{"max": true, "min": true, "mean": true, "median": true, "std": true, "missing": true}

var limits = map[string]bool{"below": true, "above": true, "over": true, "under": true, "threshold": true, "exceeding": true}

// inventory is the origin of what an archive holds as a whole. Such an entry
// confirms and never accuses: its name stands in every id of the dataset, also
// where the answer speaks of an hour of it.
const inventory = "inventory"

// named returns the entry whose name the words around token i spell, or nil.
// All words of the name must be there, at least one of them close to the
// number; the closest wins, then the longer name, then the newer entry.
func (c *checker) named(t token, p place) *known {
	var best *known
	var bestAt int
	if p.change {
		return nil
	}
	for _, k := range c.candidates(p) {
		if t.isTime != (k.Kind == ledger.KindTime) || !t.isTime && !k.scalar() {
			continue
		}
		views, rel := c.relate(k, t)
		if rel != judgeable && !t.isTime {
			continue
		}
		if k.Origin.Tool == inventory && !(t.isTime && k.instants(t.when)) && !(!t.isTime && k.states(t, views)) {
			continue
		}
		at, ok := k.spelled(p, t.isTime)
		if !ok {
			continue
		}
		if best == nil || contains(k.words, best.words) || !contains(best.words, k.words) && (at < bestAt || at == bestAt && len(k.words) > len(best.words)) {
			best, bestAt = k, at
		}
	}
	return best
}

// index files each name under the rarest of its longer words; a name without a
// longer word is never found in prose.
func (c *checker) index(names []*known) {
	uses := map[string]int{}
	for _, k := range names {
		for _, w := range k.words {
			uses[w]++
		}
	}
	c.names = map[string][]*known{}
	for _, k := range names {
		rare := ""
		for _, w := range k.words {
			if len(w) > 2 && (rare == "" || uses[w] < uses[rare]) {
				rare = w
			}
		}
		if rare != "" {
			c.names[rare] = append(c.names[rare], k)
		}
	}
}

// candidates returns the entries of which a word stands in p.
func (c *checker) candidates(p place) []*known {
	var out []*known
	seen := map[string]bool{}
	for _, list := range [][]string{p.before, p.after, p.wide} {
		for _, w := range list {
			if !seen[w] {
				seen[w] = true
				out = append(out, c.names[w]...)
			}
		}
	}
	return out
}

// contains reports whether all words of b are in a and a has more.
func contains(a, b []string) bool {
	for _, w := range b {
		if !slices.Contains(a, w) {
			return false
		}
	}
	return len(a) > len(b)
}

// spelled reports whether the words of the name stand in p, and how far the
// closest is.
func (k *known) spelled(p place, isTime bool) (distance int, ok bool) {
	least := 1
	if k.scalar() && !k.unit.Convertible() || isPlain(k.unit) {
		least = 2 // without a unit one word is too little
	}
	for _, w := range k.words {
		if p.bound != 0 && limits[w] {
			return 0, false // the number is the limit, not the value
		}
	}
	if len(k.words) < least {
		return 0, false
	}
	distance = math.MaxInt
	for i := 0; i < len(k.words); i++ {
		d, found := p.find(k.words[i], isTime)
		if !found && i+1 < len(k.words) && len(k.words[i]) <= 2 && len(k.words[i+1]) <= 2 {
			// "b_x" is written "Bx".
			if d, found = p.find(k.words[i]+k.words[i+1], isTime); found {
				i++
			}
		}
		if !found {
			return 0, false
		}
		distance = min(distance, d)
	}
	// "maximum" beside the number is not the value of a "mean".
	for _, w := range p.before {
		if statistics[w] && !slices.Contains(k.words, w) {
			return 0, false
		}
	}
	return distance, distance < math.MaxInt
}

// heard counts the words of the name that stand in p; a name whose statistic is
// not among them, or beside which another one stands, counts none.
func (k *known) heard(p place) int {
	n := 0
	for _, w := range k.words {
		_, found := p.find(w, false)
		switch {
		case found:
			n++
		case statistics[w]:
			return 0
		}
	}
	for _, w := range p.before {
		if statistics[w] && !slices.Contains(k.words, w) {
			return 0
		}
	}
	return n
}

// find returns how many words away w stands; a word of the wider sentence
// counts as found but infinitely far.
func (p place) find(w string, isTime bool) (distance int, found bool) {
	distance = math.MaxInt
	for i, b := range slices.Backward(p.before) {
		if b == w || len(w) == 2 && i > 0 && p.before[i-1]+b == w {
			distance, found = len(p.before)-i, true
			break
		}
	}
	for i, a := range p.after {
		if a == w && !isTime && i+1 < distance {
			distance, found = i+1, true
		}
	}
	return distance, found || slices.Contains(p.wide, w)
}

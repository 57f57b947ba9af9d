package offline

import (
	"slices"
	"strings"
	"unicode"

	"github.com/helios-go/helios/helio/archive"
)

// A phrase is what the question says about one quantity, before it is looked up.
type phrase struct {
	kind      quantityKind
	component string // "all" for the components of a vector
	frame     string
	species   string
	role      string   // all parameters of this role
	param     string   // a parameter's id
	names     []string // parameters of this very name, by id
	words     []string // each must be among the words of the parameter or of its dataset
	homes     []string // each must be among the words of the dataset
	soft      []string // words that decide between parameters but need not be met
	lent      *phrase  // what its neighbours in a list say, met where possible
	text      string
}

// partial says that the phrase names no quantity by itself: "y", "GSM", "at Geotail".
func (ph *phrase) partial() bool {
	return ph.kind == "" && ph.role == "" && ph.param == "" && len(ph.names) == 0 && len(ph.words) == 0
}

// homeOnly says that the phrase only names a mission or a dataset.
func (ph *phrase) homeOnly() bool {
	return ph.partial() && ph.component == "" && ph.frame == "" && ph.species == "" && len(ph.homes) > 0
}

// merge adds what q says. It reports false, and changes nothing, when the two
// contradict each other and so speak of two quantities.
func (ph *phrase) merge(q *phrase) bool {
	clash := func(a, b string) bool { return a != "" && b != "" && a != b }
	if clash(string(ph.kind), string(q.kind)) || clash(ph.component, q.component) || clash(ph.frame, q.frame) ||
		clash(ph.species, q.species) || clash(ph.param, q.param) || len(ph.names) > 0 && len(q.names) > 0 {
		return false
	}
	first := func(a, b string) string {
		if a != "" {
			return a
		}
		return b
	}
	ph.kind = quantityKind(first(string(ph.kind), string(q.kind)))
	ph.component, ph.frame = first(ph.component, q.component), first(ph.frame, q.frame)
	ph.species, ph.param = first(ph.species, q.species), first(ph.param, q.param)
	ph.names = append(ph.names, q.names...)
	ph.words = append(ph.words, q.words...)
	ph.homes = append(ph.homes, q.homes...)
	ph.soft = append(ph.soft, q.soft...)
	return true
}

// A quantityWord is what one word says about a quantity.
type quantityWord struct {
	phrase
	weak bool // an adjective: its kind counts only when no noun names another
}

var quantityWords = buildQuantityWords()

func buildQuantityWords() map[string]quantityWord {
	m := map[string]quantityWord{}
	add := func(words string, kind quantityKind, component string) {
		for w := range strings.FieldsSeq(words) {
			m[w] = quantityWord{phrase: phrase{kind: kind, component: component}}
		}
	}
	weak := func(words string, kind quantityKind) {
		for w := range strings.FieldsSeq(words) {
			m[w] = quantityWord{phrase: phrase{kind: kind, soft: []string{w}}, weak: true}
		}
	}
	add("field fields champ champs b bfield imf b_field", kindField, "")
	add("|b| btot bmag btotal b_tot b_total b_mag absb bmagnitude", kindField, "mag")
	add("speed speeds vsw v_sw |v| vitesse vtot", kindSpeed, "mag")
	add("velocity velocities v", kindSpeed, "")
	add("density densities densite concentration", kindDensity, "")
	add("temperature temperatures temp", kindTemperature, "")
	add("energy energies energie", kindEnergy, "")
	add("pressure pressures pression", kindPressure, "")
	add("position positions far", kindPosition, "")
	add("distance distances", kindPosition, "mag")
	add("magnitude strength intensity intensite module modulus norm norme total totale", "", "mag")
	add("x", "", "x")
	add("y", "", "y")
	add("z", "", "z")
	add("radial radiale", "", "r")
	add("tangential tangentielle", "", "t")
	add("normal normale", "", "n")
	add("components composantes vector vectors vecteur", "", "all")
	for _, c := range []string{"x", "y", "z", "r", "t", "n"} {
		add("b"+c+" b_"+c, kindField, c)
		add("v"+c+" v_"+c+" u"+c, kindSpeed, c)
	}
	weak("magnetic magnetique magnetiques mag", kindField)
	weak("flow bulk stream ecoulement", kindSpeed)
	add("angle angles", kindAngle, "")
	add("flag flags", kindFlag, "")
	for _, w := range []string{"np", "n_p", "nproton"} {
		m[w] = quantityWord{phrase: phrase{kind: kindDensity, species: "proton"}}
	}
	m["tp"] = quantityWord{phrase: phrase{kind: kindTemperature, species: "proton"}}
	for _, w := range []string{"gse", "gsm", "rtn", "geo", "gei", "hee", "hci", "hgi", "hae", "heeq", "sm"} {
		m[w] = quantityWord{phrase: phrase{frame: strings.ToUpper(w)}}
	}
	for w, s := range speciesWords {
		m[w] = quantityWord{phrase: phrase{species: s}}
	}
	for w := range strings.FieldsSeq("plasma number scalar average avg local cartesian level magnetometer") {
		if _, taken := m[w]; !taken {
			m[w] = quantityWord{phrase: phrase{soft: []string{w}}, weak: true}
		}
	}
	return m
}

// readIDs replaces full parameter ids and dataset names, which are the longest
// and surest names.
func (p *parser) readIDs() {
	for i := range p.catalog.datasets {
		d := &p.catalog.datasets[i]
		for k := range d.Parameters {
			p.replaceText(d.Parameters[k].ID, &phrase{param: d.Parameters[k].ID, text: d.Parameters[k].ID})
		}
	}
	for i := range p.catalog.datasets {
		id := p.catalog.datasets[i].ID
		p.replaceText(id+".cdf", &phrase{homes: []string{strings.ToLower(id)}, text: id})
		p.replaceText(id+".csv", &phrase{homes: []string{strings.ToLower(id)}, text: id})
		p.replaceText(id, &phrase{homes: []string{strings.ToLower(id)}, text: id})
	}
}

// replaceText replaces the tokens that make up a name, wherever it stands alone.
func (p *parser) replaceText(name string, ph *phrase) {
	if len(name) < 3 {
		return
	}
	text, name := asciiLower(p.text), asciiLower(name)
	for from := 0; ; {
		at := strings.Index(text[from:], name)
		if at < 0 {
			return
		}
		start, end := from+at, from+at+len(name)
		from = end
		if start > 0 && isNameByte(text[start-1]) || end < len(text) && isNameByte(text[end]) {
			continue
		}
		i := slices.IndexFunc(p.tokens, func(t token) bool { return t.start >= start })
		j := i
		for j >= 0 && j < len(p.tokens) && p.tokens[j].end <= end {
			j++
		}
		if i < 0 || j == i || p.tokens[i].start != start || p.tokens[j-1].end != end {
			continue
		}
		if slices.ContainsFunc(p.tokens[i:j], func(t token) bool { return t.kind == itemToken }) {
			continue
		}
		one := *ph
		p.replace(i, j-i, &item{kind: quantityItem, quantity: &one})
	}
}

func isNameByte(c byte) bool { return isWordByte(c) || c == '/' }

// readNames replaces the names of parameters as the files write them. Names of
// one or two letters must be in the files' own capitals, and none may be a
// common word in small letters.
func (p *parser) readNames() {
	byName := map[string][]string{}
	for _, l := range p.catalog.leaves {
		for _, name := range []string{l.param.Name, asciiLower(l.param.Name)} {
			if !slices.Contains(byName[name], l.param.ID) {
				byName[name] = append(byName[name], l.param.ID)
			}
		}
	}
	for i := range p.tokens {
		t := p.tokens[i]
		if t.kind != wordToken {
			continue
		}
		ids := byName[t.orig]
		if ids == nil && (len(t.orig) > 2 || strings.ContainsAny(t.orig, "_0123456789")) && !commonWord(t.text) {
			ids = byName[t.text]
		}
		if ids == nil || commonWord(t.orig) && !distinctive(t.orig) {
			continue
		}
		p.replace(i, 1, &item{kind: quantityItem, quantity: &phrase{names: ids, text: t.orig}})
	}
}

// commonWord says that a word has a meaning in the planner's own lexicon.
func commonWord(w string) bool {
	_, quantity := quantityWords[w]
	_, phrase := phrases[w]
	return quantity || phrase || fillers[w] || beyond[w] != ""
}

// distinctive says that a word is written like the name of a variable.
func distinctive(w string) bool {
	return strings.ContainsAny(w, "_0123456789") || strings.IndexFunc(w[1:], unicode.IsUpper) >= 0 || len(w) == 1 && unicode.IsUpper(rune(w[0]))
}

// readQuantities gathers the words that speak of one quantity into one item.
// Filler words may stand between them; anything else ends the phrase.
func (p *parser) readQuantities() {
	for i := 0; p.has(i); i++ {
		first := p.quantityAt(i)
		if first == nil {
			continue
		}
		whole, end, apart := *first, i+1, false // apart: words stand between its words
		whole.words = slices.Clone(whole.words)
		for j := i + 1; j < len(p.tokens); j++ {
			if next := p.quantityAt(j); next != nil {
				if !whole.join(next) {
					if j > end || apart {
						p.clash = p.written(i, j+1)
					}
					break
				}
				apart = apart || j > end
				end = j + 1
				continue
			}
			if w := p.word(j); !fillers[w] && !p.is(j, "component", "components", "composante", "along", "axis") {
				break
			}
		}
		whole.finish()
		text := p.written(i, end)
		whole.phrase.text = text
		p.replace(i, end-i, &item{kind: quantityItem, quantity: &whole.phrase})
	}
}

// isCount says that token j is the number of "the 3 components" or "all three
// GSE components".
func (p *parser) isCount(j int) bool {
	if j < 0 || j >= len(p.tokens) {
		return false
	}
	number := p.tokens[j].kind == numberToken && (p.tokens[j].number == 3 || p.tokens[j].number == 2)
	return (number || p.is(j, "two", "three", "trois", "deux")) && p.is(p.skip(j+1, "magnetic", "field", "velocity", "gse", "gsm", "rtn", "position"), "components", "composantes")
}

// join merges two words of a phrase. An adjective gives way to a noun of
// another kind and stays as a word that must be met.
func (q *quantityWord) join(next *quantityWord) bool {
	a, b := *q, *next
	if a.kind != "" && b.kind != "" && a.kind != b.kind {
		switch {
		case a.weak:
			a.words = append(slices.Clone(a.words), a.soft...)
			a.kind, a.soft = "", nil
		case b.weak:
			b.words = append(slices.Clone(b.words), b.soft...)
			b.kind, b.soft = "", nil
		default:
			return false
		}
	}
	if a.component == "all" && b.component != "" {
		a.component = "" // "the x and y components" after "x"
	} else if b.component == "all" && a.component != "" {
		b.component = ""
	} else if a.component == "mag" && a.kind != "" && b.component != "" && b.kind == "" && b.component != "mag" {
		a.component = "" // "the speed along x"
	}
	if !a.merge(&b.phrase) {
		return false
	}
	a.weak = (a.weak || q.kind == "") && (b.weak || b.kind == "")
	*q = a
	return true
}

// finish settles what only the whole phrase tells.
func (q *quantityWord) finish() {
	if q.component == "mag" && (q.kind == kindDensity || q.kind == kindTemperature || q.kind == kindPressure || q.kind == kindEnergy) {
		q.component = ""
		q.words = append(q.words, "total")
	}
	if q.kind == kindPressure { // of pressures the adjective says which
		for _, w := range q.soft {
			if w != "average" && w != "avg" && w != "local" {
				q.words = append(q.words, w)
			}
		}
	}
}

// quantityAt returns what token i says about a quantity, nil when nothing.
func (p *parser) quantityAt(i int) *quantityWord {
	if it := p.itemAt(i); it != nil {
		if it.kind == quantityItem {
			return &quantityWord{phrase: *it.quantity}
		}
		return nil
	}
	if p.isCount(i) {
		return &quantityWord{phrase: phrase{component: "all"}}
	}
	w := p.word(i)
	if w == "" || p.tokens[i].kind != wordToken {
		return nil
	}
	switch w {
	case windMission:
		if p.catalog.homes["wind"] {
			return &quantityWord{phrase: phrase{homes: []string{"wind"}}}
		}
		return nil
	case "by":
		if !p.byIsComponent(i) {
			return nil
		}
	case "r", "t", "n":
		if p.is(i+1, "component", "composante") {
			return &quantityWord{phrase: phrase{component: w}}
		}
		return nil
	case "b", "v", "x", "y", "z":
	case "total", "totale":
		if p.is(i-1, "in", "au") {
			return nil
		}
	case "far":
		if !p.is(i-1, "how") {
			return nil
		}
	}
	if q, ok := quantityWords[w]; ok {
		return &q
	}
	if q := p.splitName(w); q != nil {
		return q
	}
	if len(w) < 2 || fillers[w] || beyond[w] != "" && w != "rms" || countsOrRanks(w) {
		return nil
	}
	if p.catalog.missions[w] {
		return &quantityWord{phrase: phrase{homes: []string{w}}}
	}
	if p.catalog.words[w] {
		return &quantityWord{phrase: phrase{words: []string{w}}}
	}
	if p.catalog.homes[w] {
		return &quantityWord{phrase: phrase{homes: []string{w}}}
	}
	// The plural or another ending of a word that the data use.
	if stem := strings.TrimSuffix(w, "s"); stem != w && len(stem) > 3 && p.catalog.words[stem] {
		return &quantityWord{phrase: phrase{words: []string{stem}}}
	}
	return nil
}

// countsOrRanks says that a word is a number, a rank or a length of time. Where
// descriptions hold such words ("non-zero value indicates", "16-second data")
// they name nothing: "the second largest" speaks of no 16-second data.
func countsOrRanks(w string) bool {
	_, number := numberWords[w]
	return number || partWords[w] != "" || shareWords[w] != "" || calendarUnits[w] != 0
}

// byIsComponent tells the component By from the preposition.
func (p *parser) byIsComponent(i int) bool {
	if p.tokens[i].orig != "by" {
		return true
	}
	// A preposition is followed by what it speaks of.
	next := p.itemAt(i + 1)
	if i+1 >= len(p.tokens) || next != nil && (next.kind == separatorItem || next.kind == conditionItem) || p.is(i+1, "gse", "gsm", "component", "in", "(", ",", "?", ".", "and", "below", "above") {
		return true
	}
	around := func(j int) bool { return p.is(j, "bx", "bz") }
	return around(i-1) || around(i+1) || around(i-2) && p.is(i-1, ",") || around(i+2)
}

// splitName reads compounds such as Bz_GSM, BzGSM, bx_gse.
func (p *parser) splitName(w string) *quantityWord {
	for _, frame := range []string{"gse", "gsm", "rtn"} {
		stem, found := strings.CutSuffix(w, frame)
		stem = strings.TrimRight(stem, "_")
		if q, ok := quantityWords[stem]; found && ok && q.frame == "" {
			q.frame = strings.ToUpper(frame)
			return &q
		}
	}
	return nil
}

// nearestNames are the parameters whose names or descriptions look most like a
// word, best first.
func (c *catalog) nearestNames(word string, n int) []string {
	type scored struct {
		id    string
		score int
	}
	var all []scored
	seen := map[string]bool{}
	word = strings.ToLower(word)
	for _, l := range c.leaves {
		if l.param.Role != "data" || seen[l.param.ID] {
			continue
		}
		seen[l.param.ID] = true
		name := strings.ToLower(l.param.Name)
		d := distance(word, name)
		if strings.Contains(name, word) || strings.Contains(word, name) && len(name) > 1 {
			d = min(d, 1)
		}
		for w := range l.words {
			if len(w) > 3 {
				d = min(d, distance(word, w)+1)
			}
		}
		all = append(all, scored{l.param.ID, d})
	}
	slices.SortStableFunc(all, func(a, b scored) int { return a.score - b.score })
	var out []string
	for _, s := range all[:min(n, len(all))] {
		_, _, name, err := archive.SplitID(s.id)
		if err != nil {
			name = s.id
		}
		out = append(out, name)
	}
	return out
}

package offline

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/helios-go/helios/helio/archive"
	"github.com/helios-go/helios/helio/tt"
	"github.com/helios-go/helios/helio/units"
)

// A quantityKind is what sort of thing a parameter measures, as far as its unit
// and its words tell.
type quantityKind string

// The kinds of quantities.
const (
	kindField       quantityKind = "magnetic field"
	kindSpeed       quantityKind = "velocity"
	kindDensity     quantityKind = "density"
	kindTemperature quantityKind = "temperature"
	kindEnergy      quantityKind = "energy"
	kindPressure    quantityKind = "pressure"
	kindPosition    quantityKind = "position"
	kindAngle       quantityKind = "angle"
	kindFlag        quantityKind = "flag"
	kindOther       quantityKind = "other"
)

// magnitudeColumn is the column number of a vector's length, which no file holds.
const magnitudeColumn = -1

// A leaf is one column that a question can be about: a scalar, a component of a
// vector, or a vector's length.
type leaf struct {
	param   *archive.Parameter
	dataset *archive.Dataset
	column  int    // magnitudeColumn for the length of the vector
	width   int    // how many columns the parameter has
	label   string // as a reader would say it: "Bz (GSM)"

	kind      quantityKind
	component string // x y z r t n, "mag" for a length, "" where it has no meaning
	frame     string // "GSE", "GSM", "RTN", ...; "" where unknown
	species   string // "ion", "proton", "electron", ...; "" where unknown
	special   bool   // an rms, an error, a thermal speed: never meant unless asked for
	words     map[string]bool
}

// directed says that the values have a sign that tells a direction.
func (l *leaf) directed() bool { return l.component != "" && l.component != "mag" }

// coverage of the leaf's time axis.
func (l *leaf) coverage() coverage {
	start, stop := l.param.Start, l.param.Stop
	if start == tt.Fill || stop == tt.Fill {
		return coverage{}
	}
	return coverage{start: start.UTC(), stop: stop.UTC(), cadence: l.param.Cadence}
}

// A catalog is the inventory of an archive, prepared for looking up what words
// may mean. It is immutable.
type catalog struct {
	datasets []archive.Dataset
	leaves   []*leaf
	words    map[string]bool // of all parameters
	homes    map[string]bool // of all datasets: missions, instruments, ids
	missions map[string]bool // of all datasets: missions alone
	names    map[string]bool // parameter names as written
	dataset  map[string]map[string]bool
}

func newCatalog(datasets []archive.Dataset) *catalog {
	c := &catalog{
		datasets: datasets, words: map[string]bool{}, homes: map[string]bool{}, missions: map[string]bool{}, names: map[string]bool{},
		dataset: map[string]map[string]bool{},
	}
	for i := range datasets {
		d := &datasets[i]
		home := wordsOf(d.ID, d.Title, d.Mission, d.Instrument)
		home[strings.ToLower(d.ID)] = true
		c.dataset[d.ID] = home
		for w := range wordsOf(d.Mission) {
			c.missions[w] = true
		}
		for w := range home {
			c.homes[w] = true
		}
		for k := range d.Parameters {
			p := &d.Parameters[k]
			if p.Role == "metadata" {
				continue
			}
			c.names[p.Name] = true
			for _, l := range leavesOf(d, p) {
				c.leaves = append(c.leaves, l)
				for w := range l.words {
					c.words[w] = true
				}
			}
		}
	}
	return c
}

// leavesOf makes the leaves of one parameter.
func leavesOf(d *archive.Dataset, p *archive.Parameter) []*leaf {
	width := max(1, len(p.Columns))
	words := wordsOf(append([]string{p.Name, p.Description}, p.Columns...)...)
	base := leaf{
		param: p, dataset: d, width: width, words: words,
		kind: kindOf(p, words), frame: frameOf(p), species: speciesOf(p, words),
		special: slices.ContainsFunc(slices.Collect(maps.Keys(words)), func(w string) bool { return specialWords[w] }),
	}
	var leaves []*leaf
	var seen []string
	for i := range width {
		l := base
		l.column = i
		label := p.Name
		if len(p.Columns) > i && strings.TrimSpace(p.Columns[i]) != "" {
			label = strings.TrimSpace(p.Columns[i])
		}
		l.component = l.componentOf(label)
		l.label = l.labelOf(label)
		seen = append(seen, l.component)
		leaves = append(leaves, &l)
	}
	if vectorKind(base.kind) && slices.Contains([]string{"xyz", "rtn"}, strings.Join(seen, "")) {
		l := base
		l.column, l.component = magnitudeColumn, "mag"
		l.label = "length of " + shortDescription(p.Description)
		if l.label == "length of " {
			l.label += p.Name
		}
		leaves = append(leaves, &l)
	}
	return leaves
}

func vectorKind(k quantityKind) bool {
	return k == kindField || k == kindSpeed || k == kindPosition
}

var (
	wordRuns      = regexp.MustCompile(`[A-Za-z0-9+]+`)
	camelEdges    = regexp.MustCompile(`([a-z])([A-Z])`)
	componentName = regexp.MustCompile(`^[a-z<|]{0,4}[_ ]?([xyzrtn])(?:[_ ]?(?:gse|gsm|rtn|sm|geo|gei|hee|hci|hgi))?$`)
	componentWord = regexp.MustCompile(`\b(?:[bvujep]_?)?([xyzrtn])(?:[-_ ]?(?:component|comp))?\b`)
	frameWord     = regexp.MustCompile(`(?i)(?:^|[^a-z])(gse|gsm|rtn|geo|gei|hee|hci|hgi|hae|heeq)(?:[^a-z]|$)`)
	frameSuffix   = regexp.MustCompile(`(?i)(gse|gsm|rtn)c?$`)
)

// wordsOf cuts texts into lower-case words; names are cut at underscores and at
// capitals, and kept whole as well.
func wordsOf(texts ...string) map[string]bool {
	words := map[string]bool{}
	for _, text := range texts {
		text = accents.Replace(text)
		for _, w := range wordRuns.FindAllString(text, -1) {
			words[strings.ToLower(w)] = true
		}
		for _, w := range wordRuns.FindAllString(camelEdges.ReplaceAllString(text, "$1 $2"), -1) {
			words[strings.ToLower(w)] = true
		}
	}
	return words
}

func anyWord(words map[string]bool, wanted ...string) bool {
	return slices.ContainsFunc(wanted, func(w string) bool { return words[w] })
}

// kindOf reads the kind from the unit first, which says it more reliably than
// the words do.
func kindOf(p *archive.Parameter, words map[string]bool) quantityKind {
	if anyWord(words, "flag", "quality", "status") {
		return kindFlag
	}
	u := units.Parse(p.Units)
	if u.Class() == units.Unspecified {
		return kindOfWords(p, words)
	}
	compatible := func(with string) bool { return u.Compatible(units.Parse(with)) }
	switch {
	case u.Class() != units.Measured:
		return kindOther
	case compatible("nT"):
		return kindField
	case compatible("km/s"):
		return kindSpeed
	case compatible("cm^-3"):
		return kindDensity
	case compatible("K"), compatible("eV") && anyWord(words, "temperature", "temp"):
		return kindTemperature
	case compatible("eV"):
		return kindEnergy
	case compatible("Pa"):
		return kindPressure
	case compatible("deg"):
		return kindAngle
	case compatible("km") && anyWord(words, "pos", "position", "location", "distance", "xyz", "orbit", "radius", "ephemeris"):
		return kindPosition
	}
	return kindOther
}

// kindOfWords reads the kind from the name alone, for files that tell no units.
func kindOfWords(p *archive.Parameter, words map[string]bool) quantityKind {
	if q, ok := quantityWords[strings.ToLower(p.Name)]; ok && q.kind != "" && !q.weak {
		return q.kind
	}
	for _, k := range []struct {
		kind  quantityKind
		words []string
	}{
		{kindDensity, []string{"density"}}, {kindTemperature, []string{"temperature"}}, {kindPressure, []string{"pressure"}},
		{kindSpeed, []string{"speed", "velocity"}}, {kindField, []string{"magnetic", "field"}},
	} {
		if anyWord(words, k.words...) {
			return k.kind
		}
	}
	return kindOther
}

// componentOf reads which component a column is from its label or, for a
// scalar, from its name.
func (l *leaf) componentOf(label string) string {
	if !vectorKind(l.kind) && l.kind != kindOther {
		return ""
	}
	if l.width > 1 {
		// Of "ACE X-GSE" the frame must not lend its letters.
		text := frameWord.ReplaceAllString(strings.ToLower(label), " ")
		if m := componentWord.FindStringSubmatch(text); m != nil {
			return m[1]
		}
		return ""
	}
	for _, text := range []string{l.param.Name, label} {
		if m := componentName.FindStringSubmatch(strings.ToLower(text)); m != nil && len(text) > 1 {
			return m[1]
		}
	}
	if vectorKind(l.kind) {
		return "mag"
	}
	return ""
}

// labelOf is the label with its frame, for people.
func (l *leaf) labelOf(label string) string {
	if l.width == 1 {
		if d := shortDescription(l.param.Description); d != "" {
			return withoutStatistics(d)
		}
		return l.param.Name
	}
	label = strings.Join(strings.Fields(label), " ")
	if l.frame != "" && !strings.Contains(strings.ToUpper(label), l.frame) {
		label += " (" + l.frame + ")"
	}
	return label
}

var bracketed = regexp.MustCompile(`\([^()]*\)`)

// shortDescription is a description without its details.
func shortDescription(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) || unicode.IsSpace(r) {
			return r
		}
		return -1
	}, text)
	text = bracketed.ReplaceAllString(text, " ")
	if i := strings.IndexAny(text, "(,;|<[:"); i > 0 {
		text = text[:i]
	}
	text = strings.Join(strings.Fields(text), " ")
	if len(text) > 70 {
		return ""
	}
	return text
}

// withoutStatistics leaves "average" and the like out of a label: beside "below
// 5 nT" they would read as a statistic of the answer.
func withoutStatistics(label string) string {
	words := strings.Fields(label)
	kept := slices.DeleteFunc(slices.Clone(words), func(w string) bool {
		return slices.Contains([]string{"average", "avg", "avg.", "averaged", "mean", "minimum", "maximum", "peak"}, strings.ToLower(w))
	})
	if len(kept) == 0 {
		return label
	}
	return strings.Join(kept, " ")
}

// frameOf is the frame that the archive knows, or the one that the words tell.
func frameOf(p *archive.Parameter) string {
	if p.Frame != "" {
		return strings.ToUpper(p.Frame)
	}
	for _, text := range append([]string{p.Name, p.Description}, p.Columns...) {
		if m := frameWord.FindStringSubmatch(strings.ReplaceAll(text, "_", " ")); m != nil {
			return strings.ToUpper(m[1])
		}
	}
	if m := frameSuffix.FindStringSubmatch(p.Name); m != nil {
		return strings.ToUpper(m[1])
	}
	return ""
}

var speciesWords = map[string]string{
	"ion": "ion", "ions": "ion", "ionic": "ion", "ionique": "ion", "proton": "proton", "protons": "proton", "h+": "proton",
	"electron": "electron", "electrons": "electron", "electronique": "electron", "alpha": "alpha", "alphas": "alpha", "helium": "alpha", "he++": "alpha", "oxygen": "oxygen", "o+": "oxygen",
}

// speciesOf names the particle that the parameter is about. The name and the
// first words of the description decide, for later words tell details.
func speciesOf(p *archive.Parameter, words map[string]bool) string {
	for _, text := range []string{p.Description, p.Name} {
		for _, w := range wordRuns.FindAllString(text, -1) {
			if s := speciesWords[strings.ToLower(w)]; s != "" {
				return s
			}
		}
	}
	for w := range words {
		if w == "np" {
			return "proton"
		}
	}
	return ""
}

// namesQuantity reports whether a word begins the name of a quantity.
func (c *catalog) namesQuantity(word string) bool {
	if word == "" {
		return false
	}
	_, known := quantityWords[word]
	return known || c.names[strings.ToUpper(word)] || c.words[word] && !fillers[word]
}

// overlaps reports whether a window holds some of the leaf's coverage.
func (l *leaf) overlaps(w window) bool {
	c := l.coverage()
	if c.start.IsZero() {
		return false
	}
	if !w.instant.IsZero() {
		reach := max(5*c.cadence, time.Minute)
		return !w.instant.Before(c.start.Add(-reach)) && !w.instant.After(c.stop.Add(reach))
	}
	return (w.start.IsZero() || !w.start.After(c.stop)) && (w.stop.IsZero() || w.stop.After(c.start))
}

package offline

import (
	"fmt"
	"slices"
	"strings"

	"github.com/helios-go/helios/helio/units"
)

// A formula is a plasma formula with the values that the question gives.
type formula struct {
	tool   string
	name   string // for people
	given  []given
	args   map[string]any
	want   string // unit of the answer; "" for the tool's own
	result string // field of the tool's result; "" for the first
}

// given is one input as the answer repeats it.
type given struct{ symbol, value, unit string }

type formulaSpec struct {
	tool, name string
	inputs     []string // argument names
	particle   bool
}

var formulas = buildFormulas([]struct {
	words string
	spec  formulaSpec
}{
	{"alfven speed|alfven velocity|alfvenic speed|vitesse d alfven|vitesse alfven|alfven wave speed|v_a|va|alfven", formulaSpec{"alfven_speed", "Alfven speed", []string{"B_nT", "n_cm3"}, false}},
	{"plasma beta|beta plasma|beta", formulaSpec{"plasma_beta", "plasma beta", []string{"B_nT", "n_cm3", "T_eV"}, false}},
	{"debye length|debye|longueur debye|longueur de debye", formulaSpec{"debye_length", "Debye length", []string{"n_cm3", "T_eV"}, false}},
	{"gyrofrequency|gyro frequency|cyclotron frequency|larmor frequency|gyroperiod|gyro period|cyclotron period|larmor period|frequence cyclotron|gyrofrequence|frequence gyro", formulaSpec{"gyrofrequency", "gyrofrequency", []string{"B_nT"}, true}},
	{"inertial length|skin depth|inertial scale|longueur d inertie|longueur inertie|longueur inertielle", formulaSpec{"inertial_length", "inertial length", []string{"n_cm3"}, true}},
})

// A formulaName is a formula with the phrases that name it.
type formulaName struct {
	phrases [][]string
	spec    formulaSpec
}

func buildFormulas(rows []struct {
	words string
	spec  formulaSpec
}) []formulaName {
	var out []formulaName
	for _, r := range rows {
		out = append(out, formulaName{splitPhrases(r.words), r.spec})
	}
	return out
}

// relatives are formulas that look like the five but are not offered.
var relatives = splitPhrases("gyroradius|gyroradii|larmor radius|plasma frequency|sound speed|magnetosonic|mach|parker spiral|dynamic pressure|ram pressure|magnetic pressure|thermal pressure|standoff|shue|magnetopause|bow shock|bowshock")

// readFormula reads a question about a formula. It returns nil, nil when the
// question is about something else.
func (p *parser) readFormula() (*formula, *refusal) {
	var spec *formulaSpec
	at, length := 0, 0
	for i := range p.tokens {
		for _, r := range relatives {
			if p.phraseAt(i, r) > 0 {
				return nil, refuse("%q is not among its formulas or data", strings.Join(r, " "))
			}
		}
		for k := range formulas {
			for _, words := range formulas[k].phrases {
				if n := p.phraseAt(i, words); n > length {
					spec, at, length = &formulas[k].spec, i, n
				}
			}
		}
	}
	if spec == nil {
		return nil, nil
	}
	f := &formula{tool: spec.tool, name: spec.name, args: map[string]any{}}
	words := p.written(at, at+length)
	if strings.Contains(strings.ToLower(words), "period") {
		f.name, f.result = "gyroperiod", "period_s"
	}
	rest := slices.Delete(slices.Clone(p.tokens), at, at+length)
	q := &parser{text: p.text, tokens: rest, catalog: p.catalog}
	q.correctGivens()
	r := q.readGivens(f, spec)
	if r == nil {
		r = q.formulaLeftovers(spec)
	}
	if r != nil {
		return nil, r
	}
	for _, name := range spec.inputs {
		if _, ok := f.args[name]; !ok {
			return nil, &refusal{reason: "the " + spec.name + " needs " + inputNames(spec.inputs) + ", and not all of them are given",
				hint: "Give the values in the question, as in: " + formulaExample(spec) + "."}
		}
	}
	return f, nil
}

// correctGivens turns year-like numbers back into numbers: a formula has no dates.
func (p *parser) correctGivens() {
	for i := range p.tokens {
		if p.tokens[i].kind == momentToken {
			p.tokens[i].kind = wordToken
		}
	}
}

var inputWords = map[string]string{"B_nT": "the field (nT)", "n_cm3": "the density (cm^-3)", "T_eV": "the temperature (eV)"}

func inputNames(inputs []string) string {
	var names []string
	for _, in := range inputs {
		names = append(names, inputWords[in])
	}
	if len(names) == 1 {
		return names[0]
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}

func formulaExample(spec *formulaSpec) string {
	var values []string
	for _, in := range spec.inputs {
		values = append(values, map[string]string{"B_nT": "5 nT", "n_cm3": "5 cm^-3", "T_eV": "10 eV"}[in])
	}
	return spec.name + " for " + strings.Join(values, " and ")
}

// inputUnits are the units of the tools' arguments.
var inputUnits = map[string]string{"B_nT": "nT", "n_cm3": "cm^-3", "T_eV": "eV"}

// symbols name the input that a number without a unit belongs to.
var symbols = map[string]string{
	"b": "B_nT", "|b|": "B_nT", "field": "B_nT", "champ": "B_nT",
	"n": "n_cm3", "ne": "n_cm3", "ni": "n_cm3", "np": "n_cm3", "density": "n_cm3", "densite": "n_cm3",
	"t": "T_eV", "te": "T_eV", "ti": "T_eV", "tp": "T_eV", "temperature": "T_eV",
}

// readGivens takes each number with its unit, or with the symbol before it.
func (p *parser) readGivens(f *formula, spec *formulaSpec) *refusal {
	used := make([]bool, len(p.tokens))
	for i := range p.tokens {
		if used[i] || p.tokens[i].kind != numberToken {
			continue
		}
		unit, n := p.unitAt(i + 1)
		if unit == "" && p.is(i+1, "k") {
			unit, n = "K", 1
		}
		j := i - 1
		for p.is(j, "=", "of", "is", "a", ":", "de", "about", "strength") {
			j--
		}
		symbol := ""
		if p.has(j) && !used[j] {
			symbol = symbols[p.word(j)]
		}
		name, r := f.give(p.tokens[i], unit, symbol, spec)
		if r != nil {
			return r
		}
		if symbol != name {
			j = i
		}
		for k := j; k <= i+n; k++ {
			used[k] = true
		}
	}
	var rest []token
	for i, t := range p.tokens {
		if !used[i] {
			rest = append(rest, t)
		}
	}
	p.tokens = rest
	return p.readParticle(f, spec)
}

// give takes one number as an input of the formula, by its unit or else by its
// symbol, and returns the input's name.
func (f *formula) give(number token, unit, symbol string, spec *formulaSpec) (string, *refusal) {
	name := symbol
	if unit != "" {
		if name = inputOfUnit(unit, spec); name == "" {
			return "", refuse("the %s takes no value in %s", spec.name, unit)
		}
	}
	if !slices.Contains(spec.inputs, name) {
		return "", refuse("to which input of the %s the number %s belongs is not clear", spec.name, number.orig)
	}
	if _, twice := f.args[name]; twice {
		return "", refuse("it gives %s more than once", inputWords[name])
	}
	if unit == "" {
		unit = inputUnits[name]
	}
	c, err := convertUnits(unit, inputUnits[name])
	if err != nil {
		return "", refuse("%v", err)
	}
	f.args[name] = number.number * c.factor
	f.given = append(f.given, given{symbol: inputSymbols[name], value: number.orig, unit: unit})
	return name, nil
}

// inputSymbols are how an answer writes the inputs.
var inputSymbols = map[string]string{"B_nT": "B", "n_cm3": "n", "T_eV": "T"}

func inputOfUnit(unit string, spec *formulaSpec) string {
	for _, in := range spec.inputs {
		if _, err := convertUnits(unit, inputUnits[in]); err == nil && units.Parse(unit).Class() == units.Measured {
			return in
		}
	}
	return ""
}

// readParticle takes the particle and the wanted unit or form of the result.
func (p *parser) readParticle(f *formula, spec *formulaSpec) *refusal {
	for i := 0; p.has(i); i++ {
		particle := map[string]string{"ion": "proton", "proton": "proton", "electron": "electron", "alpha": "alpha"}[speciesWords[p.word(i)]]
		if particle == "" {
			continue
		}
		if !spec.particle {
			return refuse("the %s here is that of a plasma of protons, and %q asks for more", spec.name, p.word(i))
		}
		if old, ok := f.args["particle"]; ok && old != particle {
			return refuse("it names two particles")
		}
		f.args["particle"] = particle
		p.tokens = slices.Delete(p.tokens, i, i+1)
		i--
	}
	for i := 0; p.has(i); i++ {
		if p.is(i, "angular") && f.tool == "gyrofrequency" {
			f.name, f.result = "angular gyrofrequency", "angular_frequency_rad_s"
			p.tokens = slices.Delete(p.tokens, i, i+1)
			i--
			continue
		}
		if p.is(i, "in", "en") {
			if unit, n := p.unitAt(i + 1); n > 0 {
				f.want = unit
				p.tokens = slices.Delete(p.tokens, i, i+1+n)
				i--
			}
		}
	}
	return nil
}

// formulaLeftovers refuses a question that says more than the formula and its
// values, such as where to take them from.
func (p *parser) formulaLeftovers(spec *formulaSpec) *refusal {
	allowed := wordSet("what there here quelle quel for and with , . ? ; : ! = @ when given if plasma magnetic field density number temperature strength b n t et pour avec une un hydrogen pure where of")
	for _, t := range p.tokens {
		if fillers[t.text] || allowed[t.text] || symbols[t.text] != "" && len(t.text) > 1 {
			continue
		}
		return &refusal{reason: fmt.Sprintf("%q is more than the %s with given values", p.text[t.start:t.end], spec.name),
			hint: "Give the values in the question, as in: " + formulaExample(spec) + "."}
	}
	return nil
}

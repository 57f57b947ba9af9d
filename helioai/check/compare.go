package check

import (
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/helios-go/helios/helio/units"
	"github.com/helios-go/helios/helioai/ledger"
)

// rtol is how far two numbers may be apart, relative to the recorded one.
const rtol = 5e-3

// known is a ledger entry prepared for comparisons.
type known struct {
	ledger.Entry
	unit  units.Unit
	group int      // of the entries that stand alike to every unit
	slug  string   // the name without case and punctuation
	words []string // of the name, for the words around a number
}

// group is what decides how an entry stands to the unit of a number.
type group struct {
	units             string
	integer, series   bool
	percent, fraction bool // what the name says
}

func know(e ledger.Entry, groups map[group]int) known {
	k := known{Entry: e, unit: units.Parse(e.Units), slug: slug(e.Name)}
	k.words = nameWords(e, k.unit)
	g := group{e.Units, e.Integer, e.Kind == ledger.KindSeries, percentName.MatchString(e.Name), fractionName.MatchString(e.Name)}
	id, ok := groups[g]
	if !ok {
		id = len(groups)
		groups[g] = id
	}
	k.group = id
	return k
}

// pair is a group of entries and the unit of a number; sight is how the one is
// seen in the other.
type (
	pair struct {
		group int
		unit  string
	}
	sight struct {
		views []view
		rel   relation
	}
)

// relate is known.relate, remembered.
func (c *checker) relate(k *known, t token) ([]view, relation) {
	key := pair{k.group, t.unitText}
	s, ok := c.related[key]
	if !ok {
		s.views, s.rel = k.relate(t.unit, t.unitText)
		c.related[key] = s
	}
	return s.views, s.rel
}

// scalar reports whether the entry is one number, which can accuse.
func (k known) scalar() bool { return k.Kind == ledger.KindNumber }

// relation is how an entry's unit stands to that of a number.
type relation int

const (
	judgeable relation = iota
	thermal            // temperature against energy
	unjudged           // one of them is not understood
	conflicting
)

// view is one way to see an entry's values in the unit of a number.
type view func(float64) float64

func raw(v float64) float64 { return v }

var (
	fractionName = regexp.MustCompile(`(?i)frac|ratio|share|probab`)
	percentName  = regexp.MustCompile(`(?i)percent|pct|prozent`)
)

// relate says how values of the entry can be seen in the unit u, whose text is
// given. More than one view means that the ledger leaves open which is meant.
func (k known) relate(u units.Unit, text string) ([]view, relation) {
	silent := func(u units.Unit) bool { return u.Class() == units.Unspecified || u.Class() == units.Legend }
	switch {
	case silent(k.unit) && isPercent(u):
		hundred := func(v float64) float64 { return v / u.Factor() }
		switch {
		case percentName.MatchString(k.Name):
			return []view{raw}, judgeable
		case fractionName.MatchString(k.Name):
			return []view{hundred}, judgeable
		}
		return []view{raw, hundred}, judgeable
	case silent(u), silent(k.unit):
		return []view{raw}, judgeable
	case u.Class() == units.Unknown || k.unit.Class() == units.Unknown:
		if fold(text) == fold(k.Units) {
			return []view{raw}, judgeable
		}
		if k.Integer && k.unit.Class() == units.Unknown && u.Class() == units.Dimensionless && !isPercent(u) {
			return []view{raw}, judgeable // a count of "samples"
		}
		return nil, unjudged
	case k.unit.Compatible(u):
		return []view{func(v float64) float64 { x, _ := k.unit.ConvertTo(v, u); return x }}, judgeable
	case isCount(u) && isPlain(k.unit), isCount(k.unit) && isPlain(u):
		return []view{raw}, judgeable
	}
	if aKelvin.Compatible(k.unit) && aJoule.Compatible(u) || aJoule.Compatible(k.unit) && aKelvin.Compatible(u) {
		return []view{func(v float64) float64 { x, _ := units.ConvertThermal(v, k.Units, text); return x }}, thermal
	}
	return nil, conflicting
}

var aKelvin, aJoule, aCount, aSecond = units.Parse("K"), units.Parse("J"), units.Parse("count"), units.Parse("s")

func isCount(u units.Unit) bool { return u.Compatible(aCount) }

func isPlain(u units.Unit) bool { return u.Class() == units.Dimensionless && !isPercent(u) }

// fold makes two spellings of one text alike.
func fold(s string) string { return strings.ToLower(strings.Join(strings.Fields(s), "")) }

// near reports whether the number t, as written, states the value v.
func (t token) near(v float64, exact bool) bool {
	switch {
	case math.IsNaN(t.value) || math.IsNaN(v):
		return math.IsNaN(t.value) && math.IsNaN(v)
	case math.IsInf(v, 0) || math.IsInf(t.value, 0):
		return t.value == v
	case t.value*v < 0 || math.Signbit(t.value) != math.Signbit(v) && t.value != 0 && v != 0:
		return false
	}
	half := 0.5 * math.Pow(10, float64(t.place))
	d := math.Abs(t.value - v)
	if exact {
		// A count is rounded only where it is written as "1.2e5".
		return d <= 1e-9*math.Abs(v) || t.place > 0 && d <= half
	}
	return d <= rtol*math.Abs(v)*(1+1e-9) || d <= half*(1+1e-9)
}

// states reports whether the entry states the number t: its value, or for an
// array one of its statistics, its elements as far as they are all known, or
// how many it has.
func (k known) states(t token, views []view) bool {
	for _, see := range views {
		switch k.Kind {
		case ledger.KindNumber:
			if t.near(see(k.Value), k.Integer) {
				return true
			}
		case ledger.KindSeries:
			for _, v := range k.statistics() {
				if !math.IsNaN(v) && t.near(see(v), false) {
					return true
				}
			}
		}
	}
	return k.Kind == ledger.KindSeries && k.sized(t)
}

func (k known) statistics() []float64 {
	if len(k.Times) > 0 {
		return nil
	}
	out := []float64{k.Mean, k.Min, k.Max, k.Std}
	if len(k.Sample) == k.N+k.NaN {
		out = append(out, k.Sample...)
	}
	return out
}

// sized reports whether t counts the elements of an array.
func (k known) sized(t token) bool {
	if !t.whole || t.value == 0 || t.unit.Class() == units.Measured && !isCount(t.unit) {
		return false
	}
	n := int(t.value)
	return n == k.N || n == k.NaN || n == k.N+k.NaN || len(k.Shape) > 1 && n == k.Shape[0]
}

// spread reports whether t lies within one standard deviation of an array's
// mean.
func (k known) spread(t token, views []view) bool {
	for _, see := range views {
		mean, low := see(k.Mean), see(k.Mean-k.Std)
		if k.Kind == ledger.KindSeries && t.value*mean >= 0 && math.Abs(t.value-mean) <= math.Abs(mean-low) {
			return true
		}
	}
	return false
}

// instants returns the times that an entry holds.
func (k known) instants(m moment) bool {
	switch k.Kind {
	case ledger.KindTime:
		return m.agrees(k.Time, k.Tolerance)
	case ledger.KindSeries:
		for _, t := range k.Times {
			if m.agrees(t, 0) {
				return true
			}
		}
	case ledger.KindText:
		// Programs like to record str(time).
		if x, ok := wholeTime(k.Text); ok {
			if start, ok := x.start(); ok {
				return m.agrees(start, 0)
			}
		}
	}
	return false
}

// says writes what an entry holds, for people.
func (k known) says() (value, unit string) {
	g := func(v float64) string { return strconv.FormatFloat(v, 'g', 7, 64) }
	switch k.Kind {
	case ledger.KindNumber:
		if k.Integer {
			return strconv.FormatFloat(k.Value, 'f', -1, 64), k.Units
		}
		return g(k.Value), k.Units
	case ledger.KindTime:
		return k.Time.String(), ""
	case ledger.KindText:
		return oneLine(k.Text), ""
	}
	if len(k.Times) > 0 {
		return strconv.Itoa(k.N) + " times", ""
	}
	return "mean " + g(k.Mean) + ", min " + g(k.Min) + ", max " + g(k.Max) + ", std " + g(k.Std), k.Units
}

// wholeTime reads a text that is nothing but a time.
func wholeTime(s string) (moment, bool) {
	s = strings.TrimSpace(s)
	if len(s) > 60 {
		return nowhere, false
	}
	tokens := scan(strings.ToValidUTF8(s, "\ufffd"))
	if len(tokens) == 1 && tokens[0].isTime && tokens[0].start == 0 && tokens[0].end == len(s) {
		return tokens[0].when, true
	}
	return nowhere, false
}

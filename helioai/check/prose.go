package check

import (
	"math"
	"strings"

	"github.com/helios-go/helios/helio/units"
	"github.com/helios-go/helios/helioai/ledger"
)

// consumed reports whether a claim states token i, which then needs no line of
// its own.
func (c *checker) consumed(i int, t token, judged []judgement) bool {
	for _, j := range judged {
		if !j.ok || j.token.isTime != t.isTime || !c.stated(t, j.token) {
			continue
		}
		if t.isTime {
			return true
		}
		// A number that the words around it give to another entry is judged by
		// that one: claims may be right and the sentence have them swapped.
		p := c.around(i)
		// Where they fit the claim's own entry as well, it is that one's.
		if k := c.named(t, p); k != nil && p.bound == 0 && (j.entry == nil || k.Name != j.entry.Name) {
			if views, _ := c.relate(k, t); !k.states(t, views) && (j.entry == nil || j.entry.heard(p) < k.heard(p)) {
				continue
			}
		}
		return true
	}
	return false
}

// stated reports whether the prose token t says what the claim's value x says.
func (c *checker) stated(t, x token) bool {
	if t.isTime {
		if start, ok := x.when.start(); ok {
			return t.when.agrees(start, 0)
		}
		return !t.when.hasDate() && t.when.hasClock() && x.when.hasClock() && t.when.clock() == x.when.clock()
	}
	v := x.value
	switch blank := t.unitText == "" || x.unitText == ""; {
	case t.unit.Compatible(x.unit):
		v, _ = x.unit.ConvertTo(v, t.unit)
	case isPercent(t.unit) && x.unitText == "":
		if v == t.value {
			return true
		}
		v /= t.unit.Factor()
	case blank && (t.unit.Class() == units.Measured || x.unit.Class() == units.Measured):
		// One says "5.261", the other "5.261 nT": the same digits, and enough of them.
		if !isCount(t.unit) && !isCount(x.unit) && !isDuration(t.unit) && !isDuration(x.unit) {
			return !t.whole && significant(t) >= 3 && t.near(v, false)
		}
	case blank, isCount(t.unit) && isPlain(x.unit), isCount(x.unit) && isPlain(t.unit):
	default:
		if fold(t.unitText) != fold(x.unitText) {
			return false
		}
	}
	if t.whole && t.unit.Class() != units.Measured {
		return t.near(v, true)
	}
	if t.value != v && c.isGiven(t) {
		return false
	}
	return t.near(v, t.whole && x.whole)
}

func isDuration(u units.Unit) bool { return u.Compatible(aSecond) }

// significant counts the digits shown, leading zeros left out.
func significant(t token) int {
	mantissa, _, _ := strings.Cut(strings.ToLower(t.digits), "e")
	return len(strings.TrimLeft(strip(mantissa), "0"))
}

// number judges a number or a time of the prose.
func (c *checker) number(i int, t token) Line {
	p := c.around(i)
	if t.isTime {
		return c.time(t, p)
	}
	if u := units.Parse(p.unit); t.unitText == "" && u.Class() == units.Measured {
		t.unit, t.unitText = u, p.unit
	}
	line := c.judge(i, t, p)
	if line.Status == Unsourced && t.shared {
		alone := t
		alone.unit, alone.unitText, alone.shared = units.Unit{}, "", false
		if l := c.judge(i, alone, p); l.Status == Matched || l.Status == Given {
			return l
		}
	}
	return line
}

func (c *checker) judge(i int, t token, p place) Line {
	line := Line{Text: oneLine(t.text), Value: t.digits, Units: t.unitText, Status: Unsourced}
	asked := c.isGiven(t)
	if asked && p.bound != 0 {
		line.Status = Given
		return line
	}
	if k := c.named(t, p); k != nil {
		return c.decide(line, t, p, k)
	}
	if asked {
		line.Status = Given
		return line
	}
	if k := c.byValue(t); k != nil {
		return line.from(Matched, k, "")
	}
	if k := c.cadence(t); k != nil {
		line = line.from(Matched, k, "the cadence of the data")
		line.Ledger, line.LedgerUnits = k.Tolerance.String(), ""
		return line
	}
	if note, right, shown := c.arithmetic(i); shown {
		if line.Note = note; right {
			line.Status = Derived
		}
		return line
	}
	if note := c.fromCounts(t); note != "" {
		line.Status, line.Note = Derived, note
		return line
	}
	switch {
	case isPercent(t.unit), t.unit.Class() != units.Measured && !t.whole:
		line.Status, line.Note = Derived, "a ratio or percentage that was not recomputed"
	case c.isYear(t):
		line.Status = Given
	}
	return line
}

// from completes a line with the entry that decided.
func (l Line) from(s Status, k *known, note string) Line {
	l.Status, l.Entry, l.Code, l.Note = s, k.Name, k.Origin.Code, note
	l.Ledger, l.LedgerUnits = k.says()
	return l
}

// decide judges a number by the entry whose name stands around it; any value
// that was recorded under this name may be the source.
func (c *checker) decide(line Line, t token, p place, k *known) Line {
	note := ""
	for i := range c.entries {
		e := &c.entries[i]
		if e.Name != k.Name {
			continue
		}
		views, rel := c.relate(e, t)
		if rel != judgeable {
			continue
		}
		if e.states(t, views) {
			return line.from(Matched, e, note)
		}
		note = earlier
		for _, see := range views {
			if v := see(e.Value); p.bound != 0 && e.scalar() && float64(p.bound)*(v-t.value) > 0 {
				return line.from(Matched, e, "as a limit")
			}
		}
	}
	if t.unitText == "" && k.unit.Class() == units.Measured {
		return line.from(Unsourced, k, "the text has no unit, the ledger has "+k.Units)
	}
	return line.from(Contradicted, k, "")
}

// byValue returns the entry that states the number t, whatever it is called:
// the newest one, a number rather than an array.
func (c *checker) byValue(t token) *known {
	var array *known
	for i := range c.entries {
		k := &c.entries[i]
		views, rel := c.relate(k, t)
		if rel != judgeable || !k.plausible(t) || !k.states(t, views) {
			continue
		}
		if k.scalar() {
			return k
		}
		if array == nil {
			array = k
		}
	}
	return array
}

// cadence returns a time of the ledger whose tolerance is the duration t.
func (c *checker) cadence(t token) *known {
	if !isDuration(t.unit) {
		return nil
	}
	for i := range c.entries {
		k := &c.entries[i]
		if s, err := units.Convert(k.Tolerance.Seconds(), "s", t.unitText); err == nil && k.Kind == ledger.KindTime && k.Tolerance > 0 && t.near(s, false) {
			return k
		}
	}
	return nil
}

// plausible keeps chance agreements out: a bare small number is no field
// strength, a count no speed.
func (k *known) plausible(t token) bool {
	measured := t.unit.Class() == units.Measured && !isCount(t.unit)
	switch {
	case k.Integer && k.scalar() && k.unit.Class() != units.Measured:
		return !measured || isDuration(t.unit)
	case measured || t.unitText != "":
		return true
	case k.unit.Class() == units.Measured && !isCount(k.unit):
		return !t.whole && significant(t) >= 3 || k.Kind == ledger.KindSeries && k.sized(t)
	case t.whole && math.Abs(t.value) < 32 && k.scalar():
		return t.value == k.Value
	}
	return true
}

// time judges a date or a time of the prose.
func (c *checker) time(t token, p place) Line {
	line := Line{Text: oneLine(t.text), Value: oneLine(t.text), Status: Unsourced}
	k := c.named(t, p)
	if k != nil {
		for i := range c.entries {
			if e := &c.entries[i]; e.Name == k.Name && e.instants(t.when) {
				return line.from(Matched, e, "")
			}
		}
	}
	if c.restates(t.when) {
		line.Status = Given
		return line
	}
	if id := c.window(t.when); id != "" {
		line.Status, line.Note = Matched, "the window of "+id
		return line
	}
	if k != nil {
		return line.from(Contradicted, k, "")
	}
	for i := range c.entries {
		if e := &c.entries[i]; e.instants(t.when) {
			return line.from(Matched, e, "")
		}
	}
	return line
}

// window returns the input whose window begins or ends at m.
func (c *checker) window(m moment) string {
	for _, in := range c.windows {
		if m.anchored() && (m.names(in.Start) || m.names(in.Stop) || !m.hasClock() && m.names(in.Stop.Add(-1))) {
			return in.ID
		}
	}
	return ""
}

package units

import (
	"errors"
	"math"
	"strings"
)

// Bounds on what is read as a unit; anything larger is unknown.
const (
	maxText  = 200
	maxPower = 60
	maxDepth = 8
	maxTerms = 32
)

// Parse reads a unit text. It never fails and never panics; see [Class] for
// what comes out.
func Parse(text string) Unit {
	text = strings.TrimSpace(text)
	u := Unit{text: text, class: Unknown}
	if len(text) > maxText {
		u.reason = "too long for a unit"
		return u
	}
	s := unqualified(clean(text))
	if s == "" && text != "" {
		s = clean(text)
	}
	if percentOf.MatchString(s) {
		s = "%"
	}
	if class, unit, ok := phrase(s); ok {
		if class != Measured {
			u.class, u.size = class, size{1, 0}
			return u
		}
		if unit == "degC" {
			return Unit{class: Measured, text: text, size: size{1, 0}, offset: 273.15, dim: temperature,
				terms: []term{{symbol: "degC", power: 6, size: size{1, 0}, dim: temperature}}}
		}
		s = unit
	}
	if isLegend(s) {
		u.class = Legend
		return u
	}
	q, err := parse(s)
	if m := described.FindStringSubmatch(s); err != nil && m != nil && !strings.Contains(strings.ToLower(m[1]), "log") {
		q, err = parse(m[2])
	}
	if err != nil {
		u.reason = err.Error()
		return u
	}
	return q.unit(u)
}

// quantity is a product of units with a number before it.
type quantity struct {
	scale float64
	terms []term
}

// unit merges the terms of q into u, or leaves u unknown.
func (q quantity) unit(u Unit) Unit {
	total, named := size{q.scale, 0}, false
	for _, t := range q.terms {
		if t.kind == particle {
			named = named || t.power != 6 || t.symbol != "#"
			continue
		}
		var ok bool
		if u.dim, ok = u.dim.add(t.dim, t.power); !ok {
			return Unit{text: u.text, class: Unknown, reason: "an exponent is too large or no simple fraction"}
		}
		total = total.times(t.size.raise(t.power))
		u.terms = merge(u.terms, t)
	}
	if f := total.float(); f == 0 || math.IsInf(f, 0) || math.IsNaN(f) || total.mant == 0 || math.IsInf(total.mant, 0) {
		return Unit{text: u.text, class: Unknown, reason: "its size is beyond what a number can hold"}
	}
	if len(u.terms) == 0 && named {
		return Unit{text: u.text, class: Unknown, reason: "it names a particle, not a unit"}
	}
	if len(u.terms) == 1 && u.terms[0].kind == bare {
		return Unit{text: u.text, class: Unknown, reason: ambiguous["N"]}
	}
	if u.dim.only(sample) || u.dim.only(spin) || u.dim.only(accum) {
		// "103 samples" counts them; something per sample is a unit.
		return Unit{text: u.text, class: Unknown, reason: "it names what is counted, not a unit"}
	}
	if moleDensity(u.terms) {
		return Unit{text: u.text, class: Unknown, reason: `"mol" may be moles or molecules`}
	}
	if len(u.terms) == 0 && q.scale != 1 {
		return Unit{text: u.text, class: Unknown, reason: "a number alone is no unit"}
	}
	u.scale, u.size, u.class = q.scale, total, Measured
	if u.dim == (dimension{}) {
		u.class = Dimensionless
	}
	return u
}

// moleDensity reports whether the unit is mol/cm^3, which is written for molecules as
// well.
func moleDensity(terms []term) bool {
	if len(terms) != 2 {
		return false
	}
	mol, volume := terms[0], terms[1]
	if mol.symbol != "mol" {
		mol, volume = volume, mol
	}
	return mol.symbol == "mol" && mol.power == 6 && volume.symbol == "cm" && volume.power == -18
}

// merge adds t to terms, adding the powers of equal symbols.
func merge(terms []term, t term) []term {
	for i := range terms {
		if terms[i].symbol != t.symbol {
			continue
		}
		if terms[i].power += t.power; terms[i].power == 0 {
			return append(terms[:i:i], terms[i+1:]...)
		}
		return terms
	}
	if t.power == 0 {
		return terms
	}
	return append(terms, t)
}

var errSyntax = errors.New("not written like a unit")

// parse reads the plain grammar:
//
//	product = ["/"] factor { ("/" | "*" | "." | "-" | blank) factor }
//	factor  = (number | name | "(" product ")") [exponent]
func parse(s string) (quantity, error) {
	p := &parser{s: s}
	q, err := p.product(true)
	if err == nil && p.pos < len(p.s) {
		err = errSyntax
	}
	if err == nil && len(q.terms) > maxTerms {
		err = errSyntax
	}
	return q, err
}

type parser struct {
	s     string
	pos   int
	depth int
}

// side says where a factor stands.
type side int

const (
	above side = iota
	below      // right after a slash, or joined to that by hyphens
	open       // after a slash and a blank or a star: above or below?
)

// product reads factors up to a closing bracket or the end.
func (p *parser) product(top bool) (quantity, error) {
	d := division{}
	where := above
	p.blanks()
	if p.accept('/') {
		where = below
		p.blanks()
	}
	for first := true; ; first = false {
		f, err := p.factor(top && first)
		if err != nil {
			return quantity{}, err
		}
		if len(f.terms) == 0 && !first && (where != below || f.group) {
			return quantity{}, errors.New("a number after a unit may be a factor or a power")
		}
		if err := d.put(f, where); err != nil {
			return quantity{}, err
		}
		next, ok := p.separator(f, where)
		if !ok {
			return d.quantity()
		}
		where = next
	}
}

// separator reads what stands between two factors and says where the next one
// stands; ok is false at the end of the product.
func (p *parser) separator(f factor, where side) (next side, ok bool) {
	start := p.pos
	p.blanks()
	blank := p.pos > start
	if p.pos == len(p.s) || strings.IndexByte(")]}", p.s[p.pos]) >= 0 {
		return where, false
	}
	loose := where
	if where == below {
		loose = open
	}
	switch c := p.s[p.pos]; {
	case c == '/':
		p.pos++
		p.blanks()
		return below, true
	case c == '*' || c == '.':
		p.pos++
		p.blanks()
		return loose, true
	case c == '-' && !blank:
		if f.number && where != below {
			return where, false // "3-hour": a name of something, no unit
		}
		p.pos++
		return where, true
	case f.number && where == below && !blank:
		return below, true // "cts/9ms"
	case blank:
		return loose, true
	case f.number || f.group || f.name == "#" || p.s[p.pos-1] == ')':
		return loose, true
	}
	return where, false
}

func (p *parser) blanks() {
	for p.pos < len(p.s) && p.s[p.pos] == ' ' {
		p.pos++
	}
}

func (p *parser) accept(c byte) bool {
	if p.pos < len(p.s) && p.s[p.pos] == c {
		p.pos++
		return true
	}
	return false
}

package units

import (
	"errors"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// factor is one member of a product.
type factor struct {
	quantity
	name   string // as written, "" for groups and numbers
	number bool
	group  bool
	raised bool // an exponent was written
}

var numberText = regexp.MustCompile(`^(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?`)

// factor reads one number, name or group with its exponent. A letter that may
// be a particle is taken as one only when it is first.
func (p *parser) factor(first bool) (factor, error) {
	if p.pos >= len(p.s) {
		return factor{}, errSyntax
	}
	switch c := p.s[p.pos]; {
	case strings.IndexByte("([{", c) >= 0:
		return p.group()
	case isDigit(c) || c == '.':
		return p.number()
	case isName(c):
		return p.named(first)
	}
	return factor{}, errSyntax
}

func (p *parser) group() (factor, error) {
	if p.depth++; p.depth > maxDepth {
		return factor{}, errors.New("brackets are nested too deep")
	}
	closing := ")]}"[strings.IndexByte("([{", p.s[p.pos])]
	p.pos++
	q, err := p.product(false)
	p.depth--
	if err != nil {
		return factor{}, err
	}
	if !p.accept(closing) {
		return factor{}, errors.New("a bracket is not closed")
	}
	power, raised, err := p.exponent()
	return factor{quantity: q.raise(power), group: true, raised: raised}, err
}

func (p *parser) number() (factor, error) {
	text := numberText.FindString(p.s[p.pos:])
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || v <= 0 || math.IsInf(v, 0) {
		return factor{}, errSyntax
	}
	if strings.HasPrefix(text, "10e") || strings.HasPrefix(text, "10E") {
		return factor{}, errors.New(`"10e" may be meant as a power of ten`)
	}
	p.pos += len(text)
	if p.accept('^') {
		p.pos--
		power, _, err := p.exponent()
		if err != nil {
			return factor{}, err
		}
		v = math.Pow(v, float64(power)/6)
	}
	return factor{quantity: quantity{scale: v}, number: true}, nil
}

func (p *parser) named(first bool) (factor, error) {
	start := p.pos
	for p.pos < len(p.s) && isName(p.s[p.pos]) {
		p.pos++
		if p.s[p.pos-1] == '#' {
			break
		}
	}
	f := factor{name: p.s[start:p.pos]}
	if strings.EqualFold(f.name, "sqrt") && p.pos < len(p.s) && p.s[p.pos] == '(' {
		g, err := p.group()
		g.quantity = g.quantity.raise(3)
		return g, err
	}
	if strings.EqualFold(f.name, "log") || strings.EqualFold(f.name, "ln") {
		return f, errors.New("the values are logarithms")
	}
	q, err := p.resolve(f.name, first)
	if err != nil {
		return f, err
	}
	if len(q.terms) == 1 && q.terms[0].dim == energy {
		q.terms = append(q.terms, p.share()...)
	}
	power, raised, err := p.exponent()
	f.quantity, f.raised = q.raise(power), raised
	return f, err
}

// resolve finds the unit of a name.
func (p *parser) resolve(name string, first bool) (quantity, error) {
	if long, ok := shorthand[name]; ok {
		return parse(long)
	}
	if first && (maybes[name] || name == "c") && strings.HasPrefix(strings.TrimLeft(p.s[p.pos:], " "), "/") {
		return quantity{1, []term{{symbol: name, power: 6, size: size{1, 0}, kind: maybe}}}, nil
	}
	if name == "N" {
		t := bySymbol["N"].term(0, "")
		t.kind = bare
		return quantity{1, []term{t}}, nil
	}
	t, ok, reason := lookup(name)
	if !ok {
		if reason == "" {
			reason = strconv.Quote(name) + " is not in the table"
		}
		return quantity{}, errors.New(reason)
	}
	return quantity{1, []term{t}}, nil
}

var (
	perNucleon = regexp.MustCompile(`^ ?/ ?(?:[nN]|nuc\.?|[nN]ucleon|amu)([^A-Za-z0-9_^*+-]|-\D|$)`)
	perCharge  = regexp.MustCompile(`^ ?/ ?(?:[qQe]|charge)([^A-Za-z0-9_^*+-]|-\D|$)`)
	perC       = regexp.MustCompile(`^/c(\^2)?([^A-Za-z0-9_^]|$)`)
)

// share reads what makes an energy one "per nucleon" or "per charge" or a
// momentum or mass; it belongs to the energy even under a slash.
func (p *parser) share() []term {
	rest := p.s[p.pos:]
	for _, s := range []struct {
		re *regexp.Regexp
		of *row
	}{{perNucleon, bySymbol["nuc"]}, {perCharge, bySymbol["q"]}} {
		if m := s.re.FindStringSubmatchIndex(rest); m != nil {
			p.pos += m[2]
			t := s.of.term(0, "")
			t.power = -6
			return []term{t}
		}
	}
	if m := perC.FindStringSubmatchIndex(rest); m != nil {
		t := bySymbol["c_light"].term(0, "")
		t.power = -6
		if p.pos++; m[2] >= 0 {
			t.power = -12
			p.pos += 2
		}
		p.pos++
		return []term{t}
	}
	return nil
}

// raise returns q to a power in sixths.
func (q quantity) raise(power int) quantity {
	if power == 6 {
		return q
	}
	out := quantity{scale: math.Pow(q.scale, float64(power)/6)}
	for _, t := range q.terms {
		x := t.power * power
		if x%6 != 0 {
			x = math.MaxInt32 // dimension.add refuses it
		} else {
			x /= 6
		}
		t.power = x
		out.terms = append(out.terms, t)
	}
	return out
}

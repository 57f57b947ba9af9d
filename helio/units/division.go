package units

import "errors"

// division collects the factors of a product by where they stand.
type division struct {
	scale   float64
	terms   []term // decided, with signed powers
	open    []term // after "a/b" and a blank or a star
	grouped bool   // a bracket stood under the slash
}

var (
	errOpen = errors.New("a product after a slash may be above or below it; write brackets")
	errSign = errors.New("a negative exponent after a slash may be meant either way")
)

// put adds one factor.
func (d *division) put(f factor, where side) error {
	if d.scale == 0 {
		d.scale = 1
	}
	if where == above {
		d.scale *= f.scale
	} else {
		d.scale /= f.scale
	}
	negative := f.raised && len(f.terms) > 0 && f.terms[0].power < 0 && !f.group
	for _, t := range f.terms {
		switch {
		case where == above || where == open && negative:
			d.terms = append(d.terms, t)
		case where == open:
			d.open = append(d.open, t)
		case negative && (t.dim.only(metre) && (t.power == -18 || t.power == -12)):
			// "1/cm^-3" is what people write for cm^-3.
			d.terms = append(d.terms, t)
		case negative:
			return errSign
		default:
			t.power = -t.power
			d.terms = append(d.terms, t)
		}
	}
	d.grouped = d.grouped || where == below && f.group
	return nil
}

// quantity decides what was left open.
func (d *division) quantity() (quantity, error) {
	q := quantity{d.scale, d.terms}
	if len(d.open) > 0 {
		if d.grouped || !d.isFlux() {
			return q, errOpen
		}
		for _, t := range d.open {
			t.power = -t.power
			q.terms = append(q.terms, t)
		}
	}
	if len(q.terms) > 0 && q.terms[0].kind == maybe {
		return q, settle(q.terms)
	}
	return q, nil
}

// isFlux reports whether everything after the slash belongs to a particle or
// energy flux, each kind of unit at most once, as in
// "particles/m^2 sec sr MeV"; then all of it is meant to be below.
func (d *division) isFlux() bool {
	seen := map[string]bool{}
	once := func(what string) bool { was := seen[what]; seen[what] = true; return !was }
	below := append([]term(nil), d.open...)
	for _, t := range d.terms {
		if t.power < 0 {
			t.power = -t.power
			below = append(below, t)
			continue
		}
		counted := t.kind != plain || t.dim == of(count) || t.dim == energy
		if !counted || !once("above") {
			return false
		}
	}
	for _, t := range below {
		ok := false
		switch {
		case t.dim == of(metre):
			ok = t.power == 12 && once("area")
		case t.dim == of(second):
			ok = t.power == 6 && once("time")
		case t.dim == of(radian).double():
			ok = t.power == 6 && once("solid angle")
		case t.dim == energy:
			ok = t.power == 6 && once("energy")
		case t.dim == of(nucleon), t.dim == of(charge):
			ok = seen["energy"] && once("share")
		}
		if !ok {
			return false
		}
	}
	return true
}

// double returns the dimension of the square.
func (d dimension) double() dimension {
	for i := range d {
		d[i] *= 2
	}
	return d
}

// settle decides the leading letter of texts such as "e/cm3", "c/s", "N/cc":
// a particle above an area or a volume, a count above a time or an accumulation.
func settle(terms []term) error {
	lead := &terms[0]
	perTime, perArea, perVolume, metres := false, false, false, false
	for _, t := range terms[1:] {
		perTime = perTime || t.power < 0 && (t.dim == of(second) || t.dim == of(accum) || t.dim == of(sample) || t.dim == of(spin))
		perArea = perArea || t.dim == of(metre) && t.power == -12
		perVolume = perVolume || t.dim == of(metre) && t.power == -18
		metres = metres || t.symbol == "m"
	}
	switch {
	case lead.symbol == "c" && perTime:
		*lead = bySymbol["count"].term(0, "")
	case lead.symbol == "c", lead.symbol == "N" && perVolume && metres:
		return errors.New(ambiguous[lead.symbol])
	case lead.symbol == "N" && !perVolume:
		*lead = bySymbol["N"].term(0, "")
	case !perArea && !perVolume:
		return errors.New("what \"" + lead.symbol + "\" stands for cannot be told")
	default:
		lead.kind = particle
	}
	return nil
}

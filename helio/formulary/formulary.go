// Package formulary computes the plasma quantities that space physicists quote
// beside their data, from inputs in the units that they use: nT, cm^-3, eV.
//
//	r, err := formulary.AlfvenSpeed(5, 5, nil) // nT, cm^-3
//	if err != nil {
//		return err
//	}
//	fmt.Printf("%.3f km/s (%s)\n", r.Main(), r.Convention)
//	// 48.773 km/s (mass density n m_p: protons only)
//
// Two textbooks may differ by a factor sqrt(2) and both be right, so that a
// number alone is half an answer: each [Result] names its formula, its
// convention and its source, and every value in it carries its unit in its
// name. Constants are CODATA 2022 ([Constants]).
//
// All functions are pure and safe for concurrent use. Input that no plasma can
// have (a negative density, no field where one is divided by) is refused with
// an [InputError]; a NaN gives NaN and a [Result.Warning], because a missing
// measurement is not a mistake.
package formulary

import (
	"fmt"
	"math"
)

// A Value is a number with its name and unit. The name holds the unit as well
// where there is one, as in "alfven_speed_km_s".
type Value struct {
	Name  string
	Value float64
	Units string // "1" for a pure number
}

// A Result is what a formula gave, with all that is needed to check it.
type Result struct {
	// Formula names the quantity, as in "alfven_speed".
	Formula string
	// Values has the result in its units; the first is the one to quote.
	Values []Value
	// Inputs repeats what went in.
	Inputs []Value
	// Particle names the species, where the formula depends on one.
	Particle string
	// Expression is the formula in symbols.
	Expression string
	// Convention says which of several possible definitions was used.
	Convention string
	// Regime says in words what the value means; "" where there is nothing
	// useful to say.
	Regime string
	// Source is where the formula can be read.
	Source string
	// Warning is "" unless an input was NaN.
	Warning string
}

// Main returns the value to quote, the first of Values.
func (r *Result) Main() float64 { return r.Values[0].Value }

// Value returns the named value, as in "alfven_speed_m_s".
func (r *Result) Value(name string) (float64, bool) {
	for _, v := range r.Values {
		if v.Name == name {
			return v.Value, true
		}
	}
	return 0, false
}

// InputError says which input of a formula is not physical.
type InputError struct {
	Formula string
	Input   Value
	Reason  string // what it must be, as in "must be above 0"
}

func (e *InputError) Error() string {
	units := e.Input.Units + " "
	if e.Input.Units == "1" {
		units = ""
	}
	return fmt.Sprintf("%s: %s = %g %s%s", e.Formula, e.Input.Name, e.Input.Value, units, e.Reason)
}

// begin starts a result and refuses inputs that are not above zero. Every
// input of the formulas here is a magnitude, a density, a temperature or a
// mass, so one rule holds for all.
func begin(formula string, inputs ...Value) (*Result, error) {
	r := &Result{Formula: formula, Inputs: inputs}
	for _, in := range inputs {
		switch {
		case math.IsNaN(in.Value):
			r.Warning = in.Name + " is missing (NaN), so the result is"
		case math.IsInf(in.Value, 0):
			return nil, &InputError{Formula: formula, Input: in, Reason: "must be finite"}
		case in.Value <= 0:
			return nil, &InputError{Formula: formula, Input: in, Reason: "must be above 0" + hint(in)}
		}
	}
	return r, nil
}

// hint says what people usually meant by an input that is refused.
func hint(in Value) string {
	if in.Units == "nT" && in.Value < 0 {
		return "; give the magnitude of the field, not a component"
	}
	return ""
}

func field(nT float64) Value      { return Value{"B_nT", nT, "nT"} }
func density(cm3 float64) Value   { return Value{"n_cm3", cm3, "cm^-3"} }
func temperature(e float64) Value { return Value{"T_eV", e, "eV"} }

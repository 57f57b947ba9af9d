package tools

import (
	"context"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/helios-go/helios/helio/formulary"
	"github.com/helios-go/helios/helioai/ledger"
	"github.com/helios-go/helios/tool"
)

const recordedDoc = " The values are in the ledger under the names listed in recorded."

type betaInput struct {
	BNT  float64 `json:"B_nT"  jsonschema:"magnitude of the magnetic field, nT"`
	NCM3 float64 `json:"n_cm3" jsonschema:"number density, cm^-3"`
	TEV  float64 `json:"T_eV"  jsonschema:"temperature k_B T, eV; for the total beta the sum over the species"`
}

func plasmaBeta(env *Env) tool.Tool {
	return tool.New("plasma_beta", "Ratio of thermal to magnetic pressure, from field, density and temperature."+recordedDoc,
		func(ctx context.Context, in betaInput) (tool.Result, error) {
			r, err := formulary.PlasmaBeta(in.BNT, in.NCM3, in.TEV)
			return env.formula(ctx, r, err, nil)
		}, tool.WithEffect(tool.ReadOnly))
}

type gyroInput struct {
	BNT      float64 `json:"B_nT"               jsonschema:"magnitude of the magnetic field, nT"`
	Particle string  `json:"particle,omitempty" jsonschema:"proton unless given; electron, alpha, He+ or O+"`
}

func gyrofrequency(env *Env) tool.Tool {
	return tool.New("gyrofrequency", "How often a particle circles the magnetic field: Hz, rad/s and period."+recordedDoc,
		func(ctx context.Context, in gyroInput) (tool.Result, error) {
			p, err := formulary.ParseParticle(in.Particle)
			if err != nil {
				return tool.Result{}, err
			}
			r, err := formulary.Gyrofrequency(in.BNT, p)
			return env.formula(ctx, r, err, map[string]any{"particle": p.Name})
		}, tool.WithEffect(tool.ReadOnly))
}

type debyeInput struct {
	NCM3 float64 `json:"n_cm3" jsonschema:"electron number density, cm^-3"`
	TEV  float64 `json:"T_eV"  jsonschema:"electron temperature k_B T, eV"`
}

func debyeLength(env *Env) tool.Tool {
	return tool.New("debye_length", "Distance over which electrons screen a charge, m and km."+recordedDoc,
		func(ctx context.Context, in debyeInput) (tool.Result, error) {
			r, err := formulary.DebyeLength(in.NCM3, in.TEV)
			return env.formula(ctx, r, err, nil)
		}, tool.WithEffect(tool.ReadOnly))
}

type alfvenInput struct {
	BNT        float64 `json:"B_nT"                  jsonschema:"magnitude of the magnetic field, nT"`
	NCM3       float64 `json:"n_cm3"                 jsonschema:"ion number density, cm^-3"`
	MassAMU    float64 `json:"mass_amu,omitempty"    jsonschema:"ion mass in atomic mass units; leave out for protons"`
	AlphaRatio float64 `json:"alpha_ratio,omitempty" jsonschema:"density of alpha particles over that of the ions, such as 0.04; none unless given"`
	Electrons  bool    `json:"electrons,omitempty"   jsonschema:"true adds the electrons' mass"`
}

func alfvenSpeed(env *Env) tool.Tool {
	return tool.New("alfven_speed", "Alfven speed, km/s and m/s, with rho = n m_p unless more is asked for; the result names the convention."+recordedDoc,
		func(ctx context.Context, in alfvenInput) (tool.Result, error) {
			opts := &formulary.AlfvenOptions{IonMassAMU: in.MassAMU, AlphaRatio: in.AlphaRatio, Electrons: in.Electrons}
			r, err := formulary.AlfvenSpeed(in.BNT, in.NCM3, opts)
			more := map[string]any{}
			if in.Electrons {
				more["electrons"] = true
			}
			return env.formula(ctx, r, err, more)
		}, tool.WithEffect(tool.ReadOnly))
}

type inertialInput struct {
	NCM3     float64 `json:"n_cm3"              jsonschema:"number density of the species, cm^-3"`
	Particle string  `json:"particle,omitempty" jsonschema:"proton unless given; electron, alpha, He+ or O+"`
}

func inertialLength(env *Env) tool.Tool {
	return tool.New("inertial_length", "Inertial length c over plasma frequency of a species, km and m."+recordedDoc,
		func(ctx context.Context, in inertialInput) (tool.Result, error) {
			p, err := formulary.ParseParticle(in.Particle)
			if err != nil {
				return tool.Result{}, err
			}
			r, err := formulary.InertialLength(in.NCM3, p)
			return env.formula(ctx, r, err, map[string]any{"particle": p.Name})
		}, tool.WithEffect(tool.ReadOnly))
}

// formula records what a formula gave. more are arguments that are not among
// the result's numeric inputs.
func (e *Env) formula(ctx context.Context, r *formulary.Result, err error, more map[string]any) (tool.Result, error) {
	if err != nil {
		return tool.Result{}, err
	}
	f := &Formula{
		Name: r.Formula, Inputs: map[string]any{}, Expression: r.Expression,
		Convention: r.Convention, Source: r.Source, Constants: formulary.Constants,
	}
	for _, in := range r.Inputs {
		f.Inputs[in.Name] = in.Value
	}
	maps.Copy(f.Inputs, more)
	out := map[string]any{
		"inputs": f.Inputs, "formula": r.Expression, "convention": r.Convention, "source": r.Source, "constants": f.Constants,
	}
	var values []ledger.Entry
	for _, v := range r.Values {
		out[v.Name] = round(v.Value, decimalsFor(v.Value))
		values = append(values, ledger.NewNumber(formulaName(r.Formula, v.Name), v.Value, v.Units, ledger.Origin{}))
	}
	if r.Formula == "plasma_beta" {
		out["unit"], out["regime"] = "dimensionless", r.Regime
	}
	if r.Particle != "" {
		out["particle"] = r.Particle
	}
	out["recorded"] = names(values)
	if err := e.record(ctx, ledger.Origin{Tool: r.Formula}, values); err != nil {
		return tool.Result{}, err
	}
	return reply(out, &Data{Tool: r.Formula, Formula: f, Values: values})
}

// formulaName is what the ledger calls a value of a formula: it holds the
// formula's name and the unit.
func formulaName(formula, value string) string {
	switch {
	case strings.HasPrefix(value, formula):
		return value
	case slices.Contains([]string{"beta"}, value):
		return formula
	}
	for _, said := range []string{"angular_frequency_", "frequency_"} {
		if rest, ok := strings.CutPrefix(value, said); ok {
			return formula + "_" + rest
		}
	}
	return formula + "_" + value
}

// decimalsFor keeps eight significant digits.
func decimalsFor(v float64) int {
	if v == 0 || math.IsNaN(v) || math.IsInf(v, 0) {
		return 0
	}
	return min(7-int(math.Floor(math.Log10(math.Abs(v)))), 300)
}

package formulary

import "math"

// DebyeLength is the distance over which electrons screen a charge, for an
// electron density in cm^-3 and an electron temperature k_B T in eV: in m and
// in km.
func DebyeLength(nCM3, tEV float64) (*Result, error) {
	r, err := begin("debye_length", density(nCM3), temperature(tEV))
	if err != nil {
		return nil, err
	}
	e := ElementaryCharge
	// k_B T in joule is T in eV times e, and one e cancels against e^2.
	length := math.Sqrt(Eps0 * tEV / (nCM3 * m3PerCM3 * e))
	r.Values = []Value{
		{"debye_length_m", length, "m"},
		{"debye_length_km", length / 1000, "km"},
	}
	r.Particle = Electron.Name
	r.Expression = "lambda_D = sqrt(eps0 k_B T_e / (n_e e^2))"
	r.Convention = "electrons only; the ions' part of the screening is left out"
	r.Source = "NRL Plasma Formulary, fundamental plasma parameters"
	return r, nil
}

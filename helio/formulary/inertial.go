package formulary

import "math"

// InertialLength is the scale c/omega_p below which a species no longer moves
// with the field, for a number density in cm^-3: in km and in m.
func InertialLength(nCM3 float64, p Particle) (*Result, error) {
	r, err := begin("inertial_length", density(nCM3))
	if err != nil {
		return nil, err
	}
	q := p.charge()
	omega := math.Sqrt(nCM3 * m3PerCM3 * q * q / (Eps0 * p.MassKg))
	length := LightSpeed / omega
	r.Values = []Value{
		{"inertial_length_km", length / 1000, "km"},
		{"inertial_length_m", length, "m"},
	}
	r.Particle = p.Name
	r.Expression = "d = c / omega_p, omega_p = sqrt(n q^2 / (eps0 m))"
	r.Convention = "the density is that of the species itself"
	r.Source = "NRL Plasma Formulary, fundamental plasma parameters"
	return r, nil
}

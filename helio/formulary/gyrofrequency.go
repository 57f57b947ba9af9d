package formulary

import "math"

// Gyrofrequency is how often a particle circles a magnetic field of magnitude
// bNT, in nT: the frequency in Hz, the angular frequency in rad/s and the
// period in s. It does not depend on the speed (nonrelativistic).
func Gyrofrequency(bNT float64, p Particle) (*Result, error) {
	r, err := begin("gyrofrequency", field(bNT))
	if err != nil {
		return nil, err
	}
	omega := p.charge() * bNT * teslaPerNT / p.MassKg
	r.Values = []Value{
		{"frequency_Hz", omega / (2 * math.Pi), "Hz"},
		{"angular_frequency_rad_s", omega, "rad/s"},
		{"period_s", 2 * math.Pi / omega, "s"},
	}
	r.Particle = p.Name
	r.Expression = "omega_c = |q| B / m, f_c = omega_c / (2 pi)"
	r.Convention = "nonrelativistic, unsigned; the frequency in Hz is the angular frequency divided by 2 pi"
	r.Source = "NRL Plasma Formulary, fundamental plasma parameters"
	return r, nil
}

// charge returns |q| in coulomb.
func (p Particle) charge() float64 { return math.Abs(float64(p.ChargeE)) * ElementaryCharge }

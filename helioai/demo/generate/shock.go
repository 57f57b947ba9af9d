package main

import (
	"math"

	"github.com/helios-go/helios/helio/formulary"
	"github.com/helios-go/helios/helio/tt"
)

// gamma is the ratio of specific heats.
const gamma = 5.0 / 3

// A state is the plasma on one side of a shock, in GSM and in the spacecraft's
// frame: nT, cm^-3, km/s and, of protons and of electrons together, kelvin.
type state struct {
	field    vec
	density  float64
	velocity vec
	tp, te   float64
}

// A shock is a fast forward shock that travels outward with the wind, faster
// than it, so that it overtakes the spacecraft.
type shock struct {
	seconds   float64 // of the day
	normal    vec     // unit, towards the Sun
	thetaBn   float64 // degrees
	ratio     float64 // of the densities
	machA     float64 // speed of the upstream plasma along the normal over the Alfven speed
	up, down  state
	jumpSpeed float64 // km/s
}

// newShock chooses the upstream state, the geometry and the density ratio, and
// solves for the rest.
func newShock() *shock {
	s := &shock{
		// Between the records of the field at 10:24:05 and 10:24:21, and so that no
		// window of whole minutes on either side ends on a record.
		seconds: 10*hour + 24*minute + 12,
		normal:  vec{0.90, 0.35, 0.26}.unit(),
		thetaBn: 62,
		ratio:   2.5,
	}
	const fieldNT, density, tp, te = 5.0, 6.0, 8e4, 1.2e5
	theta := s.thetaBn * math.Pi / 180
	tangent := vec{0.1, 0.9, 0.45}.without(s.normal).unit()
	// Towards the Sun along the normal is where the field comes from.
	s.up = state{
		field:    s.normal.times(-fieldNT * math.Cos(theta)).plus(tangent.times(fieldNT * math.Sin(theta))),
		density:  density,
		velocity: vec{-380, 12, -8},
		tp:       tp, te: te,
	}
	s.solve(tangent, fieldNT, theta)
	return s
}

// solve finds the Alfven Mach number at which the density ratio satisfies the
// jump conditions, and the downstream state.
func (s *shock) solve(tangent vec, fieldNT, theta float64) {
	mu0, mp, kB := formulary.Mu0, formulary.ProtonMass, formulary.Boltzmann
	rho := s.up.density * 1e6 * mp
	b := fieldNT * 1e-9
	alfven := b / math.Sqrt(mu0*rho)
	pressure := s.up.density * 1e6 * kB * (s.up.tp + s.up.te)

	// The energy that is lost must be none. At a given compression there is one
	// Mach number for that; bisection finds it.
	low, high := 1.2*math.Sqrt(s.ratio), 20.0
	for range 200 {
		mid := (low + high) / 2
		if jump(s.ratio, mid*alfven, rho, pressure, b*math.Cos(theta), b*math.Sin(theta)).energy < 0 {
			low = mid
		} else {
			high = mid
		}
	}
	s.machA = (low + high) / 2
	j := jump(s.ratio, s.machA*alfven, rho, pressure, b*math.Cos(theta), b*math.Sin(theta))

	density := s.ratio * s.up.density
	temperature := j.pressure / (density * 1e6 * kB)
	share := s.up.tp / (s.up.tp + s.up.te)
	// The wind flows into the shock along the normal, which it meets from the
	// far side, and leaves it slower and deflected along the tangent. The field
	// along the normal is negative, and with it the sense of the deflection.
	change := s.normal.times((j.normalSpeed - s.machA*alfven) / 1e3).plus(tangent.times(-j.tangentSpeed / 1e3))
	s.down = state{
		field:    s.normal.times(-fieldNT * math.Cos(theta)).plus(tangent.times(j.tangentField * 1e9)),
		density:  density,
		velocity: s.up.velocity.plus(change),
		tp:       share * temperature,
		te:       (1 - share) * temperature,
	}
	s.jumpSpeed = s.down.velocity.norm() - s.up.velocity.norm()
}

// A jumped is what is behind the shock, in its frame and in SI.
type jumped struct {
	normalSpeed, tangentSpeed, tangentField, pressure float64
	energy                                            float64 // flux behind less flux ahead
}

// jump applies the conservation of mass, of both momenta and of the electric
// field (e.g. Schwartz 1998, ISSI SR-001, chapter 10) to upstream plasma that
// flows along the normal with the speed u, and says how far the energy is off.
func jump(ratio, u, rho, pressure, bn, bt float64) jumped {
	mu0 := formulary.Mu0
	flux := rho * u
	var j jumped
	j.normalSpeed = u / ratio
	inflow, along := mu0*rho*u*u, bn*bn
	j.tangentField = bt * ratio * (inflow - along) / (inflow - ratio*along)
	j.tangentSpeed = bn * (j.tangentField - bt) / (mu0 * flux)
	j.pressure = pressure + flux*(u-j.normalSpeed) + (bt*bt-j.tangentField*j.tangentField)/(2*mu0)
	enthalpy := gamma / (gamma - 1)
	ahead := flux*u*u/2 + enthalpy*pressure*u + u*bt*bt/mu0
	behind := flux*(j.normalSpeed*j.normalSpeed+j.tangentSpeed*j.tangentSpeed)/2 + enthalpy*j.pressure*j.normalSpeed +
		(j.normalSpeed*j.tangentField*j.tangentField-j.tangentSpeed*bn*j.tangentField)/mu0
	j.energy = behind - ahead
	return j
}

func (s *shock) time() tt.Time { return instant(s.seconds) }

// at returns the side of the shock on which a second of the day is.
func (s *shock) at(seconds float64) (side state, behind float64) {
	if seconds < s.seconds {
		return s.up, seconds - s.seconds
	}
	return s.down, seconds - s.seconds
}

// away is 0 near the shock, so that its two sides are steady, and 1 far from it.
func (s *shock) away(seconds float64) float64 {
	return smooth(math.Abs(seconds-s.seconds), 25*minute, 75*minute)
}

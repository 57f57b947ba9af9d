package main

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/helios-go/helios/helio/formulary"
)

func TestWhatIsCommittedIsWhatIsMade(t *testing.T) {
	t.Parallel()
	made, err := written()
	if err != nil {
		t.Fatal(err)
	}
	committed, err := filepath.Glob("../data/*")
	if err != nil || len(committed) != len(made)-1 {
		t.Errorf("got %d files, want %d (%v)", len(committed), len(made)-1, err)
	}
	total := 0
	for name, want := range made {
		got, err := os.ReadFile(filepath.Join("..", name))
		if err != nil {
			t.Fatal(err)
		}
		total += len(got)
		if !bytes.Equal(got, want) {
			t.Errorf("%s is not what is made; run go generate ./helioai/demo", name)
		}
	}
	if total > 500_000 {
		t.Errorf("the files take %d bytes of every clone and binary, more than 500,000", total)
	}
}

// The two sides of the shock, taken as any two states with a plane between
// them, must carry equal fluxes through it: a check in vectors and in the
// spacecraft's frame of what was solved in components and in another one.
func TestTheShockConservesEverything(t *testing.T) {
	t.Parallel()
	s := newShock()
	n := s.normal
	mass := func(x state) float64 { return x.density * 1e6 * formulary.ProtonMass }
	// The speed at which no mass is left behind.
	speed := (mass(s.down)*s.down.velocity.dot(n) - mass(s.up)*s.up.velocity.dot(n)) / (mass(s.down) - mass(s.up))

	type fluxes struct {
		field    float64 // along the normal
		momentum vec
		electric vec // along the plane
		energy   float64
	}
	flux := func(x state) fluxes {
		rho := mass(x)
		v := x.velocity.plus(n.times(-speed)).times(1e3)
		b := x.field.times(1e-9)
		p := x.density * 1e6 * formulary.Boltzmann * (x.tp + x.te)
		vn, bn := v.dot(n), b.dot(n)
		magnetic := b.dot(b) / (2 * formulary.Mu0)
		return fluxes{
			field:    bn,
			momentum: v.times(rho * vn).plus(n.times(p + magnetic)).plus(b.times(-bn / formulary.Mu0)),
			electric: n.cross(v.cross(b)),
			energy:   vn*(rho*v.dot(v)/2+gamma/(gamma-1)*p+2*magnetic) - bn*v.dot(b)/formulary.Mu0,
		}
	}
	up, down := flux(s.up), flux(s.down)
	near := func(what string, a, b, scale float64) {
		t.Helper()
		if math.Abs(a-b) > 1e-9*scale {
			t.Errorf("%s: %g ahead and %g behind", what, a, b)
		}
	}
	near("normal field", up.field, down.field, math.Abs(up.field))
	near("energy", up.energy, down.energy, math.Abs(up.energy))
	for k := range 3 {
		near("momentum", up.momentum[k], down.momentum[k], up.momentum.norm())
		near("electric field", up.electric[k], down.electric[k], up.electric.norm())
	}
	if entropy := func(x state) float64 { return (x.tp + x.te) / math.Pow(x.density, gamma-1) }; entropy(s.down) <= entropy(s.up) {
		t.Error("the entropy does not rise, so this is no shock")
	}
	if angle := math.Acos(math.Abs(s.up.field.unit().dot(n))) * 180 / math.Pi; math.Abs(angle-s.thetaBn) > 1e-9 {
		t.Errorf("theta_Bn: got %v, want %v", angle, s.thetaBn)
	}
	if s.down.velocity[0] >= s.up.velocity[0] || s.jumpSpeed < 20 {
		t.Errorf("the wind does not get faster: %v and %v km/s", s.up.velocity, s.down.velocity)
	}
}

func TestNoiseHasTheMomentsItPromises(t *testing.T) {
	t.Parallel()
	random := noise(1)
	const n = 200_000
	mean, square := 0.0, 0.0
	for range n {
		x := random.normal()
		mean += x / n
		square += x * x / n
	}
	if math.Abs(mean) > 0.01 || math.Abs(square-1) > 0.01 {
		t.Errorf("got mean %v and variance %v, want 0 and 1", mean, square)
	}
}

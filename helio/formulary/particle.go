package formulary

import (
	"fmt"
	"slices"
	"strings"
)

// A Particle is a charged species.
type Particle struct {
	Name    string  // as in "proton"
	ChargeE int     // in elementary charges, negative for the electron
	MassKg  float64 // of the ion, its missing electrons subtracted
}

// The species that the formulas know.
var (
	Electron = Particle{"electron", -1, ElectronMass}
	Proton   = Particle{"proton", 1, ProtonMass}
	Alpha    = Particle{"alpha", 2, AlphaMass}
	Helium   = Particle{"He+", 1, AlphaMass + ElectronMass}
	// Oxygen has the standard atomic weight 15.999, less one electron.
	Oxygen = Particle{"O+", 1, 15.999*AtomicMass - ElectronMass}
)

var particles = []struct {
	Particle
	aliases []string // lower case
}{
	{Proton, []string{"proton", "protons", "p", "p+", "h+", "ion", "ions", "hydrogen"}},
	{Electron, []string{"electron", "electrons", "e", "e-"}},
	{Alpha, []string{"alpha", "alphas", "alpha particle", "he++", "he2+", "he", "he 2+"}},
	{Helium, []string{"he+", "he1+"}},
	{Oxygen, []string{"o+", "o1+", "oxygen"}},
}

// ParseParticle finds a species by one of its usual names, without regard to
// case; "" is the proton.
func ParseParticle(name string) (Particle, error) {
	key := strings.ToLower(strings.TrimSpace(name))
	if key == "" {
		return Proton, nil
	}
	var known []string
	for _, p := range particles {
		if slices.Contains(p.aliases, key) {
			return p.Particle, nil
		}
		known = append(known, p.Name)
	}
	return Particle{}, fmt.Errorf("particle %q is not known here; give one of %s", name, strings.Join(known, ", "))
}

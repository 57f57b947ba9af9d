package main

import (
	"math"

	"github.com/helios-go/helios/helio/cdf/cdftest"
	"github.com/helios-go/helios/helio/formulary"
	"github.com/helios-go/helios/helio/tt"
)

// Each variable has a fill value of its own, as in the files of real
// instruments: one that is an ordinary value of another.
const (
	fillN float32 = 999.99
	fillV float32 = 9999.9
	fillT float32 = 9999999
	fillW float32 = 9999.9
)

const plasmaStep = 64.0 // seconds

// A plasma is the plasma instrument's day in the solar wind.
type plasma struct {
	times                             []tt.Time
	density, speed, temperature, heat []float32
}

func newPlasma(s *shock) *plasma {
	p := &plasma{}
	random := noise(615)
	for i := range int(24 * hour / plasmaStep) {
		seconds := 30 + plasmaStep*float64(i)
		p.times = append(p.times, instant(seconds))
		n, v, t := windPlasma(s, seconds, &random)
		if random.uniform() < 0.008 && math.Abs(seconds-s.seconds) > 5*minute {
			p.density, p.speed = append(p.density, fillN), append(p.speed, fillV)
			p.temperature, p.heat = append(p.temperature, fillT), append(p.heat, fillW)
			continue
		}
		p.density = append(p.density, quantum(n, 0.01))
		p.speed = append(p.speed, quantum(v, 0.1))
		p.temperature = append(p.temperature, quantum(t, 1))
		p.heat = append(p.heat, quantum(thermalSpeed(t), 0.01))
	}
	return p
}

// thermalSpeed is the most probable speed sqrt(2 k_B T / m_p), in km/s.
func thermalSpeed(kelvin float64) float64 {
	return math.Sqrt(2*formulary.Boltzmann*kelvin/formulary.ProtonMass) / 1e3
}

// windPlasma is the density in cm^-3, the speed in km/s and the temperature in
// K: steady around the shock; in the cloud behind it thin, fast and cool.
func windPlasma(s *shock, seconds float64, random *noise) (density, speed, kelvin float64) {
	side, behind := s.at(seconds)
	away := s.away(seconds)
	density, speed, kelvin = side.density, side.velocity.norm(), side.tp
	if behind >= 0 {
		density *= 1 - 0.5*smooth(behind, 25*minute, 10*hour)
		speed += 35*bump(seconds, 16*hour, 3*hour)*away - 60*smooth(behind, 6*hour, 14*hour)
		kelvin *= 1 - 0.4*smooth(behind, 25*minute, 10*hour)
	}
	wave := func(period, phase float64) float64 { return math.Sin(2*math.Pi*seconds/period + phase) }
	density *= 1 + away*(0.12*wave(2.9*hour, 0.7)+0.08*wave(1.1*hour, 2.2))
	speed += away * (9*wave(4.3*hour, 1.9) + 4*wave(1.7*hour, 0.4))
	kelvin *= 1 + away*(0.10*wave(3.3*hour, 3.0)+0.06*wave(0.8*hour, 1.3))
	cloud := away * bump(seconds, 15*hour, 1.6*hour)
	density *= 1 - 0.55*cloud
	kelvin *= 1 - 0.65*cloud
	return density * (1 + 0.02*random.normal()), speed + 1.5*random.normal(), kelvin * (1 + 0.03*random.normal())
}

func (p *plasma) file() cdftest.File {
	file := newFile(datasetSWE, "SWE>Solar Wind Experiment (synthetic)", "H1>64-s proton moments",
		"Synthetic solar wind protons every 64 s, with an interplanetary shock")
	file.Variables = []cdftest.Variable{
		epoch(p.times),
		data("Np", "Proton number density", "cm^-3", p.density, fillN, 0, 300, attribute("LABLAXIS", "Np")),
		data("Vp", "Proton bulk speed", "km/s", p.speed, fillV, 0, 3000, attribute("LABLAXIS", "Vp")),
		data("Tp", "Proton temperature", "K", p.temperature, fillT, 0, 5e6, attribute("LABLAXIS", "Tp")),
		data("Vth", "Proton most probable thermal speed", "km/s", p.heat, fillW, 0, 300, attribute("LABLAXIS", "Vth")),
	}
	return file
}

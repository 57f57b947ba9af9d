package main

import (
	"math"

	"github.com/helios-go/helios/helio/cdf/cdftest"
	"github.com/helios-go/helios/helio/tt"
)

// A crossing is a magnetometer's passage through a magnetopause: the field
// turns within a layer whose normal is known, and the component along that
// normal stays constant.
type crossing struct {
	times   []tt.Time
	vectors [][3]float32
	normal  vec // in GSE, away from the Earth
	normalB float64
	// The layer itself: the window for an analysis.
	start, stop tt.Time
}

func newCrossing() *crossing {
	c := &crossing{normal: vec{0.85, 0.45, 0.28}.unit(), normalB: 2.5}
	const first, last, centre = 13*hour + 20*minute, 13*hour + 35*minute, 13*hour + 27*minute
	c.start, c.stop = instant(centre-2*minute), instant(centre+2*minute)
	// L is northward within the layer, M completes the right-handed system.
	l := vec{0, 0, 1}.without(c.normal).unit()
	m := c.normal.cross(l)
	random := noise(31416)
	for seconds := first; seconds < last; seconds++ {
		x := (seconds - centre) / 30
		// From the magnetosheath, southward, to the magnetosphere, northward.
		alongL := 3 + 33*math.Tanh(x)
		alongM := 6 + 14/math.Cosh(x)
		jitter := random.vec(vec{0.6, 0.6, 0.3})
		b := l.times(alongL + jitter[0]).plus(m.times(alongM + jitter[1])).plus(c.normal.times(c.normalB + jitter[2]))
		c.times = append(c.times, instant(seconds))
		if random.uniform() < 0.01 {
			c.vectors = append(c.vectors, [3]float32{fillB, fillB, fillB})
			continue
		}
		c.vectors = append(c.vectors, [3]float32{quantum(b[0], 0.01), quantum(b[1], 0.01), quantum(b[2], 0.01)})
	}
	return c
}

func (c *crossing) file() cdftest.File {
	file := newFile(datasetFGM, "FGM>Fluxgate Magnetometer (synthetic)", "H2>1-s magnetic field",
		"Synthetic magnetic field across a magnetopause every second")
	file.Variables = []cdftest.Variable{
		epoch(c.times),
		vector("BGSE", "Magnetic field vector in GSE coordinates", "nT", c.vectors, fillB, -500, 500,
			attribute("LABL_PTR_1", "label_BGSE"), attribute("COORDINATE_SYSTEM", "GSE")),
		labels("label_BGSE", "Bx GSE", "By GSE", "Bz GSE"),
	}
	return file
}

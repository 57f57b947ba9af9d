package main

import (
	"math"

	"github.com/helios-go/helios/helio/tt"
)

// The datasets, by the names of their files without the ending.
const (
	datasetMFI = "demo_mfi_20230615_v01" // magnetic field in the solar wind
	datasetSWE = "demo_swe_20230615_v01" // plasma of the solar wind
	datasetFGM = "demo_fgm_20230615_v01" // magnetic field across a magnetopause
)

// makeAll returns the files by name and the truths about them. The same source
// gives the same bytes on every machine.
func makeAll() (map[string][]byte, *truths, error) {
	shock := newShock()
	field, plasma, crossing := newField(shock), newPlasma(shock), newCrossing()
	files := map[string][]byte{}
	for name, file := range map[string]interface{ Bytes() ([]byte, error) }{
		datasetMFI: field.file(), datasetSWE: plasma.file(), datasetFGM: crossing.file(),
	} {
		b, err := file.Bytes()
		if err != nil {
			return nil, nil, err
		}
		files[name+".cdf"] = b
	}
	return files, newTruths(shock, field, plasma, crossing), nil
}

// instant returns a time of the day of the demonstration, in seconds.
func instant(seconds float64) tt.Time {
	day, err := tt.FromCalendar(2023, 6, 15, 0, 0, 0, 0)
	if err != nil {
		panic(err) // a date that is written above
	}
	return day + tt.Time(math.Round(seconds*1e3))*1e6
}

const (
	minute = 60.0
	hour   = 3600.0
)

// A vec is a vector in some frame.
type vec [3]float64

func (a vec) plus(b vec) vec       { return vec{a[0] + b[0], a[1] + b[1], a[2] + b[2]} }
func (a vec) times(f float64) vec  { return vec{f * a[0], f * a[1], f * a[2]} }
func (a vec) dot(b vec) float64    { return a[0]*b[0] + a[1]*b[1] + a[2]*b[2] }
func (a vec) norm() float64        { return math.Sqrt(a.dot(a)) }
func (a vec) unit() vec            { return a.times(1 / a.norm()) }
func (a vec) without(unit vec) vec { return a.plus(unit.times(-a.dot(unit))) }

func (a vec) cross(b vec) vec {
	return vec{a[1]*b[2] - a[2]*b[1], a[2]*b[0] - a[0]*b[2], a[0]*b[1] - a[1]*b[0]}
}

// quantum rounds to what the instrument resolves. It also takes away the last
// digits, in which processors may differ.
func quantum(x, step float64) float32 { return float32(math.Round(x/step) * step) }

// smooth rises from 0 at a to 1 at b without a corner.
func smooth(x, a, b float64) float64 {
	f := min(max((x-a)/(b-a), 0), 1)
	return f * f * (3 - 2*f)
}

// bump is 1 at the centre and falls off on both sides.
func bump(x, centre, width float64) float64 {
	f := (x - centre) / width
	return math.Exp(-f * f)
}

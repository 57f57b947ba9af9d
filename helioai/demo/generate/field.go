package main

import (
	"math"

	"github.com/helios-go/helios/helio/cdf"
	"github.com/helios-go/helios/helio/cdf/cdftest"
	"github.com/helios-go/helios/helio/tt"
)

// fillB marks a missing field, as in the files of real magnetometers.
const fillB float32 = -1e31

const fieldStep = 16.0 // seconds

// A field is the magnetometer's day in the solar wind.
type field struct {
	times     []tt.Time
	magnitude []float32
	vectors   [][3]float32
	gap       [2]tt.Time // the last record before and the first after
}

func newField(s *shock) *field {
	f := &field{}
	random := noise(20230615)
	for i := range int(24 * hour / fieldStep) {
		seconds := 5 + fieldStep*float64(i)
		b := windField(s, seconds, &random)
		missing := fieldMissing(s, seconds, &random)
		// The telemetry was lost for forty minutes: no records at all.
		if seconds > 17*hour+12*minute && seconds < 17*hour+52*minute {
			continue
		}
		f.add(instant(seconds), b, missing)
	}
	return f
}

func (f *field) add(t tt.Time, b vec, missing bool) {
	if n := len(f.times); n > 0 && t-f.times[n-1] > 10*fieldStep*1e9 {
		f.gap = [2]tt.Time{f.times[n-1], t}
	}
	f.times = append(f.times, t)
	if missing {
		f.vectors = append(f.vectors, [3]float32{fillB, fillB, fillB})
		f.magnitude = append(f.magnitude, fillB)
		return
	}
	v := [3]float32{quantum(b[0], 0.001), quantum(b[1], 0.001), quantum(b[2], 0.001)}
	f.vectors = append(f.vectors, v)
	f.magnitude = append(f.magnitude, quantum(vec{float64(v[0]), float64(v[1]), float64(v[2])}.norm(), 0.001))
}

// windField is the field in nT and GSM: steady around the shock, with slow
// waves elsewhere, and a magnetic cloud that turns southward in the afternoon.
func windField(s *shock, seconds float64, random *noise) vec {
	side, behind := s.at(seconds)
	away := s.away(seconds)
	sigma := 0.12
	b := side.field
	if behind >= 0 {
		sigma = 0.25
		b = b.times(1 - 0.45*smooth(behind, 25*minute, 12*hour))
	}
	wave := func(period, phase float64) float64 { return math.Sin(2*math.Pi*seconds/period + phase) }
	b = b.plus(vec{
		0.9*wave(2.1*hour, 0.3) + 0.5*wave(0.7*hour, 1.1),
		1.1*wave(3.7*hour, 2.0) + 0.4*wave(0.9*hour, 0.2),
		1.2*wave(5.3*hour, 4.1) + 0.6*wave(1.3*hour, 2.7),
	}.times(away))
	cloud := vec{
		1.5 * bump(seconds, 15*hour, 1.2*hour),
		7 * bump(seconds, 15.1*hour, 1.1*hour),
		-13 * bump(seconds, 14.2*hour, 0.9*hour),
	}
	return b.plus(cloud.times(away)).plus(random.vec(vec{sigma, sigma, sigma}))
}

// fieldMissing strews missing samples over the day, but not on the shock, and
// lets a calibration take out twelve minutes in the morning.
func fieldMissing(s *shock, seconds float64, random *noise) bool {
	strewn := random.uniform() < 0.006 && math.Abs(seconds-s.seconds) > 5*minute
	return strewn || (seconds >= 5*hour+40*minute && seconds < 5*hour+52*minute)
}

func (f *field) file() cdftest.File {
	file := newFile(datasetMFI, "MFI>Magnetic Field Investigation (synthetic)", "H0>16-s magnetic field",
		"Synthetic solar wind magnetic field every 16 s, with an interplanetary shock")
	file.Variables = []cdftest.Variable{
		epoch(f.times),
		data("Magnitude", "Magnetic field magnitude", "nT", f.magnitude, fillB, 0, 500,
			attribute("LABLAXIS", "|B|")),
		vector("BGSM", "Magnetic field vector in GSM coordinates", "nT", f.vectors, fillB, -500, 500,
			attribute("LABL_PTR_1", "label_BGSM"), attribute("COORDINATE_SYSTEM", "GSM")),
		labels("label_BGSM", "Bx GSM", "By GSM", "Bz GSM"),
	}
	return file
}

// vector is a variable of three components.
func vector(name, description, units string, values [][3]float32, fill, low, high float32, more ...cdftest.Attribute) cdftest.Variable {
	flat := make([]float32, 0, 3*len(values))
	for _, v := range values {
		flat = append(flat, v[:]...)
	}
	v := data(name, description, units, flat, fill, low, high, more...)
	v.Dims = []int{3}
	return v
}

// data is a variable of measurements.
func data(name, description, units string, values []float32, fill, low, high float32, more ...cdftest.Attribute) cdftest.Variable {
	return cdftest.Variable{
		Name: name, Type: cdf.Real4, Values: values, Compression: cdf.GZIP,
		Attributes: append([]cdftest.Attribute{
			attribute("CATDESC", description+" (synthetic)"), attribute("FIELDNAM", description), attribute("VAR_TYPE", "data"),
			attribute("DISPLAY_TYPE", "time_series"), attribute("DEPEND_0", "Epoch"), attribute("UNITS", units), attribute("FILLVAL", fill),
			attribute("VALIDMIN", low), attribute("VALIDMAX", high), attribute("SCALETYP", "linear"), attribute("FORMAT", "F10.3"),
		}, more...),
	}
}

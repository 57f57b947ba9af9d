package main

import (
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/helios-go/helios/helio/tt"
)

// truths are what an analysis of the files must find.
type truths struct {
	Note     string        `json:"note"`
	Columns  []columnTruth `json:"columns"`
	Gaps     []gapTruth    `json:"gaps"`
	Shock    shockTruth    `json:"shock"`
	Rotation rotationTruth `json:"rotation"`
}

// nine rounds to nine digits, which is more than the data resolve and less than
// processors may differ in.
func nine(x float64) float64 {
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 9, 64), 64)
	if err != nil {
		return x // a number that was just written
	}
	return rounded
}

// A triple has three components.
type triple [3]float64

// A columnTruth is one column of a parameter over the whole file.
type columnTruth struct {
	ID      string  `json:"id"`
	Column  int     `json:"column"`
	Label   string  `json:"label"`
	Units   string  `json:"units"`
	Records int     `json:"records"`
	Missing int     `json:"missing"`
	Mean    float64 `json:"mean"`
	Median  float64 `json:"median"`
	Std     float64 `json:"std"` // of the population
	Min     float64 `json:"min"`
	MinTime tt.Time `json:"min_time"`
	Max     float64 `json:"max"`
	MaxTime tt.Time `json:"max_time"`
}

// A gapTruth is a stretch without data between two records that have some.
type gapTruth struct {
	ID      string  `json:"id"`
	Start   tt.Time `json:"start"`
	Stop    tt.Time `json:"stop"`
	Seconds float64 `json:"seconds"`
}

// shockTruth is the interplanetary shock: as constructed, and as its field measures
// it with noise.
type shockTruth struct {
	ID           string  `json:"id"`
	Time         tt.Time `json:"time"`
	Normal       triple  `json:"normal"`
	ThetaBn      float64 `json:"theta_bn_deg"`
	DensityRatio float64 `json:"density_ratio"`
	FieldRatio   float64 `json:"field_ratio"`
	AlfvenMach   float64 `json:"alfven_mach"`
	SpeedJump    float64 `json:"speed_jump_km_s"`
	Measured     struct {
		Guard        float64 `json:"guard_min"`
		Span         float64 `json:"span_min"`
		RowsUp       int     `json:"rows_up"`
		RowsDown     int     `json:"rows_down"`
		FieldUp      triple  `json:"B_up_mean_nT"`
		FieldDown    triple  `json:"B_dn_mean_nT"`
		Normal       triple  `json:"normal"`
		ThetaBn      float64 `json:"theta_bn_deg"`
		CompressionB float64 `json:"compression_ratio"`
	} `json:"measured"`
}

// rotationTruth is the magnetopause: its normal as constructed, and minimum variance
// analysis in the window.
type rotationTruth struct {
	ID      string  `json:"id"`
	Start   tt.Time `json:"start"`
	Stop    tt.Time `json:"stop"`
	Normal  triple  `json:"normal"`
	NormalB float64 `json:"normal_field_nT"`
	MVAB    struct {
		Rows        int     `json:"rows"`
		Eigenvalues triple  `json:"eigenvalues_nT2"` // ascending
		Ratio       float64 `json:"ratio_int_min"`
		Normal      triple  `json:"normal"` // towards positive x
	} `json:"mvab"`
}

func newTruths(s *shock, f *field, p *plasma, c *crossing) *truths {
	t := &truths{Note: "Synthetic data: computed, not measured. What an analysis of them must find; made with them by helioai/demo/generate."}
	id := func(dataset, name string) string { return "local/" + dataset + "/" + name }
	scalar := func(id, label, units string, fill float32, times []tt.Time, values []float32) {
		t.Columns = append(t.Columns, column(id, 0, label, units, fill, times, func(i int) float32 { return values[i] }))
	}
	components := func(id, frame string, times []tt.Time, values [][3]float32) {
		for k, axis := range []string{"x", "y", "z"} {
			t.Columns = append(t.Columns, column(id, k, "B"+axis+" "+frame, "nT", fillB, times, func(i int) float32 { return values[i][k] }))
		}
	}
	scalar(id(datasetMFI, "Magnitude"), "|B|", "nT", fillB, f.times, f.magnitude)
	components(id(datasetMFI, "BGSM"), "GSM", f.times, f.vectors)
	scalar(id(datasetSWE, "Np"), "Np", "cm^-3", fillN, p.times, p.density)
	scalar(id(datasetSWE, "Vp"), "Vp", "km/s", fillV, p.times, p.speed)
	scalar(id(datasetSWE, "Tp"), "Tp", "K", fillT, p.times, p.temperature)
	scalar(id(datasetSWE, "Vth"), "Vth", "km/s", fillW, p.times, p.heat)
	components(id(datasetFGM, "BGSE"), "GSE", c.times, c.vectors)

	t.Gaps = f.gaps(id(datasetMFI, "BGSM"))
	t.Shock = s.truth(id(datasetMFI, "BGSM"), f)
	t.Rotation = c.truth(id(datasetFGM, "BGSE"))
	return t
}

func column(id string, k int, label, units string, fill float32, times []tt.Time, value func(int) float32) columnTruth {
	c := columnTruth{ID: id, Column: k, Label: label, Units: units, Records: len(times)}
	low, high := math.Inf(1), math.Inf(-1)
	var good []float64
	total := 0.0
	for i, at := range times {
		v := value(i)
		if v == fill {
			c.Missing++
			continue
		}
		x := float64(v)
		if x < low {
			low, c.MinTime = x, at
		}
		if x > high {
			high, c.MaxTime = x, at
		}
		good = append(good, x)
		total += x
	}
	n := float64(len(good))
	mean, squares := total/n, 0.0
	for _, x := range good {
		squares += (x - mean) * (x - mean)
	}
	slices.Sort(good)
	c.Min, c.Max = nine(low), nine(high)
	c.Mean, c.Std = nine(mean), nine(math.Sqrt(squares/n))
	c.Median = nine((good[(len(good)-1)/2] + good[len(good)/2]) / 2)
	return c
}

// gaps are the steps of more than three cadences between records with data.
func (f *field) gaps(id string) []gapTruth {
	var out []gapTruth
	last := tt.Fill
	for i, at := range f.times {
		if f.magnitude[i] == fillB {
			continue
		}
		if last != tt.Fill && at-last > 3*fieldStep*tt.Time(time.Second) {
			out = append(out, gapTruth{ID: id, Start: last, Stop: at, Seconds: nine(time.Duration(at - last).Seconds())})
		}
		last = at
	}
	return out
}

func (s *shock) truth(id string, f *field) shockTruth {
	out := shockTruth{
		ID: id, Time: s.time(), Normal: rounded(s.normal), ThetaBn: nine(s.thetaBn), DensityRatio: nine(s.ratio),
		FieldRatio: nine(s.down.field.norm() / s.up.field.norm()), AlfvenMach: nine(s.machA), SpeedJump: nine(s.jumpSpeed),
	}
	const guard, span = 2, 13
	m := &out.Measured
	m.Guard, m.Span = guard, span
	edge := func(minutes float64) tt.Time { return s.time() + tt.Time(minutes*float64(time.Minute)) }
	up, rowsUp := f.mean(edge(-guard-span), edge(-guard))
	down, rowsDown := f.mean(edge(guard), edge(guard+span))
	normal := down.cross(up).cross(down.plus(up.times(-1))).unit()
	if normal[0] < 0 {
		normal = normal.times(-1)
	}
	m.RowsUp, m.RowsDown, m.FieldUp, m.FieldDown, m.Normal = rowsUp, rowsDown, rounded(up), rounded(down), rounded(normal)
	m.ThetaBn = nine(math.Acos(math.Abs(up.unit().dot(normal))) * 180 / math.Pi)
	m.CompressionB = nine(down.norm() / up.norm())
	return out
}

// mean is the mean field over the records in [start, stop] that have one.
func (f *field) mean(start, stop tt.Time) (vec, int) {
	var total vec
	n := 0
	for i, at := range f.times {
		if v := f.vectors[i]; at >= start && at <= stop && v[0] != fillB {
			total = total.plus(vec{float64(v[0]), float64(v[1]), float64(v[2])})
			n++
		}
	}
	return total.times(1 / float64(n)), n
}

func (c *crossing) truth(id string) rotationTruth {
	out := rotationTruth{ID: id, Start: c.start, Stop: c.stop, Normal: rounded(c.normal), NormalB: nine(c.normalB)}
	var rows []vec
	var total vec
	for i, at := range c.times {
		if v := c.vectors[i]; at >= c.start && at < c.stop && v[0] != fillB {
			b := vec{float64(v[0]), float64(v[1]), float64(v[2])}
			rows, total = append(rows, b), total.plus(b)
		}
	}
	n := float64(len(rows))
	mean := total.times(1 / n)
	var moments [3]vec
	for _, b := range rows {
		d := b.plus(mean.times(-1))
		for i := range 3 {
			for j := range 3 {
				moments[i][j] += d[i] * d[j] / n
			}
		}
	}
	values, normal := minimumVariance(moments)
	if normal[0] < 0 {
		normal = normal.times(-1)
	}
	m := &out.MVAB
	m.Rows, m.Eigenvalues, m.Normal = len(rows), triple{nine(values[0]), nine(values[1]), nine(values[2])}, rounded(normal)
	m.Ratio = nine(values[1] / values[0])
	return out
}

func rounded(v vec) triple { return triple{nine(v[0]), nine(v[1]), nine(v[2])} }

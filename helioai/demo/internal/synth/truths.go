package synth

import (
	"math"
	"slices"
	"strconv"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/helios-go/helios/helio/tt"
)

// Truths are what an analysis of the files must find.
type Truths struct {
	Note     string   `json:"note"`
	Columns  []Column `json:"columns"`
	Gaps     []Gap    `json:"gaps"`
	Shock    Shock    `json:"shock"`
	Rotation Rotation `json:"rotation"`
}

// A Number is written with nine digits, which is more than the data resolve
// and less than processors may differ in.
type Number float64

// MarshalJSON writes the number.
func (n Number) MarshalJSON() ([]byte, error) {
	return strconv.AppendFloat(nil, float64(n), 'g', 9, 64), nil
}

// A Vector has three components.
type Vector [3]Number

// A Column is one column of a parameter over the whole file.
type Column struct {
	ID      string  `json:"id"`
	Column  int     `json:"column"`
	Label   string  `json:"label"`
	Units   string  `json:"units"`
	Records int     `json:"records"`
	Missing int     `json:"missing"`
	Mean    Number  `json:"mean"`
	Median  Number  `json:"median"`
	Std     Number  `json:"std"` // of the population
	Min     Number  `json:"min"`
	MinTime tt.Time `json:"min_time"`
	Max     Number  `json:"max"`
	MaxTime tt.Time `json:"max_time"`
}

// A Gap is a stretch without data between two records that have some.
type Gap struct {
	ID      string  `json:"id"`
	Start   tt.Time `json:"start"`
	Stop    tt.Time `json:"stop"`
	Seconds Number  `json:"seconds"`
}

// Shock is the interplanetary shock: as constructed, and as its field measures
// it with noise.
type Shock struct {
	ID           string  `json:"id"`
	Time         tt.Time `json:"time"`
	Normal       Vector  `json:"normal"`
	ThetaBn      Number  `json:"theta_bn_deg"`
	DensityRatio Number  `json:"density_ratio"`
	FieldRatio   Number  `json:"field_ratio"`
	AlfvenMach   Number  `json:"alfven_mach"`
	SpeedJump    Number  `json:"speed_jump_km_s"`
	Measured     struct {
		Guard        Number `json:"guard_min"`
		Span         Number `json:"span_min"`
		RowsUp       int    `json:"rows_up"`
		RowsDown     int    `json:"rows_down"`
		FieldUp      Vector `json:"B_up_mean_nT"`
		FieldDown    Vector `json:"B_dn_mean_nT"`
		Normal       Vector `json:"normal"`
		ThetaBn      Number `json:"theta_bn_deg"`
		CompressionB Number `json:"compression_ratio"`
	} `json:"measured"`
}

// Rotation is the magnetopause: its normal as constructed, and minimum variance
// analysis in the window.
type Rotation struct {
	ID      string  `json:"id"`
	Start   tt.Time `json:"start"`
	Stop    tt.Time `json:"stop"`
	Normal  Vector  `json:"normal"`
	NormalB Number  `json:"normal_field_nT"`
	MVAB    struct {
		Rows        int    `json:"rows"`
		Eigenvalues Vector `json:"eigenvalues_nT2"` // ascending
		Ratio       Number `json:"ratio_int_min"`
		Normal      Vector `json:"normal"` // towards positive x
	} `json:"mvab"`
}

func newTruths(s *shock, f *field, p *plasma, c *crossing) *Truths {
	t := &Truths{Note: "Synthetic data: computed, not measured. What an analysis of them must find; made with them by helioai/demo/generate."}
	id := func(dataset, name string) string { return "local/" + dataset + "/" + name }
	scalar := func(id, label, units string, fill float32, times []tt.Time, values []float32) {
		t.Columns = append(t.Columns, column(id, 0, label, units, fill, times, func(i int) float32 { return values[i] }))
	}
	components := func(id, frame string, times []tt.Time, values [][3]float32) {
		for k, axis := range []string{"x", "y", "z"} {
			t.Columns = append(t.Columns, column(id, k, "B"+axis+" "+frame, "nT", fillB, times, func(i int) float32 { return values[i][k] }))
		}
	}
	scalar(id(MFI, "Magnitude"), "|B|", "nT", fillB, f.times, f.magnitude)
	components(id(MFI, "BGSM"), "GSM", f.times, f.vectors)
	scalar(id(SWE, "Np"), "Np", "cm^-3", fillN, p.times, p.density)
	scalar(id(SWE, "Vp"), "Vp", "km/s", fillV, p.times, p.speed)
	scalar(id(SWE, "Tp"), "Tp", "K", fillT, p.times, p.temperature)
	scalar(id(SWE, "Vth"), "Vth", "km/s", fillW, p.times, p.heat)
	components(id(FGM, "BGSE"), "GSE", c.times, c.vectors)

	t.Gaps = f.gaps(id(MFI, "BGSM"))
	t.Shock = s.truth(id(MFI, "BGSM"), f)
	t.Rotation = c.truth(id(FGM, "BGSE"))
	return t
}

func column(id string, k int, label, units string, fill float32, times []tt.Time, value func(int) float32) Column {
	c := Column{ID: id, Column: k, Label: label, Units: units, Records: len(times)}
	var good []float64
	total := 0.0
	for i, at := range times {
		v := value(i)
		if v == fill {
			c.Missing++
			continue
		}
		x := float64(v)
		if len(good) == 0 || x < float64(c.Min) {
			c.Min, c.MinTime = Number(x), at
		}
		if len(good) == 0 || x > float64(c.Max) {
			c.Max, c.MaxTime = Number(x), at
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
	c.Mean, c.Std = Number(mean), Number(math.Sqrt(squares/n))
	c.Median = Number((good[(len(good)-1)/2] + good[len(good)/2]) / 2)
	return c
}

// gaps are the steps of more than three cadences between records with data.
func (f *field) gaps(id string) []Gap {
	var out []Gap
	last := tt.Fill
	for i, at := range f.times {
		if f.magnitude[i] == fillB {
			continue
		}
		if last != tt.Fill && at-last > 3*fieldStep*tt.Time(time.Second) {
			out = append(out, Gap{ID: id, Start: last, Stop: at, Seconds: Number(time.Duration(at - last).Seconds())})
		}
		last = at
	}
	return out
}

func (s *shock) truth(id string, f *field) Shock {
	out := Shock{
		ID: id, Time: s.time(), Normal: rounded(s.normal), ThetaBn: Number(s.thetaBn), DensityRatio: Number(s.ratio),
		FieldRatio: Number(s.down.field.norm() / s.up.field.norm()), AlfvenMach: Number(s.machA), SpeedJump: Number(s.jumpSpeed),
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
	m.ThetaBn = Number(math.Acos(math.Abs(up.unit().dot(normal))) * 180 / math.Pi)
	m.CompressionB = Number(down.norm() / up.norm())
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

func (c *crossing) truth(id string) Rotation {
	out := Rotation{ID: id, Start: c.start, Stop: c.stop, Normal: rounded(c.normal), NormalB: Number(c.normalB)}
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
	moments := mat.NewSymDense(3, nil)
	for _, b := range rows {
		d := b.plus(mean.times(-1))
		for i := range 3 {
			for j := i; j < 3; j++ {
				moments.SetSym(i, j, moments.At(i, j)+d[i]*d[j]/n)
			}
		}
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(moments, true) {
		panic("no eigenvalues of a symmetric matrix of finite numbers")
	}
	values := eigen.Values(nil)
	var vectors mat.Dense
	eigen.VectorsTo(&vectors)
	normal := vec{vectors.At(0, 0), vectors.At(1, 0), vectors.At(2, 0)}
	if normal[0] < 0 {
		normal = normal.times(-1)
	}
	m := &out.MVAB
	m.Rows, m.Eigenvalues, m.Normal = len(rows), Vector{Number(values[0]), Number(values[1]), Number(values[2])}, rounded(normal)
	m.Ratio = Number(values[1] / values[0])
	return out
}

func rounded(v vec) Vector { return Vector{Number(v[0]), Number(v[1]), Number(v[2])} }

package demo_test

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/helios-go/helios/helio/archive"
	"github.com/helios-go/helios/helio/cdf"
	"github.com/helios-go/helios/helio/series"
	"github.com/helios-go/helios/helio/tt"
	"github.com/helios-go/helios/helioai/demo"
)

const (
	mfi = "demo_mfi_20230615_v01"
	swe = "demo_swe_20230615_v01"
)

// truthFile is what of truths.json is checked here.
type truthFile struct {
	Columns []struct {
		ID               string
		Column           int
		Label, Units     string
		Records, Missing int
		Mean, Median     float64
		Std, Min, Max    float64
		MinTime          tt.Time `json:"min_time"`
		MaxTime          tt.Time `json:"max_time"`
	}
	Gaps []struct {
		ID          string
		Start, Stop tt.Time
		Seconds     float64
	}
	Shock struct {
		ID           string
		Time         tt.Time
		Normal       vec
		ThetaBn      float64 `json:"theta_bn_deg"`
		DensityRatio float64 `json:"density_ratio"`
		FieldRatio   float64 `json:"field_ratio"`
		Measured     struct {
			Guard        float64 `json:"guard_min"`
			Span         float64 `json:"span_min"`
			RowsUp       int     `json:"rows_up"`
			RowsDown     int     `json:"rows_down"`
			FieldUp      vec     `json:"B_up_mean_nT"`
			FieldDown    vec     `json:"B_dn_mean_nT"`
			Normal       vec
			ThetaBn      float64 `json:"theta_bn_deg"`
			CompressionB float64 `json:"compression_ratio"`
		}
	}
	Rotation struct {
		ID          string
		Start, Stop tt.Time
		Normal      vec
		NormalB     float64 `json:"normal_field_nT"`
		MVAB        struct {
			Rows        int
			Eigenvalues vec     `json:"eigenvalues_nT2"`
			Ratio       float64 `json:"ratio_int_min"`
			Normal      vec
		}
	}
}

func truths(t *testing.T) truthFile {
	t.Helper()
	b, err := os.ReadFile("truths.json")
	if err != nil {
		t.Fatal(err)
	}
	var out truthFile
	if err := json.Unmarshal(b, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func open(t *testing.T) archive.Archive {
	t.Helper()
	a, err := demo.Archive()
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func fetch(t *testing.T, id string, start, stop tt.Time) *series.Series {
	t.Helper()
	s, err := open(t).Fetch(t.Context(), id, start, stop)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestEveryFileSaysThatItIsSynthetic(t *testing.T) {
	t.Parallel()
	all, err := open(t).Inventory(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != 3 {
		t.Fatalf("got %d datasets, want 3", len(all))
	}
	for _, d := range all {
		if !d.Synthetic || !strings.Contains(d.Title, "Synthetic") || !strings.Contains(d.Acknowledgement, "not for science") || d.Mission != "Demo" {
			t.Errorf("%s does not say that it is made up: %+v", d.ID, d)
		}
		for _, p := range d.Parameters {
			if !strings.Contains(p.Description, "synthetic") || p.Units == "" || p.Role != "data" {
				t.Errorf("%s: %+v", p.ID, p)
			}
			if s := fetch(t, p.ID, tt.Fill, tt.Fill); !s.Meta.Synthetic {
				t.Errorf("%s loses that it is synthetic when it is fetched", p.ID)
			}
		}
		file, err := cdf.Open(filepath.Join("data", d.Source[len("data/"):]))
		if err != nil {
			t.Fatal(err)
		}
		if err := file.Verify(); err != nil || !file.Info().Checksum {
			t.Errorf("%s: checksum: %v", d.ID, err)
		}
		if err := file.Close(); err != nil {
			t.Error(err)
		}
	}
}

func near(got float64, want, tolerance float64) bool {
	return math.Abs(got-want) <= tolerance*max(1, math.Abs(want))
}

func TestTheFilesHoldTheirTruths(t *testing.T) {
	t.Parallel()
	for _, c := range truths(t).Columns {
		s := fetch(t, c.ID, tt.Fill, tt.Fill)
		st := s.Stats(c.Column)
		if st.N != c.Records || st.Missing != c.Missing || s.Columns[c.Column] != c.Label || s.Units != c.Units {
			t.Errorf("%s %s: got %d records, %d missing, %s %s; want %+v", c.ID, c.Label, st.N, st.Missing, s.Columns[c.Column], s.Units, c)
		}
		if !near(st.Mean, c.Mean, 1e-8) || !near(st.Median, c.Median, 1e-8) || !near(st.Std, c.Std, 1e-8) || !near(st.Min, c.Min, 1e-8) || !near(st.Max, c.Max, 1e-8) {
			t.Errorf("%s %s: got %+v, want %+v", c.ID, c.Label, st, c)
		}
		if st.MinTime != c.MinTime || st.MaxTime != c.MaxTime {
			t.Errorf("%s %s: got extremes at %v and %v, want %v and %v", c.ID, c.Label, st.MinTime, st.MaxTime, c.MinTime, c.MaxTime)
		}
	}
}

// An answer to "when was the maximum" would be a matter of taste otherwise.
func TestTheExtremesOfTheFieldAreReachedOnce(t *testing.T) {
	t.Parallel()
	for _, c := range truths(t).Columns {
		if !strings.Contains(c.ID, mfi) {
			continue
		}
		s := fetch(t, c.ID, tt.Fill, tt.Fill)
		st, n := s.Stats(c.Column), 0
		for _, v := range s.Column(c.Column) {
			if v == st.Max || v == st.Min {
				n++
			}
		}
		if n != 2 {
			t.Errorf("%s %s: the extremes are reached %d times, want 2", c.ID, c.Label, n)
		}
	}
}

func TestTheGapsAreFound(t *testing.T) {
	t.Parallel()
	want := truths(t).Gaps
	q := fetch(t, want[0].ID, tt.Fill, tt.Fill).Quality()
	if q.NGaps != len(want) || !q.Notable {
		t.Fatalf("got %+v, want %+v", q, want)
	}
	for i, g := range q.Gaps {
		if g.Start != want[i].Start || g.Start+tt.Time(g.Duration) != want[i].Stop || g.Duration.Seconds() != want[i].Seconds {
			t.Errorf("got %+v, want %+v", g, want[i])
		}
	}
}

type vec = [3]float64

func cross(a, b vec) vec {
	return vec{a[1]*b[2] - a[2]*b[1], a[2]*b[0] - a[0]*b[2], a[0]*b[1] - a[1]*b[0]}
}
func dot(a, b vec) float64 { return a[0]*b[0] + a[1]*b[1] + a[2]*b[2] }
func less(a, b vec) vec    { return vec{a[0] - b[0], a[1] - b[1], a[2] - b[2]} }

// rows returns the complete records in [start, stop) and their mean.
func rows(t *testing.T, id string, start, stop tt.Time) (out []vec, mean vec) {
	t.Helper()
	s := fetch(t, id, start, stop)
	for i := range s.Len() {
		r := s.Row(i)
		if !slices.ContainsFunc(r, math.IsNaN) {
			out = append(out, vec{r[0], r[1], r[2]})
		}
	}
	for k := range 3 {
		for _, b := range out {
			mean[k] += b[k] / float64(len(out))
		}
	}
	return out, mean
}

func TestTheShockIsWhereAndAsItWasBuilt(t *testing.T) {
	t.Parallel()
	s := truths(t).Shock
	m := s.Measured
	minutes := func(n float64) tt.Time { return tt.Time(n * float64(time.Minute)) }
	rowsUp, up := rows(t, s.ID, s.Time-minutes(m.Guard+m.Span), s.Time-minutes(m.Guard))
	rowsDown, down := rows(t, s.ID, s.Time+minutes(m.Guard), s.Time+minutes(m.Guard+m.Span))
	n := cross(cross(down, up), less(down, up))
	size := math.Copysign(math.Sqrt(dot(n, n)), n[0])
	n = vec{n[0] / size, n[1] / size, n[2] / size}
	theta := math.Acos(math.Abs(dot(up, n))/math.Sqrt(dot(up, up))) * 180 / math.Pi
	ratio := math.Sqrt(dot(down, down) / dot(up, up))
	if len(rowsUp) != m.RowsUp || len(rowsDown) != m.RowsDown || !near(theta, m.ThetaBn, 1e-8) || !near(ratio, m.CompressionB, 1e-8) {
		t.Errorf("got %d and %d rows, theta_Bn %v, ratio %v, want %+v", len(rowsUp), len(rowsDown), theta, ratio, m)
	}
	for k := range 3 {
		if !near(n[k], m.Normal[k], 1e-8) || !near(up[k], m.FieldUp[k], 1e-8) || !near(down[k], m.FieldDown[k], 1e-8) {
			t.Errorf("component %d: got normal %v, %v nT ahead, %v nT behind, want %+v", k, n[k], up[k], down[k], m)
		}
	}
	if off := math.Acos(dot(n, s.Normal)) * 180 / math.Pi; off > 1.5 {
		t.Errorf("the measured normal is %.2f degrees off, want at most 1.5", off)
	}
	if math.Abs(theta-s.ThetaBn) > 1.5 || !near(ratio, s.FieldRatio, 0.02) {
		t.Errorf("got theta_Bn %.2f and ratio %.3f, built with %v and %v", theta, ratio, s.ThetaBn, s.FieldRatio)
	}
	// The steepest step of the day is the shock.
	b := fetch(t, "local/"+mfi+"/Magnitude", tt.Fill, tt.Fill)
	steepest, at := 0.0, tt.Fill
	for i := 1; i < b.Len(); i++ {
		if step := b.Values[i] - b.Values[i-1]; step > steepest {
			steepest, at = step, b.Time[i]
		}
	}
	if at <= s.Time || at > s.Time+minutes(1) {
		t.Errorf("the steepest step is at %v, the shock at %v", at, s.Time)
	}
	density := fetch(t, "local/"+swe+"/Np", s.Time-minutes(15), s.Time+minutes(15))
	before, after := density.Window(tt.Fill, s.Time-minutes(2)).Stats(0), density.Window(s.Time+minutes(2), tt.Fill).Stats(0)
	if !near(after.Mean/before.Mean, s.DensityRatio, 0.02) {
		t.Errorf("got a density ratio of %v, want %v", after.Mean/before.Mean, s.DensityRatio)
	}
}

func TestTheMagnetopauseHasItsNormal(t *testing.T) {
	t.Parallel()
	r := truths(t).Rotation
	all, mean := rows(t, r.ID, r.Start, r.Stop)
	var moments [3]vec
	for _, b := range all {
		d := less(b, mean)
		for i := range 3 {
			for j := range 3 {
				moments[i][j] += d[i] * d[j] / float64(len(all))
			}
		}
	}
	e := r.MVAB.Eigenvalues
	if len(all) != r.MVAB.Rows {
		t.Errorf("got %d rows, want %d", len(all), r.MVAB.Rows)
	}
	// What makes numbers eigenvalues: their sum, their product, and a vector.
	trace := moments[0][0] + moments[1][1] + moments[2][2]
	determinant := dot(moments[0], cross(moments[1], moments[2]))
	if !near(trace, e[0]+e[1]+e[2], 1e-7) || !near(determinant, e[0]*e[1]*e[2], 1e-7) {
		t.Errorf("got trace %v and determinant %v, want those of %v", trace, determinant, e)
	}
	n := r.MVAB.Normal
	for k := range 3 {
		if math.Abs(dot(moments[k], n)-e[0]*n[k]) > 1e-5 {
			t.Errorf("row %d: the normal is no eigenvector of %v", k, e[0])
		}
	}
	if !near(e[1]/e[0], r.MVAB.Ratio, 1e-7) || r.MVAB.Ratio < 10 {
		t.Errorf("got a ratio of %v", r.MVAB.Ratio)
	}
	if off := math.Acos(min(1, dot(n, r.Normal))) * 180 / math.Pi; off > 1 {
		t.Errorf("minimum variance is %.2f degrees off the normal", off)
	}
	if math.Abs(dot(mean, r.Normal)-r.NormalB) > 0.1 {
		t.Errorf("got %v nT along the normal, want %v", dot(mean, r.Normal), r.NormalB)
	}
}

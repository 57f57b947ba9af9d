package series_test

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/helios-go/helios/helio/series"
	"github.com/helios-go/helios/helio/tt"
	"github.com/helios-go/helios/internal/testdata"
)

// The same records resampled, interpolated and smoothed here and in numpy, and
// in pandas where it is installed.
func TestNumpyAndPandasAgree(t *testing.T) {
	t.Parallel()
	const python = "/usr/bin/python3"
	testdata.Need(t, "numpy", exec.CommandContext(t.Context(), python, "-I", "-c", "import numpy").Run())
	random := rand.New(rand.NewPCG(8, 15))
	s := &series.Series{ID: "p/d/s", Name: "s", Columns: []string{"a", "b", "c"}, Dims: []int{3}}
	start := at(t, "2023-03-01")
	for i := range 5000 {
		if i%700 > 650 {
			continue // gaps of minutes
		}
		s.Time = append(s.Time, start+tt.Time(i)*4e9+tt.Time(random.IntN(3e9)))
		for range 3 {
			v := 1e4 + random.NormFloat64()
			if random.IntN(9) == 0 {
				v = nan
			}
			s.Values = append(s.Values, v)
		}
	}
	times, err := series.Grid(start, start+20000e9, 7*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	results := map[string]func() (*series.Series, error){
		"s": func() (*series.Series, error) { return s, nil },
		"linear": func() (*series.Series, error) {
			return s.ResampleAt(times, &series.ResampleOptions{Method: series.Linear, MaxGap: -1})
		},
		"spectrum": func() (*series.Series, error) {
			out := *s
			out.Axes = []series.Axis{{Name: "energy", Units: "eV", Centers: []float64{1, 2, 3}, Ranges: []float64{0, 1, 1, 2, 2, 3}}}
			return &out, nil
		},
		"varying": func() (*series.Series, error) {
			out := *s
			out.Axes = []series.Axis{{Name: "energy", Units: "eV", Varying: true, Centers: s.Values}}
			return &out, nil
		},
	}
	for _, m := range statistics {
		results["bin_"+string(m)] = func() (*series.Series, error) {
			return s.Resample(start, start+20000e9, time.Minute, &series.ResampleOptions{Method: m})
		}
		results["roll_"+string(m)] = func() (*series.Series, error) {
			return s.Rolling(90*time.Second, &series.RollingOptions{Method: m, Trailing: true, MaxGap: -1})
		}
	}
	dir := t.TempDir()
	for name, run := range results {
		out, err := run()
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name+".npz"), npz(t, out), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	const script = `
import numpy as np, sys
load = lambda name: np.load(sys.argv[1] + "/" + name + ".npz", allow_pickle=False)
s = load("s"); t = s["tt2000"]; v = s["values"]
def check(name, want):
    got = load(name)["values"]
    if got.shape != want.shape or not np.allclose(got, want, rtol=1e-10, atol=1e-9, equal_nan=True):
        print(name, "differs", got.shape, want.shape, np.nanmax(np.abs(got - want)))
stat = {"mean": np.mean, "median": np.median, "min": np.min, "max": np.max, "std": np.std, "count": len}
def reduce(f, rows, c):
    x = v[rows, c]; x = x[np.isfinite(x)]
    return f(x) if len(x) or f is len else np.nan
edges = load("bin_mean")["tt2000"]
at = np.searchsorted(t, np.append(edges, edges[-1] + 60 * 10**9))
lo = np.searchsorted(t, t - 90 * 10**9, side="right")
for m, f in stat.items():
    check("bin_" + m, np.array([[reduce(f, slice(at[i], at[i+1]), c) for c in range(3)] for i in range(len(edges))], float))
    check("roll_" + m, np.array([[reduce(f, slice(lo[i], i + 1), c) for c in range(3)] for i in range(len(t))], float))
grid = load("linear")["tt2000"]
want = np.empty((len(grid), 3))
for c in range(3):
    ok = np.isfinite(v[:, c])
    want[:, c] = np.interp((grid - t[0]).astype(float), (t[ok] - t[0]).astype(float), v[ok, c], left=np.nan, right=np.nan)
check("linear", want)
sp, va = load("spectrum"), load("varying")
print(*sp["axis1_centers"], sp["axis1_ranges"].tolist(), *sp["axis1_label"], va["axis1_centers"].shape, np.array_equal(va["axis1_centers"], v, equal_nan=True))
try:
    import pandas as pd
except ImportError:
    sys.exit()
d = pd.DataFrame(v, index=pd.DatetimeIndex(s["time"]))
for m in stat:
    k = {"ddof": 0} if m == "std" else {}
    check("bin_" + m, getattr(d.resample("60s"), m)(**k).reindex(pd.DatetimeIndex(load("bin_" + m)["time"])).fillna(0 if m == "count" else np.nan).values.astype(float))
    if m != "std": # pandas takes values out of a sum of squares again
        check("roll_" + m, getattr(d.rolling("90s", min_periods=0 if m == "count" else 1), m)().values)
`
	out, err := exec.CommandContext(t.Context(), python, "-I", "-c", script, dir).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if got, want := strings.TrimSpace(string(out)), "1.0 2.0 3.0 [[0.0, 1.0], [1.0, 2.0], [2.0, 3.0]] energy eV (4657, 3) True"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

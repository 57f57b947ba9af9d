package series_test

import (
	"archive/zip"
	"bytes"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sbinet/npyio/npy"

	"github.com/helios-go/helios/helio/series"
	"github.com/helios-go/helios/helio/tt"
	"github.com/helios-go/helios/internal/testdata"
)

func at(tb testing.TB, text string) tt.Time {
	tb.Helper()
	instant, err := tt.Parse(text)
	if err != nil {
		tb.Fatal(err)
	}
	return instant
}

// vector is a small field vector with one missing component.
func vector(tb testing.TB) *series.Series {
	tb.Helper()
	return &series.Series{
		ID: "local/demo/B", Name: "B", Units: "nT",
		Time:    []tt.Time{at(tb, "2016-12-31T23:59:59.5"), at(tb, "2016-12-31T23:59:60.25"), at(tb, "2017-01-01T00:00:00.000000001")},
		Columns: []string{"Bx", "By", "B\u2093 \U0001d4b5"}, Dims: []int{3},
		Values: []float64{1, 2, 3, -4, math.NaN(), 6, 7, 8, 9.5},
	}
}

func npz(tb testing.TB, s *series.Series) []byte {
	tb.Helper()
	var b bytes.Buffer
	if err := s.WriteNPZ(&b); err != nil {
		tb.Fatal(err)
	}
	return b.Bytes()
}

func member(t *testing.T, archive []byte, name string) []byte {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		t.Fatal(err)
	}
	f, err := z.Open(name + ".npy")
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestNPZReadsBackWithAnotherReader(t *testing.T) {
	t.Parallel()
	s := vector(t)
	archive := npz(t, s)

	var axis []int64
	if err := npy.Read(bytes.NewReader(member(t, archive, "tt2000")), &axis); err != nil {
		t.Fatal(err)
	}
	if len(axis) != 3 || tt.Time(axis[1]) != s.Time[1] {
		t.Errorf("tt2000: got %v, want %v", axis, s.Time)
	}
	r, err := npy.NewReader(bytes.NewReader(member(t, archive, "values")))
	if err != nil {
		t.Fatal(err)
	}
	if shape := r.Header.Descr.Shape; len(shape) != 2 || shape[0] != 3 || shape[1] != 3 {
		t.Errorf("values: got shape %v, want [3 3]", shape)
	}
	var values []float64
	if err := r.Read(&values); err != nil {
		t.Fatal(err)
	}
	for i, v := range values {
		if v != s.Values[i] && !(math.IsNaN(v) && math.IsNaN(s.Values[i])) {
			t.Errorf("value %d: got %v, want %v", i, v, s.Values[i])
		}
	}
}

func TestNPZLoadsInNumpy(t *testing.T) {
	t.Parallel()
	const python = "/usr/bin/python3"
	testdata.Need(t, "numpy", exec.CommandContext(t.Context(), python, "-I", "-c", "import numpy").Run())
	empty := vector(t).Window(at(t, "2020-01-01"), tt.Fill)
	tensor := &series.Series{ID: "p", Columns: []string{"xx", "xy", "yx", "yy"}, Dims: []int{2, 2}, Time: []tt.Time{0}, Values: []float64{1, 2, 3, 4}}
	scalar := &series.Series{ID: "n", Columns: []string{"N"}, Time: []tt.Time{0, 1}, Values: []float64{5, 6}}
	dir := t.TempDir()
	for name, s := range map[string]*series.Series{"vector": vector(t), "empty": empty, "tensor": tensor, "scalar": scalar} {
		if err := os.WriteFile(filepath.Join(dir, name+".npz"), npz(t, s), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const script = `
import numpy as np, sys
for name in ("vector", "empty", "tensor", "scalar"):
    d = np.load(sys.argv[1] + "/" + name + ".npz", allow_pickle=False)
    print(name, sorted(d.files), d["time"].dtype, d["time"].shape, d["tt2000"].dtype, d["values"].dtype, d["values"].shape, d["columns"].dtype.kind, len(d["columns"]))
d = np.load(sys.argv[1] + "/vector.npz")
print(*[str(t) for t in d["time"]])
print(*d["tt2000"], *d["values"][0], np.isnan(d["values"][1, 1]), d["columns"][0], ascii(str(d["columns"][2])))
`
	out, err := exec.CommandContext(t.Context(), python, "-I", "-c", script, dir).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	want := strings.TrimLeft(`
vector ['columns', 'time', 'tt2000', 'values'] datetime64[ns] (3,) int64 float64 (3, 3) U 3
empty ['columns', 'time', 'tt2000', 'values'] datetime64[ns] (0,) int64 float64 (0, 3) U 3
tensor ['columns', 'time', 'tt2000', 'values'] datetime64[ns] (1,) int64 float64 (1, 2, 2) U 4
scalar ['columns', 'time', 'tt2000', 'values'] datetime64[ns] (2,) int64 float64 (2,) U 1
2016-12-31T23:59:59.500000000 LEAP 2017-01-01T00:00:00.000000001
536500867684000000 536500868434000000 536500869184000001 1.0 2.0 3.0 True Bx 'B\u2093 \U0001d4b5'
`, "\n")
	got := string(out)
	// How UTC shows the leap second is tt's business.
	leap := strings.Fields(strings.Split(got, "\n")[4])[1]
	if got = strings.Replace(got, leap, "LEAP", 1); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestNPZOfEqualSeriesIsEqual(t *testing.T) {
	t.Parallel()
	if !bytes.Equal(npz(t, vector(t)), npz(t, vector(t))) {
		t.Error("two writes of one series differ")
	}
}

func TestNPZRefusesASeriesThatDoesNotAddUp(t *testing.T) {
	t.Parallel()
	s := vector(t)
	s.Values = s.Values[:8]
	err := s.WriteNPZ(io.Discard)
	want := "write local/demo/B as npz: 8 values do not fill 3 records of 3"
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

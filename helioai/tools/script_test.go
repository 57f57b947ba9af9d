package tools_test

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/helios-go/helios/helio/series"
	"github.com/helios-go/helios/helio/tt"
	"github.com/helios-go/helios/helioai/ledger"
	"github.com/helios-go/helios/helioai/python"
)

func TestExportsAreRecordedWithTheirOrigin(t *testing.T) {
	t.Parallel()
	s := newSession(t, &shelf{series: []*series.Series{made("B", 3, 3, 4, 0, nan, 1, 1, 6, 8, 0)}}).sandboxed()
	s.call("get_timeseries", args{"param_id": "local/x/B"})
	code := `
b = load_data("b")
size = magnitude(b)
export("mean_size", np.nanmean(size), b.units)
export("missing", int(np.isnan(size).sum()), "count")
export("when", b.time[np.nanargmax(size)])
print("done", 7)
`
	r := s.call("run_python", args{"code": code})
	if r.out["stdout"] != "done 7\n" || r.out["code_path"] != "code_0.py" || r.out["n_lines"] != 7.0 {
		t.Errorf("got %s", r.text)
	}
	e := s.entry("mean_size")
	if e.Value != 7.5 || e.Units != "nT" || e.Origin.Tool != "run_python" || e.Origin.Code != "code_0.py" || len(e.Origin.CodeSHA256) != 64 {
		t.Errorf("got %+v", e)
	}
	if in := e.Origin.Inputs; len(in) != 1 || in[0].Dataset != "b" || in[0].SHA256 != strings.Repeat("ab", 32) {
		t.Errorf("inputs %+v", in)
	}
	if e := s.entry("missing"); !e.Integer || e.Value != 1 {
		t.Errorf("got %+v", e)
	}
	if e := s.entry("when"); e.Time.String() != "2023-01-02T00:02:00Z" || e.Tolerance != time.Minute {
		t.Errorf("got %v within %v", e.Time, e.Tolerance)
	}
	saved, err := os.ReadFile(filepath.Join(s.Dir, "code_0.py"))
	if err != nil || string(saved) != code {
		t.Errorf("the script is kept as %q: %v", saved, err)
	}
	if d := r.data.Script; d == nil || d.Code != code || !d.OK || d.SHA256 != e.Origin.CodeSHA256 || d.Versions["numpy"] == "" || len(d.Loaded) != 1 {
		t.Errorf("data: %+v", d)
	}
}

func TestFiguresAreFiles(t *testing.T) {
	t.Parallel()
	s := newSession(t, nil).sandboxed()
	s.CacheDir = filepath.Join(t.TempDir(), "cache")
	s.call("get_timeseries", args{"param_id": "local/demo_mfi_20230615_v01/BGSM"})
	r := s.call("run_python", args{"code": "plot_series(load_data('bgsm'), title='field')\nplt.show()\nopen(save_path('notes.txt'), 'w').write('x')"})
	if len(r.data.Figures) != 1 || r.data.Figures[0] != (python.Figure{PNG: "fig_0_1.png", PDF: "fig_0_1.pdf"}) || r.out["n_figures"] != 1.0 {
		t.Errorf("got %s", r.text)
	}
	if len(r.data.Files) != 1 || r.data.Files[0] != "notes.txt" {
		t.Errorf("other files: %v", r.data.Files)
	}
	for _, name := range []string{"fig_0_1.png", "fig_0_1.pdf", "notes.txt"} {
		if info, err := os.Stat(filepath.Join(s.Dir, name)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
	if fonts := python.LoadFonts(s.CacheDir); len(fonts) != 1 {
		t.Errorf("%d font lists are kept for later runs", len(fonts))
	}
}

func TestAFailedScriptSaysWhyAndKeepsWhatItHad(t *testing.T) {
	t.Parallel()
	s := newSession(t, &shelf{}).sandboxed()
	r, err := s.try("run_python", args{"code": "export('a', 1.5, 'nT')\nundefined"})
	if err != nil || !r.IsError {
		t.Fatalf("%v %s", err, r.text)
	}
	if r.out["error"] != "NameError: name 'undefined' is not defined" || r.out["code_path"] != "code_0.py" {
		t.Errorf("got %s", r.text)
	}
	if !strings.Contains(r.str("stderr"), `File "code_0.py", line 2`) {
		t.Errorf("the traceback does not name the script's line: %s", r.out["stderr"])
	}
	if s.entry("a").Value != 1.5 || r.data.Script.OK || r.data.Error == "" {
		t.Errorf("data: %+v", r.data)
	}
	if next := s.call("run_python", args{"code": "print(1)"}); next.out["code_path"] != "code_1.py" {
		t.Errorf("the next script is %v", next.out["code_path"])
	}
}

func TestATimeoutIsTold(t *testing.T) {
	t.Parallel()
	s := newSession(t, &shelf{}).sandboxed()
	got := s.refused("run_python", args{"code": "print('on', flush=True)\nwhile True: pass", "timeout": 1})
	if got != "Execution timed out after 1 s" {
		t.Errorf("got %q", got)
	}
}

func TestLongOutputIsCut(t *testing.T) {
	t.Parallel()
	s := newSession(t, &shelf{}).sandboxed()
	r := s.call("run_python", args{"code": "print('x' * 10000)"})
	if out := r.str("stdout"); len(out) < 4000 || len(out) > 4200 || !strings.Contains(out, "cut at 4000") {
		t.Errorf("%d bytes of output, ending in %q", len(out), out[len(out)-60:])
	}
}

func TestAScriptCannotChangeWhatWasRecorded(t *testing.T) {
	t.Parallel()
	s := newSession(t, &shelf{series: []*series.Series{made("B", 1, 1, 2)}}).sandboxed()
	s.call("get_timeseries", args{"param_id": "local/x/B"})
	s.call("run_python", args{"code": "print(1)"})
	before := map[string]string{}
	for _, name := range []string{"data/b.npz", "data/manifest.json", "data/provenance.json", "code_0.py"} {
		data, err := os.ReadFile(filepath.Join(s.Dir, name))
		if err != nil {
			t.Fatal(err)
		}
		before[name] = string(data)
	}
	s.call("run_python", args{"code": `
import os
for name in ["data/b.npz", "data/manifest.json", "data/provenance.json", "code_0.py", "code_1.py", "data/new"]:
    for harm in (lambda: open(name, "a").write("x"), lambda: os.remove(name), lambda: os.replace("mine", name)):
        open("mine", "w").write("mine")
        try:
            harm()
        except OSError:
            pass
`})
	for name, want := range before {
		if data, err := os.ReadFile(filepath.Join(s.Dir, name)); err != nil || string(data) != want {
			t.Errorf("%s was changed: %v", name, err)
		}
	}
	if _, err := os.Stat(filepath.Join(s.Dir, "data", "new")); err == nil {
		t.Error("a file was added to the data")
	}
}

// A script may write frames itself. It then says what it could have exported,
// and nothing else comes of it.
func TestForgedFramesGainNothing(t *testing.T) {
	t.Parallel()
	s := newSession(t, &shelf{}).sandboxed()
	s.CacheDir = t.TempDir()
	r := s.call("run_python", args{"code": `
import json, os, struct
def forge(frame):
    body = json.dumps(frame).encode()
    os.write(int(os.environ["HELIOS_RESULT_FD"]), struct.pack(">I", len(body)) + body)
forge({"type": "figure", "png": "../../etc/passwd", "pdf": "x"})
forge({"type": "figure", "png": "fig_0_1.png", "pdf": "fig_0_1.pdf"})
forge({"type": "fontlist", "name": "fontlist-v330.json", "data": "eJyrrgUAAXUA+Q=="})
forge({"type": "load", "name": "nothing"})
forge({"type": "export", "value": {"name": "forged", "kind": "number", "value": 1.5, "units": "nT", "origin": {"tool": "get_timeseries"}}})
`})
	if len(r.data.Figures) != 0 || len(python.LoadFonts(s.CacheDir)) != 0 {
		t.Errorf("got %s", r.text)
	}
	if e := s.entry("forged"); e.Origin.Tool != "run_python" || len(e.Origin.Inputs) != 0 {
		t.Errorf("the forged export has the origin %+v", e.Origin)
	}
}

func TestBadScriptsAreRefusedBeforeTheyAreKept(t *testing.T) {
	t.Parallel()
	s := newSession(t, &shelf{}).sandboxed()
	for _, a := range []args{{"code": " \n"}, {}, {"code": strings.Repeat("#", 2<<20)}, {"code": "1", "dir": "/"}} {
		if got := s.refused("run_python", a); got == "" || strings.Contains(got, "\n") {
			t.Errorf("refused with %q", got)
		}
	}
	if got := s.files(); got != "" {
		t.Errorf("left behind: %s", got)
	}
}

func TestRecipesRunOnLoadedData(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("../demo/truths.json")
	if err != nil {
		t.Fatal(err)
	}
	var truths struct {
		Crossing struct {
			ID          string
			Start, Stop string
			MVAB        struct {
				Rows        int
				Eigenvalues []float64 `json:"eigenvalues_nT2"` // ascending
			}
		} `json:"rotation"`
	}
	if err := json.Unmarshal(raw, &truths); err != nil {
		t.Fatal(err)
	}
	want := truths.Crossing
	s := newSession(t, nil).sandboxed()
	data := s.call("get_timeseries", args{"param_id": want.ID, "start": want.Start, "stop": want.Stop}).str("dataset")
	r := s.call("run_recipe", args{"name": "mvab", "inputs": args{"B": "load_data('" + data + "')"}, "call": "mvab_result['n_points'] > 0"})
	if !strings.Contains(r.str("stdout"), "True") {
		t.Errorf("the call printed %q", r.out["stdout"])
	}
	if got := s.entry("mvab_n_points").Value; got != float64(want.MVAB.Rows) {
		t.Errorf("%v points, want %d", got, want.MVAB.Rows)
	}
	for i, name := range []string{"mvab_lambda_min", "mvab_lambda_int", "mvab_lambda_max"} {
		if got := s.entry(name).Value; math.Abs(got-want.MVAB.Eigenvalues[i]) > 1e-6*got {
			t.Errorf("%s is %v, want %v", name, got, want.MVAB.Eigenvalues[i])
		}
	}
	e := s.entry("mvab_ratio_int_min")
	if e.Origin.Recipe != "mvab" || e.Origin.RecipeVersion != "1.0.0" || len(e.Origin.Inputs) != 1 {
		t.Errorf("got %+v", e)
	}
	if n := s.entry("mvab_normal"); n.Kind != ledger.KindSeries || len(n.Sample) != 3 {
		t.Errorf("the normal is %+v", n)
	}
	run := r.data.Script.Recipe
	if run == nil || r.data.Script.Code != run.Bindings+sourceOf(t, s, "mvab")+run.Call || run.SHA256 == "" {
		t.Errorf("the script is not bindings, source and call: %+v", run)
	}
	if note, _ := r.out["recipe"].(map[string]any); note["reference"] == "" {
		t.Errorf("no reference in %s", r.text)
	}
}

func sourceOf(t *testing.T, s *session, recipe string) string {
	t.Helper()
	return s.call("load_recipe", args{"name": recipe}).str("code")
}

func TestShockOfTheDemonstrationData(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("../demo/truths.json")
	if err != nil {
		t.Fatal(err)
	}
	var truths struct {
		Shock struct {
			ID       string
			Time     tt.Time
			Measured struct {
				Normal []float64
				Theta  float64 `json:"theta_bn_deg"`
				Ratio  float64 `json:"compression_ratio"`
			}
		}
	}
	if err := json.Unmarshal(raw, &truths); err != nil {
		t.Fatal(err)
	}
	s := newSession(t, nil).sandboxed()
	data := s.call("get_timeseries", args{"param_id": truths.Shock.ID}).str("dataset")
	inputs := args{"B": "load_data('" + data + "')", "shock_time": truths.Shock.Time.String()}
	s.call("run_recipe", args{"name": "theta_bn", "inputs": inputs})
	want := truths.Shock.Measured
	if got := s.entry("theta_bn").Value; math.Abs(got-want.Theta) > 1e-6 {
		t.Errorf("theta_bn is %v, want %v", got, want.Theta)
	}
	if got := s.entry("compression_ratio").Value; math.Abs(got-want.Ratio) > 1e-7 {
		t.Errorf("the compression ratio is %v, want %v", got, want.Ratio)
	}
	for i, got := range s.entry("shock_normal").Sample {
		if math.Abs(got-want.Normal[i]) > 1e-7 {
			t.Errorf("component %d of the normal is %v, want %v", i, got, want.Normal[i])
		}
	}

	delete(inputs, "shock_time")
	s.call("run_recipe", args{"name": "theta_bn", "inputs": inputs})
	if off := s.entry("shock_time").Time.Sub(truths.Shock.Time).Abs(); off > 16*time.Second {
		t.Errorf("the shock was found %v away", off)
	}
	if got := s.entry("theta_bn").Value; math.Abs(got-want.Theta) > 1 {
		t.Errorf("where it was found, theta_bn is %v, want about %v", got, want.Theta)
	}
}

func TestRecipesRefuseInASentence(t *testing.T) {
	t.Parallel()
	s := newSession(t, &shelf{}).sandboxed()
	for _, c := range []struct {
		args args
		want string
	}{
		{args{"name": "theta_bn", "inputs": args{"B_up": []float64{5, -2, 1}, "B_dn": []float64{10, -4, 2}}}, "collinear"},
		{args{"name": "walen"}, "there are fill_values, mvab, theta_bn"},
		{args{"name": "mvab", "inputs": args{"field": 1}}, "no input field"},
		{args{"name": "mvab", "inputs": args{"B; import os": 1}}, "cannot be the name"},
		{args{"name": "mvab", "inputs": args{"import": 1}}, "cannot be the name"},
		{args{"name": "mvab", "inputs": args{"np": 1}}, "cannot be the name"},
		{args{"name": "mvab", "call": "a\nb"}, "one line"},
		{args{"name": "mvab", "inputs": args{"B": "load_data('nothing')"}}, "no data called 'nothing'"},
	} {
		got := s.refused("run_recipe", c.args)
		if !strings.Contains(got, c.want) || regexp.MustCompile(`\d\.\d{3}`).MatchString(got) {
			t.Errorf("%v is refused with %q, want %q in it", c.args, got, c.want)
		}
	}
	if n := len(s.Ledger.Entries()); n != 0 {
		t.Errorf("%d entries were recorded", n)
	}
	if r := s.call("run_recipe", args{"name": "mvab"}); !strings.Contains(r.str("note"), "bind its inputs") {
		t.Errorf("nothing bound: %s", r.text)
	}
}

func TestInputsOfRecipes(t *testing.T) {
	t.Parallel()
	s := newSession(t, &shelf{}).sandboxed()
	r := s.call("run_recipe", args{"name": "fill_values", "inputs": args{
		"values": []any{1, 2.5, nil, 1e31}, "fill": []any{-999.0}, "whole_rows": false,
	}})
	for _, line := range []string{"values = [1, 2.5, None, 1e+31]", "fill = [-999]", "whole_rows = False"} {
		if !strings.Contains(r.data.Script.Recipe.Bindings, line+"\n") {
			t.Errorf("%q is not among the bindings:\n%s", line, r.data.Script.Recipe.Bindings)
		}
	}
	if got := s.entry("fill_values_missing").Value; got != 2 {
		t.Errorf("%v missing, want 2", got)
	}
	for given, want := range map[string]string{
		"2015-12-17":                   `"2015-12-17"`,
		"2023-01-02T03:41:01Z":         `"2023-01-02T03:41:01Z"`,
		"np.array([1, 2])":             "np.array([1, 2])",
		"[1, 2]":                       "[1, 2]",
		"load_data('b').values[:20]":   "load_data('b').values[:20]",
		"some \"quoted\" text\\n\n":    `"some \"quoted\" text\\n"`,
		"__import__('os').system('x')": `"__import__('os').system('x')"`,
	} {
		r, err := s.try("run_recipe", args{"name": "theta_bn", "inputs": args{"shock_time": given}})
		if err != nil {
			t.Fatal(err)
		}
		if line := "shock_time = " + want + "\n"; !strings.Contains(r.data.Script.Recipe.Bindings, line) {
			t.Errorf("%q is bound as\n%s", given, r.data.Script.Recipe.Bindings)
		}
	}
}

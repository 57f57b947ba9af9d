package notebook_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/helios-go/helios/helioai/demo"
	"github.com/helios-go/helios/helioai/ledger"
	"github.com/helios-go/helios/helioai/notebook"
	"github.com/helios-go/helios/helioai/tools"
	"github.com/helios-go/helios/internal/testdata"
	"github.com/helios-go/helios/sandbox"
	"github.com/helios-go/helios/tool"
)

const interpreter = "/usr/bin/python3"

func TestMain(m *testing.M) {
	sandbox.Init()
	os.Exit(m.Run())
}

var openSandbox = sync.OnceValues(func() (*sandbox.Sandbox, error) {
	return sandbox.Open(context.Background(), nil)
})

type args = map[string]any

// session collects what a session's tools give, as the log would.
type session struct {
	*tools.Env
	t   *testing.T
	doc *notebook.Doc
}

func newSession(t *testing.T, python bool) *session {
	t.Helper()
	arch, err := demo.Archive()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	book, err := ledger.Open(filepath.Join(dir, "data", "provenance.json"))
	if err != nil {
		t.Fatal(err)
	}
	env := &tools.Env{Dir: dir, Archive: arch, Ledger: book}
	if python {
		box, err := openSandbox()
		testdata.Need(t, "a sandbox for Python", err)
		env.Sandbox = box
	}
	return &session{env, t, &notebook.Doc{
		Name: "demo", Session: "01JDEMO", Program: "helioai test", Model: "offline/planner", Workspace: dir,
		Generated: time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC),
	}}
}

func (s *session) ask(question string) {
	s.doc.Turns = append(s.doc.Turns, notebook.Turn{Question: question})
}

// call runs a tool and keeps its data, also that of a script that fails.
func (s *session) call(name string, a args) {
	s.t.Helper()
	raw, err := json.Marshal(a)
	if err != nil {
		s.t.Fatal(err)
	}
	var data tools.Data
	for _, t := range tools.All(s.Env) {
		if t.Spec.Name != name {
			continue
		}
		r, err := t.Run(tool.WithCall(s.t.Context(), &tool.Call{ID: "c", Name: name}), raw)
		if err != nil {
			s.t.Fatalf("%s: %v", name, err)
		}
		if err := json.Unmarshal(r.Data, &data); err != nil {
			s.t.Fatal(err)
		}
	}
	turn := &s.doc.Turns[len(s.doc.Turns)-1]
	if name == "final_answer" {
		turn.Answer, turn.Verdict = data.Answer, data.Verdict
	} else {
		turn.Results = append(turn.Results, data)
	}
}

func (s *session) export(dir string) string {
	s.t.Helper()
	path, err := notebook.Export(dir, s.doc)
	if err != nil {
		s.t.Fatal(err)
	}
	return path
}

// offline starts a program without any network but the loopback that Jupyter
// speaks to its kernel over.
const offline = `
import fcntl, os, socket, struct, sys
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
request = bytearray(fcntl.ioctl(s, 0x8913, struct.pack("16sH22x", b"lo", 0)))
flags = struct.unpack_from("H", request, 16)[0]
struct.pack_into("H", request, 16, flags | 1)
fcntl.ioctl(s, 0x8914, bytes(request))
outside = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
try:
    outside.connect(("192.0.2.1", 9))
    sys.exit("there is a way out")
except OSError:
    pass
os.execv(sys.executable, [sys.executable, "-m", "nbconvert"] + sys.argv[1:])
`

// execute copies the folder elsewhere and runs the notebook there, without
// network and without this project. It returns what the cells printed.
func execute(t *testing.T, path string) (string, error) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("running without network needs Linux")
	}
	testdata.Need(t, "nbconvert and ipykernel for "+interpreter, exec.CommandContext(t.Context(), interpreter, "-c", "import nbconvert, ipykernel").Run())
	unshare := []string{"-n"}
	if os.Geteuid() != 0 {
		unshare = []string{"-rn"}
	}
	testdata.Need(t, "network namespaces", exec.CommandContext(t.Context(), "unshare", append(slices.Clone(unshare), "true")...).Run())

	elsewhere := filepath.Join(t.TempDir(), "elsewhere")
	if err := os.CopyFS(elsewhere, os.DirFS(filepath.Dir(path))); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "unshare", append(unshare, interpreter, "-c", offline,
		"--to", "notebook", "--execute", filepath.Base(path), "--output", "executed.ipynb")...)
	cmd.Dir = elsewhere
	home := t.TempDir()
	cmd.Env = []string{
		"HOME=" + home, "PATH=/usr/bin:/bin", "LANG=C.UTF-8", "IPYTHONDIR=" + home, "JUPYTER_RUNTIME_DIR=" + filepath.Join(home, "run"),
		"MPLCONFIGDIR=" + home, "OPENBLAS_NUM_THREADS=1",
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%w\n%s", err, out)
	}
	data, err := os.ReadFile(filepath.Join(elsewhere, "executed.ipynb"))
	if err != nil {
		t.Fatal(err)
	}
	var nb struct {
		Cells []struct {
			Outputs []struct {
				Text []string
				Data map[string]any
			}
		}
	}
	if err := json.Unmarshal(data, &nb); err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	for _, c := range nb.Cells {
		for _, o := range c.Outputs {
			text.WriteString(strings.Join(o.Text, ""))
			if o.Data["image/png"] != nil {
				text.WriteString("[figure]\n")
			}
		}
	}
	return text.String(), nil
}

// wholeSession does one of everything.
func wholeSession(t *testing.T) *session {
	t.Helper()
	s := newSession(t, true)
	s.ask("What is the mean field, and where does the shock normal point?")
	s.call("get_timeseries", args{"param_id": "local/demo_mfi_20230615_v01/Magnitude"})
	s.call("get_timeseries", args{"param_id": "local/demo_mfi_20230615_v01/BGSM"})
	s.call("get_timeseries", args{"param_id": "local/demo_fgm_20230615_v01/BGSE", "start": "2023-06-15T13:25:00Z", "stop": "2023-06-15T13:29:00Z"})
	s.call("get_timeseries", args{"param_id": "local/demo_mfi_20230615_v01/BGSM"}) // again
	s.call("run_python", args{"code": `
b = load_data("bgsm")
size = magnitude(b)
clean = "a helper's name, taken by the script"
export("mean_size", np.nanmean(size), "nT")
export("size", size, "nT")
export("missing", int(np.isnan(size).sum()), "count")
export("strongest", b.time[np.nanargmax(size)])
export("first_three", b.time[:3])
export("zero", np.nanmean(size - np.nanmean(size)) * 0, "nT")
export("note", "tab\there")
for i in range(3):
    export("last_of_three", i + 0.5, "nT")
plot_series(b, Dataset(b.time, size, ["|B|"], "nT"), title="Demo")
plt.show()
`})
	s.call("run_python", args{"code": "export('half', 1/2, '1')\nundefined_name"})
	s.call("run_python", args{"code": "export('before_the_error', 2.5, 'nT')\nraise RuntimeError('too late')"})
	s.call("run_python", args{"code": "from __future__ import annotations\nexport('mean_size', scipy.stats.trim_mean(magnitude(load_data('bgsm'))[:100], 0.1), 'nT')\nassert 'size' not in globals()"})
	s.call("run_recipe", args{"name": "mvab", "inputs": args{"B": "load_data('bgse')"}, "call": "mvab_result['quality']"})
	s.call("run_recipe", args{"name": "theta_bn", "inputs": args{"B": "load_data('bgsm')", "shock_time": "2023-06-15T10:24:12Z"}})
	s.call("run_recipe", args{"name": "theta_bn", "inputs": args{"B_up": []float64{5, -2, 1}, "B_dn": []float64{15, -8, 4}}})
	s.call("run_recipe", args{"name": "fill_values", "inputs": args{"values": "load_data('magnitude_data').values"}})
	s.call("plasma_beta", args{"B_nT": 5, "n_cm3": 10, "T_eV": 20})
	s.call("gyrofrequency", args{"B_nT": 5, "particle": "O+"})
	s.call("alfven_speed", args{"B_nT": 5.25, "n_cm3": 5, "alpha_ratio": 0.04, "electrons": true})
	s.call("alfven_speed", args{"B_nT": 7, "n_cm3": 3, "mass_amu": 4})
	s.call("debye_length", args{"n_cm3": 10, "T_eV": 12})
	s.call("inertial_length", args{"n_cm3": 5, "particle": "He+"})
	mean, _ := s.Ledger.Latest("magnitude_data_mean")
	theta, _ := s.Ledger.Latest("theta_bn")
	s.call("final_answer", args{
		"answer": fmt.Sprintf("The mean field is %.3f nT and theta_Bn is %.1f deg.", mean.Value, theta.Value),
		"claims": []args{
			{"name": "mean field", "value": round(mean.Value, 1000), "units": "nT", "source": "magnitude_data_mean"},
			{"name": "theta_Bn", "value": round(theta.Value, 10), "units": "deg", "source": "theta_bn"},
			{"name": "offset", "value": 2.5, "units": "nT", "source": "before_the_error"},
		},
	})
	return s
}

func round(v, by float64) float64 { return float64(int(v*by+0.5)) / by }

func TestTheExportedFolderReproducesEveryValue(t *testing.T) {
	t.Parallel()
	s := wholeSession(t)
	path := s.export(filepath.Join(t.TempDir(), "demo"))
	out, err := execute(t, path)
	if err != nil {
		t.Fatal(err)
	}
	want := 0
	for _, r := range s.doc.Turns[0].Results {
		names := map[string]bool{}
		for _, v := range r.Values {
			if v.Name != "half" { // of a script that failed, and is not cited
				names[v.Name] = true
			}
		}
		want += len(names)
	}
	if !strings.Contains(out, fmt.Sprintf("all %d values reproduced", want)) || want < 100 {
		t.Errorf("%d values are recorded, and the notebook says:\n%s", want, out)
	}
	if !strings.Contains(out, "3 data files, all as recorded") || !strings.Contains(out, "[figure]") {
		t.Errorf("the notebook says:\n%s", out)
	}
	for _, r := range []string{`the answer says mean field [\d.]+ nT: magnitude_data_mean = [\d.]+ nT \[statistics of magnitude_data\]`, `the answer says offset 2.5 nT: before_the_error = 2.5 nT \[code_2\.py\]`, `the answer says theta_Bn [\d.]+ deg: theta_bn = [\d.]+ deg \[code_\d\.py\]`} {
		if !regexp.MustCompile(r).MatchString(out) {
			t.Errorf("nothing in the output is like %s:\n%s", r, out)
		}
	}
}

// The comparison is no formality: a record that says something else fails.
func TestAWrongRecordIsNoticed(t *testing.T) {
	t.Parallel()
	s := newSession(t, false)
	s.ask("How fast?")
	s.call("alfven_speed", args{"B_nT": 5, "n_cm3": 5})
	s.doc.Turns[0].Results[0].Values[0].Value *= 1 + 3e-9
	_, err := execute(t, s.export(filepath.Join(t.TempDir(), "demo")))
	if err == nil || !strings.Contains(err.Error(), "1 of 2 values are not reproduced") {
		t.Errorf("got %v", err)
	}
}

func TestASessionWithoutPythonIsReproducedToo(t *testing.T) {
	t.Parallel()
	s := newSession(t, false)
	s.ask("What is the mean field?")
	s.call("get_timeseries", args{"param_id": "local/demo_mfi_20230615_v01/Magnitude"})
	path := s.export(filepath.Join(t.TempDir(), "demo"))
	if data, err := os.ReadFile(path); err != nil || strings.Contains(string(data), "import matplotlib.pyplot as plt\\n\",\n    \"import numpy") {
		t.Errorf("matplotlib is needed for nothing: %v", err)
	}
	out, err := execute(t, path)
	if err != nil || !strings.Contains(out, "all 9 values reproduced") {
		t.Errorf("%v\n%s", err, out)
	}
}

type cell struct {
	Type     string `json:"cell_type"`
	ID       string
	Source   []string
	Metadata struct {
		Tags    []string
		Jupyter map[string]bool
	}
	Outputs   []any
	Execution any `json:"execution_count"`
}

func cells(t *testing.T, path string) []cell {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var nb struct {
		Cells []cell
		Major int `json:"nbformat"`
		Minor int `json:"nbformat_minor"`
	}
	if err := json.Unmarshal(data, &nb); err != nil || nb.Major != 4 || nb.Minor != 5 {
		t.Fatalf("not a notebook of format 4.5: %v", err)
	}
	return nb.Cells
}

func TestCellsHoldTheCodeThatRan(t *testing.T) {
	t.Parallel()
	s := wholeSession(t)
	all := cells(t, s.export(filepath.Join(t.TempDir(), "demo")))
	var code strings.Builder
	for i, c := range all {
		text := strings.Join(c.Source, "")
		if c.ID != fmt.Sprintf("cell-%03d", i+1) {
			t.Errorf("cell %d has the id %q", i, c.ID)
		}
		if c.Type == "code" {
			text = regexp.MustCompile(`^begin\("code_\d+\.py"\)\n?`).ReplaceAllString(text, "")
			code.WriteString(text + "\n") // the end of a cell's last line is not written
		}
		if (c.Type == "code") != (c.Outputs != nil) || c.Execution != nil {
			t.Errorf("cell %d: outputs %v", i, c.Outputs)
		}
	}
	for _, r := range s.doc.Turns[0].Results {
		switch {
		case r.Script == nil:
		case r.Script.OK && !strings.Contains(code.String(), r.Script.Code):
			t.Errorf("%s is not in the notebook as it ran", r.Script.Name)
		case !r.Script.OK && strings.Contains(code.String(), "undefined_name"):
			t.Error("a failed script is a code cell")
		}
	}
	header := strings.Join(all[0].Source, "")
	for _, want := range []string{"**Question.** What is the mean field", "**Answer.** The mean field is", "**Verdict.**", "magnitude_data_mean", "synthetic", "offline/planner", "2026-11-30T12:00:00Z", "numpy "} {
		if !strings.Contains(header, want) {
			t.Errorf("the header does not say %q:\n%s", want, header)
		}
	}
	methods := strings.Join(all[1].Source, "")
	for _, want := range []string{"Sonnerup", "mvab** 1.0.0", "alfven_speed", "CODATA 2022", "local/demo_mfi_20230615_v01/BGSM", "synthetic, not measured"} {
		if !strings.Contains(methods, want) {
			t.Errorf("methods and data do not say %q:\n%s", want, methods)
		}
	}
	sources, failed := 0, 0
	for _, c := range all {
		if slices.Contains(c.Metadata.Tags, "recipe-source") && c.Metadata.Jupyter["source_hidden"] {
			sources++
		}
		if c.Type == "markdown" && strings.Contains(strings.Join(c.Source, ""), "failed, not run here") {
			failed++
		}
	}
	if sources != 4 || failed != 1 {
		t.Errorf("%d recipe sources and %d failed attempts", sources, failed)
	}
}

// nbformat's own validator agrees.
func TestTheNotebookIsValid(t *testing.T) {
	t.Parallel()
	testdata.Need(t, "nbformat for "+interpreter, exec.CommandContext(t.Context(), interpreter, "-c", "import nbformat").Run())
	s := newSession(t, false)
	s.ask("How fast?")
	s.call("alfven_speed", args{"B_nT": 5, "n_cm3": 5})
	path := s.export(filepath.Join(t.TempDir(), "demo"))
	out, err := exec.CommandContext(t.Context(), interpreter, "-W", "error", "-c", "import nbformat, sys; nbformat.validate(nbformat.read(sys.argv[1], 4))", path).CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestSumsAndOrigin(t *testing.T) {
	t.Parallel()
	s := newSession(t, false)
	s.ask("?")
	s.call("get_timeseries", args{"param_id": "local/demo_mfi_20230615_v01/Magnitude", "stop": "2023-06-15T12:00:00Z"})
	dir := filepath.Join(t.TempDir(), "demo")
	s.export(dir)
	sums, err := os.ReadFile(filepath.Join(dir, "SHA256SUMS"))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for line := range strings.Lines(string(sums)) {
		sum, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
		data, err := os.ReadFile(filepath.Join(dir, name))
		if got := sha256.Sum256(data); err != nil || hex.EncodeToString(got[:]) != sum {
			t.Errorf("%s does not have its sum: %v", name, err)
		}
		names = append(names, name)
	}
	if want := []string{"ORIGIN.md", "data/magnitude_data.npz", "data/manifest.json", "demo.ipynb", "demo.recorded.json"}; !slices.Equal(names, want) {
		t.Errorf("sums of %v, want %v", names, want)
	}
	origin, err := os.ReadFile(filepath.Join(dir, "ORIGIN.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"data/magnitude_data.npz", "local/demo_mfi_20230615_v01/Magnitude", "before 2023-06-15T12:00:00Z", "computed, not measured", "SHA-256 of that file", "sha256sum -c"} {
		if !strings.Contains(string(origin), want) {
			t.Errorf("ORIGIN.md does not say %q:\n%s", want, origin)
		}
	}
}

func TestASecondExportKeepsTheReadersWork(t *testing.T) {
	t.Parallel()
	s := newSession(t, false)
	s.ask("How fast?")
	s.call("alfven_speed", args{"B_nT": 5, "n_cm3": 5})
	dir := filepath.Join(t.TempDir(), "demo")
	first := s.export(dir)
	if again := s.export(dir); again != first {
		t.Errorf("an untouched notebook is left at %s and written to %s", first, again)
	}
	edited := []byte(`{"edited": true}`)
	if err := os.WriteFile(first, edited, 0o600); err != nil {
		t.Fatal(err)
	}
	s.call("alfven_speed", args{"B_nT": 6, "n_cm3": 5})
	second := s.export(dir)
	if filepath.Base(second) != "demo_2.ipynb" {
		t.Errorf("the second export is %s", second)
	}
	if data, err := os.ReadFile(first); err != nil || string(data) != string(edited) {
		t.Errorf("the edited notebook is now %s: %v", data, err)
	}
	if third := s.export(dir); third != second {
		t.Errorf("the third export is %s", third)
	}
}

func TestWhatCannotBeExported(t *testing.T) {
	t.Parallel()
	s := newSession(t, false)
	s.ask("?")
	dir := filepath.Join(t.TempDir(), "demo")
	if _, err := notebook.Export(dir, s.doc); err == nil || !strings.Contains(err.Error(), "nothing yet") {
		t.Errorf("an empty session gives %v", err)
	}
	s.call("get_timeseries", args{"param_id": "local/demo_mfi_20230615_v01/Magnitude"})
	file := filepath.Join(s.Dir, "data", "magnitude_data.npz")
	if err := os.WriteFile(file, []byte("changed"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := notebook.Export(dir, s.doc); err == nil || !strings.Contains(err.Error(), "SHA-256 differs") {
		t.Errorf("changed data give %v", err)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(secret, file); err != nil {
		t.Skip(err)
	}
	if _, err := notebook.Export(dir, s.doc); err == nil || !strings.Contains(err.Error(), "plain file") {
		t.Errorf("a link in place of data gives %v", err)
	}
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("something was written: %v", err)
	}
}

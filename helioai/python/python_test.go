package python_test

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/helios-go/helios/helioai/python"
	"github.com/helios-go/helios/internal/testdata"
)

const interpreter = "/usr/bin/python3"

// need skips a test where Python cannot import the modules.
func need(t *testing.T, modules string) {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), interpreter, "-I", "-c", "import "+modules).CombinedOutput()
	if err != nil && len(out) > 0 {
		t.Logf("%s", out)
	}
	testdata.Need(t, interpreter+" with "+modules, err)
}

type run struct {
	*python.Report
	stdout, stderr string
	code           int
	dir            string
}

// execute runs a script as the sandbox does, only without confinement: the
// scripts of these tests are the tests' own.
func execute(t *testing.T, script python.Script, fonts map[string][]byte) run {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("passing a descriptor to a child needs Unix")
	}
	job, dir := t.TempDir(), t.TempDir()
	for name, data := range script.Files(fonts) {
		if err := os.WriteFile(filepath.Join(job, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(t.Context(), interpreter, "-I", "-B", filepath.Join(job, python.Main))
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &stdout, &stderr
	cmd.ExtraFiles = []*os.File{writer}
	cmd.Env = []string{"HELIOS_RESULT_FD=3", "HOME=" + job, "TMPDIR=" + job, "OPENBLAS_NUM_THREADS=1"}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	writer.Close()
	stream, err := io.ReadAll(reader)
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil && cmd.ProcessState.ExitCode() != 1 {
		t.Fatalf("%v\n%s", err, stderr.String())
	}
	var frames []json.RawMessage
	for len(stream) >= 4 {
		n := binary.BigEndian.Uint32(stream)
		frames = append(frames, json.RawMessage(stream[4:4+n]))
		stream = stream[4+n:]
	}
	report := python.Read(script.Index, frames)
	if report.Dropped > 0 {
		t.Errorf("%d frames of the runtime were dropped: %s", report.Dropped, frames)
	}
	return run{report, stdout.String(), stderr.String(), cmd.ProcessState.ExitCode(), dir}
}

func TestExportedValuesArrive(t *testing.T) {
	t.Parallel()
	need(t, "numpy")
	got := execute(t, python.Script{Index: 2, Code: `
print("text", {"type": "export"})
export("speed", 400.5, "km/s")
export("b", np.array([[1.0, 2.0, 2.0], [np.nan, 0.0, 0.0]]), "nT")
export("when", np.datetime64("2023-01-02T03:41:01"))
export("fit", {"slope": 0.5, "word": "good"}, "1")
export("samples", np.isfinite([1.0, np.nan]).sum(), "count")
export("bad", np.inf)
`}, nil)
	if got.code != 0 || !got.Started || !got.Finished || got.Failure != nil {
		t.Fatalf("the run did not end well: %+v\n%s", got.Report, got.stderr)
	}
	if got.stdout != "text {'type': 'export'}\n" {
		t.Errorf("stdout is %q", got.stdout)
	}
	var names []string
	for _, v := range got.Values {
		names = append(names, v.Name+":"+string(v.Kind)+":"+v.Units)
	}
	want := "speed:number:km/s b:series:nT when:time: fit.slope:number:1 fit.word:text:1 samples:number:count"
	if s := strings.Join(names, " "); s != want {
		t.Errorf("got values %s, want %s", s, want)
	}
	if b := got.Values[1]; b.N != 5 || b.NaN != 1 || b.Mean != 1 || len(b.Sample) != 6 || !math.IsNaN(b.Sample[3]) {
		t.Errorf("the array is described as %+v", b)
	}
	if !got.Values[5].Integer || got.Values[0].Integer {
		t.Error("a count is not told from a measurement")
	}
	if len(got.Refused) != 1 || got.Refused[0].Reason != "it is not a finite number" {
		t.Errorf("refused: %+v", got.Refused)
	}
	if got.Versions["python"] == "" || got.Versions["numpy"] == "" || got.Versions["matplotlib"] != "" {
		t.Errorf("versions: %v", got.Versions)
	}
}

func TestEveryFigureIsSavedTwice(t *testing.T) {
	t.Parallel()
	need(t, "numpy, matplotlib")
	script := python.Script{Index: 4, Code: `
t = np.datetime64("2023-01-02") + np.arange(100) * np.timedelta64(60, "s")
fig, axes = plot_series(Dataset(t, np.sin(np.arange(100)), ["Bz"], "nT", "bz"))
plt.show()
import matplotlib.pyplot as pyplot
pyplot.figure()
pyplot.plot([1, 2], [3, 4])
open_at_end, axis = plt.subplots()
axis.plot([1, 2])
`}
	got := execute(t, script, nil)
	if got.code != 0 || len(got.Figures) != 3 {
		t.Fatalf("got %d figures, exit code %d, stderr %s", len(got.Figures), got.code, got.stderr)
	}
	for i, f := range got.Figures {
		for name, magic := range map[string]string{f.PNG: "\x89PNG", f.PDF: "%PDF"} {
			data, err := os.ReadFile(filepath.Join(got.dir, name))
			if err != nil || !bytes.HasPrefix(data, []byte(magic)) || len(data) < 2000 {
				t.Errorf("figure %d: %s is not what its name says: %v, %d bytes", i+1, name, err, len(data))
			}
		}
	}
	if got.Figures[2].PNG != "fig_4_3.png" {
		t.Errorf("the third figure is called %s", got.Figures[2].PNG)
	}
	if len(got.Fonts) != 1 {
		t.Fatalf("got %d font lists, want the one that was built", len(got.Fonts))
	}

	cache := filepath.Join(t.TempDir(), "fonts")
	if err := python.SaveFonts(cache, got.Fonts); err != nil {
		t.Fatal(err)
	}
	again := execute(t, script, python.LoadFonts(cache))
	if len(again.Figures) != 3 || again.Fonts != nil {
		t.Errorf("with a font list at hand: %d figures, %d lists built", len(again.Figures), len(again.Fonts))
	}
	first, _ := os.ReadFile(filepath.Join(got.dir, "fig_4_1.pdf"))
	second, _ := os.ReadFile(filepath.Join(again.dir, "fig_4_1.pdf"))
	if !bytes.Equal(first, second) {
		t.Error("the same script gives two different PDF files")
	}
}

func TestErrorsNameTheScriptsOwnLine(t *testing.T) {
	t.Parallel()
	need(t, "numpy")
	for _, c := range []struct{ name, code, want, inTraceback string }{
		{"at once", "undefined", "NameError: name 'undefined' is not defined", "line 1, in <module>"},
		{"in a function", "def f():\n    return 1/0\n\nf()", "ZeroDivisionError: division by zero", "line 2, in f"},
		{"in a library", "x = 1\nnp.reshape([1, 2], 3)", "ValueError: cannot reshape array of size 2 into shape (3,)", "line 2, in <module>"},
		{"syntax", "a = 1\nb = (2", "SyntaxError: '(' was never closed (code_0.py, line 2)", "line 2"},
		{"exit with a text", "raise SystemExit('no data, so no answer')", "no data, so no answer", "line 1"},
		{"from a cause", "try:\n    1/0\nexcept Exception as e:\n    raise ValueError('bad') from e", "ValueError: bad", "line 4"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := execute(t, python.Script{Code: c.code}, nil)
			if got.code != 1 || got.Failure == nil {
				t.Fatalf("exit code %d, failure %v", got.code, got.Failure)
			}
			if got.Failure.Error() != c.want {
				t.Errorf("got error %q, want %q", got.Failure.Error(), c.want)
			}
			if !strings.Contains(got.Failure.Traceback, c.inTraceback) || strings.Contains(got.Failure.Traceback, "main.py") {
				t.Errorf("traceback:\n%s", got.Failure.Traceback)
			}
		})
	}
}

func TestWhatWasExportedBeforeAnErrorIsKept(t *testing.T) {
	t.Parallel()
	need(t, "numpy")
	got := execute(t, python.Script{Code: "export('a', 1, 'nT')\n1/0"}, nil)
	if len(got.Values) != 1 || got.Failure == nil || got.Finished {
		t.Errorf("got %d values, failure %v, finished %v", len(got.Values), got.Failure, got.Finished)
	}
}

func TestScriptRunsAsMainAndCannotSeeTheRuntime(t *testing.T) {
	t.Parallel()
	need(t, "numpy")
	got := execute(t, python.Script{Code: `
if __name__ == "__main__":
    export("names", " ".join(sorted(n for n in globals() if not n.startswith("__"))))
`}, nil)
	want := "Dataset clean export interp_to load_data magnitude np plot_series plt save_path scipy"
	if len(got.Values) != 1 || got.Values[0].Text != want {
		t.Errorf("got %+v, want %s", got.Values, want)
	}
}

func TestFilesLeftOpenAreWritten(t *testing.T) {
	t.Parallel()
	need(t, "numpy")
	got := execute(t, python.Script{Code: "f = open(save_path('notes.txt'), 'w')\nf.write('kept')\ndef g(): return f, g"}, nil)
	if data, err := os.ReadFile(filepath.Join(got.dir, "notes.txt")); err != nil || string(data) != "kept" {
		t.Errorf("the file holds %q: %v", data, err)
	}
}

func TestLibrariesAreImportedWhenUsed(t *testing.T) {
	t.Parallel()
	need(t, "numpy, scipy, matplotlib")
	got := execute(t, python.Script{Code: `
import sys
export("before", int("scipy" in sys.modules) + int("matplotlib" in sys.modules), "count")
export("chi2", scipy.stats.chi2.ppf(0.95, 3), "1")
export("style", plt.rcParams["timezone"])
`}, map[string][]byte{"fontlist-v0.json": []byte("{}")}) // a list at hand: none is built ahead
	if len(got.Values) != 3 || got.Values[0].Value != 0 || got.Values[1].Value < 7.8 || got.Values[2].Text != "UTC" {
		t.Errorf("got %+v, stderr %s", got.Values, got.stderr)
	}
}

func TestQuotedTextsAreReadAsTheyWere(t *testing.T) {
	t.Parallel()
	need(t, "numpy")
	texts := []string{"", `"quoted" \ 'text'`, "line\nfeed\r\ttab\x00\x1b\x7f", "< > &", "µ \u2028 😀", `\N{BEE} \x41 \u0041 {x}`}
	var code, want strings.Builder
	for _, text := range texts {
		code.WriteString("print(" + python.Quote(text) + ".encode().hex())\n")
		want.WriteString(hex.EncodeToString([]byte(text)) + "\n")
	}
	if got := execute(t, python.Script{Code: code.String()}, nil); got.stdout != want.String() {
		t.Errorf("got\n%swant\n%s%s", got.stdout, want.String(), got.stderr)
	}
}

func TestPythonsOwnTests(t *testing.T) {
	t.Parallel()
	need(t, "numpy, matplotlib")
	cmd := exec.CommandContext(t.Context(), interpreter, "-B", "-m", "unittest", "test_prelude")
	cmd.Dir = "testdata"
	cmd.Env = append(os.Environ(), "MPLCONFIGDIR="+t.TempDir(), "OPENBLAS_NUM_THREADS=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

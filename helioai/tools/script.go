package tools

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/helios-go/helios/helioai/ledger"
	"github.com/helios-go/helios/helioai/python"
	"github.com/helios-go/helios/sandbox"
	"github.com/helios-go/helios/tool"
)

const (
	defaultTimeout = 60  // seconds
	maxTimeout     = 300 // seconds
	maxCode        = 1 << 20
	shownStdout    = 4000 // bytes of output that the model sees
	shownOnTimeout = 2000 // bytes from the end, when time was up
	shownExports   = 60   // exports that the model sees in full

	// toolTimeout leaves the sandbox time to stop a program and clean up.
	toolTimeout = (maxTimeout + 60) * time.Second
)

type pythonInput struct {
	Code    string  `json:"code"              jsonschema:"the script, self-contained: nothing is left of earlier ones"`
	Timeout float64 `json:"timeout,omitempty" jsonschema:"seconds until it is stopped, 60 unless given, at most 300"`
}

func runPython(env *Env) tool.Tool {
	return tool.New("run_python",
		"Run a Python script in a sandbox without network. Ready to use: np, plt, scipy; load_data(dataset) with .time "+
			"(datetime64), .values, .columns, .units, .column(label), .select(label), .window(start, stop); export(name, value, "+
			"units) for every number, time and count that the answer will state; magnitude(vectors), clean(values, fill), "+
			"interp_to(t_target, t_source, values), save_path(name); plot_series(dataset, ..., title=, marks=, shade=) for stacked "+
			"panels with UTC ticks and units, and Dataset(time, values, columns, units) for computed series. Figures are saved "+
			"when shown and at the end. Returns stdout, figures and the exports as recorded.",
		func(ctx context.Context, in pythonInput) (tool.Result, error) {
			if strings.TrimSpace(in.Code) == "" {
				return tool.Result{}, errors.New("code is empty")
			}
			return env.run(ctx, &job{tool: "run_python", code: in.Code, timeout: in.Timeout})
		}, tool.WithEffect(tool.Idempotent), tool.WithKind(tool.KindExecute), tool.WithTimeout(toolTimeout))
}

// A job is one script to run.
type job struct {
	tool    string
	code    string
	timeout float64 // seconds; 0 is the default
	recipe  *RecipeRun
}

type pythonOutput struct {
	Error       string         `json:"error,omitempty"`
	Stdout      string         `json:"stdout"`
	Stderr      string         `json:"stderr,omitempty"`
	FigurePaths []string       `json:"figure_paths"`
	NFigures    int            `json:"n_figures"`
	Files       []string       `json:"files,omitempty"`
	Exports     map[string]any `json:"exports"`
	Note        string         `json:"note,omitempty"`
	CodePath    string         `json:"code_path"`
	NLines      int            `json:"n_lines"`
	Recipe      *recipeNote    `json:"recipe,omitempty"`
}

type recipeNote struct {
	Name      string `json:"name"`
	Version   string `json:"version"`
	Reference string `json:"reference"`
}

// run saves a script, runs it in the sandbox and records what it exported.
func (e *Env) run(ctx context.Context, j *job) (tool.Result, error) {
	if len(j.code) > maxCode {
		return tool.Result{}, fmt.Errorf("the script has %d bytes, more than %d; keep data out of it and load them with load_data", len(j.code), maxCode)
	}
	root, err := e.openDir()
	if err != nil {
		return tool.Result{}, err
	}
	defer func() { _ = root.Close() }() // each file was closed with its error
	index, earlier, err := saveScript(root, j.code)
	if err != nil {
		return tool.Result{}, err
	}
	script := python.Script{Index: index, Code: j.code}
	result, err := e.Sandbox.Run(ctx, &sandbox.Job{
		Files: script.Files(python.LoadFonts(e.CacheDir)),
		Main:  python.Main,
		Dir:   e.Dir,
		// What was recorded stays as it was recorded.
		ReadOnly: append([]string{dataDir, script.Name()}, earlier...),
		Limits:   sandbox.Limits{Wall: wall(j.timeout)},
		OnFrame:  func(f sandbox.Frame) { progress(ctx, python.Progress(f)) },
	})
	if err != nil {
		if ctx.Err() != nil {
			return tool.Result{}, ctx.Err()
		}
		return tool.Result{}, fmt.Errorf("sandbox error: %w", err)
	}
	return e.finish(ctx, root, j, script, result)
}

// wall turns a wish in seconds into what is allowed.
func wall(seconds float64) time.Duration {
	switch {
	case !(seconds > 0):
		seconds = defaultTimeout
	case seconds > maxTimeout:
		seconds = maxTimeout
	}
	return time.Duration(seconds * float64(time.Second))
}

// finish folds what came of a run into a result, and the exports into the
// ledger.
func (e *Env) finish(ctx context.Context, root *os.Root, j *job, script python.Script, result *sandbox.Result) (tool.Result, error) {
	report := python.Read(script.Index, result.Frames)
	sum := sha256.Sum256([]byte(j.code))
	run := &Script{
		Index: script.Index, Name: script.Name(), Code: j.code, SHA256: hex.EncodeToString(sum[:]),
		Seconds: result.Wall.Seconds(), Versions: report.Versions, Loaded: report.Loaded, Recipe: j.recipe,
	}
	problem := whatFailed(j, report, result)
	run.OK = problem == ""
	run.Stdout = cutOutput(result, problem)

	data := &Data{Tool: j.tool, Error: problem, Script: run, Values: report.Values}
	data.Figures, data.Files = sortFiles(report.Figures, result.Changed)
	inputs, tolerance, err := e.inputs(root, report.Loaded)
	if err != nil {
		return tool.Result{}, err
	}
	origin := ledger.Origin{Tool: j.tool, Code: run.Name, CodeSHA256: run.SHA256, Inputs: inputs}
	if j.recipe != nil {
		origin.Recipe, origin.RecipeVersion = j.recipe.Name, j.recipe.Version
	}
	for i := range report.Values {
		if v := &report.Values[i]; v.Kind == ledger.KindTime {
			v.Tolerance = tolerance
		}
	}
	if err := e.record(ctx, origin, report.Values); err != nil {
		return tool.Result{}, err
	}
	note := ""
	if err := python.SaveFonts(e.CacheDir, report.Fonts); err != nil {
		note = err.Error()
	}

	out := &pythonOutput{
		Error: problem, Stdout: run.Stdout, Stderr: lastBytes(string(result.Stderr), shownStdout),
		FigurePaths: []string{}, NFigures: len(data.Figures), Files: data.Files,
		Exports: describeExports(report), CodePath: run.Name, NLines: strings.Count(strings.TrimRight(j.code, "\n"), "\n") + 1,
		Note: joinNotes(note, exportNote(report, result)),
	}
	for _, f := range data.Figures {
		out.FigurePaths = append(out.FigurePaths, f.PNG)
	}
	if j.recipe != nil {
		out.Recipe = &recipeNote{Name: j.recipe.Name, Version: j.recipe.Version, Reference: j.recipe.Reference}
		if run.OK && len(report.Values) == 0 {
			out.Note = joinNotes(out.Note, "the recipe exported nothing: bind its inputs, which load_recipe lists")
		}
	}
	if problem != "" {
		return failure(out, data)
	}
	return reply(out, data)
}

// whatFailed says in one line why a run failed, "" when it did not.
func whatFailed(j *job, report *python.Report, result *sandbox.Result) string {
	switch {
	case result.TimedOut:
		return fmt.Sprintf("Execution timed out after %g s", wall(j.timeout).Seconds())
	case result.OutOfMemory:
		return "the script needed more memory than it may use; work on fewer columns or a shorter window"
	case result.OverDisk:
		return "the script wrote more to disk than it may; write less"
	case report.Failure != nil && j.recipe != nil && report.Failure.Exception == "ValueError":
		return report.Failure.Message // a recipe's refusal is a sentence of its own
	case report.Failure != nil:
		return report.Failure.Error()
	case result.ExitCode != 0:
		return cmp.Or(lastLine(string(result.Stderr)), fmt.Sprintf("Code exited with code %d", result.ExitCode))
	case !report.Finished:
		return "the script ended Python before its end; do not call os._exit"
	}
	return ""
}

// sortFiles keeps the figures whose files are there, and the other files that
// the script wrote.
func sortFiles(figures []python.Figure, changed []string) (kept []python.Figure, others []string) {
	var drawn []string
	for _, f := range figures {
		if slices.Contains(changed, f.PNG) && slices.Contains(changed, f.PDF) {
			kept = append(kept, f)
			drawn = append(drawn, f.PNG, f.PDF)
		}
	}
	for _, name := range changed {
		if !slices.Contains(drawn, name) {
			others = append(others, name)
		}
	}
	return kept, others
}

// inputs finds the datasets that a script has loaded. Its times are as good as
// the coarsest of their cadences.
func (e *Env) inputs(root *os.Root, loaded []string) ([]ledger.Input, time.Duration, error) {
	if len(loaded) == 0 {
		return nil, 0, nil
	}
	m, err := readManifest(root)
	if err != nil {
		return nil, 0, err
	}
	var inputs []ledger.Input
	var tolerance time.Duration
	for _, name := range loaded {
		if d := m.Datasets[name]; d != nil {
			inputs = append(inputs, d.input())
			tolerance = max(tolerance, d.Cadence())
		}
	}
	return inputs, tolerance, nil
}

// describeExports is what the model sees of the exports.
func describeExports(report *python.Report) map[string]any {
	out := map[string]any{}
	for _, v := range report.Values[:min(len(report.Values), shownExports)] {
		out[v.Name] = describeExport(&v)
	}
	for _, v := range report.Refused[:min(len(report.Refused), shownExports)] {
		out[v.Name] = map[string]any{"error": v.Reason, "repr": v.Repr}
	}
	return out
}

func describeExport(v *ledger.Entry) map[string]any {
	switch {
	case v.Kind == ledger.KindNumber:
		return map[string]any{"value": finite(v.Value), "units": v.Units}
	case v.Kind == ledger.KindTime:
		return map[string]any{"time": v.Time}
	case v.Kind == ledger.KindText:
		return map[string]any{"text": v.Text}
	case len(v.Times) > 0:
		return map[string]any{"shape": v.Shape, "n_finite": v.N, "n_nan": v.NaN, "times": v.Times}
	}
	sample := make([]*float64, len(v.Sample))
	for i := range v.Sample {
		sample[i] = finite(v.Sample[i])
	}
	return map[string]any{
		"shape": v.Shape, "n_finite": v.N, "n_nan": v.NaN, "units": v.Units, "sample": sample,
		"mean": finite(v.Mean), "std": finite(v.Std), "min": finite(v.Min), "max": finite(v.Max),
	}
}

// finite is nil, which JSON writes as null, for what is not a number.
func finite(v float64) *float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return &v
}

func exportNote(report *python.Report, result *sandbox.Result) string {
	var notes []string
	if n := len(report.Values); n > shownExports {
		notes = append(notes, fmt.Sprintf("%d of %d exports are shown; all are recorded", shownExports, n))
	}
	if len(report.Refused) > 0 {
		notes = append(notes, "exports with an error are not recorded")
	}
	if report.Dropped > 0 || result.FrameError != nil {
		notes = append(notes, "some of what the script reported was malformed and left out")
	}
	for _, r := range result.Refused[:min(len(result.Refused), 5)] {
		notes = append(notes, fmt.Sprintf("%s was left alone: %s", r.Name, r.Reason))
	}
	return strings.Join(notes, "; ")
}

func joinNotes(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "; " + b
}

// cutOutput keeps the beginning of what a script printed, or the end when its
// time was up, because that shows how far it came.
func cutOutput(result *sandbox.Result, problem string) string {
	text := strings.ToValidUTF8(string(result.Stdout), "�")
	if result.TimedOut && problem != "" {
		return lastBytes(text, shownOnTimeout)
	}
	if len(text) <= shownStdout && !result.StdoutCut {
		return text
	}
	return cut(text, shownStdout) + fmt.Sprintf("\n[output cut at %d bytes: print less, export what matters]", shownStdout)
}

func lastBytes(text string, n int) string {
	if len(text) > n {
		text = text[len(text)-n:]
	}
	return strings.ToValidUTF8(text, "�")
}

func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return cut(strings.TrimSpace(lines[len(lines)-1]), 500)
}

package notebook

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/helios-go/helios/helioai/python"
	"github.com/helios-go/helios/helioai/tools"
)

// A cell of a notebook. Outputs stay empty: they are the reader's.
type cell struct {
	Type      string         `json:"cell_type"`
	ID        string         `json:"id"`
	Metadata  map[string]any `json:"metadata"`
	Source    []string       `json:"source"`
	Outputs   *[]any         `json:"outputs,omitempty"`
	Execution *null          `json:"execution_count,omitempty"`
}

// null is written as null, where a missing member would not be valid.
type null struct{}

func (null) MarshalJSON() ([]byte, error) { return []byte("null"), nil }

// builder collects cells and gives each its id.
type builder struct{ cells []cell }

func (b *builder) add(c cell, text string) {
	c.ID = fmt.Sprintf("cell-%03d", len(b.cells)+1)
	c.Source = lines(text)
	if c.Metadata == nil {
		c.Metadata = map[string]any{}
	}
	b.cells = append(b.cells, c)
}

func (b *builder) markdown(text string) { b.add(cell{Type: "markdown"}, text) }

func (b *builder) code(text string) { b.tagged(text, nil) }

func (b *builder) tagged(text string, metadata map[string]any) {
	b.add(cell{Type: "code", Metadata: metadata, Outputs: &[]any{}, Execution: &null{}}, text)
}

// hidden folds a long source away; it is one click from being read.
func hidden(tags ...string) map[string]any {
	return map[string]any{"jupyter": map[string]any{"source_hidden": true}, "tags": tags}
}

// lines splits a text as notebooks hold it, each line with its end.
func lines(text string) []string {
	out := []string{}
	for line := range strings.Lines(text) {
		out = append(out, line)
	}
	if n := len(out); n > 0 {
		out[n-1] = strings.TrimSuffix(out[n-1], "\n")
	}
	return out
}

// cells tells the session in the order of a paper's supplement: what was asked
// and found, methods and data, the helpers, the conversation, and then what ran.
func (f *folded) cells(recorded string) []cell {
	b := &builder{}
	b.markdown(f.header())
	b.markdown(f.methods())
	b.tagged(f.setup(), hidden("setup"))
	if len(f.datasets) > 0 {
		b.code("verify_data()")
	}
	if len(f.Turns) > 1 {
		b.markdown(f.conversation())
	}
	if len(f.steps) > 0 {
		b.markdown("## What was computed, in order")
	}
	for _, s := range f.steps {
		switch {
		case !f.runs(&s):
			b.markdown(failedAttempt(s.data))
		case s.data.Script != nil:
			addScript(b, s.data.Script)
		case s.data.Formula != nil:
			addFormula(b, s.name, s.data.Formula)
		case s.data.Dataset != nil:
			addStatistics(b, s.name, s.data.Dataset)
		}
	}
	b.markdown("## Are the recorded values reproduced?\n\nEvery value that the session recorded, compared to a relative 1e-9 with the one computed above.")
	b.code(fmt.Sprintf("compare(%s)", python.Quote(recorded)))
	return b.cells
}

// setup is the helpers' source, from the same files that the sandbox runs.
func (f *folded) setup() string {
	var b strings.Builder
	b.WriteString("# The helpers that the scripts below use, and what runs them again. Names that\n# begin with an underscore are for the helpers themselves.\n")
	scripts := f.scripts()
	drawing := len(scripts) > 0
	if drawing {
		b.WriteString("import matplotlib.pyplot as plt\n")
	}
	b.WriteString("import numpy as np\n")
	for _, module := range scipyModules(scripts) {
		b.WriteString("import " + module + "\n")
	}
	b.WriteString("\n" + python.Prelude() + "\n\n" + python.Reproduce())
	if slices.ContainsFunc(f.steps, func(s step) bool { return s.data.Formula != nil }) {
		b.WriteString("\n\n" + python.Formulary())
	}
	if drawing {
		b.WriteString("\n\nplt.rcParams.update(_STYLE)\n")
	}
	return b.String()
}

var scipyUse = regexp.MustCompile(`\bscipy(?:\.([a-z_]+))?\b`)

// scipyModules lists what of scipy the scripts use by name. In the sandbox it
// is there without an import.
func scipyModules(scripts []*tools.Script) []string {
	var modules []string
	for _, s := range scripts {
		for _, m := range scipyUse.FindAllStringSubmatch(s.Code, -1) {
			if !s.OK {
				continue
			}
			module := strings.TrimSuffix("scipy."+m[1], ".")
			if slices.Contains(scipySubmodules, m[1]) && !slices.Contains(modules, module) {
				modules = append(modules, module)
			}
		}
	}
	slices.Sort(modules)
	return modules
}

var scipySubmodules = []string{
	"", "cluster", "constants", "fft", "fftpack", "integrate", "interpolate", "io", "linalg", "misc", "ndimage", "odr",
	"optimize", "signal", "sparse", "spatial", "special", "stats",
}

var exits = regexp.MustCompile(`\bSystemExit\b|\bexit\(`)

// addScript adds a script as it ran. A run of a recipe is three cells, which
// together are the script: what was bound, the recipe's source, and the call.
func addScript(b *builder, s *tools.Script) {
	begin := fmt.Sprintf("begin(%s)\n", python.Quote(s.Name))
	note := "As it ran"
	var metadata map[string]any
	if !s.OK || exits.MatchString(s.Code) {
		// Jupyter would stop at an exit as well, which is no failure.
		metadata = map[string]any{"tags": []string{"raises-exception"}}
	}
	if !s.OK {
		note = "As it ran, to its error; the answer cites what it had computed by then"
	}
	r := s.Recipe
	if r == nil {
		b.markdown(fmt.Sprintf("### %s\n\n%s; SHA-256 of the script `%s`.", s.Name, note, s.SHA256))
		if strings.Contains(s.Code, "__future__") { // must come first in its cell
			b.code(begin)
			begin = ""
		}
		b.tagged(begin+s.Code, metadata)
		return
	}
	source := strings.TrimSuffix(strings.TrimPrefix(s.Code, r.Bindings), r.Call)
	b.markdown(fmt.Sprintf("### %s: recipe %s %s\n\n%s\n\nThe next cells together are the script that ran (SHA-256 `%s`): its inputs, "+
		"the recipe's source as it is on the shelf (SHA-256 `%s`), and what was asked of it.", s.Name, r.Name, r.Version, r.Reference, s.SHA256, r.SHA256))
	b.code(begin + r.Bindings)
	b.tagged(source, hidden("recipe-source"))
	if r.Call != "" {
		b.code(r.Call)
	}
}

func addFormula(b *builder, name string, f *tools.Formula) {
	b.markdown(fmt.Sprintf("### %s\n\n`%s`; %s. Source: %s. Constants: %s.", name, f.Expression, f.Convention, f.Source, f.Constants))
	b.code(fmt.Sprintf("begin(%s)\nexport_formula(%s(%s))", python.Quote(name), f.Name, arguments(f.Inputs)))
}

func addStatistics(b *builder, name string, d *tools.Dataset) {
	keys := make([]string, len(d.Keys))
	for i, key := range d.Keys {
		keys[i] = python.Quote(key)
	}
	b.markdown(fmt.Sprintf("### %s\n\n`%s`, %s to %s, %d records.", capital(name), d.ParamID, d.Start, d.Stop, d.Shape[0]))
	b.code(fmt.Sprintf("begin(%s)\nexport_statistics(%s, [%s])", python.Quote(name), python.Quote(d.Key), strings.Join(keys, ", ")))
}

package offline

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"regexp"
	"testing"

	"github.com/helios-go/helios/helio/archive"
	"github.com/helios-go/helios/helio/formulary"
	"github.com/helios-go/helios/helio/series"
	"github.com/helios-go/helios/helio/tt"
	"github.com/helios-go/helios/internal/testdata"
	"github.com/helios-go/helios/llm"
	"gonum.org/v1/gonum/mat"
)

// A bench runs the planner's tool calls on real data, in Go alone. It keeps
// what a judge of the answer wants to know.
type bench struct {
	t       testing.TB
	archive archive.Archive
	tools   []llm.ToolSpec

	data    map[string]*series.Series // fetched, by dataset name
	windows map[string][3]string      // parameter id, start, stop of each dataset
	entries map[string]bool           // names in the ledger
	scripts []string
	drawn   []string
	calls   []llm.ToolCall
	answer  string
	claims  []claimed
	refused bool
}

type claimed struct {
	Name   string          `json:"name"`
	Value  json.RawMessage `json:"value"`
	Units  string          `json:"units"`
	Source string          `json:"source"`
}

func spec(name string, properties ...string) llm.ToolSpec {
	all := map[string]any{}
	for _, p := range properties {
		all[p] = map[string]string{}
	}
	input, _ := json.Marshal(map[string]any{"type": "object", "properties": all})
	return llm.ToolSpec{Name: name, Input: input}
}

func dataTools() []llm.ToolSpec {
	return []llm.ToolSpec{
		spec("search_parameters", "queries"), spec("get_timeseries", "param_id", "start", "stop"),
		spec("alfven_speed", "B_nT", "n_cm3"), spec("plasma_beta", "B_nT", "n_cm3", "T_eV"), spec("debye_length", "n_cm3", "T_eV"),
		spec("gyrofrequency", "B_nT", "particle"), spec("inertial_length", "n_cm3", "particle"),
		spec("present_plan", "title", "steps"), spec("final_answer", "answer", "claims", "unanswered"),
	}
}

func allTools() []llm.ToolSpec {
	return append(dataTools(), spec("run_python", "code"), spec("run_recipe", "name", "inputs"))
}

var realFiles = map[string]string{
	"ace":     "data/ac_h0_mfi_20230102_v07.cdf",
	"omni":    "data/omni_coho1hr_merged_mag_plasma_20240901_v01.cdf",
	"geotail": "data/ge_k0_cpi_19921231_v02.cdf",
}

// openReal opens real files by their short names.
func openReal(t testing.TB, names ...string) archive.Archive {
	t.Helper()
	var paths []string
	for _, n := range names {
		paths = append(paths, testdata.File(t, realFiles[n]))
	}
	a, err := archive.OpenLocal(paths)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func newBench(t testing.TB, a archive.Archive, tools []llm.ToolSpec) *bench {
	return &bench{t: t, archive: a, tools: tools, data: map[string]*series.Series{}, windows: map[string][3]string{}, entries: map[string]bool{}}
}

// ask runs one question to its final answer.
func (b *bench) ask(questions ...string) *bench {
	b.t.Helper()
	model := New(b.archive)
	var messages []llm.Message
	for _, q := range questions {
		messages = append(messages, llm.User(q))
		done := false
		for turns := 0; !done; turns++ {
			if turns > 8 {
				b.t.Fatalf("%q: no answer after %d turns", q, turns)
			}
			resp, err := llm.Generate(context.Background(), model, &llm.Request{Messages: messages, Tools: b.tools})
			if err != nil {
				b.t.Fatalf("%q: %v", q, err)
			}
			messages = append(messages, resp.Message)
			calls := resp.Message.Calls()
			if len(calls) == 0 {
				b.answer, done = resp.Text(), true
				continue
			}
			results := llm.Message{Role: llm.RoleTool}
			for _, c := range calls {
				b.calls = append(b.calls, *c)
				body, isError := b.run(c)
				results.Parts = append(results.Parts, llm.Part{Kind: llm.PartResult, Result: &llm.ToolResult{
					ID: c.ID, Name: c.Name, Parts: []llm.Part{llm.Text(body)}, IsError: isError,
				}})
				done = done || c.Name == "final_answer"
			}
			messages = append(messages, results)
		}
	}
	return b
}

// run executes a call and returns the result as text.
func (b *bench) run(c *llm.ToolCall) (text string, isError bool) {
	var args map[string]json.RawMessage
	if err := json.Unmarshal(c.Args, &args); err != nil {
		b.t.Fatalf("%s: arguments %s: %v", c.Name, c.Args, err)
	}
	str := func(name string) string {
		var s string
		json.Unmarshal(args[name], &s)
		return s
	}
	num := func(name string) float64 {
		var v float64
		json.Unmarshal(args[name], &v)
		return v
	}
	var out map[string]any
	var err error
	switch c.Name {
	case "get_timeseries":
		out, err = b.timeseries(str("param_id"), str("start"), str("stop"))
	case "run_python":
		out = b.python(str("code"))
	case "run_recipe":
		out, err = b.recipe(str("name"), args["inputs"])
	case "alfven_speed":
		out, err = b.formula(formulary.AlfvenSpeed(num("B_nT"), num("n_cm3"), nil))
	case "plasma_beta":
		out, err = b.formula(formulary.PlasmaBeta(num("B_nT"), num("n_cm3"), num("T_eV")))
	case "debye_length":
		out, err = b.formula(formulary.DebyeLength(num("n_cm3"), num("T_eV")))
	case "gyrofrequency", "inertial_length":
		var p formulary.Particle
		if p, err = formulary.ParseParticle(str("particle")); err != nil {
			break
		}
		if c.Name == "gyrofrequency" {
			out, err = b.formula(formulary.Gyrofrequency(num("B_nT"), p))
		} else {
			out, err = b.formula(formulary.InertialLength(num("n_cm3"), p))
		}
	case "present_plan":
		out = map[string]any{"status": "presented"}
	case "final_answer":
		b.answer = str("answer")
		b.claims, b.refused = nil, false
		json.Unmarshal(args["claims"], &b.claims)
		json.Unmarshal(args["unanswered"], &b.refused)
		out = map[string]any{}
	default:
		b.t.Fatalf("the planner called %s, which is not offered", c.Name)
	}
	if err != nil {
		out, isError = map[string]any{"error": err.Error()}, true
	}
	raw, err := json.Marshal(out)
	if err != nil {
		b.t.Fatal(err)
	}
	return string(raw), isError
}

func (b *bench) timeseries(id, start, stop string) (map[string]any, error) {
	side := func(s string) tt.Time {
		if s == "" {
			return tt.Fill
		}
		t, err := tt.Parse(s)
		if err != nil {
			b.t.Fatalf("get_timeseries got the time %q", s)
		}
		return t
	}
	s, err := b.archive.Fetch(context.Background(), id, side(start), side(stop))
	if err != nil {
		return nil, err
	}
	name := nameSlug(s.Name)
	if name == "magnitude" {
		name += "_data"
	}
	window := [3]string{id, start, stop}
	base := name
	for n := 2; b.data[name] != nil && b.windows[name] != window; n++ {
		name = fmt.Sprintf("%s_%d", base, n)
	}
	b.data[name], b.windows[name] = s, window
	var stats []map[string]any
	for i, label := range s.Columns {
		key := name
		if len(s.Columns) > 1 {
			key += "_" + nameSlug(label)
		}
		st := s.Stats(i)
		for _, stat := range []string{"mean", "median", "std", "min", "max", "min_time", "max_time", "n_samples", "n_missing"} {
			b.entries[key+"_"+stat] = true
		}
		entry := map[string]any{"column": label, "key": key, "n": st.N, "n_valid": st.Valid, "n_missing": st.Missing}
		if st.Valid > 0 {
			maps.Copy(entry, map[string]any{"mean": st.Mean, "median": st.Median, "std": st.Std, "min": st.Min, "max": st.Max, "min_time": st.MinTime.String(), "max_time": st.MaxTime.String()})
		}
		stats = append(stats, entry)
	}
	return map[string]any{"dataset": name, "units": s.Units, "n_points": s.Len(), "stats": stats}, nil
}

func (b *bench) python(code string) map[string]any {
	b.scripts = append(b.scripts, code)
	m := &miniPython{data: b.data}
	err := m.run(code)
	b.drawn = append(b.drawn, m.drawn...)
	for name := range m.exports {
		b.entries[name] = true
	}
	out := map[string]any{"exports": m.exports}
	if err != nil {
		out["error"] = err.Error()
	}
	return out
}

var loaded = regexp.MustCompile(`load_data\("([^"]+)"\)`)

// recipe does what the shelf's mvab does.
func (b *bench) recipe(name string, inputs json.RawMessage) (map[string]any, error) {
	var in map[string]string
	json.Unmarshal(inputs, &in)
	if name != "mvab" {
		return nil, fmt.Errorf("recipe %s is not on this bench", name)
	}
	var columns [3][]float64
	names := loaded.FindAllStringSubmatch(in["B"], -1)
	for i := range columns {
		if len(names) == 1 {
			columns[i] = b.data[names[0][1]].Column(i)
		} else {
			columns[i] = b.data[names[i][1]].Values
		}
	}
	var good [3][]float64
	for r := range columns[0] {
		if !math.IsNaN(columns[0][r] + columns[1][r] + columns[2][r]) {
			for i := range good {
				good[i] = append(good[i], columns[i][r])
			}
		}
	}
	columns = good
	n := float64(len(columns[0]))
	var mean [3]float64
	for i, c := range columns {
		for _, v := range c {
			mean[i] += v / n
		}
	}
	m := mat.NewSymDense(3, nil)
	for i := range 3 {
		for k := i; k < 3; k++ {
			sum := 0.0
			for r := range columns[i] {
				sum += (columns[i][r] - mean[i]) * (columns[k][r] - mean[k]) / n
			}
			m.SetSym(i, k, sum)
		}
	}
	var e mat.EigenSym
	e.Factorize(m, true)
	values := e.Values(nil)
	var vectors mat.Dense
	e.VectorsTo(&vectors)
	normal := []float64{vectors.At(0, 0), vectors.At(1, 0), vectors.At(2, 0)}
	if normal[0] < 0 {
		for i := range normal {
			normal[i] = -normal[i]
		}
	}
	number := func(v float64, units string) map[string]any { return map[string]any{"value": v, "units": units} }
	exports := map[string]any{
		"mvab_ratio_int_min": number(values[1]/values[0], "1"), "mvab_lambda_min": number(values[0], "nT^2"),
		"mvab_normal": map[string]any{"sample": normal, "units": "1"}, "mvab_n_points": number(n, "count"),
		"mvab_Bn":      number(mean[0]*normal[0]+mean[1]*normal[1]+mean[2]*normal[2], "nT"),
		"mvab_quality": map[string]any{"text": "good: by a wide margin"},
	}
	for name := range exports {
		b.entries[name] = true
	}
	return map[string]any{"exports": exports, "recipe": map[string]string{"reference": "Sonnerup, B. U. O. and Scheible, M. (1998), a chapter"}}, nil
}

func (b *bench) formula(r *formulary.Result, err error) (map[string]any, error) {
	if err != nil {
		return nil, err
	}
	out := map[string]any{"convention": r.Convention, "particle": r.Particle}
	for _, v := range r.Values {
		out[v.Name] = v.Value
	}
	for _, choices := range formulaResults {
		for _, c := range choices {
			b.entries[c.entry] = true
		}
	}
	return out, nil
}

// number returns a claim's value when it is a number.
func (c claimed) number() (float64, bool) {
	var v float64
	err := json.Unmarshal(c.Value, &v)
	return v, err == nil
}

func (c claimed) time() (tt.Time, bool) {
	var s string
	if json.Unmarshal(c.Value, &s) != nil {
		return tt.Fill, false
	}
	t, err := tt.Parse(s)
	return t, err == nil
}

func near(a, b, tolerance float64) bool {
	return math.Abs(a-b) <= tolerance+1e-12*math.Abs(b)
}

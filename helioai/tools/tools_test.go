package tools_test

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/helios-go/helios/helioai/python"
	"github.com/helios-go/helios/helioai/tools"
	"github.com/helios-go/helios/sandbox"
	"github.com/helios-go/helios/tool"
)

// contract says what models, planners and other packages rely on: names of
// arguments, those that are required, and whether the tool waits for others.
var contract = map[string]struct {
	required, optional string
	effect             tool.Effect
	final              bool
}{
	"search_parameters": {"queries", "start stop top_k", tool.ReadOnly, false},
	"get_timeseries":    {"param_id", "start stop", tool.ReadOnly, false},
	"run_python":        {"code", "timeout", tool.Idempotent, false},
	"list_recipes":      {"", "", tool.ReadOnly, false},
	"load_recipe":       {"name", "", tool.ReadOnly, false},
	"run_recipe":        {"name", "call inputs timeout", tool.Idempotent, false},
	"plasma_beta":       {"B_nT T_eV n_cm3", "", tool.ReadOnly, false},
	"gyrofrequency":     {"B_nT", "particle", tool.ReadOnly, false},
	"debye_length":      {"T_eV n_cm3", "", tool.ReadOnly, false},
	"alfven_speed":      {"B_nT n_cm3", "alpha_ratio electrons mass_amu", tool.ReadOnly, false},
	"inertial_length":   {"n_cm3", "particle", tool.ReadOnly, false},
	"present_plan":      {"steps title", "", tool.ReadOnly, false},
	"final_answer":      {"answer", "claims unanswered", tool.ReadOnly, true},
}

// Schema, signature and documentation say the same.
func TestEveryToolKeepsItsContract(t *testing.T) {
	t.Parallel()
	env := &tools.Env{Dir: t.TempDir(), Sandbox: new(sandbox.Sandbox)}
	all := tools.All(env)
	if len(all) != len(contract) {
		t.Errorf("%d tools, %d in the contract", len(all), len(contract))
	}
	for _, tl := range all {
		name := tl.Spec.Name
		want, ok := contract[name]
		if !ok {
			t.Errorf("%s is not in the contract", name)
			continue
		}
		if err := tl.Err(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		var schema struct {
			Type       string
			Required   []string
			Properties map[string]struct{ Description string }
			Additional json.RawMessage `json:"additionalProperties"`
		}
		if err := json.Unmarshal(tl.Spec.Input, &schema); err != nil {
			t.Fatal(err)
		}
		var required, optional []string
		for property, p := range schema.Properties {
			if len(p.Description) < 5 {
				t.Errorf("%s: %s is not documented", name, property)
			}
			if slices.Contains(schema.Required, property) {
				required = append(required, property)
			} else {
				optional = append(optional, property)
			}
		}
		slices.Sort(required)
		slices.Sort(optional)
		if got := strings.Join(required, " "); got != want.required {
			t.Errorf("%s requires %q, want %q", name, got, want.required)
		}
		if got := strings.Join(optional, " "); got != want.optional {
			t.Errorf("%s takes %q, want %q", name, got, want.optional)
		}
		if tl.Effect != want.effect || tl.IsFinal != want.final {
			t.Errorf("%s: effect %v, final %v", name, tl.Effect, tl.IsFinal)
		}
		if len(tl.Spec.Description) < 30 || !strings.HasSuffix(tl.Spec.Description, ".") {
			t.Errorf("%s is described as %q", name, tl.Spec.Description)
		}
		if _, err := tl.Check(json.RawMessage(`{"_private": 1}`)); err == nil {
			t.Errorf("%s takes an argument that it does not know", name)
		}
	}
}

// What run_python's description promises is there.
func TestDocumentedHelpersExist(t *testing.T) {
	t.Parallel()
	env := &tools.Env{Sandbox: new(sandbox.Sandbox)}
	runtime := string(python.Script{}.Files(nil)[python.Main])
	for _, tl := range tools.All(env) {
		if tl.Spec.Name != "run_python" {
			continue
		}
		called := regexp.MustCompile(`\.?\b([A-Za-z_]+)\(`).FindAllStringSubmatch(tl.Spec.Description, -1)
		if len(called) < 10 {
			t.Fatalf("only %d calls in the description", len(called))
		}
		for _, m := range called {
			defined := regexp.MustCompile(`(?m)^ *(?:def|class) ` + m[1] + `\b`)
			if !defined.MatchString(python.Prelude()) && !defined.MatchString(runtime) {
				t.Errorf("%s is promised and not defined", m[0])
			}
		}
	}
}

func TestWithoutASandboxNothingRuns(t *testing.T) {
	t.Parallel()
	s := newSession(t, nil)
	for _, tl := range tools.All(s.Env) {
		if strings.HasPrefix(tl.Spec.Name, "run_") {
			t.Errorf("%s is offered", tl.Spec.Name)
		}
	}
}

func TestSearchAnswersEachQuery(t *testing.T) {
	t.Parallel()
	s := newSession(t, nil)
	r := s.call("search_parameters", args{"queries": []string{"magnetic field GSM", " ", "proton density"}, "top_k": 2})
	groups := r.list("groups")
	if len(groups) != 3 {
		t.Fatalf("got %s", r.text)
	}
	hits := func(i int) []result { return groups[i].list("results") }
	if len(hits(0)) != 2 || len(hits(1)) != 0 || len(hits(2)) == 0 {
		t.Errorf("got %d, %d and %d results", len(hits(0)), len(hits(1)), len(hits(2)))
	}
	first := hits(0)[0].out
	if first["id"] != "local/demo_mfi_20230615_v01/BGSM" || first["units"] != "nT" || first["cadence"] != "16 s" || first["coverage"] == "" || first["synthetic"] != true {
		t.Errorf("got %v", first)
	}
	r = s.call("search_parameters", args{"queries": []string{"field"}, "start": "2020-01-01", "stop": "2020-01-02"})
	if !strings.Contains(r.text, `"covers_window":false`) || !strings.Contains(r.text, "outside_window") {
		t.Errorf("got %s", r.text)
	}
	for _, a := range []args{{}, {"queries": []string{}}, {"queries": []string{"x"}, "start": "soon"}, {"queries": make([]string, 50)}} {
		if got := s.refused("search_parameters", a); got == "" {
			t.Errorf("%v is not refused", a)
		}
	}
}

func TestFormulasAreComputedAndRecorded(t *testing.T) {
	t.Parallel()
	s := newSession(t, nil)
	for _, c := range []struct {
		tool   string
		args   args
		key    string // in the result
		name   string // in the ledger
		want   float64
		units  string
		digits float64
	}{
		{"plasma_beta", args{"B_nT": 5, "n_cm3": 10, "T_eV": 20}, "beta", "plasma_beta", 3.221367, "1", 1e-6},
		{"gyrofrequency", args{"B_nT": 5}, "frequency_Hz", "gyrofrequency_Hz", 0.0762259322, "Hz", 1e-6},
		{"gyrofrequency", args{"B_nT": 5, "particle": "electron"}, "frequency_Hz", "gyrofrequency_Hz", 139.962449, "Hz", 1e-6},
		{"gyrofrequency", args{"B_nT": 5}, "period_s", "gyrofrequency_period_s", 13.118895, "s", 1e-6},
		{"gyrofrequency", args{"B_nT": 5}, "angular_frequency_rad_s", "gyrofrequency_rad_s", 0.478941657, "rad/s", 1e-6},
		{"debye_length", args{"n_cm3": 10, "T_eV": 12}, "debye_length_m", "debye_length_m", 8.143475, "m", 1e-6},
		{"alfven_speed", args{"B_nT": 5, "n_cm3": 5}, "alfven_speed_km_s", "alfven_speed_km_s", 48.7731918, "km/s", 1e-6},
		{"alfven_speed", args{"B_nT": 5, "n_cm3": 5, "mass_amu": 1, "electrons": true}, "alfven_speed_km_s", "alfven_speed_km_s", 48.937, "km/s", 1e-5},
		{"inertial_length", args{"n_cm3": 5}, "inertial_length_km", "inertial_length_km", 101.835351, "km", 1e-6},
	} {
		r := s.call(c.tool, c.args)
		if got := r.number(c.key); math.Abs(got-c.want) > c.digits*c.want {
			t.Errorf("%s of %v: %s is %v, want %v", c.tool, c.args, c.key, got, c.want)
		}
		e := s.entry(c.name)
		if math.Abs(e.Value-c.want) > c.digits*c.want || e.Units != c.units || e.Origin.Tool != c.tool {
			t.Errorf("%s is recorded as %+v", c.name, e)
		}
		if !strings.Contains(r.text, `"recorded":["`) || r.out["convention"] == "" || r.data.Formula == nil {
			t.Errorf("%s says %s", c.tool, r.text)
		}
	}
	for tool, a := range map[string]args{
		"plasma_beta":     {"B_nT": 0, "n_cm3": 1, "T_eV": 1},
		"alfven_speed":    {"B_nT": 5, "n_cm3": -5},
		"inertial_length": {"n_cm3": 5, "particle": "muon"},
		"debye_length":    {"n_cm3": 5},
		"gyrofrequency":   {"B_nT": "5"},
	} {
		if got := s.refused(tool, a); got == "" || strings.Contains(got, "\n") {
			t.Errorf("%s of %v is refused with %q", tool, a, got)
		}
	}
}

func TestPlansAreShown(t *testing.T) {
	t.Parallel()
	s := newSession(t, nil)
	r := s.call("present_plan", args{"title": "field", "steps": []args{{"description": "fetch", "tool": "get_timeseries"}, {"description": "plot"}}})
	if r.out["status"] != "presented" || r.data.Plan == nil || len(r.data.Plan.Steps) != 2 {
		t.Errorf("got %s", r.text)
	}
	for _, a := range []args{{"title": "", "steps": []args{{"description": "x"}}}, {"title": "x", "steps": []args{}}, {"title": "x"}} {
		if s.refused("present_plan", a) == "" {
			t.Errorf("%v is not refused", a)
		}
	}
}

func TestTheAnswerIsChecked(t *testing.T) {
	t.Parallel()
	s := newSession(t, nil)
	s.call("alfven_speed", args{"B_nT": 5, "n_cm3": 5})
	r := s.call("final_answer", args{
		"answer": "The Alfven speed is 48.77 km/s.",
		"claims": []args{{"name": "Alfven speed", "value": 48.77, "units": "km/s", "source": "alfven_speed_km_s"}},
	})
	if r.text != "The Alfven speed is 48.77 km/s." {
		t.Errorf("the conversation gets %q", r.text)
	}
	v := r.data.Verdict
	if r.data.Answer != r.text || len(r.data.Claims) != 1 || v == nil || v.Matched != 1 || !v.AllMatched() {
		t.Errorf("data: %s", r.Data)
	}
	r = s.call("final_answer", args{
		"answer": "It is 52 km/s.",
		"claims": []args{{"name": "Alfven speed", "value": 52, "units": "km/s", "source": "alfven_speed_km_s"}},
	})
	if v := r.data.Verdict; v.Contradicted != 1 || !r.IsError == false {
		t.Errorf("a wrong claim is judged %s", r.Data)
	}
	for _, a := range []args{
		{"answer": " "},
		{},
		{"answer": "x", "claims": []args{{"name": "a", "value": []int{1}, "source": "b"}}},
		{"answer": "x", "claims": []args{{"name": "a", "source": "b"}}},
	} {
		if got := s.refused("final_answer", a); got == "" {
			t.Errorf("%v is not refused", a)
		}
	}
}

func Example() {
	// A session's tools, without a sandbox: what needs no Python still works.
	dir, err := os.MkdirTemp("", "session-*")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = os.RemoveAll(dir) }()
	for _, t := range tools.All(&tools.Env{Dir: dir}) {
		fmt.Print(t.Spec.Name, " ")
	}
	// Output: search_parameters get_timeseries plasma_beta gyrofrequency debye_length alfven_speed inertial_length list_recipes load_recipe present_plan final_answer
}

package trace_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/helios-go/helios/agent"
	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/trace"
)

// annotated folds a run whose session got annotations, a second apart.
func annotated(t *testing.T, all ...trace.Annotation) []*trace.Span {
	t.Helper()
	log := append(calls(1), started(), ended(0, "a"), result(agent.StopDone))
	events := handmade(log...)
	for i, a := range all {
		data, err := json.Marshal(a)
		if err != nil {
			t.Fatal(err)
		}
		events = append(events, agent.Event{
			Seq: agent.Seq(len(events) + 1), Time: at(30 + i), Data: &agent.Custom{Name: trace.AnnotationEvent, Data: data},
		})
	}
	return fold(t, events)
}

func rated(subject, label, author string, rating float64) trace.Annotation {
	return trace.Annotation{Subject: subject, Label: label, Author: trace.Human, AuthorID: author, Rating: &rating}
}

func TestAChangedMindIsNoSecondAnnotation(t *testing.T) {
	t.Parallel()
	run := annotated(t,
		rated("r", "helpful", "ada", 1), rated("r", "helpful", "bob", 1), rated("r", "clear", "ada", 1),
		rated("r", "helpful", "ada", -1),
		rated("r", "helpful", "", 1), rated("r", "helpful", "", 1),
	)[0]
	var got []string
	for _, a := range run.Annotations {
		got = append(got, a.Label+"/"+a.AuthorID)
	}
	if want := "helpful/ada helpful/bob clear/ada helpful/ helpful/"; strings.Join(got, " ") != want {
		t.Errorf("annotations %q, want %q", strings.Join(got, " "), want)
	}
	first := run.Annotations[0]
	if *first.Rating != -1 || !first.Created.Equal(at(30)) || !first.Updated.Equal(at(33)) {
		t.Errorf("the annotation that was changed: %+v", first)
	}
	if row := trace.RollUp([]*trace.Span{run}, trace.ByAgent, nil)[0]; row.Up != 4 || row.Down != 1 {
		t.Errorf("%d up and %d down, want 4 and 1", row.Up, row.Down)
	}
}

func TestSpansCanBeAnnotated(t *testing.T) {
	t.Parallel()
	plain := annotated(t)
	call := find(t, plain, trace.KindTool, "put")
	a := rated(call.ID, "useless", "ada", -1)
	a.Metadata = map[string]any{"reason": nil}
	runs := annotated(t, a, rated("somewhere else", "x", "ada", 1), trace.Annotation{Subject: call.ID, Label: "no author"})
	call = find(t, runs, trace.KindTool, "put")
	if len(call.Annotations) != 1 || len(runs[0].Annotations) != 0 {
		t.Errorf("annotations of the call %v, of the run %v", call.Annotations, runs[0].Annotations)
	}
	if v, ok := call.Annotations[0].Metadata["reason"]; v != nil || !ok {
		t.Errorf("metadata %v, want a reason that is null", call.Annotations[0].Metadata)
	}
	if row := trace.RollUp(runs, trace.ByAgent, nil)[0]; row.Down != 1 || row.Up != 0 {
		t.Errorf("%d up and %d down, want 0 and 1", row.Up, row.Down)
	}
}

func TestAnnotationsThatSayNothingAreRefused(t *testing.T) {
	t.Parallel()
	nan := math.NaN()
	store := agent.NewMemoryStore()
	for _, c := range []struct {
		a    trace.Annotation
		want string
	}{
		{trace.Annotation{Label: "x", Author: trace.Human}, "needs a subject"},
		{trace.Annotation{Subject: "r", Author: trace.Human}, "needs a label"},
		{trace.Annotation{Subject: "r", Label: "x"}, "not by"},
		{trace.Annotation{Subject: "r", Label: "x", Author: trace.System, Rating: &nan}, "is a number"},
		{trace.Annotation{Subject: "r", Label: "x", Author: trace.Model, Metadata: map[string]any{"f": func() {}}}, "unsupported type"},
		{trace.Annotation{Subject: "r", Label: "x", Author: trace.Model}, "no session"},
	} {
		if err := trace.Annotate(t.Context(), store, "s", c.a); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want an error with %q", c.a, err, c.want)
		}
	}
	for info, err := range store.List(t.Context(), agent.Filter{}) {
		t.Errorf("a session was made: %v, %v", info, err)
	}
}

// ran is a run that took so many seconds.
func ran(name, model string, begin, seconds int, o trace.Outcome) *trace.Span {
	cost := llm.Micros(10)
	return &trace.Span{
		Kind: trace.KindRun, Name: name, Model: model, Start: at(begin), End: at(begin + seconds), Outcome: o,
		Usage: &llm.Usage{Input: 3, Output: 1}, Cost: &cost,
	}
}

func TestRollUpsCountByKey(t *testing.T) {
	t.Parallel()
	var runs []*trace.Span
	for i := range 20 {
		o := trace.OK
		if i%5 == 4 {
			o = "failed"
		}
		runs = append(runs, ran("lead", "p/a", i, i+1, o))
	}
	open := ran("lead", "p/a", 0, 0, trace.Open)
	open.End = time.Time{}
	runs = append(runs, ran("other", "p/b", 0, 7, trace.OK), ran("", "p/b", 0, 1, trace.OK), open)

	rows := trace.RollUp(runs, trace.ByAgent, nil)
	want := []trace.Rollup{
		{Key: "lead", Runs: 20, Errors: 4, P50: 10 * time.Second, P95: 19 * time.Second, Usage: llm.Usage{Input: 60, Output: 20}, Cost: 200},
		{Key: "other", Runs: 1, P50: 7 * time.Second, P95: 7 * time.Second, Usage: llm.Usage{Input: 3, Output: 1}, Cost: 10},
	}
	if len(rows) != 2 || rows[0] != want[0] || rows[1] != want[1] {
		t.Errorf("rows %+v\nwant %+v", rows, want)
	}
	if got := rows[0].SuccessRate(); got != 0.8 {
		t.Errorf("success rate %v, want 0.8", got)
	}
	if got := new(trace.Rollup).SuccessRate(); got != 0 {
		t.Errorf("success rate without runs %v, want 0", got)
	}
	if rows := trace.RollUp(runs, trace.ByModel, nil); len(rows) != 2 || rows[1].Key != "p/b" || rows[1].Runs != 2 {
		t.Errorf("by model: %+v", rows)
	}
}

func TestFiltersIncludeTheirBeginningAndNotTheirEnd(t *testing.T) {
	t.Parallel()
	runs := []*trace.Span{ran("lead", "", 0, 1, trace.OK), ran("lead", "", 1, 1, trace.OK), ran("lead", "", 2, 1, trace.OK), ran("other", "", 1, 1, trace.OK)}
	runs[1].Annotations = []trace.Annotation{
		{Facet: "prompt", Label: "answer@1", Updated: at(1)}, {Facet: "prompt", Label: "answer@2", Updated: at(2)}, {Facet: "group", Label: "b"},
	}
	for name, c := range map[string]struct {
		f    trace.Filter
		want int
	}{
		"none":   {trace.Filter{}, 4},
		"since":  {trace.Filter{Since: at(1)}, 3},
		"until":  {trace.Filter{Until: at(1)}, 1},
		"name":   {trace.Filter{Name: "other"}, 1},
		"both":   {trace.Filter{Since: at(1), Until: at(2), Name: "lead"}, 1},
		"facets": {trace.Filter{Facets: map[string]string{"prompt": "answer@2", "group": "b"}}, 1},
		"old":    {trace.Filter{Facets: map[string]string{"prompt": "answer@1"}}, 0},
	} {
		got := 0
		for _, row := range trace.RollUp(runs, trace.ByAgent, &c.f) {
			got += row.Runs
		}
		if got != c.want {
			t.Errorf("%s: %d runs, want %d", name, got, c.want)
		}
	}
	rows := trace.RollUp(runs, trace.ByFacet("prompt"), nil)
	if len(rows) != 1 || rows[0].Key != "answer@2" {
		t.Errorf("by prompt: %+v, want answer@2 alone", rows)
	}
	if p := trace.PromptUsed("r", "answer", ""); p.Label != "answer" || p.Subject != "r" || p.Validate() != nil {
		t.Errorf("a prompt without a version: %+v", p)
	}
}

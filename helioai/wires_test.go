package helioai_test

import (
	"context"
	"encoding/json"
	"iter"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/helios-go/helios/helioai"
	"github.com/helios-go/helios/helioai/check"
	"github.com/helios-go/helios/helioai/demo"
	"github.com/helios-go/helios/helioai/models"
	"github.com/helios-go/helios/helioai/offline"
	"github.com/helios-go/helios/internal/mockllm"
	"github.com/helios-go/helios/internal/testdata"
	"github.com/helios-go/helios/internal/wiretest"
	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/sandbox"
)

// TestAnAnswerIsTheSameOnEveryWire asks the built-in question of the offline
// planner, has a mock server say on each wire what the planner said, and wants the
// same answer: real data, real Python, and the same verdict on each claim.
func TestAnAnswerIsTheSameOnEveryWire(t *testing.T) {
	t.Parallel()
	box, err := sandbox.Open(t.Context(), nil)
	testdata.Need(t, "the sandbox", err)
	arch, err := demo.Archive()
	if err != nil {
		t.Fatal(err)
	}
	script := &planned{Model: offline.New(arch)}
	want := demoAnswer(t, box, script)
	if v := want.Verdict; v.Matched != 10 || v.Contradicted+v.Unsourced+v.Derived != 0 {
		t.Fatalf("the planner's verdict is %+v, want ten claims matched", v)
	}

	for _, w := range wiretest.Wires() {
		if w.Stored {
			continue // as the assistant never asks
		}
		t.Run(w.Name, func(t *testing.T) {
			t.Parallel()
			server := mockllm.Start(t, mockllm.Options{Fixtures: filepath.Join("testdata", "wires.json"), Chunk: 7})
			line := w.Dial(t, server)
			line.Scope.Add(script.fixtures...)
			t.Cleanup(func() {
				if !t.Failed() {
					return
				}
				for i, e := range line.Scope.Journal() {
					for _, m := range e.Body.Messages {
						t.Logf("request %d, answered with %d: %s: %.300s", i+1, e.Response.Status, m.Role, m.Text())
					}
				}
			})
			got := demoAnswer(t, box, chosen(t, line, server.URL(w.Mock)))
			if got.Text != want.Text || got.Unanswered {
				t.Errorf("the answer is\n%s\nwant\n%s", got.Text, want.Text)
			}
			if g, w := claims(t, got.Verdict), claims(t, want.Verdict); g != w {
				t.Errorf("the verdict is\n%s\nwant\n%s", g, w)
			}
			if got.Skipped != "" || got.Error != "" {
				t.Errorf("the answer has skipped %q, error %q", got.Skipped, got.Error)
			}
			if n := len(line.Tap.Requests()); n != len(script.fixtures) {
				t.Errorf("the model was asked %d times, want %d", n, len(script.fixtures))
			}
			line.CheckHistory(t)
		})
	}
}

// chosen is the model of a line as `helioai ask --provider P --model M` makes it:
// from the variables of the provider.
func chosen(t *testing.T, line *wiretest.Line, address string) llm.Model {
	t.Helper()
	name, model, _ := strings.Cut(line.Model.Name(), "/")
	if name == "openai-chat" {
		name = models.Server
	}
	p, err := models.Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	env := map[string]string{p.Keys[0]: "sk-not-a-key", p.URLs[0]: address}
	if name == "azure" {
		env["AZURE_OPENAI_API_VERSION"] = "2025-04-01-preview"
	}
	line.Tap.Before = func(header http.Header, _ []byte) {
		maps.Copy(header, line.Scope.Header())
	}
	c := &models.Config{Env: func(name string) string { return env[name] }, HTTP: &http.Client{Transport: line.Tap}}
	choice, err := c.Choose("lead", &models.Wish{Provider: name, Model: model})
	if err != nil {
		t.Fatal(err)
	}
	m, err := c.Open(t.Context(), choice)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// demoAnswer is the answer to the built-in question, with its figures and notebook.
func demoAnswer(t *testing.T, box *sandbox.Sandbox, model llm.Model) *helioai.Answer {
	t.Helper()
	a := assistant(t, t.TempDir(), model)
	a.Sandbox, a.SandboxNote = box, ""
	answer, err := a.Ask(t.Context(), &helioai.Question{Text: demo.Question})
	if err != nil {
		t.Fatal(err)
	}
	if answer.Verdict == nil || len(answer.Figures) != 2 {
		t.Fatalf("the answer has the figures %q and the verdict %v, want a PNG, a PDF and a verdict", answer.Figures, answer.Verdict)
	}
	if _, err := os.Stat(answer.Notebook); err != nil {
		t.Errorf("the notebook: %v", err)
	}
	return answer
}

func claims(t *testing.T, v *check.Verdict) string {
	t.Helper()
	data, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// planned is a model whose answers become fixtures, each for the results that it
// was an answer to.
type planned struct {
	llm.Model
	fixtures []mockllm.Fixture
}

func (p *planned) Stream(ctx context.Context, req *llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		var said llm.Accumulator
		for c, err := range p.Model.Stream(ctx, req) {
			said.Add(c)
			if !yield(c, err) {
				break
			}
		}
		p.fixtures = append(p.fixtures, fixture(req, said.Response()))
	}
}

func fixture(req *llm.Request, resp *llm.Response) mockllm.Fixture {
	f := mockllm.Fixture{Match: map[string]any{"userMessage": demo.Question}, Response: map[string]any{}}
	if last := &req.Messages[len(req.Messages)-1]; last.Role == llm.RoleTool {
		text := last.Parts[len(last.Parts)-1].Result.Text()
		f.Match["toolResultContains"] = text[:min(len(text), 30)]
	} else {
		f.Match["hasToolResult"] = false
	}
	type call struct {
		ID        string          `json:"id"`
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	}
	var calls []call
	for _, c := range resp.Message.Calls() {
		calls = append(calls, call{c.ID, c.Name, c.Args})
	}
	f.Response["toolCalls"] = calls
	return f
}

package preset_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/helios-go/helios/agent"
	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/llm/llmtest"
	"github.com/helios-go/helios/preset"
	"github.com/helios-go/helios/sandbox/repl"
)

// inLanguage is what a model writes, in each language.
type inLanguage map[string]string

func (l inLanguage) call(t *testing.T, rt repl.Runtime) llmtest.Turn {
	t.Helper()
	args, err := json.Marshal(map[string]string{"code": l[rt.Name()]})
	if err != nil {
		t.Fatal(err)
	}
	return llmtest.Call("Execute", string(args))
}

func TestACodeActRunsInEachRuntime(t *testing.T) {
	t.Parallel()
	inEach(t, func(t *testing.T, rt repl.Runtime) {
		model := llmtest.New(
			inLanguage{
				"javascript": "const far = radii.filter(r => r > 10);\nfar.length",
				"python":     "far = [r for r in radii if r > 10]\nlen(far)",
			}.call(t, rt),
			inLanguage{"javascript": "nonsense(", "python": "nonsense("}.call(t, rt),
			inLanguage{"javascript": "[max(radii), far.length]", "python": "[max(radii), len(far)]"}.call(t, rt),
			llmtest.Text(`{"apogee": 11.7, "hours": 3}`),
		)
		c := preset.CodeAct[Orbit, Summary]{Agent: agent.Agent{Model: model}, Runtime: rt, Task: "Summarise the orbit."}
		got, res, err := c.Run(t.Context(), orbit)
		if err != nil || got != (Summary{11.7, 3}) || res.ToolCalls != 3 {
			t.Fatalf("got %+v after %d calls, %v", got, res.ToolCalls, err)
		}
		said := results(model)
		if said[0] != "3" || !strings.Contains(said[1], "SyntaxError") || !strings.Contains(said[2], "11.7") {
			t.Errorf("the cells said %q; want 3, a syntax error, and both numbers of variables that stayed", said)
		}
	})
}

func TestARecursiveModelRunsInEachRuntime(t *testing.T) {
	t.Parallel()
	inEach(t, func(t *testing.T, rt repl.Runtime) {
		reader := llmtest.Func(func(req *llm.Request) llmtest.Turn {
			if strings.Contains(req.Messages[0].Text(), "green") {
				return llmtest.Text("yes")
			}
			return llmtest.Text("no")
		})
		lead := llmtest.New(
			inLanguage{
				"javascript": "const hours = notes.map((n, i) => [i, predict('Aurora, yes or no?', n)]).filter(([, a]) => a === 'yes').map(([i]) => i);\nhours",
				"python":     "hours = [i for i, n in enumerate(notes) if predict('Aurora, yes or no?', n) == 'yes']\nhours",
			}.call(t, rt),
			inLanguage{
				"javascript": "let refused = ''\ntry { predict('one more', 'x') } catch (e) { refused = e.message }\nprint(refused)",
				"python":     "refused = ''\ntry:\n    predict('one more', 'x')\nexcept Exception as e:\n    refused = str(e)\nprint(refused)",
			}.call(t, rt),
			inLanguage{"javascript": "submit({hour: hours})", "python": "submit({'hour': hours})"}.call(t, rt),
			inLanguage{"javascript": "submit({hours})", "python": "submit({'hours': hours})"}.call(t, rt),
		)
		c := preset.CodeAct[Notes, Answer]{
			Agent: agent.Agent{Model: lead}, Runtime: rt, Task: "In which hours was aurora seen?",
			Sub: &agent.Agent{Model: reader}, Calls: 3,
		}
		got, _, err := c.Run(t.Context(), Notes{Notes: []string{"overcast", "green arcs", "full moon"}})
		if err != nil || !slices.Equal(got.Hours, []int{1}) {
			t.Fatalf("got %+v, %v; the cells said %q", got, err, results(lead))
		}
		said := results(lead)
		if len(lead.Requests()) != 4 || !strings.Contains(said[1], "SandboxBudgetExceeded") || !strings.Contains(said[2], "Submit validation failed") {
			t.Errorf("after %d requests the cells said %q", len(lead.Requests()), said)
		}
	})
}

// results are what the model was told of its calls, in its last request.
func results(m *llmtest.Model) []string {
	var said []string
	reqs := m.Requests()
	for _, msg := range reqs[len(reqs)-1].Messages {
		for _, p := range msg.Parts {
			if p.Result != nil {
				said = append(said, strings.TrimSpace(p.Result.Text()))
			}
		}
	}
	return said
}

package helioai_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/helios-go/helios/agent"
	"github.com/helios-go/helios/agent/agenttest"
	"github.com/helios-go/helios/helioai"
	"github.com/helios-go/helios/helioai/demo"
	"github.com/helios-go/helios/helioai/places"
	"github.com/helios-go/helios/internal/mockllm"
	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/llm/llmtest"
	"github.com/helios-go/helios/sandbox"
	"github.com/helios-go/helios/store/sqlite"
)

func TestMain(m *testing.M) {
	sandbox.Init()
	goleak.VerifyTestMain(mockllm.M{M: m})
}

// assistant returns one without a sandbox, over the demo data, whose sessions
// are in a folder of the test's own.
func assistant(t testing.TB, home string, model llm.Model) *helioai.Assistant {
	t.Helper()
	h, err := places.Open(home)
	if err != nil {
		t.Fatal(err)
	}
	store, err := sqlite.Open(h.SessionsDB(), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	arch, err := demo.Archive()
	if err != nil {
		t.Fatal(err)
	}
	return &helioai.Assistant{Home: h, Store: store, User: "test", Archive: arch, Model: model, SandboxNote: "no sandbox in this test"}
}

const fetchMagnitude = `{"param_id":"local/demo_mfi_20230615_v01/Magnitude"}`

// magnitudeMean is the truth of the demo data.
func magnitudeMean(t *testing.T) float64 {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("demo", "truths.json"))
	if err != nil {
		t.Fatal(err)
	}
	var truths struct {
		Columns []struct {
			ID   string
			Mean float64
		}
	}
	if err := json.Unmarshal(data, &truths); err != nil {
		t.Fatal(err)
	}
	for _, c := range truths.Columns {
		if strings.HasSuffix(c.ID, "/Magnitude") {
			return c.Mean
		}
	}
	t.Fatal("truths.json does not hold the magnitude")
	return 0
}

func TestAnAnswerInPlainWordsIsCheckedToo(t *testing.T) {
	t.Parallel()
	mean := magnitudeMean(t)
	model := llmtest.New(
		llmtest.Call("get_timeseries", fetchMagnitude),
		llmtest.Text("The magnitude data mean is "+number(mean)+" nT, and the field reached 999.9 nT."),
	)
	a := assistant(t, t.TempDir(), model)
	answer, err := a.Ask(t.Context(), &helioai.Question{Text: "mean field?"})
	if err != nil {
		t.Fatal(err)
	}
	v := answer.Verdict
	if v == nil || v.Matched != 1 || v.Matched+v.Contradicted+v.Unsourced != 2 {
		t.Fatalf("verdict = %+v, want the mean matched and the other number not", v)
	}
	if answer.Notebook == "" {
		t.Error("there is no notebook of what was computed")
	}
	events, err := agenttest.Log(t.Context(), a.Store, answer.Session)
	if err != nil {
		t.Fatal(err)
	}
	found := false
	for _, e := range events {
		if c, ok := e.Data.(*agent.Custom); ok && c.Name == "verdict" {
			found = true
		}
	}
	if !found {
		t.Error("the verdict is not in the session's log")
	}
	if err := agenttest.CheckLog(events); err != nil {
		t.Error(err)
	}
}

func number(v float64) string {
	b, _ := json.Marshal(float64(int64(v*1e4+0.5)) / 1e4)
	return string(b)
}

func TestASessionGoesOnInAnotherProcess(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	first := assistant(t, home, llmtest.New(
		llmtest.Call("get_timeseries", fetchMagnitude),
		llmtest.Call("final_answer", `{"answer":"Fetched."}`),
	))
	one, err := first.Ask(t.Context(), &helioai.Question{Text: "fetch the field", Session: "storm-2023", Data: []string{"/data/x.cdf"}})
	if err != nil {
		t.Fatal(err)
	}

	model := llmtest.New(
		llmtest.Call("get_timeseries", fetchMagnitude),
		llmtest.Call("final_answer", `{"answer":"Still there."}`),
	)
	second := assistant(t, home, model)
	two, err := second.Ask(t.Context(), &helioai.Question{Text: "again", Session: "storm"}) // a unique prefix
	if err != nil {
		t.Fatal(err)
	}
	if two.Session != one.Session || two.Workspace != one.Workspace {
		t.Errorf("session %s in %s, want %s in %s", two.Session, two.Workspace, one.Session, one.Workspace)
	}
	history := model.Requests()[0].Messages
	if len(history) < 4 || history[0].Text() != "fetch the field" {
		t.Errorf("the second run saw %d messages, want the first question before its own", len(history))
	}
	last := model.Requests()[1].Messages
	if text := resultText(last[len(last)-1]); !strings.Contains(text, "already_downloaded") {
		t.Errorf("the data were fetched again: %s", text)
	}
	paths, err := helioai.SessionData(t.Context(), second.Store, "test", "storm")
	if err != nil || len(paths) != 1 || paths[0] != "/data/x.cdf" {
		t.Errorf("the session remembers data %q, %v", paths, err)
	}
}

func resultText(m llm.Message) string {
	var b strings.Builder
	for _, p := range m.Parts {
		if p.Result != nil {
			b.WriteString(p.Result.Text())
		}
	}
	return b.String()
}

func TestAPrefixOfTwoSessionsIsRefused(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	for _, id := range []string{"storm-a", "storm-b"} {
		a := assistant(t, home, llmtest.New(llmtest.Call("final_answer", `{"answer":"Yes."}`)))
		if _, err := a.Ask(t.Context(), &helioai.Question{Text: "hello", Session: id}); err != nil {
			t.Fatal(err)
		}
	}
	a := assistant(t, home, llmtest.New())
	_, err := a.Ask(t.Context(), &helioai.Question{Text: "hello", Session: "storm"})
	if err == nil || !strings.Contains(err.Error(), "storm-a, storm-b") && !strings.Contains(err.Error(), "storm-b, storm-a") {
		t.Errorf("err = %v, want one that names both sessions", err)
	}
}

func TestARefusalLeavesNoFolderAndNoNotebook(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	a := assistant(t, home, llmtest.New(llmtest.Call("final_answer", `{"answer":"These data hold no density.","unanswered":true}`)))
	answer, err := a.Ask(t.Context(), &helioai.Question{Text: "density?"})
	if err != nil {
		t.Fatal(err)
	}
	if !answer.Unanswered || answer.Notebook != "" {
		t.Errorf("answer = %+v, want an unanswered one without notebook", answer)
	}
	for _, dir := range []string{answer.Workspace, filepath.Join(home, "users", "test", "notebooks")} {
		if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s was left behind", dir)
		}
	}
}

func TestAModelThatFailsIsAnErrorInWords(t *testing.T) {
	t.Parallel()
	a := assistant(t, t.TempDir(), llmtest.New(llmtest.Fail(errors.New("the wire was cut"))))
	answer, err := a.Ask(t.Context(), &helioai.Question{Text: "mean field?"})
	if err == nil || !strings.Contains(helioai.Failed(err), "the wire was cut") {
		t.Errorf("err = %v, want the model's own words", err)
	}
	if answer == nil || answer.Session == "" || answer.Error != helioai.Failed(err) {
		t.Errorf("answer = %+v, want one that names the session and the error", answer)
	}
}

func TestAnInterruptedQuestionStopsAndIsKept(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	a := assistant(t, t.TempDir(), llmtest.New(llmtest.Text("thinking").Hanging()))
	_, err := a.Ask(ctx, &helioai.Question{Text: "mean field?", Session: "kept", Watch: func(e agent.Event) {
		// A stored event: what is only shown live may be over before one watches.
		if _, ok := e.Data.(*agent.TurnStarted); ok {
			cancel()
		}
	}})
	if err == nil || !strings.Contains(helioai.Failed(err), "interrupted") {
		t.Errorf("err = %v, want it to say interrupted", err)
	}
	events, err := agenttest.Log(t.Context(), a.Store, "kept")
	if err != nil || len(events) == 0 {
		t.Fatalf("the session has %d events, %v", len(events), err)
	}
	if err := agenttest.CheckLog(events); err != nil {
		t.Error(err)
	}
}

func TestASessionIsAskedOneThingAtATime(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	started, ctx := make(chan struct{}), t.Context()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	first := assistant(t, home, llmtest.New(llmtest.Text("thinking").Hanging()))
	ended := make(chan error, 1)
	go func() {
		_, err := first.Ask(ctx, &helioai.Question{Text: "maximum?", Session: "shared", Watch: func(e agent.Event) {
			if _, ok := e.Data.(*agent.TurnStarted); ok {
				close(started)
			}
		}})
		ended <- err
	}()
	<-started
	// As another process does, with a store of its own.
	model := llmtest.New(llmtest.Call("final_answer", `{"answer":"Yes."}`))
	second := assistant(t, home, model)
	_, err := second.Ask(t.Context(), &helioai.Question{Text: "minimum?", Session: "shared"})
	if err == nil || !strings.Contains(err.Error(), "shared is being asked something else") {
		t.Errorf("err = %v, want a refusal", err)
	}
	if _, err := second.Ask(t.Context(), &helioai.Question{Text: "minimum?", Session: "other"}); err != nil {
		t.Errorf("another session: %v", err)
	}
	cancel()
	<-ended
	model = llmtest.New(llmtest.Call("final_answer", `{"answer":"Now."}`))
	answer, err := assistant(t, home, model).Ask(t.Context(), &helioai.Question{Text: "minimum?", Session: "shared"})
	if err != nil || answer.Text != "Now." {
		t.Errorf("afterwards: %+v, %v", answer, err)
	}
	if left, _ := os.ReadDir(filepath.Join(home, "users", "test", "locks")); len(left) > 0 {
		t.Errorf("locks were left: %v", left)
	}
}

func TestASessionRemembersTheDataItWasLastGiven(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	for _, data := range [][]string{{"/data/a.cdf"}, {"/data/b.cdf"}, nil} {
		a := assistant(t, home, llmtest.New(llmtest.Call("final_answer", `{"answer":"Yes."}`)))
		if _, err := a.Ask(t.Context(), &helioai.Question{Text: "hello", Session: "s", Data: data}); err != nil {
			t.Fatal(err)
		}
		want := "/data/b.cdf"
		if data != nil {
			want = data[0]
		}
		got, err := helioai.SessionData(t.Context(), a.Store, "test", "s")
		if err != nil || len(got) != 1 || got[0] != want {
			t.Errorf("after %v the session remembers %v, %v; want %s", data, got, err, want)
		}
	}
}

package agent_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"pgregory.net/rapid"

	"github.com/helios-go/helios/agent"
	"github.com/helios-go/helios/agent/agenttest"
	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/llm/llmtest"
	"github.com/helios-go/helios/secret"
	"github.com/helios-go/helios/tool"
)

// What a tool returns is redacted before the model and the log see it.
func ExampleAgent_secrets() {
	var secrets secret.Registry
	if err := secrets.Register("API_KEY", "k3y-of-the-archive"); err != nil {
		fmt.Println(err)
	}
	env := tool.New("env", "Show the environment", func(context.Context, struct{}) (string, error) {
		return "API_KEY=k3y-of-the-archive", nil
	}, tool.WithEffect(tool.ReadOnly))
	model := llmtest.Func(func(req *llm.Request) llmtest.Turn {
		last := req.Messages[len(req.Messages)-1]
		if last.Role == llm.RoleTool {
			return llmtest.Text("It says " + last.Parts[0].Result.Text())
		}
		return llmtest.Call("env", `{}`)
	})
	res, err := agent.Agent{Model: model, Tools: []tool.Tool{env}, Secrets: &secrets}.Run(context.Background(), "What is set?")
	fmt.Println(res.Text, err)
	// Output: It says API_KEY=<redacted:API_KEY> <nil>
}

// token needs escapes in JSON, which must not hide it.
const token = "a&b<c>12"

func registry(t testing.TB) *secret.Registry {
	t.Helper()
	var r secret.Registry
	if err := r.Register("TOKEN", token); err != nil {
		t.Fatal(err)
	}
	return &r
}

// shows reports whether a value holds the token in any form in which JSON or fmt
// write it.
func shows(t testing.TB, v any) bool {
	t.Helper()
	plain, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var raw bytes.Buffer
	enc := json.NewEncoder(&raw)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		t.Fatal(err)
	}
	escaped, _ := json.Marshal(token)
	text := string(plain) + raw.String() + fmt.Sprintf("%+v", v)
	return strings.Contains(text, token) || strings.Contains(text, strings.Trim(string(escaped), `"`))
}

// Each tool lets the token out in another way.
func leakyTools() []tool.Tool {
	type none = struct{}
	read := tool.WithEffect(tool.ReadOnly)
	shared := []llm.Part{llm.Text("shared " + token)}
	return []tool.Tool{
		tool.New("text", "", func(context.Context, none) (string, error) { return "it is " + token, nil }, read),
		tool.New("data", "", func(context.Context, none) (any, error) { return map[string]any{"k": []string{token}}, nil }, read),
		tool.New("parts", "", func(context.Context, none) ([]llm.Part, error) { return shared, nil }, read),
		tool.New("file", "", func(context.Context, none) (tool.Result, error) {
			return tool.Result{Parts: []llm.Part{
				{Kind: llm.PartMedia, Media: &llm.Media{MIME: "text/csv", Data: []byte("x," + token), Name: token}},
				{Kind: llm.PartFile, File: &llm.FileRef{URI: "https://host/?k=" + token, MIME: "image/png", Name: token}},
				{Kind: llm.PartOpaque, Opaque: &llm.Opaque{Provider: "test", Data: json.RawMessage(`{"k":"` + token + `"}`)}},
			}}, nil
		}, read),
		tool.New("fails", "", func(context.Context, none) (string, error) { return "", errors.New("401 for " + token) }, read),
		tool.New("panics", "", func(context.Context, none) (string, error) { panic("at " + token) }, read),
		tool.New("shows", "", func(ctx context.Context, _ none) (string, error) {
			tool.CallFrom(ctx).Progress(llm.Text("using " + token))
			return "", nil
		}, read),
		tool.New("asks", "", func(ctx context.Context, _ none) (string, error) {
			_, err := tool.CallFrom(ctx).Ask(ctx, tool.Question{Text: "Use " + token + "?", Header: token, Choices: []tool.Choice{{Label: "yes", Description: token}}})
			return "", err
		}, read),
		tool.New("writes", "", func(context.Context, none) (string, error) { return "", nil }, tool.WithEffect(tool.Mutating)),
		tool.New("aborts", "", func(context.Context, none) (string, error) {
			return "", tool.Abort(fmt.Errorf("no more %s: %w", token, io.ErrUnexpectedEOF))
		}, read),
	}
}

func TestNoWayOutOfAToolShowsASecret(t *testing.T) {
	t.Parallel()
	synctest.Test(t, noWayOutOfAToolShowsASecret)
}

func noWayOutOfAToolShowsASecret(t *testing.T) {
	var logged bytes.Buffer
	calls := llmtest.Call("text", `{}`)
	for _, name := range []string{"data", "parts", "file", "fails", "panics", "shows", "asks", "writes"} {
		calls = calls.And(name, `{}`)
	}
	model := script(
		llmtest.Fail(&llm.Error{Kind: llm.KindTransient, Err: errors.New("reset at " + token)}),
		calls, llmtest.Call("parts", `{}`), llmtest.Call("aborts", `{}`),
	)
	asked := false
	var seen []any
	b := open(t, agent.Agent{
		Model: model, Tools: leakyTools(), Secrets: registry(t),
		Hooks: []agent.Hook{{
			Name: "leaky",
			BeforeTool: func(_ context.Context, _ agent.Moment, c *tool.Call) (agent.ToolVerdict, error) {
				if c.Name == "writes" {
					return agent.ToolVerdict{}, errors.New("hook " + token)
				}
				return agent.ToolVerdict{}, nil
			},
			AfterTool: func(_ context.Context, _ agent.Moment, c *tool.Call, _ tool.Result) (agent.ResultVerdict, error) {
				if c.Name == "shows" {
					return agent.ResultVerdict{Inject: "mind " + token}, nil
				}
				return agent.ResultVerdict{}, nil
			},
		}},
	}, &agent.OpenOptions{
		Logger: slog.New(slog.NewTextHandler(&logged, nil)),
		Approver: agent.ApproverFunc(func(_ context.Context, q *tool.Question) (tool.Answer, error) {
			asked = asked || shows(t, q)
			return tool.Answer{Choices: []string{"yes"}}, nil
		}),
	})
	done := make(chan struct{})
	go func() {
		defer close(done)
		for e, err := range b.Events(t.Context(), 0) {
			if seen = append(seen, e.Data); err != nil || e.Kind() == agent.KindRunEnded {
				return
			}
		}
	}()
	if err := b.Custom(t.Context(), "note", map[string]string{"k": token}); err != nil {
		t.Fatal(err)
	}
	b.send("go", agent.Steer)
	res, err := b.wait()
	<-done
	wantStop(t, res, err, agent.StopFailed, io.ErrUnexpectedEOF)
	if asked || shows(t, res) || strings.Contains(err.Error(), token) {
		t.Errorf("the question or the result shows the token: %v", err)
	}
	for _, d := range seen {
		if shows(t, d) {
			t.Errorf("a reader sees the token: %+v", d)
		}
	}
	for _, e := range b.log() {
		if shows(t, e) {
			t.Errorf("the log shows the token: %+v", e.Data)
		}
	}
	for _, req := range model.Requests() {
		if shows(t, req.Messages) {
			t.Error("the model sees the token")
		}
	}
	if strings.Contains(logged.String(), token) || !strings.Contains(logged.String(), "<redacted:TOKEN>") {
		t.Errorf("the logger got %s", logged.String())
	}
	for _, end := range b.ended() {
		if total := end.Redactions.Total(); (total > 0) == slices.Contains([]string{"shows", "asks"}, end.Result.Name) {
			t.Errorf("%s: %d redactions", end.Result.Name, total)
		}
	}
}

// The log hides what a hook puts into arguments; the tool gets it whole.
func TestHooksMayHandSecretsToTools(t *testing.T) {
	t.Parallel()
	var got string
	call := tool.New("call", "", func(_ context.Context, in struct{ Key string }) (string, error) {
		got = in.Key
		return "done", nil
	})
	b := open(t, agent.Agent{
		Model: script(llmtest.Call("call", `{"Key":"mine"}`), llmtest.Text("ok")), Tools: []tool.Tool{call}, Secrets: registry(t),
		Hooks: []agent.Hook{{Name: "keys", BeforeTool: func(context.Context, agent.Moment, *tool.Call) (agent.ToolVerdict, error) {
			args, err := json.Marshal(map[string]string{"Key": token})
			return agent.ToolVerdict{Args: args}, err
		}}},
	}, &agent.OpenOptions{Approver: agent.ApproverFunc(func(_ context.Context, q *tool.Question) (tool.Answer, error) {
		if shows(t, q) {
			t.Error("the question shows the token")
		}
		return tool.Answer{Choices: []string{tool.Allow}}, nil
	})})
	b.ask("go")
	wantEqual(t, "the tool's key", got, token)
	for _, e := range b.log() {
		if shows(t, e) {
			t.Errorf("the log shows the token: %+v", e.Data)
		}
	}
	wantEqual(t, "redactions of the start", pick[*agent.ToolStarted](b.log())[0].Redactions.Total(), 1)
}

// After a crash the hooks make the arguments again, since the log has not kept them.
func TestASecretArgumentSurvivesACrash(t *testing.T) {
	t.Parallel()
	synctest.Test(t, aSecretArgumentSurvivesACrash)
}

func aSecretArgumentSurvivesACrash(t *testing.T) {
	var keys []string
	store := agent.NewMemoryStore()
	crash := agenttest.Crash(store, 1<<30)
	killed := false
	a := agent.Agent{
		Secrets: registry(t),
		Policy:  agent.AllowAll(),
		Tools: []tool.Tool{tool.New("call", "", func(_ context.Context, in struct{ Key string }) (string, error) {
			keys = append(keys, in.Key)
			if !killed {
				killed = true
				crash.Kill()
			}
			return "done", nil
		}, tool.WithEffect(tool.Idempotent))},
		Hooks: []agent.Hook{{Name: "keys", BeforeTool: func(context.Context, agent.Moment, *tool.Call) (agent.ToolVerdict, error) {
			args, err := json.Marshal(map[string]string{"Key": token})
			return agent.ToolVerdict{Args: args}, err
		}}},
	}
	a.Model = script(llmtest.Call("call", `{"Key":"x"}`))
	first, err := a.Open(t.Context(), &agent.OpenOptions{Store: crash, SessionID: "s"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := first.Run(t.Context(), "go"); err == nil {
		t.Error("a crash went unnoticed")
	}
	first.Close()
	a.Model = script(llmtest.Text("ok"))
	second := open(t, a, &agent.OpenOptions{Store: store, SessionID: "s"})
	if res, err := second.wait(); err != nil || res.Text != "ok" {
		t.Errorf("after the crash: %+v, %v", res, err)
	}
	wantEqual(t, "keys", fmt.Sprint(keys), fmt.Sprint([]string{token, token}))
}

func TestTheLogIsRedactedWhenAsked(t *testing.T) {
	t.Parallel()
	for _, all := range []bool{false, true} {
		var got string
		note := tool.New("note", "", func(_ context.Context, in struct{ Text string }) (string, error) {
			got = in.Text
			return "", nil
		}, tool.WithEffect(tool.ReadOnly))
		args, _ := json.Marshal(map[string]string{"Text": token})
		model := script(llmtest.Text("You said "+token).And("note", string(args)), llmtest.Text("Still "+token))
		b := open(t, agent.Agent{Model: model, Tools: []tool.Tool{note}, Secrets: registry(t)}, &agent.OpenOptions{RedactLog: all})
		res := b.ask("My key is " + token)
		want := token
		if all {
			want = "<redacted:TOKEN>"
		}
		wantEqual(t, "answer", res.Text, "Still "+want)
		wantEqual(t, "the tool's text", got, want)
		wantEqual(t, "the first message of the last request", model.Requests()[1].Messages[0].Text(), "My key is "+want)
		shown := false
		for _, e := range b.log() {
			shown = shown || shows(t, e)
		}
		wantEqual(t, "the log shows the token", shown, !all)
	}
}

// Whatever the place of a secret in a text that is cut, no byte of it is left.
func TestACutNeverLeavesHalfASecret(t *testing.T) {
	t.Parallel()
	secrets := registry(t)
	rapid.Check(t, func(rt *rapid.T) {
		limit := rapid.IntRange(1, 64).Draw(rt, "limit")
		at := rapid.IntRange(0, 80).Draw(rt, "at")
		text := strings.Repeat(".", at) + token + strings.Repeat(".", rapid.IntRange(0, 80).Draw(rt, "rest"))
		say := tool.New("say", "", func(context.Context, struct{}) (string, error) { return text, nil }, tool.WithEffect(tool.ReadOnly))
		a := agent.Agent{Model: script(llmtest.Call("say", `{}`), llmtest.Text("ok")), Tools: []tool.Tool{say}, Secrets: secrets, Limits: agent.Limits{ResultBytes: limit}}
		s, err := a.Open(context.Background(), nil)
		if err != nil {
			rt.Fatal(err)
		}
		defer s.Close()
		if _, err := s.Run(context.Background(), "go"); err != nil {
			rt.Fatal(err)
		}
		got := s.History()[2].Parts[0].Result.Text()
		shown, _, _ := strings.Cut(got, "\n[cut:")
		if strings.ContainsAny(strings.ReplaceAll(shown, "<redacted:TOKEN>", ""), "&12") {
			rt.Fatalf("%q is shown as %q", text, got)
		}
	})
}

// A sub-agent keeps its caller's secrets.
func TestASubAgentKeepsItsCallersSecrets(t *testing.T) {
	t.Parallel()
	helper := agent.Agent{Model: script(llmtest.Call("text", `{}`), llmtest.Text("ok")), Tools: leakyTools()[:1]}
	b := open(t, agent.Agent{
		Model: script(llmtest.Call("helper", `{"task":"look"}`), llmtest.Text("done")),
		Tools: []tool.Tool{helper.Tool("helper", "helps")}, Secrets: registry(t),
	}, nil)
	b.ask("go")
	child := pick[*agent.ChildStarted](b.log())[0].Session
	events, err := agenttest.Log(t.Context(), b.store, child)
	if err != nil || len(events) == 0 {
		t.Fatal(len(events), err)
	}
	for _, e := range events {
		if shows(t, e) {
			t.Errorf("the sub-agent's log shows the token: %+v", e.Data)
		}
	}
}

// What type a tool gives its bytes does not matter.
func TestMediaOfAnyTypeShowNoSecret(t *testing.T) {
	t.Parallel()
	plain := []byte("\x89PNG\r\n\x1a\n\xff\xfe")
	data := map[string][]byte{
		"text":    []byte("k=" + token),
		"JSON":    []byte(`{"k":"` + strings.ReplaceAll(token, "b", `\u0062`) + `"}`),
		"picture": append(bytes.Clone(plain), token...),
	}
	for _, mime := range []string{
		"text/plain", "TEXT/PLAIN", "application/json", "application/json; charset=utf-8", "application/x-www-form-urlencoded",
		"application/xml; charset=utf-8", "image/svg+xml; charset=utf-8", "application/toml", "application/sql", "application/x-sh",
		"application/octet-stream", "application/x-ndjson; q=1", "image/png",
	} {
		var parts []llm.Part
		for _, what := range []string{"text", "JSON", "picture"} {
			parts = append(parts, llm.Part{Kind: llm.PartMedia, Media: &llm.Media{MIME: mime, Data: data[what]}})
		}
		parts = append(parts, llm.Part{Kind: llm.PartMedia, Media: &llm.Media{MIME: mime, Data: plain}})
		res := redactedResult(t, parts)
		for i, p := range res.Parts[:3] {
			if got := p.Media.Data; !bytes.Contains(got, []byte("<redacted:TOKEN>")) || bytes.Contains(got, []byte(token)) || bytes.Contains(got, []byte(`\u0062`)) {
				t.Errorf("part %d of type %q is shown as %q", i, mime, got)
			}
		}
		if got := res.Parts[3].Media; got.MIME != mime || !bytes.Equal(got.Data, plain) {
			t.Errorf("a picture of type %q without a secret becomes %q of type %q", mime, got.Data, got.MIME)
		}
	}
}

// A secret in a type or a signature is gone, and providers take what is left.
func TestTypesAndSignaturesShowNoSecret(t *testing.T) {
	t.Parallel()
	res := redactedResult(t, []llm.Part{
		{Kind: llm.PartMedia, Media: &llm.Media{MIME: "text/plain; k=" + token, Data: []byte("x")}},
		{Kind: llm.PartFile, File: &llm.FileRef{URI: "https://host/", MIME: "image/png; k=" + token}},
		{Kind: llm.PartText, Text: "x", Signature: "of " + token},
		{Kind: llm.PartText, Text: "x", Signature: "whole"},
		{Kind: llm.PartText, Text: "y", Opaque: &llm.Opaque{Provider: "acme", Data: json.RawMessage(`{"cited":"` + token + `"}`)}},
		{Kind: llm.PartText, Text: "z", Opaque: &llm.Opaque{Provider: "acme", Data: json.RawMessage(`{"id":"msg_1"}`)}, Model: "acme/one"},
	})
	for i := range res.Parts {
		m := llm.Message{Role: llm.RoleUser, Parts: res.Parts[i : i+1]}
		if err := m.Validate(); err != nil || shows(t, m) {
			t.Errorf("part %d is shown as %+v, %v", i, res.Parts[i], err)
		}
	}
	wantEqual(t, "a signature without a secret", res.Parts[3].Signature, "whole")
	if p := res.Parts[4]; p.Opaque != nil || p.Text != "y" {
		t.Errorf("a text with a secret beside it becomes %+v, want the text alone", p)
	}
	if p := res.Parts[5]; p.Opaque == nil || string(p.Opaque.Data) != `{"id":"msg_1"}` || p.Model != "acme/one" {
		t.Errorf("a text without a secret beside it becomes %+v, want it untouched", p)
	}
}

// redactedResult is what the log has of a result.
func redactedResult(t *testing.T, parts []llm.Part) *llm.ToolResult {
	t.Helper()
	look := tool.New("look", "", func(context.Context, struct{}) ([]llm.Part, error) { return parts, nil }, tool.WithEffect(tool.ReadOnly))
	b := open(t, agent.Agent{Model: script(llmtest.Call("look", `{}`), llmtest.Text("ok")), Tools: []tool.Tool{look}, Secrets: registry(t)}, nil)
	b.ask("go")
	return b.ended()[0].Result
}

// chatty is a model that repeats the token wherever it can, in the ids and the names
// of its calls too.
func chatty() *llmtest.Model {
	return script(
		llmtest.Parts(
			llm.Part{Kind: llm.PartThinking, Text: "hm", Signature: token},
			llm.Part{Kind: llm.PartCall, Signature: token, Call: &llm.ToolCall{ID: "id-" + token, Name: "say_" + token, Args: json.RawMessage(`{}`)}},
			llm.Part{Kind: llm.PartCall, Call: &llm.ToolCall{ID: token, Name: "ask", Args: json.RawMessage(`{}`)}},
			llm.Part{Kind: llm.PartCall, Call: &llm.ToolCall{ID: token + "-b", Name: "ask", Args: json.RawMessage(`{}`)}},
		).Ending(llm.FinishReason(token)),
		llmtest.Text("done"),
	)
}

func curious() tool.Tool {
	return tool.New("ask", "", func(ctx context.Context, _ struct{}) (string, error) {
		a, err := tool.CallFrom(ctx).Ask(ctx, tool.Question{Text: "Which?"})
		return a.Text, err
	})
}

// With RedactLog nothing that users, models and applications choose is in the log
// with a secret.
func TestARedactedLogShowsASecretNowhere(t *testing.T) {
	t.Parallel()
	approve := agent.ApproverFunc(func(_ context.Context, q *tool.Question) (tool.Answer, error) {
		if q.Permission {
			return tool.Yes(), nil
		}
		return tool.Answer{Text: "this " + token}, nil
	})
	b := open(t, agent.Agent{Model: chatty(), Tools: []tool.Tool{curious()}, Secrets: registry(t)}, &agent.OpenOptions{RedactLog: true, Approver: approve})
	events := b.Events(t.Context(), 0)
	msg := llm.Message{Origin: "or-" + token, Parts: []llm.Part{llm.Text("x")}}
	if _, err := b.SendOnce(t.Context(), "key-"+token, msg, agent.Queue); err != nil {
		t.Fatal(err)
	}
	if res, err := b.wait(); err != nil || shows(t, res) {
		t.Errorf("result: %+v, %v", res, err)
	}
	if err := b.Custom(t.Context(), "name-"+token, 1); err != nil {
		t.Fatal(err)
	}
	for e, err := range events {
		if err != nil {
			t.Fatal(err)
		}
		if shows(t, e) {
			t.Errorf("a reader sees the token: %+v", e.Data)
		}
		if e.Kind() == agent.KindCustom {
			break
		}
	}
	for _, e := range b.log() {
		if shows(t, e) {
			t.Errorf("the log shows the token: %+v", e.Data)
		}
	}
}

// A call goes by one id, whoever speaks of it, and each by its own; no name and no
// id of a call shows a secret, with RedactLog or without. The names of tools stay.
func TestCallsWhoseIDsShowASecretGetOthers(t *testing.T) {
	t.Parallel()
	for _, all := range []bool{false, true} {
		b := open(t, agent.Agent{Model: chatty(), Tools: []tool.Tool{curious(), echo("redacted", tool.Mutating)}, Secrets: registry(t)},
			&agent.OpenOptions{RedactLog: all, Approver: agent.ApproverFunc(func(_ context.Context, q *tool.Question) (tool.Answer, error) {
				if q.Permission {
					return tool.Yes(), nil
				}
				return tool.Answer{Text: "this"}, nil
			})})
		b.ask("go")
		log := b.log()
		calls := pick[*agent.ModelMessage](log)[0].Message.Calls()
		for i, end := range b.ended() {
			call := calls[end.Index]
			wantEqual(t, "the id of a result", end.Result.ID, call.ID)
			wantEqual(t, "the name of a result", end.Result.Name, call.Name)
			if shows(t, call) || shows(t, end) || slices.ContainsFunc(calls[:i], func(c *llm.ToolCall) bool { return c.ID == calls[i].ID }) {
				t.Errorf("a call is known as %+v and ends with %+v", call, end)
			}
		}
		wantEqual(t, "names", calls[0].Name+" "+calls[1].Name, "redacted_ ask") // "redacted" is a tool
		wantEqual(t, "the outcome of a call of no tool", b.ended()[0].Outcome, agent.OutcomeInvalid)
		for _, d := range pick[*agent.ToolStarted](log) {
			wantEqual(t, "the id of a start", d.Call.ID, calls[d.Index].ID)
		}
		asked := pick[*agent.QuestionAsked](log)
		wantEqual(t, "questions", len(asked), 4)
		for _, d := range asked {
			if d.Question.Call != calls[1].ID && d.Question.Call != calls[2].ID {
				t.Errorf("a question is about %q, want one of %q and %q", d.Question.Call, calls[1].ID, calls[2].ID)
			}
		}
	}
}

// A tool whose name looks like a secret is called by its name.
func TestTheNamesOfToolsAreNoSecret(t *testing.T) {
	t.Parallel()
	var secrets secret.Registry
	if err := secrets.Register("PASSWORD", "production"); err != nil {
		t.Fatal(err)
	}
	deploy := echo("deploy_production", tool.ReadOnly)
	b := open(t, agent.Agent{Model: script(llmtest.Call("deploy_production", `{}`), llmtest.Text("ok")), Tools: []tool.Tool{deploy}, Secrets: &secrets},
		&agent.OpenOptions{RedactLog: true})
	b.ask("go")
	wantEqual(t, "outcome", b.ended()[0].Outcome, agent.OutcomeOK)
	wantEqual(t, "name", b.ended()[0].Result.Name, "deploy_production")
}

// Who sends again after a crash need not know that its key is not in the log.
func TestAKeyThatIsRedactedCountsOnce(t *testing.T) {
	t.Parallel()
	store := agent.NewMemoryStore()
	a := agent.Agent{Model: llmtest.Func(func(*llm.Request) llmtest.Turn { return llmtest.Text("ok") }), Secrets: registry(t)}
	var seqs []agent.Seq
	for _, key := range []string{"a-" + token, "a-" + token, "b-" + token, "a-" + token} {
		b := open(t, a, &agent.OpenOptions{Store: store, SessionID: "s", RedactLog: true})
		seq, err := b.SendOnce(t.Context(), key, llm.User("x"), agent.Queue)
		if err != nil {
			t.Fatal(err)
		}
		b.wait()
		b.Close()
		if log := b.log(); slices.ContainsFunc(log, func(e agent.Event) bool { return shows(t, e) }) {
			t.Error("the log shows the token")
		}
		seqs = append(seqs, seq)
	}
	if seqs[0] == 0 || seqs[1] != seqs[0] || seqs[3] != seqs[0] || seqs[2] <= seqs[0] {
		t.Errorf("the messages are %v, want the same one for the same key", seqs)
	}
}

// A fork hides what its session has not, and its results still belong to calls.
func TestAForkWithARedactedLogHidesOlderCalls(t *testing.T) {
	t.Parallel()
	var secrets secret.Registry // the token is not known yet
	store := agent.NewMemoryStore()
	a := agent.Agent{Model: chatty(), Secrets: &secrets}
	b := open(t, a, &agent.OpenOptions{Store: store, SessionID: "s", RedactLog: true})
	b.ask("go")
	if err := secrets.Register("TOKEN", token); err != nil {
		t.Fatal(err)
	}
	fork, err := b.Fork(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	defer fork.Close()
	if history := fork.History(); shows(t, history) || llm.CheckConversation(history) != nil || len(history) != len(b.History()) {
		t.Errorf("the fork begins with %+v, %v", history, llm.CheckConversation(history))
	}
}

package otel_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	oteltrace "go.opentelemetry.io/otel/trace"

	"github.com/helios-go/helios/agent"
	"github.com/helios-go/helios/agent/agenttest"
	"github.com/helios-go/helios/internal/repocheck"
	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/llm/llmtest"
	"github.com/helios-go/helios/tool"
	"github.com/helios-go/helios/trace"
	"github.com/helios-go/helios/trace/otel"
)

// A run of an agent as OpenTelemetry sees it.
func Example() {
	ctx, store := context.Background(), agent.NewMemoryStore()
	look := tool.New("weather", "", func(context.Context, struct{ City string }) (string, error) { return "22 C", nil },
		tool.WithEffect(tool.ReadOnly))
	model := llmtest.New(llmtest.Call("weather", `{"City":"Toulouse"}`), llmtest.Text("Yes."))
	a := agent.Agent{Name: "guide", Model: model, Tools: []tool.Tool{look}}
	s, err := a.Open(ctx, &agent.OpenOptions{Store: store, SessionID: "s"})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	if _, err := s.Run(ctx, "Is it warm in Toulouse?"); err != nil {
		fmt.Println(err)
		return
	}

	exporter := tracetest.NewInMemoryExporter() // in a program: OTLP, to a collector
	provider := sdktrace.NewTracerProvider(sdktrace.WithSyncer(exporter), sdktrace.WithIDGenerator(otel.IDs{}))
	if err := trace.Replay(ctx, store, "s", otel.New(provider, nil)); err != nil {
		fmt.Println(err)
		return
	}
	for _, span := range exporter.GetSpans() {
		fmt.Println(span.SpanKind, span.Name)
	}
	// Output:
	// client chat scripted
	// internal execute_tool weather
	// internal turn 1
	// client chat scripted
	// internal turn 2
	// internal invoke_agent guide
}

// export exports a session of a store, and returns the spans by their name.
func export(t *testing.T, store agent.Store, opts *otel.Options) map[string]tracetest.SpanStub {
	t.Helper()
	exporter := tracetest.NewInMemoryExporter()
	provider := sdktrace.NewTracerProvider(sdktrace.WithSyncer(exporter), sdktrace.WithIDGenerator(otel.IDs{}))
	if err := trace.Replay(t.Context(), store, "s", otel.New(provider, opts)); err != nil {
		t.Fatal(err)
	}
	spans := map[string]tracetest.SpanStub{}
	for _, s := range exporter.GetSpans() {
		if _, twice := spans[s.Name]; twice {
			t.Errorf("there are two spans %q", s.Name)
		}
		spans[s.Name] = s
	}
	return spans
}

func open(t *testing.T, a agent.Agent, store agent.Store) *agent.Session {
	t.Helper()
	s, err := a.Open(context.Background(), &agent.OpenOptions{Store: store, SessionID: "s", User: "ada"})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// team is a lead and a worker whose models take a second for everything they say.
func team() agent.Agent {
	prices := llm.Prices{"gemini/pro": {Input: 1_000_000}}
	slow := func(turns ...llmtest.Turn) *llmtest.Model {
		for i := range turns {
			turns[i] = turns[i].After(time.Second)
		}
		m := llmtest.New(turns...)
		m.ID = "gemini/pro"
		return m
	}
	worker := agent.Agent{Name: "worker", Prices: prices, Model: slow(llmtest.Text("found it").Using(llm.Usage{Input: 5, CacheRead: 3, CacheWrite: 2, Output: 1}))}
	return agent.Agent{
		Name: "lead", Prices: prices, Tools: []tool.Tool{worker.Tool("work", "")},
		Model: slow(llmtest.Call("work", `{"task":"a secret task"}`).Using(llm.Usage{Input: 10, Output: 4}),
			llmtest.Fail(fmt.Errorf("no luck: %w", &llm.Error{Kind: llm.KindAuth, Err: errors.New("key k-123")}))),
	}
}

func TestSpansFollowTheConventions(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := agent.NewMemoryStore()
		s := open(t, team(), store)
		begin := time.Now().UTC()
		res, _ := s.Run(t.Context(), "a secret question")
		s.Close()

		exporter := tracetest.NewInMemoryExporter()
		provider := sdktrace.NewTracerProvider(sdktrace.WithSyncer(exporter))
		if err := trace.Replay(t.Context(), store, "s", otel.New(provider, nil)); err != nil {
			t.Fatal(err)
		}
		spans := exporter.GetSpans()
		byID := map[oteltrace.SpanID]tracetest.SpanStub{}
		for _, s := range spans {
			byID[s.SpanContext.SpanID()] = s
		}
		var got []string
		for _, s := range spans {
			got = append(got, fmt.Sprintf("%s < %s @%s-%s %s", s.Name, byID[s.Parent.SpanID()].Name, s.StartTime.Sub(begin), s.EndTime.Sub(begin), s.Status.Description))
			if s.SpanContext.TraceID() != spans[0].SpanContext.TraceID() {
				t.Errorf("%s is in a trace of its own", s.Name)
			}
		}
		slices.Sort(got)
		want := []string{
			"chat pro < turn 1 @0s-1s ",
			"chat pro < turn 1 @1s-2s ",
			"chat pro < turn 2 @2s-3s failed",
			"execute_tool work < turn 1 @1s-2s ",
			"invoke_agent lead <  @0s-3s failed",
			"invoke_agent worker < execute_tool work @1s-2s ",
			"turn 1 < invoke_agent lead @0s-2s ",
			"turn 1 < invoke_agent worker @1s-2s ",
			"turn 2 < invoke_agent lead @2s-3s failed",
		}
		if !slices.Equal(got, want) {
			t.Errorf("spans:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		checkAttributes(t, byID, res)
	})
}

// checkAttributes compares the attributes of the team's spans.
func checkAttributes(t *testing.T, spans map[oteltrace.SpanID]tracetest.SpanStub, res *agent.Result) {
	t.Helper()
	for _, s := range spans {
		var want string
		switch parent := spans[s.Parent.SpanID()]; {
		case s.Name == "invoke_agent lead":
			want = "error.type=auth gen_ai.agent.name=lead gen_ai.conversation.id=s gen_ai.operation.name=invoke_agent gen_ai.provider.name=gcp.gemini gen_ai.request.model=pro " +
				"gen_ai.usage.input_tokens=20 gen_ai.usage.output_tokens=5 helios.cost.micros=20 helios.outcome=failed helios.run.id=" + res.Run + " helios.tool_calls=1 helios.turns=2"
		case s.Name == "execute_tool work":
			call := "call_1"
			want = "gen_ai.agent.name=lead gen_ai.conversation.id=s gen_ai.operation.name=execute_tool gen_ai.tool.call.id=" + call + " gen_ai.tool.name=work gen_ai.tool.type=function " +
				"helios.outcome=ok helios.run.id=" + res.Run + " helios.tool.decision=allow helios.tool.effect=read_only helios.tool.tool_kind=delegate helios.turn=1"
		case s.Name == "chat pro" && spans[parent.Parent.SpanID()].Name == "invoke_agent worker":
			want = "gen_ai.agent.name=worker gen_ai.operation.name=chat gen_ai.provider.name=gcp.gemini gen_ai.request.model=pro gen_ai.response.finish_reasons=[\"stop\"] " +
				"gen_ai.usage.cache_read.input_tokens=3 gen_ai.usage.cache_write.input_tokens=2 gen_ai.usage.input_tokens=10 gen_ai.usage.output_tokens=1 helios.cost.micros=10 helios.outcome=ok helios.turn=1"
		default:
			continue
		}
		var got []string
		for _, a := range s.Attributes {
			if want := string(a.Key); s.Name == "chat pro" && (want == "gen_ai.conversation.id" || want == "helios.run.id") {
				continue // made up for the sub-agent
			}
			got = append(got, string(a.Key)+"="+a.Value.String())
		}
		slices.Sort(got)
		if strings.Join(got, " ") != want {
			t.Errorf("%s has the attributes\n%s\nwant\n%s", s.Name, strings.Join(got, " "), want)
		}
	}
}

func TestNothingThatWasSaidIsExportedUnlessAskedFor(t *testing.T) {
	t.Parallel()
	store := agent.NewMemoryStore()
	model := llmtest.New(llmtest.Call("weather", `{"City":"said-1"}`).And("fail", `{}`).And("said_2", `{}`), llmtest.Text("said-3"))
	look := tool.New("weather", "", func(context.Context, struct{ City string }) (string, error) { return "said-4", nil }, tool.WithEffect(tool.ReadOnly))
	fail := tool.New("fail", "", func(context.Context, struct{}) (string, error) { return "", errors.New("said-5") }, tool.WithEffect(tool.ReadOnly))
	s := open(t, agent.Agent{Model: model, Tools: []tool.Tool{look, fail}}, store)
	res, err := s.Run(t.Context(), "said-6")
	if err != nil {
		t.Fatal(err)
	}
	s.Close()
	rating := -1.0
	note := trace.Annotation{Subject: res.Run, Label: "wrong", Author: trace.Human, Rating: &rating, Comment: "said-7"}
	if err := trace.Annotate(t.Context(), store, "s", note); err != nil {
		t.Fatal(err)
	}
	var f trace.Fold
	if err := trace.Replay(t.Context(), store, "s", &f); err != nil {
		t.Fatal(err)
	}
	for _, content := range []bool{false, true} {
		exporter := tracetest.NewInMemoryExporter()
		provider := sdktrace.NewTracerProvider(sdktrace.WithSyncer(exporter))
		if err := otel.New(provider, &otel.Options{Content: content}).Export(t.Context(), f.Runs()); err != nil {
			t.Fatal(err)
		}
		all := fmt.Sprintf("%+v", exporter.GetSpans())
		for _, text := range []string{"said-1", "said-3", "said-4", "said-5", "said-6", "said-7"} {
			if strings.Contains(all, text) != content {
				t.Errorf("with content %t, %s is exported: %t", content, text, !content)
			}
		}
		if !strings.Contains(all, "gen_ai.evaluation.score.value") {
			t.Error("the annotation is missing")
		}
	}
}

// What a model calls that is no tool is something that it has said.
func TestNamesThatAModelMadeUpAreContent(t *testing.T) {
	t.Parallel()
	var f trace.Fold
	store := agent.NewMemoryStore()
	s := open(t, agent.Agent{Model: llmtest.New(llmtest.Call("said-8", `{}`), llmtest.Text("sorry"))}, store)
	defer s.Close()
	if _, err := s.Run(t.Context(), "go"); err != nil {
		t.Fatal(err)
	}
	if err := trace.Replay(t.Context(), store, "s", &f); err != nil {
		t.Fatal(err)
	}
	for _, content := range []bool{false, true} {
		exporter := tracetest.NewInMemoryExporter()
		provider := sdktrace.NewTracerProvider(sdktrace.WithSyncer(exporter))
		if err := otel.New(provider, &otel.Options{Content: content}).Export(t.Context(), f.Runs()); err != nil {
			t.Fatal(err)
		}
		var called []string
		for _, s := range exporter.GetSpans() {
			if strings.Contains(s.Name, "said-8") {
				t.Errorf("the name of a span is %q", s.Name)
			}
			for _, a := range s.Attributes {
				if a.Key == "helios.tool.called" {
					called = append(called, a.Value.AsString())
				}
			}
		}
		if all := fmt.Sprintf("%+v", exporter.GetSpans()); strings.Contains(all, "said-8") != content || slices.Contains(called, "said-8") != content {
			t.Errorf("with content %t the name is exported: %t, as that of a call: %q", content, !content, called)
		}
	}
}

func TestMessagesHaveTheConventionsShape(t *testing.T) {
	t.Parallel()
	store := agent.NewMemoryStore()
	look := tool.New("weather", "", func(context.Context, struct{}) (string, error) { return "22 C", nil }, tool.WithEffect(tool.ReadOnly))
	think := llm.Part{Kind: llm.PartThinking, Text: "hm", Signature: "sig"}
	call := llm.Part{Kind: llm.PartCall, Call: &llm.ToolCall{ID: "c", Name: "weather", Args: []byte(`{}`)}}
	broken := llm.Part{Kind: llm.PartCall, Call: &llm.ToolCall{ID: "d", Name: "weather", Args: []byte(`{"`)}}
	s := open(t, agent.Agent{Model: llmtest.New(llmtest.Parts(think, call, broken), llmtest.Text("warm")), Tools: []tool.Tool{look}}, store)
	defer s.Close()
	file := llm.Part{Kind: llm.PartFile, File: &llm.FileRef{URI: "files/1", MIME: "text/plain"}}
	if _, err := s.Send(t.Context(), llm.Message{Role: llm.RoleUser, Parts: []llm.Part{llm.Text("warm?"), file}}, agent.Steer); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	var f trace.Fold
	if err := trace.Replay(t.Context(), store, "s", &f); err != nil {
		t.Fatal(err)
	}
	exporter := tracetest.NewInMemoryExporter()
	provider := sdktrace.NewTracerProvider(sdktrace.WithSyncer(exporter))
	if err := otel.New(provider, &otel.Options{Content: true}).Export(t.Context(), f.Runs()); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range exporter.GetSpans() {
		for _, a := range s.Attributes {
			if strings.HasSuffix(string(a.Key), ".messages") && strings.HasPrefix(s.Name, "chat") {
				got = append(got, a.Value.AsString())
			}
		}
	}
	want := []string{
		`[{"role":"user","parts":[{"type":"text","content":"warm?"},{"type":"file"}]}]`,
		`[{"role":"assistant","parts":[{"type":"reasoning","content":"hm"},{"type":"tool_call","id":"c","name":"weather","arguments":{}},{"type":"tool_call","id":"d","name":"weather","arguments":"{\""}],"finish_reason":"tool_calls"}]`,
		`[{"role":"tool","parts":[{"type":"tool_call_response","id":"d","response":`,
		`[{"role":"assistant","parts":[{"type":"text","content":"warm"}],"finish_reason":"stop"}]`,
	}
	if len(got) != len(want) {
		t.Fatalf("messages: %q", got)
	}
	for i := range want {
		if i != 2 && got[i] != want[i] || i == 2 && !strings.Contains(got[i], `"type":"tool_call_response","id":"c","response":"22 C"`) {
			t.Errorf("messages %d: %s\nwant %s", i, got[i], want[i])
		}
	}
}

func TestAttemptsAreLinkedAcrossACrash(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := agent.NewMemoryStore()
		put := tool.New("put", "", func(ctx context.Context, _ struct{}) (string, error) {
			select {
			case <-time.After(time.Second):
				return "done", nil
			case <-ctx.Done():
				return "", ctx.Err()
			}
		}, tool.WithEffect(tool.Idempotent))
		a := agent.Agent{Policy: agent.AllowAll(), Tools: []tool.Tool{put}, Model: llmtest.New(llmtest.Call("put", `{}`), llmtest.Text("ok"))}
		crash := agenttest.Crash(store, 1<<30)
		s := open(t, a, crash)
		if _, err := s.Send(t.Context(), llm.User("go"), agent.Steer); err != nil {
			t.Fatal(err)
		}
		time.Sleep(500 * time.Millisecond)
		crash.Kill()
		s.Close()
		time.Sleep(time.Hour)
		s = open(t, a, store)
		defer s.Close()
		if _, err := s.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		exporter := tracetest.NewInMemoryExporter()
		provider := sdktrace.NewTracerProvider(sdktrace.WithSyncer(exporter))
		if err := trace.Replay(t.Context(), store, "s", otel.New(provider, nil)); err != nil {
			t.Fatal(err)
		}
		spans := map[string]tracetest.SpanStub{}
		for _, s := range exporter.GetSpans() {
			spans[s.Name] = s
		}
		first, second, call := spans["attempt 1"], spans["attempt 2"], spans["execute_tool put"]
		if len(second.Links) != 1 || second.Links[0].SpanContext.SpanID() != first.SpanContext.SpanID() || len(first.Links) != 0 {
			t.Errorf("links: %v", second.Links)
		}
		if first.Status.Code != codes.Error || first.Status.Description != "lost" || second.Status.Code != codes.Unset {
			t.Errorf("status: %v, %v", first.Status, second.Status)
		}
		if second.Parent.SpanID() != call.SpanContext.SpanID() || second.EndTime.Sub(second.StartTime) != time.Second {
			t.Errorf("the second attempt: %+v", second)
		}
	})
}

func TestExportingAgainGivesTheSameIDs(t *testing.T) {
	t.Parallel()
	store := agent.NewMemoryStore()
	s := open(t, agent.Agent{Name: "guide", Model: llmtest.New(llmtest.Text("hello"))}, store)
	if _, err := s.Run(t.Context(), "hi"); err != nil {
		t.Fatal(err)
	}
	s.Close()
	first, second := export(t, store, nil), export(t, store, &otel.Options{Content: true})
	if len(first) != 3 {
		t.Fatalf("spans: %v", first)
	}
	for name, s := range first {
		if !s.SpanContext.Equal(second[name].SpanContext) || !s.SpanContext.IsValid() {
			t.Errorf("%s: %v and %v", name, s.SpanContext, second[name].SpanContext)
		}
	}
	provider := sdktrace.NewTracerProvider(sdktrace.WithIDGenerator(otel.IDs{}))
	_, a := provider.Tracer("other").Start(t.Context(), "a")
	_, b := provider.Tracer("other").Start(t.Context(), "b")
	if !a.SpanContext().IsValid() || a.SpanContext().TraceID() == b.SpanContext().TraceID() || a.SpanContext().SpanID() == b.SpanContext().SpanID() {
		t.Errorf("spans of others: %v, %v", a.SpanContext(), b.SpanContext())
	}
}

func TestRunsStandBelowTheCallersSpan(t *testing.T) {
	t.Parallel()
	store := agent.NewMemoryStore()
	s := open(t, agent.Agent{Name: "guide", Model: llmtest.New(llmtest.Text("hello"))}, store)
	defer s.Close()
	if _, err := s.Run(t.Context(), "hi"); err != nil {
		t.Fatal(err)
	}
	var f trace.Fold
	if err := trace.Replay(t.Context(), store, "s", &f); err != nil {
		t.Fatal(err)
	}
	exporter := tracetest.NewInMemoryExporter()
	provider := sdktrace.NewTracerProvider(sdktrace.WithSyncer(exporter), sdktrace.WithIDGenerator(otel.IDs{}))
	ctx, request := provider.Tracer("http").Start(t.Context(), "POST /ask")
	open := *f.Runs()[0]
	open.End = time.Time{}
	if err := otel.New(provider, nil).Export(ctx, append(f.Runs(), &open)); err != nil {
		t.Fatal(err)
	}
	spans := exporter.GetSpans()
	run := spans[len(spans)-1]
	if len(spans) != 3 || run.Parent.SpanID() != request.SpanContext().SpanID() || run.SpanContext.TraceID() != request.SpanContext().TraceID() {
		t.Errorf("%d spans, the run is below %v", len(spans), run.Parent)
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if err := otel.New(provider, nil).Export(over, f.Runs()); err == nil {
		t.Error("exported under a context that has ended")
	}
}

// Follow exports each run when it ends, and keeps nothing of it.
func TestRunsAreExportedAsTheyEnd(t *testing.T) {
	t.Parallel()
	store := agent.NewMemoryStore()
	s := open(t, agent.Agent{Name: "guide", Model: llmtest.New(llmtest.Text("one"), llmtest.Text("two"))}, store)
	for _, q := range []string{"1", "2"} {
		if _, err := s.Run(t.Context(), q); err != nil {
			t.Fatal(err)
		}
	}
	s.Close()
	exporter := tracetest.NewInMemoryExporter()
	x := otel.New(sdktrace.NewTracerProvider(sdktrace.WithSyncer(exporter)), nil)
	if err := trace.Follow(t.Context(), s, 0, x); err != nil {
		t.Fatal(err)
	}
	runs := map[string]bool{}
	for _, s := range exporter.GetSpans() {
		if s.Name == "invoke_agent guide" {
			for _, a := range s.Attributes {
				if a.Key == attribute.Key("helios.run.id") {
					runs[a.Value.AsString()] = true
				}
			}
		}
	}
	if n := len(exporter.GetSpans()); len(runs) != 2 || n != 6 {
		t.Errorf("%d runs, %d spans, want 2 and 6", len(runs), n)
	}
}

// Who imports an agent, or folds spans without exporting them, compiles nothing of
// OpenTelemetry.
func TestOnlyThisPackageNeedsOpenTelemetry(t *testing.T) {
	t.Parallel()
	for pattern, want := range map[string]bool{"./agent": false, "./trace": false, "./trace/otel": true} {
		_, modules, err := repocheck.LoadGraph(t.Context(), "../..", "linux", pattern)
		if err != nil {
			t.Fatal(err)
		}
		if got := slices.ContainsFunc(modules, func(m string) bool { return strings.HasPrefix(m, "go.opentelemetry.io/") }); got != want {
			t.Errorf("%s compiles OpenTelemetry: %t, want %t (%s)", pattern, got, want, strings.Join(modules, ", "))
		}
	}
}

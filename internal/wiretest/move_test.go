package wiretest_test

import (
	"context"
	"encoding/json"
	"iter"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/helios-go/helios/agent"
	"github.com/helios-go/helios/agent/agenttest"
	"github.com/helios-go/helios/internal/mockllm"
	"github.com/helios-go/helios/internal/wiretest"
	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/tool"
)

// A relay is a model that hands each request on to the next of its models.
type relay struct {
	models []llm.Model
	n      atomic.Int64
}

func (r *relay) Name() string { return "relay" }

func (r *relay) Stream(ctx context.Context, req *llm.Request) iter.Seq2[llm.Chunk, error] {
	return r.models[int(r.n.Add(1)-1)%len(r.models)].Stream(ctx, req)
}

// pairs runs a test for each ordered pair of wires.
func pairs(t *testing.T, test func(t *testing.T, one, two wiretest.Wire)) {
	t.Helper()
	for _, one := range wiretest.Wires() {
		for _, two := range wiretest.Wires() {
			t.Run(one.Name+" and "+two.Name, func(t *testing.T) {
				t.Parallel()
				test(t, one, two)
			})
		}
	}
}

// lenient keeps the mock server from refusing what Anthropic takes. It is as strict
// as ever about a tool loop under way.
func lenient(line *wiretest.Line) {
	line.Tap.Before = func(header http.Header, body []byte) {
		if line.Form == wiretest.FormMessages && wiretest.EarlierLoopWithoutThought(body) {
			header.Set("X-Aimock-Strict", "false")
		}
	}
}

func TestAConversationMovesInTheMiddleOfAToolLoop(t *testing.T) {
	t.Parallel()
	pairs(t, func(t *testing.T, one, two wiretest.Wire) {
		server := mockllm.Start(t, mockllm.Options{Fixtures: "testdata/answers.json"})
		first, second := one.Dial(t, server), two.Dial(t, server)
		lenient(first)
		lenient(second)
		a := agent.Agent{
			// Each tool loop is begun by one and ended by the other.
			Model:   agenttest.Checked(&relay{models: []llm.Model{first.Model, second.Model, second.Model, first.Model, first.Model, second.Model}}, func(err error) { t.Error(err) }),
			Options: llm.Options{Thinking: llm.ThinkingLow},
			Tools: []tool.Tool{
				tool.New("get_weather", "Weather in a city now", func(_ context.Context, in struct {
					City string `json:"city"`
				}) (string, error) {
					return "20 °C in " + in.City, nil
				}, tool.WithEffect(tool.ReadOnly)),
				tool.New("get_time", "The time in a zone now", func(_ context.Context, in struct {
					Zone string `json:"zone"`
				}) (string, error) {
					return "14:00 in " + in.Zone, nil
				}, tool.WithEffect(tool.ReadOnly)),
			},
		}
		s, err := a.Open(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = s.Close() }()
		for _, turn := range []struct{ prompt, want string }{
			{"Please call them.", "Both were called."},
			{"Please call them again.", "Both were called."},
			{"hello", "Hello from the other side."},
			{"hello again", "Hello from the other side."},
		} {
			if _, err := s.Send(t.Context(), llm.User(turn.prompt), agent.Steer); err != nil {
				t.Fatal(err)
			}
			res, err := s.Wait(t.Context())
			if err != nil || res.Text != turn.want {
				t.Fatalf("%s: got %q, %v, want %q", turn.prompt, res.Text, err, turn.want)
			}
		}
		for _, line := range []*wiretest.Line{first, second} {
			if n := len(line.Tap.Requests()); n != 3 {
				t.Errorf("%s got %d requests, want 3", line.Name, n)
			}
			line.CheckHistory(t)
		}
		if first.Model.Name() == second.Model.Name() {
			return
		}
		// A server that keeps conversations has not heard what was said elsewhere.
		for said, body := range map[string][]byte{
			"Please call them again.":    first.Tap.Requests()[1].Body,
			"Hello from the other side.": second.Tap.Requests()[2].Body,
		} {
			if !strings.Contains(string(body), said) {
				t.Errorf("%q was said with another model and is not in\n%s", said, body)
			}
		}
	})
}

// oddName is longer than any provider takes, and has dots.
var oddName = "observatory.archives.long_term." + strings.Repeat("really_", 7) + "get_weather"

const (
	oddSignature = "b2RkLXNpZ25hdHVyZS1vZi10aGUtb3RoZXI="
	oddID        = "functions.get_weather:0|fc_68af🌞/with blanks, and longer than sixty-four bytes in all"
)

// oddHistory is a conversation as a model of a provider leaves it behind, with all
// that another one may not like.
func oddHistory(model string) []llm.Message {
	provider, _, _ := strings.Cut(model, "/")
	opaque := func(data string) *llm.Opaque {
		return &llm.Opaque{Provider: provider, Data: json.RawMessage(data)}
	}
	call := func(id, name, args string) llm.Part {
		return llm.Part{Kind: llm.PartCall, Call: &llm.ToolCall{ID: id, Name: name, Args: json.RawMessage(args)}}
	}
	result := func(id, name, text string) llm.Part {
		r := &llm.ToolResult{ID: id, Name: name}
		if text != "" {
			r.Parts = []llm.Part{llm.Text(text)}
		}
		return llm.Part{Kind: llm.PartResult, Result: r}
	}
	thinking := llm.Part{Kind: llm.PartThinking, Text: "Somebody thinks.", Signature: oddSignature, Model: model}
	signed := call(oddID, oddName, `{"city":"Orléans 🏰"}`)
	signed.Signature, signed.Model = oddSignature, model
	searched := llm.Text("I have searched for it.")
	searched.Model, searched.Opaque = model, opaque(`{"odd_extra":"odd-extra-1"}`)
	return []llm.Message{
		llm.User("hello there"),
		{Role: llm.RoleAssistant, Parts: []llm.Part{
			thinking,
			{Kind: llm.PartOpaque, Model: model, Opaque: opaque(`{"type":"odd_tool_use","id":"odd-block-1","name":"web_search","input":{"query":"sun"}}`)},
			{Kind: llm.PartOpaque, Model: model, Opaque: opaque(`{"type":"odd_tool_result","tool_use_id":"odd-block-1","content":[]}`)},
			searched, signed, call("call_0", "get_time", ``),
		}},
		{Role: llm.RoleTool, Parts: []llm.Part{result(oddID, oddName, "20 °C"), result("call_0", "get_time", "")}},
		// Nothing in it that another provider could be told.
		{Role: llm.RoleAssistant, Parts: []llm.Part{
			{Kind: llm.PartOpaque, Model: model, Opaque: opaque(`{"type":"odd_tool_use","id":"odd-block-2","name":"web_search","input":{}}`)},
			{Kind: llm.PartOpaque, Model: model, Opaque: opaque(`{"type":"odd_tool_result","tool_use_id":"odd-block-2","content":[]}`)},
		}},
		llm.User("hello again"),
		// A server that counts its calls from 0 in every turn.
		{Role: llm.RoleAssistant, Parts: []llm.Part{thinking, call("call_0", "admin.tools.list", `null`), call("call_1", "admin/tools/list", `{"all":true}`)}},
		{Role: llm.RoleTool, Parts: []llm.Part{
			{Kind: llm.PartResult, Result: &llm.ToolResult{ID: "call_0", Name: "admin.tools.list", IsError: true, Parts: []llm.Part{llm.Text("no such tool")}}},
			result("call_1", "admin/tools/list", "none"),
		}},
		{Role: llm.RoleAssistant, Parts: []llm.Part{thinking, llm.Text("  "), llm.Text("Done.")}},
		// Cut before anything was said.
		llm.User("and now?"),
		{Role: llm.RoleAssistant, Parts: []llm.Part{thinking}},
		llm.User("hello once more"),
	}
}

func oddTools() []llm.ToolSpec {
	var specs []llm.ToolSpec
	for _, name := range []string{oddName, oddName + "_2", "get_time", "admin.tools.list", "admin/tools/list"} {
		specs = append(specs, llm.ToolSpec{Name: name, Description: "Does something", Input: json.RawMessage(`{"type":"object","properties":{"city":{"type":"string"}}}`)})
	}
	return specs
}

func TestAHistoryOfAnotherProviderIsTaken(t *testing.T) {
	t.Parallel()
	pairs(t, func(t *testing.T, one, two wiretest.Wire) {
		server := mockllm.Start(t, mockllm.Options{Fixtures: "testdata/answers.json"})
		from, line := one.Dial(t, server), two.Dial(t, server)
		lenient(line)
		provider := func(l *wiretest.Line) string { p, _, _ := strings.Cut(l.Model.Name(), "/"); return p }
		if provider(from) == provider(line) {
			t.Skip("the provider gets its own blocks back as they were, and these are made up")
		}
		for _, thinking := range []llm.Thinking{llm.ThinkingDefault, llm.ThinkingLow} {
			history := oddHistory(from.Model.Name())
			// Every beginning that ends with the user or with results is a request.
			for n := range history {
				if history[n].Role == llm.RoleAssistant {
					continue
				}
				req := &llm.Request{
					System: []llm.Part{llm.Text("You are polite.")}, Messages: history[:n+1], Tools: oddTools(),
					Options: llm.Options{Thinking: thinking},
				}
				sent := len(line.Tap.Requests())
				resp, err := llm.Generate(t.Context(), line.Model, req)
				if last := history[n].Text(); strings.HasPrefix(last, "hello") && (err != nil || resp.Text() != "Hello from the other side.") {
					t.Errorf("after %d messages: got %q, %v", n+1, resp.Text(), err)
				}
				bodies := line.Tap.Requests()
				if len(bodies) != sent+1 {
					t.Fatalf("after %d messages: nothing was sent: %v", n+1, err)
				}
				for _, foreign := range []string{oddSignature, "odd-block", "odd-extra", "Somebody thinks."} {
					if strings.Contains(string(bodies[sent].Body), foreign) {
						t.Errorf("after %d messages: %s of %s was sent to %s:\n%s", n+1, foreign, provider(from), provider(line), bodies[sent].Body)
					}
				}
			}
		}
		line.CheckHistory(t)
	})
}

func TestALongNameIsMappedBack(t *testing.T) {
	t.Parallel()
	onEachWire(t, func(t *testing.T, line *wiretest.Line) {
		// What is the tool called on this wire?
		if _, err := llm.Generate(t.Context(), line.Model, &llm.Request{Messages: []llm.Message{llm.User("hello")}, Tools: oddTools()}); err != nil {
			t.Fatal(err)
		}
		names := line.Scope.Journal()[0].Body.Tools
		if len(names) != 5 {
			t.Fatalf("the server saw %d tools, want 5", len(names))
		}
		line.Scope.Add(
			mockllm.Fixture{
				Match: map[string]any{"userMessage": "use the long name", "hasToolResult": false},
				Response: map[string]any{"toolCalls": []map[string]any{
					{"name": names[0].Function.Name, "arguments": map[string]any{"city": "Orléans 🏰"}},
				}},
			},
			mockllm.Fixture{
				Match:    map[string]any{"toolResultContains": "20 °C"},
				Response: map[string]any{"content": "It was used."},
			},
		)
		history := []llm.Message{llm.User("Please use the long name.")}
		resp, err := llm.Generate(t.Context(), line.Model, &llm.Request{Messages: history, Tools: oddTools()})
		if err != nil {
			t.Fatal(err)
		}
		calls := resp.Message.Calls()
		if len(calls) != 1 || calls[0].Name != oddName || resp.Finish != llm.FinishToolCalls {
			t.Fatalf("got %v, ended by %s, want a call of %s", resp.Message, resp.Finish, oddName)
		}
		history = append(history, resp.Message, llm.Message{Role: llm.RoleTool, Parts: []llm.Part{
			{Kind: llm.PartResult, Result: &llm.ToolResult{ID: calls[0].ID, Name: oddName, Parts: []llm.Part{llm.Text("20 °C")}}},
		}})
		if resp, err = llm.Generate(t.Context(), line.Model, &llm.Request{Messages: history, Tools: oddTools()}); err != nil || resp.Text() != "It was used." {
			t.Errorf("got %q, %v after the result", resp.Text(), err)
		}
	})
}

package compat_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/llm/llmtest"
	"github.com/helios-go/helios/provider/compat"
)

// TestAConversationComesFromAnotherProvider sends the history of an Anthropic model
// to each dialect: its thoughts, signatures and blocks stay behind.
func TestAConversationComesFromAnotherProvider(t *testing.T) {
	t.Parallel()
	const theirs = "anthropic/claude-x"
	block := llm.Part{Kind: llm.PartOpaque, Model: theirs, Opaque: &llm.Opaque{Provider: "anthropic", Data: json.RawMessage(`{"type":"server_tool_use","secret":1}`)}}
	signed := thought("A stranger's thought.", theirs)
	signed.Signature = "SIGNATURE"
	text := llm.Part{Kind: llm.PartText, Text: "Let me look.", Model: theirs, Opaque: &llm.Opaque{Provider: "anthropic", Data: json.RawMessage(`{"citations":[1]}`)}}
	req := &llm.Request{Messages: []llm.Message{
		llm.User("hi"),
		{Role: llm.RoleAssistant, Parts: []llm.Part{signed, block}},
		{Role: llm.RoleAssistant, Parts: []llm.Part{signed, text, call("toolu_01", "f", `{}`), call("toolu_02", "f", ``)}},
		{Role: llm.RoleTool, Parts: []llm.Part{result("toolu_01", "f", llm.Text("1")), result("toolu_02", "f")}},
		llm.Assistant("Done."),
		llm.User("more"),
	}}
	for _, d := range compat.Dialects() {
		body, err := sent(t, &d, req)
		if err != nil {
			t.Fatal(err)
		}
		for _, not := range []string{"stranger", "SIGNATURE", "secret", "citations", "anthropic"} {
			if strings.Contains(string(body), not) {
				t.Errorf("%s is sent %s: %s", d.Name, not, body)
			}
		}
		var in struct {
			Messages []struct {
				Role  string
				ID    string                `json:"tool_call_id"`
				Calls []struct{ ID string } `json:"tool_calls"`
			}
		}
		if err := json.Unmarshal(body, &in); err != nil {
			t.Fatal(err)
		}
		roles := ""
		for _, m := range in.Messages {
			roles += m.Role[:1]
		}
		if roles != "uattau" || in.Messages[1].Calls[0].ID != in.Messages[2].ID || in.Messages[1].Calls[1].ID != in.Messages[3].ID {
			t.Errorf("%s: the roles %s of %s", d.Name, roles, body)
		}
	}
}

// TestWhatAServerSaidGoesBackToIt reads an answer and sends it on.
func TestWhatAServerSaidGoesBackToIt(t *testing.T) {
	t.Parallel()
	for i := range tapes {
		tp := &tapes[i]
		d := dialect(t, tp.dialect)
		resp, _, err := ask(t, d, llmtest.SSE(tp.stream), nil)
		if err != nil {
			t.Fatal(err)
		}
		messages := []llm.Message{llm.User("hi"), resp.Message}
		if calls := resp.Message.Calls(); len(calls) > 0 {
			results := llm.Message{Role: llm.RoleTool}
			for _, c := range calls {
				results.Parts = append(results.Parts, result(c.ID, c.Name, llm.Text("ok")))
			}
			messages = append(messages, results)
		} else {
			messages = append(messages, llm.User("more"))
		}
		body, err := sent(t, d, &llm.Request{Messages: messages})
		if err != nil {
			t.Fatal(err)
		}
		if tp.opaque != "" {
			var members map[string]json.RawMessage
			if err := json.Unmarshal([]byte(tp.opaque), &members); err != nil {
				t.Fatal(err)
			}
			for name, value := range members {
				if want := `"` + name + `":` + string(value); !strings.Contains(string(body), want) {
					t.Errorf("%s %s: %s is not in %s", tp.dialect, tp.name, want, body)
				}
			}
			if strings.Contains(string(body), `"reasoning":`) {
				t.Errorf("%s %s: the thought goes back twice: %s", tp.dialect, tp.name, body)
			}
		}
		echoed := strings.Contains(string(body), tp.thought)
		loop := len(resp.Message.Calls()) > 0
		if want := d.Details && loop || d.Echo == compat.EchoAll || d.Echo == compat.EchoTurns && loop; tp.thought != "" && echoed != want {
			t.Errorf("%s %s: the thought goes back: %t, want %t: %s", tp.dialect, tp.name, echoed, want, body)
		}
	}
}

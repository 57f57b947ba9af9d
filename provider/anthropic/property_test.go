package anthropic

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/helios-go/helios/llm"
)

var makers = []string{"", "anthropic/claude-opus-5", "anthropic/claude-sonnet-4-6", "openai/gpt-6.1-sol", "gemini/gemini-3.8-flash"}

// anyAnswer is an answer as some provider may have left it in a history.
func anyAnswer(t *rapid.T, turn int) llm.Message {
	m := llm.Message{Role: llm.RoleAssistant}
	asked := "nothing"
	for i := range rapid.IntRange(0, 5).Draw(t, "parts") {
		maker := rapid.SampledFrom(makers).Draw(t, "maker")
		provider, _, _ := strings.Cut(maker, "/")
		if provider == "" {
			provider = "anthropic"
		}
		p := llm.Part{Model: maker, Cache: rapid.Bool().Draw(t, "marked")}
		block := func(data string) { p.Opaque = &llm.Opaque{Provider: provider, Data: json.RawMessage(data)} }
		switch rapid.IntRange(0, 6).Draw(t, "kind") {
		case 0:
			p.Kind, p.Text = llm.PartText, rapid.SampledFrom([]string{"", " ", "said", "\xff"}).Draw(t, "text")
		case 1:
			p.Kind, p.Text, p.Signature = llm.PartThinking, "hm", rapid.SampledFrom([]string{"", "S"}).Draw(t, "signature")
		case 2:
			p.Kind = llm.PartCall
			p.Call = &llm.ToolCall{ID: fmt.Sprintf("%s%d %d", provider, turn, i), Name: "a.b", Args: json.RawMessage(rapid.SampledFrom([]string{"", "{}", `{"a":`, "[1]", `{"a":"\ud83d"}`}).Draw(t, "args"))}
		case 3:
			p.Kind = llm.PartOpaque
			asked = fmt.Sprintf("s%d_%d", turn, i)
			block(`{"type":"server_tool_use","id":"` + asked + `","name":"web_search","input":{}}`)
		case 4:
			p.Kind = llm.PartOpaque
			block(`{"type":"web_search_tool_result","tool_use_id":"` + asked + `","content":[]}`)
		case 5:
			p.Kind = llm.PartOpaque
			block(`{"type":"redacted_thinking","data":"R"}`)
		case 6:
			p.Kind, p.Text = llm.PartText, "cited"
			block(`{"citations":[{"url":"u"}]}`)
		}
		m.Parts = append(m.Parts, p)
	}
	return m
}

func anyHistory(t *rapid.T) []llm.Message {
	var history []llm.Message
	for turn := range rapid.IntRange(1, 6).Draw(t, "turns") {
		if rapid.Bool().Draw(t, "asked") || turn == 0 {
			history = append(history, llm.User(rapid.SampledFrom([]string{"go", "\x00"}).Draw(t, "said")))
		}
		answer := anyAnswer(t, turn)
		history = append(history, answer)
		results := llm.Message{Role: llm.RoleTool}
		for _, c := range answer.Calls() {
			results.Parts = append(results.Parts, llm.Part{Kind: llm.PartResult, Result: &llm.ToolResult{ID: c.ID, Name: c.Name, Parts: []llm.Part{llm.Text(rapid.SampledFrom([]string{"", "fine"}).Draw(t, "result"))}}})
		}
		if len(results.Parts) > 0 {
			history = append(history, results)
		}
	}
	return append(history, llm.User("and?"))
}

var takesID = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

// Whoever has made a history, and wherever it was broken off, the API takes it.
func TestEveryHistoryIsOneTheAPITakes(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		id := rapid.SampledFrom([]string{"claude-opus-5", "claude-sonnet-4-6", "claude-fable-5-2", "claude-sonnet-5-5"}).Draw(t, "model")
		m := New(id, &Options{Key: "k", Cache: CachePolicy(rapid.IntRange(0, 2).Draw(t, "cache"))})
		req := &llm.Request{
			System: []llm.Part{llm.Text("s").Cached(), llm.Text("t")}, Messages: anyHistory(t), Tools: []llm.ToolSpec{{Name: "a.b"}},
			Options: llm.Options{Thinking: llm.Thinking(rapid.IntRange(0, 5).Draw(t, "thinking"))},
		}
		e, err := m.encoder(req)
		if err != nil {
			t.Fatal(err)
		}
		data, err := e.body()
		if err != nil || !utf8.Valid(data) {
			t.Fatalf("%v: %q", err, data)
		}
		if n := strings.Count(string(data), `"cache_control"`); n > maxMarks || n > 0 && m.opts.Cache == CacheNone {
			t.Fatalf("%d marks: %s", n, data)
		}
		var body sentBody
		if err := json.Unmarshal(data, &body); err != nil {
			t.Fatal(err)
		}
		if problem := body.problem(); problem != "" {
			t.Fatalf("%s: %s", problem, data)
		}
	})
}

type sentBody struct {
	Thinking struct{ Type string }
	Messages []struct {
		Role    string
		Content []struct {
			Type, Text, ID, Name, Signature string
			ToolUseID                       string `json:"tool_use_id"`
			Input                           map[string]any
		}
	}
}

// problem is what the API would say of the messages.
func (b *sentBody) problem() string {
	asked := map[string]bool{} // of tools that the API runs
	for i, m := range b.Messages {
		switch {
		case (m.Role == "user") != (i%2 == 0):
			return "roles are not in turn"
		case len(m.Content) == 0:
			return "an empty message"
		}
		var open []string
		for j, c := range m.Content {
			switch c.Type {
			case "text":
				if strings.TrimSpace(c.Text) == "" {
					return "a blank text"
				}
			case "thinking", "redacted_thinking":
				if j == len(m.Content)-1 {
					return "an answer that ends in a thought"
				}
			case "tool_use":
				if open = append(open, c.ID); !takesID.MatchString(c.ID) || c.Name != "a_b" || c.Input == nil {
					return "a call that it does not take"
				}
			case "tool_result":
				return "a result without a call"
			case "server_tool_use":
				asked[c.ID] = true
			case "web_search_tool_result":
				if !asked[c.ToolUseID] {
					return "an answer without what was asked"
				}
			}
		}
		if problem := b.answered(i, open); problem != "" {
			return problem
		}
	}
	return ""
}

// answered is what is wrong with the results of a message's calls.
func (b *sentBody) answered(i int, open []string) string {
	if len(open) == 0 {
		return ""
	}
	var answered []string
	for j := range open {
		if i+1 >= len(b.Messages) || j >= len(b.Messages[i+1].Content) {
			return "a call without a result"
		}
		r := &b.Messages[i+1].Content[j]
		if r.Type != "tool_result" {
			return "a result that does not stand in front"
		}
		answered = append(answered, r.ToolUseID)
		r.Type = "answered"
	}
	if strings.Join(open, " ") != strings.Join(answered, " ") {
		return "results of other calls"
	}
	if i+2 == len(b.Messages) && b.Thinking.Type == "enabled" && !b.begun(i) {
		return "a budget in a turn that has no thought"
	}
	return ""
}

// begun reports whether the turn that goes on behind a message has a thought at the
// beginning of one of its answers.
func (b *sentBody) begun(i int) bool {
	for ; i > 0; i -= 2 {
		if kind := b.Messages[i].Content[0].Type; kind == "thinking" || kind == "redacted_thinking" {
			return true
		}
		for _, c := range b.Messages[i-1].Content {
			if c.Type != "answered" {
				return false
			}
		}
	}
	return false
}

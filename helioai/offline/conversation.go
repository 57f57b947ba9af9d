package offline

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/helios-go/helios/llm"
)

// A turn is what the planner reads from a request: the question, what came back
// from its own calls for it, and which tools it may call.
type turn struct {
	question string
	before   string // the question before it in the conversation
	prefix   string // of the ids of the calls for this question
	results  map[string]*llm.ToolResult
	called   map[string]bool
	tools    map[string]*llm.ToolSpec
}

func readTurn(req *llm.Request) *turn {
	t := &turn{results: map[string]*llm.ToolResult{}, called: map[string]bool{}, tools: map[string]*llm.ToolSpec{}}
	for i := range req.Tools {
		t.tools[req.Tools[i].Name] = &req.Tools[i]
	}
	asked := -1
	for i := range req.Messages {
		m := &req.Messages[i]
		if m.Role != llm.RoleUser || m.Origin == "hook" || m.Origin == "correction" {
			continue
		}
		if text := strings.TrimSpace(m.Text()); text != "" {
			t.before, t.question, asked = t.question, text, i
		}
	}
	t.prefix = fmt.Sprintf("offline_%d_", asked+1)
	for i := asked + 1; i < len(req.Messages); i++ {
		for k := range req.Messages[i].Parts {
			part := &req.Messages[i].Parts[k]
			if part.Kind == llm.PartCall && part.Call != nil {
				t.called[part.Call.ID] = true
			}
			if part.Kind == llm.PartResult && part.Result != nil {
				t.results[part.Result.ID] = part.Result
			}
		}
	}
	return t
}

func (t *turn) offers(tool string) bool { return t.tools[tool] != nil }

// takes reports whether a tool has an argument of that name.
func (t *turn) takes(tool, argument string) bool {
	spec := t.tools[tool]
	if spec == nil {
		return false
	}
	var schema struct {
		Properties map[string]json.RawMessage `json:"properties"`
	}
	return json.Unmarshal(spec.Input, &schema) == nil && schema.Properties[argument] != nil
}

// result returns what a call of this question gave; nil while it has not been
// made.
func (t *turn) result(id string) *llm.ToolResult { return t.results[t.prefix+id] }

// failure is the text of a failed result in one sentence; "" for a good one. A
// tool reports a failure by marking the result or by an "error" in its JSON.
func failure(r *llm.ToolResult) string {
	text := strings.TrimSpace(r.Text())
	var body struct {
		Error string `json:"error"`
	}
	if json.Unmarshal([]byte(text), &body) == nil && body.Error != "" {
		return body.Error
	}
	if r.IsError {
		if text == "" {
			return "the tool failed and did not say why"
		}
		return text
	}
	return ""
}

// A step is what the planner does next: tool calls, or plain text where no tool
// takes an answer.
type step struct {
	calls []llm.ToolCall
	text  string
}

func (t *turn) call(id, tool string, args any) llm.ToolCall {
	raw, err := json.Marshal(args)
	if err != nil {
		raw = json.RawMessage("{}") // only maps of plain values get here
	}
	return llm.ToolCall{ID: t.prefix + id, Name: tool, Args: raw}
}

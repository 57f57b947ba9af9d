package otel

import (
	"encoding/json"

	"github.com/helios-go/helios/llm"
)

// message and part are the shape that the conventions give to content.
type message struct {
	Role   string `json:"role"`
	Parts  []part `json:"parts"`
	Finish string `json:"finish_reason,omitempty"`
}

type part struct {
	Type      string `json:"type"`
	Content   string `json:"content,omitempty"`
	ID        string `json:"id,omitempty"`
	Name      string `json:"name,omitempty"`
	Arguments any    `json:"arguments,omitempty"` // JSON, or as text what is none
	Response  string `json:"response,omitempty"`
	MIME      string `json:"mime_type,omitempty"`
}

// messages writes messages as JSON. Of files and media there is only the type.
func messages(all []llm.Message, finish string) string {
	out := make([]message, len(all))
	for i, m := range all {
		out[i] = message{Role: string(m.Role), Parts: parts(m.Parts), Finish: finish}
	}
	data, err := json.Marshal(out)
	if err != nil {
		return "" // never: all of it is text or valid JSON
	}
	return string(data)
}

func parts(all []llm.Part) []part {
	out := make([]part, 0, len(all))
	for i := range all {
		switch p := &all[i]; {
		case p.Kind == llm.PartText:
			out = append(out, part{Type: "text", Content: p.Text})
		case p.Kind == llm.PartThinking:
			out = append(out, part{Type: "reasoning", Content: p.Text})
		case p.Call != nil:
			call := part{Type: "tool_call", ID: p.Call.ID, Name: p.Call.Name}
			if call.Arguments = string(p.Call.Args); json.Valid(p.Call.Args) {
				call.Arguments = p.Call.Args
			}
			out = append(out, call)
		case p.Result != nil:
			out = append(out, part{Type: "tool_call_response", ID: p.Result.ID, Response: p.Result.Text()})
		default:
			out = append(out, part{Type: string(p.Kind)})
		}
	}
	return out
}

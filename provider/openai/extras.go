package openai

import (
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/helios-go/helios/llm"
)

// notes are what we remember of an item beside what the server says of it.
type notes struct {
	Next    string `json:"next,omitempty"`    // of reasoning: the item that followed it
	Summary []int  `json:"summary,omitempty"` // of reasoning: the lengths of the texts that its text is made of
	Content []int  `json:"content,omitempty"` // the same, of reasoning that came as it was thought

	Response string `json:"response,omitempty"` // the answer that the part is of, where the server stores it
	Before   string `json:"before,omitempty"`   // a hash of all that was sent before it
}

func (n *notes) empty() bool {
	return n.Next == "" && n.Summary == nil && n.Content == nil && n.Response == ""
}

const notesName = "helios"

// opaque are the further fields of a part's own form; nil if there are none.
func opaque(f fields, n *notes) *llm.Opaque {
	if !n.empty() {
		if data, err := json.Marshal(n); err == nil {
			f[notesName] = data
		}
	}
	if len(f) == 0 {
		return nil
	}
	return &llm.Opaque{Provider: providerName, Data: f.object()}
}

// extras are the further fields of a part that is to be sent, and our notes. Those
// of another provider are none.
func extras(p *llm.Part) (fields, *notes) {
	n := &notes{}
	if p.Opaque == nil || !ours(p) {
		return nil, n
	}
	if !utf8.Valid(p.Opaque.Data) {
		return nil, n
	}
	f := members(p.Opaque.Data)
	if raw := f[notesName]; raw != nil {
		if json.Unmarshal(raw, n) != nil {
			n = &notes{}
		}
		delete(f, notesName)
	}
	return f, n
}

// ours reports whether what a part says besides is of this provider.
func ours(p *llm.Part) bool {
	return (p.Model == "" || strings.HasPrefix(p.Model, providerName+"/")) &&
		(p.Opaque == nil || p.Opaque.Provider == providerName)
}

// verbatim is an item of the server's as it came, if it can be sent at all.
func verbatim(p *llm.Part) (json.RawMessage, bool) {
	if p.Opaque == nil || !ours(p) {
		return nil, false
	}
	data := p.Opaque.Data
	return data, utf8.Valid(data) && members(data) != nil
}

// pieces cuts a text into pieces of these lengths with a blank line between, as it
// was put together from them; it is one piece if it has changed since.
func pieces(text string, lengths []int) []string {
	var out []string
	rest := text
	for i, n := range lengths {
		if i > 0 {
			var ok bool
			if rest, ok = strings.CutPrefix(rest, between); !ok {
				return []string{text}
			}
		}
		if n < 0 || n > len(rest) {
			return []string{text}
		}
		out = append(out, rest[:n])
		rest = rest[n:]
	}
	if rest != "" {
		return []string{text}
	}
	return out
}

// between separates the pieces of a text of reasoning.
const between = "\n\n"

package gemini

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"github.com/helios-go/helios/llm"
)

// refField is where an answer's reference is kept, among the further fields of one
// of its parts.
const refField = "interaction"

// A reference is what an answer leaves behind for the request after it, when the
// server keeps the conversation.
type reference struct {
	ID string `json:"id"`
	// History tells what the server has been given before the answer. A conversation
	// that was shortened or edited since does not have the same: what the server
	// keeps is then not what the caller means.
	History string `json:"history"`
}

// referenceIn is the last reference that a message holds.
func referenceIn(m *llm.Message, model string) (reference, bool) {
	for i := len(m.Parts) - 1; i >= 0; i-- {
		p := &m.Parts[i]
		if p.Opaque == nil || p.Kind == llm.PartOpaque || p.Opaque.Provider != vendor || p.Model != model {
			continue
		}
		var e map[string]json.RawMessage
		var r reference
		if json.Unmarshal(p.Opaque.Data, &e) == nil && json.Unmarshal(e[refField], &r) == nil && r.ID != "" {
			return r, true
		}
	}
	return reference{}, false
}

// fingerprint stands for steps. Stores may write <, > and & in another way; that is
// the same conversation.
func fingerprint(steps []json.RawMessage) string {
	sum := sha256.New()
	var compact, plain bytes.Buffer
	for _, s := range steps {
		compact.Reset()
		plain.Reset()
		if json.Compact(&compact, s) != nil {
			continue // the request fails for it anyway
		}
		json.HTMLEscape(&plain, compact.Bytes())
		plain.WriteByte('\n')
		sum.Write(plain.Bytes())
	}
	return hex.EncodeToString(sum.Sum(nil)[:12])
}

package openai

import (
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"strings"

	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/provider/internal/adapt"
	"github.com/helios-go/helios/provider/internal/wire"
)

// input translates the conversation. Where the server stores answers, only what
// follows the last one that it has is sent, provided that all before it is still
// what the server was sent then: a conversation that was compacted or changed since
// goes out whole.
func (m *Model) input(c *call, messages []llm.Message) {
	b := &builder{
		model: m.Name(), stored: m.opts.Continuation, names: c.names,
		ids: adapt.NewIDs(adapt.OpenAIIDs, messages), items: make([]any, 0, len(messages)),
	}
	if !m.opts.Continuation {
		for i := range messages {
			b.message(&messages[i])
		}
		c.body.Input = b.items
		return
	}
	sent := &digest{hash: sha256.New()}
	from := 0
	for i := range messages {
		before, response := sent.text(), ""
		if messages[i].Role == llm.RoleAssistant {
			response = answered(messages[i].Parts, before)
		}
		first := len(b.items)
		b.message(&messages[i])
		sent.add(b.items[first:])
		if response != "" {
			c.body.Previous, from = response, len(b.items)
		}
	}
	c.whole, c.before = b.items, sent.text()
	c.body.Input = b.items[from:]
}

// answered is the id of the stored answer that an assistant's parts are, "" if they
// are none or followed something else.
func answered(parts []llm.Part, before string) string {
	for i := range parts {
		if _, n := extras(&parts[i]); n.Response != "" {
			if n.Before == before {
				return n.Response
			}
			return ""
		}
	}
	return ""
}

// A digest stands for all items that were sent.
type digest struct{ hash hash.Hash }

func (d *digest) add(items []any) {
	for _, item := range items {
		data, err := wire.Marshal(item)
		if err != nil {
			data = []byte("?") // the request will fail
		}
		d.hash.Write(append(data, '\n'))
	}
}

func (d *digest) text() string {
	const length = 12
	return hex.EncodeToString(d.hash.Sum(nil)[:length])
}

// unknown reports whether an error is that the server does not have the previous
// answer any more.
func unknown(err error, previous string) bool {
	if err == nil || previous == "" {
		return false
	}
	text := strings.ToLower(err.Error())
	return strings.Contains(text, strings.ToLower(previous)) || strings.Contains(text, "previous_response") || strings.Contains(text, "previous response")
}

package openai

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
	"net/http"
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
		model: m.Name(), named: !m.nameless.Load(), names: c.names, tools: c.tools,
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
	if from == len(b.items) { // nothing is new, and something has to be sent
		c.body.Previous, from = "", 0
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

// again changes a request that was refused because of what the server was thought to
// know, and reports whether that is why.
//
// An answer that is to be continued may have been forgotten: then all is sent. And
// some servers look for every item that has an id, and do not find those that they
// did not store, although all of them is there: then ids are left out, from now on.
func (m *Model) again(c *call, err error) bool {
	e, ok := errors.AsType[*llm.Error](err)
	if !ok || e.Status != http.StatusBadRequest && e.Status != http.StatusNotFound {
		return false
	}
	text := strings.ToLower(e.Error())
	switch {
	case c.body.Previous != "" && (strings.Contains(text, strings.ToLower(c.body.Previous)) || strings.Contains(text, "previous_response") || strings.Contains(text, "previous response")):
		c.body.Previous, c.body.Input = "", c.whole
		return true
	case strings.Contains(text, "items are not persisted") && m.nameless.CompareAndSwap(false, true):
		m.input(c, c.messages)
		return true
	}
	return false
}

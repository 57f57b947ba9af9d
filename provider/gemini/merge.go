package gemini

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/helios-go/helios/provider/internal/wire"
)

// merge puts what a delta says into the step that it belongs to: fields that are
// new, more of texts and lists, and what objects hold. The step's own type stays.
func merge(step, delta json.RawMessage) (json.RawMessage, error) {
	var into, more map[string]json.RawMessage
	if err := json.Unmarshal(step, &into); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(delta, &more); err != nil {
		return nil, err
	}
	if into == nil {
		into = map[string]json.RawMessage{}
	}
	for key, value := range more {
		if key == "type" && into[key] != nil {
			continue
		}
		into[key] = join(into[key], value)
	}
	return wire.Marshal(into)
}

// join is a value with more of it. What a server says twice is there once.
func join(old, more json.RawMessage) json.RawMessage {
	old, more = bytes.TrimSpace(old), bytes.TrimSpace(more)
	if len(old) == 0 || len(more) == 0 || old[0] != more[0] || bytes.Equal(old, more) {
		return more
	}
	var joined any
	switch old[0] {
	case '"':
		a, _ := text(old)
		b, _ := text(more)
		joined = a + b
	case '[':
		var a, b []json.RawMessage
		if json.Unmarshal(old, &a) != nil || json.Unmarshal(more, &b) != nil {
			return more
		}
		joined = slices.Concat(a, b)
	case '{':
		merged, err := merge(old, more)
		if err != nil {
			return more
		}
		return merged
	default:
		return more
	}
	data, err := wire.Marshal(joined)
	if err != nil {
		return more
	}
	return data
}

package anthropic

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"

	"github.com/helios-go/helios/provider/internal/wire"
)

// An object is a JSON object in the making, its members as they were sent.
type object struct {
	buf bytes.Buffer
}

// beside is what an object holds besides some members. Of what is no object it is
// empty.
func beside(data json.RawMessage, without ...string) *object {
	o := &object{}
	d := json.NewDecoder(bytes.NewReader(data))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return o
	}
next:
	for d.More() {
		key, err := d.Token()
		name, ok := key.(string)
		var value json.RawMessage
		if err != nil || !ok || d.Decode(&value) != nil {
			return o
		}
		for _, w := range without {
			if w == name {
				continue next
			}
		}
		o.add(name, value)
	}
	return o
}

// over is another object with the members of this one in the place of its own.
func (o *object) over(data json.RawMessage) json.RawMessage {
	var names map[string]json.RawMessage
	if json.Unmarshal(o.json(), &names) != nil {
		return data
	}
	all := beside(data, slices.Collect(maps.Keys(names))...)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		all.add(name, names[name])
	}
	return all.json()
}

func (o *object) add(name string, value any) {
	key, err := wire.Marshal(name)
	if err != nil {
		return
	}
	data, ok := value.(json.RawMessage)
	if !ok {
		if data, err = wire.Marshal(value); err != nil {
			return
		}
	}
	sep := byte(',')
	if o.buf.Len() == 0 {
		sep = '{'
	}
	o.buf.WriteByte(sep)
	o.buf.Write(key)
	o.buf.WriteByte(':')
	o.buf.Write(data)
}

// json is the object, nil without members.
func (o *object) json() json.RawMessage {
	if o == nil || o.buf.Len() == 0 {
		return nil
	}
	return append(bytes.Clone(o.buf.Bytes()), '}')
}

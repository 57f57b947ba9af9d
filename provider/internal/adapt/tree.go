package adapt

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// An object is a JSON object whose members stay in their order. Other JSON values
// are []any, string, json.Number, bool and nil, so that no number is rounded.
type object struct {
	keys []string
	m    map[string]any
}

func newObject(size int) *object { return &object{make([]string, 0, size), make(map[string]any, size)} }

func (o *object) has(key string) bool { _, ok := o.m[key]; return ok }

func (o *object) set(key string, value any) {
	if !o.has(key) {
		o.keys = append(o.keys, key)
	}
	o.m[key] = value
}

func (o *object) drop(key string) {
	if !o.has(key) {
		return
	}
	delete(o.m, key)
	for i, k := range o.keys {
		if k == key {
			o.keys = append(o.keys[:i:i], o.keys[i+1:]...)
			return
		}
	}
}

// clone copies the object itself, not what it holds.
func (o *object) clone() *object {
	c := newObject(len(o.keys))
	for _, k := range o.keys {
		c.set(k, o.m[k])
	}
	return c
}

// instead is an object with another member in the place of one.
func instead(o *object, key, other string, v any) *object {
	c := newObject(len(o.keys))
	for _, k := range o.keys {
		if k == key {
			c.set(other, v)
		} else if k != other {
			c.set(k, o.m[k])
		}
	}
	return c
}

func (o *object) object(key string) *object { v, _ := o.m[key].(*object); return v }
func (o *object) list(key string) []any     { v, _ := o.m[key].([]any); return v }
func (o *object) text(key string) string    { v, _ := o.m[key].(string); return v }

// decode reads one JSON value.
func decode(data []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	v, err := value(d)
	if err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("there is more behind the JSON value")
	}
	return v, nil
}

func value(d *json.Decoder) (any, error) {
	t, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch t {
	case json.Delim('{'):
		o := newObject(4)
		for d.More() {
			key, err := d.Token()
			if err != nil {
				return nil, err
			}
			v, err := value(d)
			if err != nil {
				return nil, err
			}
			o.set(fmt.Sprint(key), v)
		}
		_, err = d.Token()
		return o, err
	case json.Delim('['):
		list := []any{}
		for d.More() {
			v, err := value(d)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		_, err = d.Token()
		return list, err
	}
	return t, nil
}

// encode writes what decode reads.
func encode(v any) []byte { return write(nil, v) }

func write(b []byte, v any) []byte {
	switch v := v.(type) {
	case *object:
		b = append(b, '{')
		for i, k := range v.keys {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(write(b, k), ':')
			b = write(b, v.m[k])
		}
		return append(b, '}')
	case []any:
		b = append(b, '[')
		for i := range v {
			if i > 0 {
				b = append(b, ',')
			}
			b = write(b, v[i])
		}
		return append(b, ']')
	case json.Number:
		return append(b, v...)
	}
	var buf bytes.Buffer
	e := json.NewEncoder(&buf)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil { // texts, booleans and null can be written
		return append(b, "null"...)
	}
	return append(b, bytes.TrimSuffix(buf.Bytes(), []byte("\n"))...)
}

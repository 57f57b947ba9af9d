package hapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

const (
	// maxReferred is how long all that stands in the place of references may be.
	maxReferred = 16 << 20
	// maxReferring is how many definitions may refer to one another; by the
	// specification none does.
	maxReferring = 8
)

var errReferences = errors.New("its references come to more text than can be read")

// references are the definitions of a header.
type references struct {
	definitions map[string]json.RawMessage
	left        int // bytes
}

func newReferences(definitions loose) *references {
	r := &references{left: maxReferred}
	if len(definitions) > 0 && definitions[0] == '{' {
		_ = json.Unmarshal(definitions, &r.definitions) // it is valid JSON, and an object
	}
	return r
}

// resolve puts definitions in the place of references to them.
func (r *references) resolve(raw json.RawMessage) (json.RawMessage, error) {
	if !bytes.Contains(raw, []byte(`"$ref"`)) {
		return raw, nil
	}
	v, err := r.value(raw, maxReferring)
	if err != nil {
		return nil, err
	}
	return json.Marshal(v)
}

func (r *references) value(raw json.RawMessage, depth int) (any, error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, describeJSON(err)
	}
	return r.replace(v, depth)
}

func (r *references) replace(v any, depth int) (any, error) {
	var err error
	switch v := v.(type) {
	case []any:
		for i := range v {
			if v[i], err = r.replace(v[i], depth); err != nil {
				return nil, err
			}
		}
	case map[string]any:
		if ref, ok := v["$ref"].(string); ok {
			return r.definition(ref, depth)
		}
		for k := range v {
			if v[k], err = r.replace(v[k], depth); err != nil {
				return nil, err
			}
		}
	}
	return v, nil
}

func (r *references) definition(ref string, depth int) (any, error) {
	name, ok := strings.CutPrefix(ref, "#/definitions/")
	target, found := r.definitions[name]
	if !ok || !found {
		return nil, fmt.Errorf("it refers to %.80q, and there is no such definition", ref)
	}
	if depth == 0 {
		return nil, fmt.Errorf("it refers to %.80q, whose definition refers on and on", ref)
	}
	if r.left -= len(target); r.left < 0 {
		return nil, errReferences
	}
	return r.value(target, depth-1)
}

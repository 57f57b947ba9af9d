package llm

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// A SchemaError lists everything that is wrong with a JSON value, each problem
// with its path, worded so that a model can correct itself. It never repeats
// the value as a whole.
type SchemaError struct {
	Schema   string // the schema's name
	Problems []string
}

// Error joins the problems.
func (e *SchemaError) Error() string { return strings.Join(e.Problems, "; ") }

// Validate checks a JSON value. It is nil or a [*SchemaError].
//
// Null is tolerated where it can only mean "not given": for an optional
// property and for an array.
func (s *Schema) Validate(data json.RawMessage) error {
	if s.resolved == nil {
		compiled, err := ParseSchema(s.Name, s.JSON)
		if err != nil {
			return &SchemaError{s.Name, []string{err.Error()}}
		}
		s = compiled
	}
	value, err := decodeAny(data)
	if err != nil {
		return &SchemaError{s.Name, []string{"not valid JSON: " + err.Error()}}
	}
	if s.shape != nil && s.shape.has(value) {
		return nil
	}
	bad := s.resolved.Validate(value)
	if bad == nil {
		return nil
	}
	// Most schemas never get here, so the second look is not on the fast path.
	pruned := prune(s.root, value)
	if bad = s.resolved.Validate(pruned); bad == nil {
		return nil
	}
	e := &SchemaError{Schema: s.Name}
	e.explain(s.root, pruned, "")
	if len(e.Problems) == 0 {
		e.Problems = []string{plain(bad)}
	}
	return e
}

// decodeAny decodes exactly one JSON value.
func decodeAny(data []byte) (any, error) {
	var v any
	if err := json.Unmarshal(data, &v); err != nil {
		var syntax *json.SyntaxError
		switch {
		case len(bytes.TrimSpace(data)) == 0:
			return nil, errors.New("it is empty")
		case errors.As(err, &syntax) && strings.HasPrefix(syntax.Error(), "unexpected end"):
			return nil, fmt.Errorf("it ends in the middle, after %d bytes", len(data))
		case errors.As(err, &syntax):
			return nil, fmt.Errorf("%s at byte %d", syntax, syntax.Offset)
		}
		return nil, err
	}
	return v, nil
}

// prune drops the nulls of optional properties and makes null arrays empty.
func prune(s *jsonschema.Schema, value any) any {
	if s == nil {
		return value
	}
	switch v := value.(type) {
	case nil:
		if s.Type == "array" {
			return []any{}
		}
	case map[string]any:
		for name, member := range v {
			prop := s.Properties[name]
			if prop == nil {
				continue
			}
			if member == nil && prop.Type != "" && prop.Type != "array" && !slices.Contains(s.Required, name) {
				delete(v, name)
				continue
			}
			v[name] = prune(prop, member)
		}
	case []any:
		for i := range v {
			v[i] = prune(s.Items, v[i])
		}
	}
	return value
}

// plain strips the schema locations from the library's message: a model has no
// use for them.
func plain(err error) string {
	msg := err.Error()
	for strings.HasPrefix(msg, "validating ") {
		_, rest, ok := strings.Cut(msg, ": ")
		if !ok {
			break
		}
		msg = rest
	}
	return msg
}

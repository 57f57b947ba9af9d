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

	hide bool // name nothing that the schema does not
}

// Error joins the problems, up to a hundred of them.
func (e *SchemaError) Error() string { return joinProblems(e.Problems) }

func joinProblems(problems []string) string { return strings.Join(capped(problems), "; ") }

// capped bounds what is told of problems at once: a list of ten thousand wrong
// items is wrong in one way.
func capped(problems []string) []string {
	const most = 100
	if len(problems) <= most {
		return problems
	}
	return append(problems[:most:most], fmt.Sprintf("and %d more", len(problems)-most))
}

// Validate checks a JSON value. It is nil or a [*SchemaError].
//
// Null is tolerated where it can only mean "not given": for an optional
// property and for an array.
func (s *Schema) Validate(data json.RawMessage) error { return s.validate(data, false) }

// validate is Validate. With hide the problems name nothing that the schema does
// not.
func (s *Schema) validate(data json.RawMessage, hide bool) error {
	if s.shape != nil && s.shape.fits(data) {
		return nil
	}
	return s.refuse(data, hide)
}

// refuse is validate for what the fast look could not accept.
func (s *Schema) refuse(data json.RawMessage, hide bool) error {
	e := &SchemaError{Schema: s.Name, hide: hide}
	fail := func(problem string) error {
		e.Problems = append(e.Problems, problem)
		return e
	}
	if s.resolved == nil {
		compiled, err := ParseSchema(s.Name, s.JSON)
		if err != nil {
			return fail(err.Error())
		}
		s = compiled
	}
	value, err := decodeAny(data)
	if err != nil {
		return fail("not valid JSON: " + err.Error())
	}
	bad := s.judge(value)
	if bad == nil {
		return nil
	}
	// Most schemas never get here, so the second look is not on the fast path.
	pruned := s.prune(s.root, value)
	if bad = s.judge(pruned); bad == nil {
		return nil
	}
	e.explain(s.root, pruned, "")
	switch {
	case len(e.Problems) > 0:
	case hide:
		e.Problems = []string{"it does not fit the schema"}
	default:
		e.Problems = []string{plain(bad)}
	}
	return e
}

// judge asks the library, which asserts some things that a schema by hand may get
// wrong.
func (s *Schema) judge(value any) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the schema cannot be evaluated: %v", p)
		}
	}()
	return s.resolved.Validate(value)
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

// prune reads a value as it is meant: without the nulls of optional properties,
// with null arrays empty, and with words in the case that they have in Go.
func (s *Schema) prune(at *jsonschema.Schema, value any) any {
	if at == nil {
		return value
	}
	switch v := value.(type) {
	case nil:
		if at.Type == "array" {
			return []any{}
		}
	case string:
		if slices.Contains(s.folded, at) {
			return strings.ToUpper(strings.TrimSpace(v))
		}
	case map[string]any:
		for name, member := range v {
			prop := at.Properties[name]
			if prop == nil {
				if prop = at.AdditionalProperties; prop == nil {
					continue
				}
			} else if member == nil && prop.Type != "" && prop.Type != "array" && !slices.Contains(at.Required, name) {
				delete(v, name)
				continue
			}
			v[name] = s.prune(prop, member)
		}
	case []any:
		for i := range v {
			v[i] = s.prune(at.Items, v[i])
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

package code

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"

	"github.com/helios-go/helios/llm"
)

// An Input is bound as a variable before the first cell, and again whenever an
// interpreter has to be started anew.
type Input struct {
	Name  string          // an identifier in JavaScript and in Python
	Value json.RawMessage // any JSON
	Doc   string          // what it is, for the model; may be empty

	shape *shape // nil: told by the value
}

// InputsOf makes an input of each field of a struct, in the order of their
// declaration, named and described by its tags as in [llm.SchemaFor]. Fields that
// their tags leave out when they are empty are null then, so that their names are
// bound in any case.
func InputsOf[I any](in I) ([]Input, error) {
	if t := reflect.TypeFor[I](); t.Kind() != reflect.Struct {
		return nil, fmt.Errorf("inputs from %v: it must be a struct, whose fields become variables", t)
	}
	schema, err := llm.SchemaFor[I]("input")
	if err != nil {
		return nil, err
	}
	data, err := encode(in)
	if err != nil {
		return nil, fmt.Errorf("inputs from %T: %w", in, err)
	}
	var values map[string]json.RawMessage
	if err := json.Unmarshal(data, &values); err != nil {
		return nil, fmt.Errorf("inputs from %T: %w", in, err)
	}
	fields := shapeOf(schema.JSON).Properties
	inputs := make([]Input, len(fields))
	for i := range fields {
		f := &fields[i]
		value := values[f.Name]
		if value == nil {
			value = json.RawMessage("null")
		}
		inputs[i] = Input{Name: f.Name, Value: value, Doc: f.Description, shape: &f.shape}
	}
	return inputs, nil
}

// problem tells why the input cannot be bound.
func (in *Input) problem() error {
	if err := checkName(in.Name); err != nil {
		return err
	}
	switch {
	case in.Name == "predict", in.Name == "submit":
		return fmt.Errorf("%q is reserved for the function of that name", in.Name)
	case !json.Valid(in.Value):
		return errors.New("its value is not JSON")
	case llm.Deeper(in.Value, llm.MaxDepth):
		return fmt.Errorf("its value nests deeper than %d levels", llm.MaxDepth)
	}
	return nil
}

// typ is the type of the input as a model is told it.
func (in *Input) typ(d *dialect) string {
	if in.shape != nil {
		return d.typ(in.shape, 0)
	}
	s := shapeOfValue(in.Value)
	return d.typ(&s, 0)
}

// shapeOfValue is what can be told of a type by one value.
func shapeOfValue(value json.RawMessage) shape {
	var v any
	if json.Unmarshal(value, &v) != nil {
		return shape{}
	}
	return shapeOfAny(v)
}

func shapeOfAny(v any) shape {
	switch v := v.(type) {
	case nil:
		return shape{Type: typeNames{"null"}}
	case string:
		return shape{Type: typeNames{"string"}}
	case bool:
		return shape{Type: typeNames{"boolean"}}
	case float64:
		return shape{Type: typeNames{"number"}}
	case []any:
		s := shape{Type: typeNames{"array"}}
		if len(v) > 0 {
			of := shapeOfAny(v[0])
			s.Items = &of
		}
		return s
	}
	return shape{Type: typeNames{"object"}}
}

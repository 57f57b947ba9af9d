package tool

import (
	"bytes"
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"

	"github.com/helios-go/helios/llm"
)

// toResult turns what a function returned into a result.
func toResult(out any) (Result, error) {
	switch v := out.(type) {
	case string:
		return Text(v), nil
	case Result:
		return v, nil
	case *Result:
		if v == nil {
			return Result{}, nil
		}
		return *v, nil
	case llm.Part:
		return Result{Parts: []llm.Part{v}}, nil
	case []llm.Part:
		return Result{Parts: v}, nil
	}
	data, err := encode(out)
	if err != nil {
		return Result{}, fmt.Errorf("the result cannot be written as JSON: %w", err)
	}
	return Result{Parts: []llm.Part{llm.Text(string(data))}, Data: data}, nil
}

// encode is json.Marshal without HTML escapes and with null for the numbers
// that JSON cannot hold.
func encode(v any) (json.RawMessage, error) {
	data, err := strict(v)
	if _, ok := errors.AsType[*json.UnsupportedValueError](err); ok {
		return encodeLenient(v)
	}
	return data, err
}

func encodeLenient(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	if err := (lenient{&b}).value(reflect.ValueOf(v), 0); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

func strict(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimRight(b.Bytes(), "\n"), nil
}

// lenient writes JSON as encoding/json does, for values that hold a NaN or an
// infinity somewhere.
type lenient struct{ b *bytes.Buffer }

const maxDepth = 1000 // a value that nests deeper is a cycle

func (w lenient) value(v reflect.Value, depth int) error {
	if depth > maxDepth {
		return errors.New("it refers to itself")
	}
	if !v.IsValid() {
		w.b.WriteString("null")
		return nil
	}
	if v.CanInterface() && v.Kind() != reflect.Pointer && v.Kind() != reflect.Interface {
		switch v.Interface().(type) {
		case json.Marshaler, encoding.TextMarshaler:
			return w.plain(v)
		}
	}
	switch v.Kind() {
	case reflect.Float32, reflect.Float64:
		if f := v.Float(); math.IsNaN(f) || math.IsInf(f, 0) {
			w.b.WriteString("null")
			return nil
		}
		return w.plain(v)
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			w.b.WriteString("null")
			return nil
		}
		return w.value(v.Elem(), depth+1)
	case reflect.Struct:
		return w.object(v, depth)
	case reflect.Map:
		return w.dict(v, depth)
	case reflect.Slice, reflect.Array:
		return w.list(v, depth)
	}
	return w.plain(v)
}

func (w lenient) plain(v reflect.Value) error {
	data, err := strict(v.Interface())
	w.b.Write(data)
	return err
}

func (w lenient) list(v reflect.Value, depth int) error {
	if v.Kind() == reflect.Slice && (v.IsNil() || v.Type().Elem().Kind() == reflect.Uint8) {
		return w.plain(v)
	}
	w.b.WriteByte('[')
	for i := range v.Len() {
		if i > 0 {
			w.b.WriteByte(',')
		}
		if err := w.value(v.Index(i), depth+1); err != nil {
			return err
		}
	}
	w.b.WriteByte(']')
	return nil
}

func (w lenient) dict(v reflect.Value, depth int) error {
	if v.IsNil() {
		w.b.WriteString("null")
		return nil
	}
	type entry struct {
		key   string
		value reflect.Value
	}
	var entries []entry
	for it := v.MapRange(); it.Next(); {
		key := fmt.Sprint(it.Key().Interface())
		if m, ok := reflect.TypeAssert[encoding.TextMarshaler](it.Key()); ok && it.Key().Kind() != reflect.String {
			text, err := m.MarshalText()
			if err != nil {
				return err
			}
			key = string(text)
		}
		entries = append(entries, entry{key, it.Value()})
	}
	slices.SortFunc(entries, func(a, b entry) int { return strings.Compare(a.key, b.key) })
	w.b.WriteByte('{')
	for i, e := range entries {
		if err := w.member(i == 0, e.key, e.value, depth); err != nil {
			return err
		}
	}
	w.b.WriteByte('}')
	return nil
}

func (w lenient) object(v reflect.Value, depth int) error {
	w.b.WriteByte('{')
	first := true
	for _, f := range reflect.VisibleFields(v.Type()) {
		tag, opts, _ := strings.Cut(f.Tag.Get("json"), ",")
		if !f.IsExported() || f.Anonymous && tag == "" && isStruct(f.Type) || tag == "-" && opts == "" {
			continue
		}
		member, err := v.FieldByIndexErr(f.Index)
		if err != nil || skip(member, opts) {
			continue
		}
		if tag == "" {
			tag = f.Name
		}
		if err := w.member(first, tag, quote(member, opts), depth); err != nil {
			return err
		}
		first = false
	}
	w.b.WriteByte('}')
	return nil
}

func isStruct(t reflect.Type) bool {
	return t.Kind() == reflect.Struct || t.Kind() == reflect.Pointer && t.Elem().Kind() == reflect.Struct
}

// quote is what a field with the option string is written as: the text of its
// value.
func quote(v reflect.Value, opts string) reflect.Value {
	if !slices.Contains(strings.Split(opts, ","), "string") {
		return v
	}
	scalar := v
	if v.Kind() == reflect.Pointer && !v.IsNil() {
		scalar = v.Elem()
	}
	switch scalar.Kind() {
	case reflect.Pointer, reflect.Interface, reflect.Struct, reflect.Map, reflect.Slice, reflect.Array:
		return v
	}
	text, err := strict(scalar.Interface())
	if err != nil {
		return v // a NaN
	}
	return reflect.ValueOf(string(text))
}

func skip(v reflect.Value, opts string) bool {
	for opt := range strings.SplitSeq(opts, ",") {
		switch opt {
		case "omitzero":
			if v.IsZero() {
				return true
			}
		case "omitempty":
			switch v.Kind() {
			case reflect.Slice, reflect.Map, reflect.String, reflect.Array:
				return v.Len() == 0
			case reflect.Struct:
			default:
				if v.IsZero() {
					return true
				}
			}
		}
	}
	return false
}

func (w lenient) member(first bool, key string, v reflect.Value, depth int) error {
	if !first {
		w.b.WriteByte(',')
	}
	data, err := strict(key)
	if err != nil {
		return err
	}
	w.b.Write(data)
	w.b.WriteByte(':')
	return w.value(v, depth+1)
}

package js

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"

	"github.com/dop251/goja"
	"github.com/helios-go/helios/sandbox/repl"
)

// bind makes a host function a global. Its arguments may be given in order, or by
// name in one object: lookup(7), lookup({id: 7}).
func (e *engine) bind(f repl.Function) error {
	fn := e.vm.ToValue(func(call goja.FunctionCall) goja.Value {
		args, err := e.arguments(f, call.Arguments)
		if err != nil {
			panic(err)
		}
		answer, callErr := e.setup.Call(e.ctx, f.Name, args)
		if callErr != nil {
			if errors.Is(callErr, context.Canceled) {
				e.vm.Interrupt(interrupted) // no catch of the program's gets this
			}
			panic(e.newError(callErr.Error()))
		}
		v, err := e.fromJSON(answer)
		if err != nil {
			panic(err)
		}
		return v
	}).ToObject(e.vm)
	if err := fn.DefineDataProperty("name", e.vm.ToValue(f.Name), goja.FLAG_FALSE, goja.FLAG_FALSE, goja.FLAG_FALSE); err != nil {
		return err
	}
	return e.define(f.Name, fn, goja.FLAG_FALSE)
}

// define makes a global that cells may replace.
func (e *engine) define(name string, v goja.Value, enumerable goja.Flag) error {
	return e.vm.GlobalObject().DefineDataProperty(name, v, goja.FLAG_TRUE, goja.FLAG_TRUE, enumerable)
}

// newError makes an Error with exactly this message.
func (e *engine) newError(message string) goja.Value {
	o, err := e.vm.New(e.errorClass, e.vm.ToValue(message))
	if err != nil {
		return e.vm.ToValue(message)
	}
	return o
}

// arguments makes the object that the host gets. The second result is a
// JavaScript value to throw.
func (e *engine) arguments(f repl.Function, args []goja.Value) (json.RawMessage, goja.Value) {
	if len(args) == 1 {
		if o, ok := args[0].(*goja.Object); ok && e.named(f, o) {
			text, err := e.toJSON(o)
			return json.RawMessage(text), err
		}
	}
	if len(args) > len(f.Params) {
		return nil, e.newError(fmt.Sprintf("%s takes %d arguments, %d were given", f.Name, len(f.Params), len(args)))
	}
	var b bytes.Buffer
	b.WriteByte('{')
	for i, arg := range args {
		text, err := e.toJSON(arg)
		if err != nil {
			return nil, err
		}
		if text == "" { // undefined: left out
			continue
		}
		if b.Len() > 1 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "%q:%s", f.Params[i], text)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// named reports whether an object gives arguments by name: a plain one, all of
// whose keys are parameters.
func (e *engine) named(f repl.Function, o *goja.Object) bool {
	if o.ClassName() != "Object" {
		return false
	}
	keys := o.Keys()
	if len(keys) == 0 {
		return false
	}
	for _, key := range keys {
		if !slices.Contains(f.Params, key) {
			return false
		}
	}
	return true
}

// toJSON is JSON.stringify as it was before any cell; "" for what has no JSON. A
// BigInt, which JSON.stringify refuses, is a whole number, as it is on the way in.
func (e *engine) toJSON(v goja.Value) (string, goja.Value) {
	out, err := e.stringify(goja.Undefined(), v)
	var thrown *goja.Exception
	if errors.As(err, &thrown) && strings.Contains(thrown.Error(), "BigInt") {
		return e.toJSONWithBigInts(v)
	}
	switch {
	case errors.As(err, &thrown):
		return "", thrown.Value()
	case err != nil:
		return "", e.newError(err.Error())
	}
	s, _ := text(out)
	return s, nil
}

// toJSONWithBigInts has each BigInt written as text with a mark that no program
// knows, and makes numbers of these.
func (e *engine) toJSONWithBigInts(v goja.Value) (string, goja.Value) {
	mark := fmt.Sprintf("bigint-%016x%016x:", rand.Uint64(), rand.Uint64())
	replacer := e.vm.ToValue(func(call goja.FunctionCall) goja.Value {
		v := call.Argument(1)
		if goja.IsBigInt(v) {
			return e.vm.ToValue(mark + v.String())
		}
		return v
	})
	out, err := e.stringify(goja.Undefined(), v, replacer)
	var thrown *goja.Exception
	switch {
	case errors.As(err, &thrown):
		return "", thrown.Value()
	case err != nil:
		return "", e.newError(err.Error())
	}
	s, _ := text(out)
	return regexp.MustCompile(`"`+mark+`(-?[0-9]+)"`).ReplaceAllString(s, "$1"), nil
}

// longInteger finds numbers that may not fit a JavaScript number.
var longInteger = regexp.MustCompile(`[0-9]{16}`)

// fromJSON makes a value. A whole number beyond 2^53 becomes a BigInt, since as a
// number it would be another one.
func (e *engine) fromJSON(data json.RawMessage) (goja.Value, goja.Value) {
	if !longInteger.Match(data) {
		v, err := e.parse(goja.Undefined(), e.vm.ToValue(string(data)))
		if err != nil {
			return nil, e.newError(err.Error())
		}
		return v, nil
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	v, err := e.decode(dec)
	if err != nil {
		return nil, e.newError(err.Error())
	}
	return v, nil
}

func (e *engine) decode(dec *json.Decoder) (goja.Value, error) {
	tok, err := dec.Token()
	if err != nil {
		return nil, err
	}
	switch t := tok.(type) {
	case json.Number:
		return e.number(t), nil
	case json.Delim:
		if t == '[' {
			return e.decodeArray(dec)
		}
		return e.decodeObject(dec)
	case nil:
		return goja.Null(), nil
	}
	return e.vm.ToValue(tok), nil
}

func (e *engine) decodeArray(dec *json.Decoder) (goja.Value, error) {
	var items []any
	for dec.More() {
		v, err := e.decode(dec)
		if err != nil {
			return nil, err
		}
		items = append(items, v)
	}
	_, err := dec.Token()
	return e.vm.NewArray(items...), err
}

func (e *engine) decodeObject(dec *json.Decoder) (goja.Value, error) {
	o := e.vm.NewObject()
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return nil, err
		}
		v, err := e.decode(dec)
		if err != nil {
			return nil, err
		}
		name, _ := key.(string)
		if err := o.DefineDataProperty(name, v, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_TRUE); err != nil {
			return nil, err
		}
	}
	_, err := dec.Token()
	return o, err
}

const exact = 1 << 53

func (e *engine) number(n json.Number) goja.Value {
	if i, err := n.Int64(); err == nil && i >= -exact && i <= exact {
		return e.vm.ToValue(i)
	}
	if i, ok := new(big.Int).SetString(n.String(), 10); ok {
		return e.vm.ToValue(i)
	}
	f, _ := n.Float64()
	return e.vm.ToValue(f)
}

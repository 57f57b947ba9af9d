package js

import (
	_ "embed"
	"fmt"
	"io"
	"strings"

	"github.com/dop251/goja"
)

//go:embed prelude.js
var preludeSource string

// prelude makes the console and the helpers globals, frozen; cells may put other
// things under their names.
func (e *engine) prelude() error {
	console := e.vm.NewObject()
	printer := func(to io.Writer) goja.Value {
		return e.vm.ToValue(func(call goja.FunctionCall) goja.Value {
			e.print(to, call.Arguments)
			return goja.Undefined()
		})
	}
	for name, to := range map[string]io.Writer{
		"log": e.stdout, "info": e.stdout, "debug": e.stdout, "dir": e.stdout, "table": e.stdout, "group": e.stdout,
		"error": e.stderr, "warn": e.stderr, "trace": e.stderr,
	} {
		if err := console.Set(name, printer(to)); err != nil {
			return err
		}
	}
	nothing := e.vm.ToValue(func(goja.FunctionCall) goja.Value { return goja.Undefined() })
	for _, name := range []string{"time", "timeEnd", "groupEnd", "clear"} {
		if err := console.Set(name, nothing); err != nil {
			return err
		}
	}
	if err := console.Set("assert", e.vm.ToValue(e.assert)); err != nil {
		return err
	}
	for name, v := range map[string]goja.Value{
		"console": console, "print": printer(e.stdout), "println": printer(e.stdout), "printf": e.vm.ToValue(e.printf),
	} {
		if err := e.define(name, v, goja.FLAG_FALSE); err != nil {
			return err
		}
	}
	v, err := e.vm.RunScript("prelude", preludeSource)
	if err != nil {
		return fmt.Errorf("the prelude failed: %w", err)
	}
	helpers := v.ToObject(e.vm)
	for _, name := range helpers.Keys() {
		if err := e.define(name, helpers.Get(name), goja.FLAG_FALSE); err != nil {
			return err
		}
	}
	freeze, _ := goja.AssertFunction(e.vm.Get("Object").ToObject(e.vm).Get("freeze"))
	for _, name := range append(helpers.Keys(), "print", "println", "printf", "console") {
		if _, err := freeze(goja.Undefined(), e.vm.Get(name)); err != nil {
			return err
		}
	}
	return nil
}

func (e *engine) print(to io.Writer, args []goja.Value) {
	_, _ = io.WriteString(to, e.format(args)+"\n")
}

// format joins arguments with blanks; a first one with %s and the like takes the
// ones that it names.
func (e *engine) format(args []goja.Value) string {
	var b strings.Builder
	if len(args) > 1 {
		if first, ok := text(args[0]); ok && strings.Contains(first, "%") {
			rest := e.substitute(&b, first, args[1:])
			args = rest
			if len(args) > 0 {
				b.WriteByte(' ')
			}
		}
	}
	for i, arg := range args {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(e.inspect.show(arg, false))
	}
	return b.String()
}

// substitute writes format with its verbs replaced, and returns the arguments that
// are left.
func (e *engine) substitute(b *strings.Builder, format string, args []goja.Value) []goja.Value {
	for i := 0; i < len(format); i++ {
		if format[i] != '%' || i+1 == len(format) {
			b.WriteByte(format[i])
			continue
		}
		verb, digits, end := verbAt(format, i)
		switch {
		case verb == '%':
			b.WriteByte('%')
		case verb == 0 || len(args) == 0:
			b.WriteByte('%')
			continue
		default:
			b.WriteString(e.verb(verb, digits, args[0]))
			args = args[1:]
		}
		i = end
	}
	return args
}

// verbAt reads %s, %5.2f and the like; verb 0 when there is none.
func verbAt(format string, at int) (verb byte, flags string, end int) {
	j := at + 1
	for j < len(format) && j < at+8 && strings.IndexByte("0123456789.-+", format[j]) >= 0 {
		j++
	}
	if j == len(format) || strings.IndexByte("sdifjoOc%", format[j]) < 0 {
		return 0, "", at
	}
	return format[j], format[at+1 : j], j
}

func (e *engine) verb(verb byte, flags string, v goja.Value) string {
	switch verb {
	case 'd', 'i':
		if n, ok := v.Export().(float64); ok {
			if verb == 'd' && n != float64(int64(n)) {
				return e.inspect.show(v, false)
			}
			return fmt.Sprintf("%"+flags+"d", int64(n))
		}
		if n, ok := v.Export().(int64); ok {
			return fmt.Sprintf("%"+flags+"d", n)
		}
		return e.inspect.show(v, false)
	case 'f':
		switch n := v.Export().(type) {
		case int64:
			return fmt.Sprintf("%"+flags+"f", float64(n))
		case float64:
			if flags == "" {
				return e.inspect.show(v, false)
			}
			return fmt.Sprintf("%"+flags+"f", n)
		}
		return e.inspect.show(v, false)
	case 'j':
		s, _ := e.toJSON(v)
		return s
	case 'c':
		return ""
	case 's':
		return fmt.Sprintf("%"+strings.Trim(flags, "+")+"s", e.inspect.show(v, false))
	}
	return e.inspect.show(v, true)
}

func (e *engine) printf(call goja.FunctionCall) goja.Value {
	if len(call.Arguments) == 0 {
		return goja.Undefined()
	}
	var b strings.Builder
	first, ok := text(call.Arguments[0])
	if !ok {
		first = e.inspect.show(call.Arguments[0], false)
	}
	e.substitute(&b, first, call.Arguments[1:])
	_, _ = io.WriteString(e.stdout, b.String())
	return goja.Undefined()
}

func (e *engine) assert(call goja.FunctionCall) goja.Value {
	if !call.Argument(0).ToBoolean() {
		rest := call.Arguments[min(1, len(call.Arguments)):]
		_, _ = io.WriteString(e.stderr, strings.TrimSpace("Assertion failed: "+e.format(rest))+"\n")
	}
	return goja.Undefined()
}

package js

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/dop251/goja"
	"github.com/dop251/goja/parser"
	"github.com/helios-go/helios/sandbox/repl"
)

// interrupted is the value of the interruption that ends a cell.
const interrupted = "interrupted"

// maxCallStack is the depth of calls after which a program gets a RangeError. What
// goja needs to come back from calls that go through its own functions grows with
// the square: at 10,000 it takes longer than the interruption of a cell may.
const maxCallStack = 4_000

// settings are the runtime's options, as the worker gets them.
type settings struct {
	Memory int64 `json:"memory"` // bytes of heap, after which the worker ends itself
}

// engine is a repl.Engine for JavaScript.
type engine struct {
	stdout, stderr io.Writer
	vm             *goja.Runtime
	inspect        *inspector
	setup          *repl.Setup
	watch          func(limit int64) (stop func()) // guards memory while a cell runs
	die            func(code int)                  // ends the worker

	settings         settings
	ctx              context.Context // of the running cell
	errorClass       goja.Value
	parse, stringify goja.Callable
	builtin          map[string]goja.Value // globals before the first cell, inputs left out
	rejected         []*goja.Promise       // without a handler so far, in order
	cells            int
	sources          map[string][]string // lines of cells, by name
}

func newEngine(stdout, stderr io.Writer) *engine {
	return &engine{stdout: stdout, stderr: stderr, die: os.Exit, sources: map[string][]string{}}
}

// Start makes the global object: the language, console, helpers, host functions
// and inputs, and nothing else.
func (e *engine) Start(s *repl.Setup) error {
	if s.Options != nil {
		if err := json.Unmarshal(s.Options, &e.settings); err != nil {
			return fmt.Errorf("options of the JavaScript runtime: %w", err)
		}
	}
	e.setup, e.ctx = s, context.Background()
	vm := goja.New()
	e.vm = vm
	vm.SetParserOptions(parser.WithDisableSourceMaps)
	vm.SetMaxCallStackSize(maxCallStack)
	vm.SetPromiseRejectionTracker(e.track)
	e.errorClass = vm.Get("Error")
	json := vm.Get("JSON").ToObject(vm)
	e.parse, _ = goja.AssertFunction(json.Get("parse"))
	e.stringify, _ = goja.AssertFunction(json.Get("stringify"))
	e.inspect = newInspector(vm)
	if err := e.prelude(); err != nil {
		return err
	}
	for _, f := range s.Functions {
		if err := e.bind(f); err != nil {
			return fmt.Errorf("bind %s: %w", f.Name, err)
		}
	}
	e.builtin = map[string]goja.Value{}
	for _, name := range vm.GlobalObject().GetOwnPropertyNames() {
		e.builtin[name] = vm.GlobalObject().Get(name)
	}
	for _, name := range slices.Sorted(maps.Keys(s.Inputs)) {
		v, thrown := e.fromJSON(s.Inputs[name])
		if thrown != nil {
			return fmt.Errorf("bind input %s: %s", name, thrown)
		}
		if err := e.define(name, v, goja.FLAG_TRUE); err != nil {
			return fmt.Errorf("bind input %s: %w", name, err)
		}
	}
	return nil
}

// track keeps the promises whose rejection nobody handles.
func (e *engine) track(p *goja.Promise, op goja.PromiseRejectionOperation) {
	if op == goja.PromiseRejectionReject {
		e.rejected = append(e.rejected, p)
		return
	}
	e.rejected = slices.DeleteFunc(e.rejected, func(q *goja.Promise) bool { return p == q })
}

// guard lets ctx interrupt what runs until release is called, and watches memory.
func (e *engine) guard(ctx context.Context) (release func()) {
	e.ctx = ctx
	done := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		e.vm.Interrupt(interrupted)
		close(done)
	})
	unwatch := func() {}
	if e.watch != nil && e.settings.Memory > 0 {
		unwatch = e.watch(e.settings.Memory)
	}
	return func() {
		unwatch()
		if !stop() {
			<-done
		}
		e.vm.ClearInterrupt()
	}
}

// Run runs one cell.
func (e *engine) Run(ctx context.Context, code string) (exit int) {
	defer e.guard(ctx)()
	defer func() {
		if p := recover(); p != nil { // a fault of the interpreter's; the cell is lost, the variables need not be
			fmt.Fprintf(e.stderr, "InternalError: the interpreter failed: %.200v\n", p)
			exit = 1
		}
	}()
	e.cells++
	name := fmt.Sprintf("cell %d", e.cells)
	e.sources[name] = strings.Split(code, "\n")
	delete(e.sources, fmt.Sprintf("cell %d", e.cells-100))
	e.unwinding(func() (err error) {
		exit, err = e.runCell(name, code)
		return err
	})
	return exit
}

// runCell runs a cell and reports what came of it. The error is for unwinding.
func (e *engine) runCell(name, code string) (exit int, err error) {
	s, err := compile(name, code)
	if err != nil {
		e.report(err)
		return 1, nil
	}
	for _, d := range s.declared {
		if _, _, ok := e.inspect.own(e.vm.GlobalObject(), d); !ok {
			_ = e.define(d, goja.Undefined(), goja.FLAG_TRUE)
		}
	}
	e.rejected = nil
	v, err := e.vm.RunProgram(s.program)
	if err == nil && e.ctx.Err() != nil {
		err = context.Canceled
	}
	if err == nil && s.async {
		v, err = e.settle(v)
	}
	if err != nil {
		e.report(err)
		return 1, err
	}
	for _, p := range e.rejected {
		e.reportThrown("Uncaught (in promise) ", p.Result(), nil)
		exit = 1
	}
	if s.echo {
		e.echo(v)
	}
	return exit, nil
}

// rejection is the reason of a promise that a cell awaited at its end.
type rejection struct{ reason goja.Value }

func (r *rejection) Error() string { return "promise was rejected" }

var errPending = errors.New("await: the promise is still pending, and nothing is left that could settle it")

// settle takes the value out of the promise that an async cell ends with.
func (e *engine) settle(v goja.Value) (goja.Value, error) {
	o, _ := v.(*goja.Object)
	if o == nil {
		return v, nil
	}
	p, ok := promise(o)
	if !ok {
		return v, nil
	}
	e.rejected = slices.DeleteFunc(e.rejected, func(q *goja.Promise) bool { return p == q })
	switch p.State() {
	case goja.PromiseStateFulfilled:
		return p.Result(), nil
	case goja.PromiseStateRejected:
		return nil, &rejection{p.Result()}
	}
	return nil, errPending
}

// echo shows the value of the last expression, unless there is none.
func (e *engine) echo(v goja.Value) {
	if v == nil || goja.IsUndefined(v) {
		return
	}
	if o, ok := v.(*goja.Object); ok {
		if p, ok := promise(o); ok && (p.State() == goja.PromiseStateRejected || p.State() == goja.PromiseStateFulfilled && goja.IsUndefined(p.Result())) {
			return // a rejection has been reported; `main()` has nothing to show
		}
	}
	fmt.Fprintln(e.stdout, e.inspect.show(v, true))
}

// Bindings are the globals that cells made or changed.
func (e *engine) Bindings(ctx context.Context, limits repl.BindingLimits) []repl.Binding {
	defer e.guard(ctx)()
	s := repl.Snapshot{Limits: limits}
	e.unwinding(func() error {
		e.snapshot(ctx, &s)
		return nil
	})
	return s.Bindings()
}

func (e *engine) snapshot(ctx context.Context, s *repl.Snapshot) {
	global := e.vm.GlobalObject()
	for _, name := range global.Keys() {
		v, getter, ok := e.inspect.own(global, name)
		if was, known := e.builtin[name]; !ok || known && !getter && was != nil && v != nil && was.SameAs(v) {
			continue
		}
		b := repl.Binding{Name: name, Type: "getter", Value: "[Getter]"}
		if !getter {
			b.Type, b.Value = e.typeOf(v), e.inspect.show(v, true)
		}
		if ctx.Err() != nil {
			s.Cut()
			return
		}
		if !s.Add(b) {
			return
		}
	}
}

// typeOf is a value's class, or its primitive type.
func (e *engine) typeOf(v goja.Value) string {
	switch {
	case v == nil || goja.IsUndefined(v):
		return "undefined"
	case goja.IsNull(v):
		return "null"
	case goja.IsBigInt(v):
		return "bigint"
	}
	if _, ok := text(v); ok {
		return "string"
	}
	switch v := v.(type) {
	case *goja.Symbol:
		return "symbol"
	case *goja.Object:
		name := "Object"
		_ = e.vm.Try(func() { name = e.inspect.constructor(v) })
		return name
	}
	if _, ok := v.Export().(bool); ok {
		return "boolean"
	}
	return "number"
}

package js

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/dop251/goja"
	"github.com/dop251/goja/parser"
)

// maxFrames is how many places of a stack are shown.
const maxFrames = 10

// report says on standard error why a cell failed, with the lines of the cells
// that led there and none of anything else.
func (e *engine) report(err error) {
	var (
		syntax   parser.ErrorList
		compiled *goja.CompilerSyntaxError
		ref      *goja.CompilerReferenceError
		stopped  *goja.InterruptedError
		deep     *goja.StackOverflowError
		thrown   *goja.Exception
		rejected *rejection
	)
	switch {
	case errors.As(err, &syntax) && len(syntax) > 0:
		p := syntax[0].Position
		e.reportSyntax(syntax[0].Message, p.Filename, p.Line)
	case errors.As(err, &compiled):
		p := compiled.File.Position(compiled.Offset)
		e.reportSyntax(compiled.Message, p.Filename, p.Line)
	case errors.As(err, &ref):
		p := ref.File.Position(ref.Offset)
		e.reportSyntax(ref.Message, p.Filename, p.Line)
	case errors.As(err, &stopped):
		fmt.Fprintln(e.stderr, "Interrupted")
		e.places(frames(stopped.Stack()))
	case errors.As(err, &deep):
		fmt.Fprintln(e.stderr, "RangeError: Maximum call stack size exceeded")
		e.places(frames(deep.Stack()))
	case errors.As(err, &rejected):
		e.reportThrown("Uncaught ", rejected.reason, nil)
	case errors.As(err, &thrown):
		e.reportThrown("Uncaught ", thrown.Value(), frames(thrown.Stack()))
	case e.ctx.Err() != nil:
		fmt.Fprintln(e.stderr, "Interrupted")
	default:
		fmt.Fprintln(e.stderr, "Error:", err)
	}
}

func (e *engine) reportSyntax(message, cell string, line int) {
	switch {
	case strings.Contains(message, "reserved word"):
		message += " (there are no modules here: import, export and require are not available)"
	case message == "":
		message = "the code cannot be parsed"
	}
	fmt.Fprintln(e.stderr, "SyntaxError:", strings.TrimPrefix(message, "SyntaxError: "))
	e.places([]place{{cell: cell, line: line}})
}

// reportThrown reports a value that was thrown. An Error knows where it was made.
func (e *engine) reportThrown(prefix string, v goja.Value, at []place) {
	for depth := 0; ; depth++ {
		fmt.Fprintln(e.stderr, prefix+e.inspectThrown(v))
		o, ok := v.(*goja.Object)
		if ok && o.ClassName() == "Error" {
			if made := e.stack(o); len(made) > 0 {
				at = made
			}
		}
		e.places(at)
		if !ok || depth == 3 {
			return
		}
		if v = e.inspect.find(o, "cause"); v == nil || goja.IsUndefined(v) {
			return
		}
		prefix, at = "Caused by ", nil
	}
}

func (e *engine) inspectThrown(v goja.Value) string {
	if o, ok := v.(*goja.Object); ok && o.ClassName() == "Error" {
		line := "Error"
		_ = e.vm.Try(func() { line = e.inspect.errorLine(v) })
		return line
	}
	return e.inspect.show(v, true)
}

// A place is a line of a cell.
type place struct {
	cell, function string
	line           int
}

func frames(stack []goja.StackFrame) []place {
	var out []place
	for _, f := range stack {
		p := f.Position()
		if strings.HasPrefix(p.Filename, "cell ") {
			out = append(out, place{p.Filename, f.FuncName(), p.Line})
		}
	}
	return out
}

// stackLine is a line of an Error's stack: "at f (cell 2:3:5(12))".
var stackLine = regexp.MustCompile(`(?m)^\s*at (?:(\S+) \()?(cell \d+):(\d+):\d+`)

// stack reads where an Error was made.
func (e *engine) stack(o *goja.Object) []place {
	var out []place
	_ = e.vm.Try(func() {
		v, _, _ := e.inspect.own(o, "stack")
		s, _ := text(v)
		for _, m := range stackLine.FindAllStringSubmatch(s, 1000) {
			n, _ := strconv.Atoi(m[3])
			out = append(out, place{m[2], m[1], n})
		}
	})
	return out
}

// places writes lines like `  cell 2, line 3, in f: return o.x`.
func (e *engine) places(list []place) {
	list = slices.Compact(list) // a function that calls itself is one place
	for i, p := range list {
		if i == maxFrames && len(list) > maxFrames+1 {
			fmt.Fprintf(e.stderr, "  ... %d more\n", len(list)-maxFrames)
			return
		}
		where := fmt.Sprintf("  %s, line %d", p.cell, p.line)
		if p.function != "" && p.function != "<anonymous>" && p.function != "<eval>" {
			where += ", in " + p.function
		}
		if lines := e.sources[p.cell]; p.line >= 1 && p.line <= len(lines) {
			code := strings.TrimSpace(lines[p.line-1])
			if len(code) > 160 {
				code = strings.ToValidUTF8(code[:160], "") + " ..."
			}
			where += ": " + code
		}
		fmt.Fprintln(e.stderr, where)
	}
}

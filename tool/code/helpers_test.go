package code_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/helios-go/helios/sandbox"
	"github.com/helios-go/helios/sandbox/js"
	"github.com/helios-go/helios/sandbox/repl/repltest"
	"github.com/helios-go/helios/tool"
	"github.com/helios-go/helios/tool/code"
)

func TestMain(m *testing.M) {
	sandbox.Init(js.Worker)
	goleak.VerifyTestMain(m)
}

// open makes a Code over an interpreter of the little language of repltest.
func open(tb testing.TB, opts *code.Options) *code.Code {
	tb.Helper()
	return openWith(tb, &repltest.Runtime{}, opts)
}

func openWith(tb testing.TB, rt *repltest.Runtime, opts *code.Options) *code.Code {
	tb.Helper()
	c, err := code.New(rt, opts)
	if err != nil {
		tb.Fatalf("New: %v", err)
	}
	tb.Cleanup(c.Close)
	return c
}

// in is a context of a call in a session, as an agent makes it.
func in(ctx context.Context, session string) context.Context {
	return at(ctx, tool.Call{Session: session, Run: session + "/run", Turn: 1, IdempotencyKey: "key"})
}

func at(ctx context.Context, call tool.Call) context.Context {
	return tool.WithCall(ctx, &call)
}

// run runs a cell as an agent would, and fails the test where it has no result.
func run(ctx context.Context, tb testing.TB, c *code.Code, cell string) (string, *code.Report) {
	tb.Helper()
	res, err := execute(ctx, c, cell)
	if err != nil {
		tb.Fatalf("Execute(%q): %v", cell, err)
	}
	return res.Text(), report(tb, res)
}

func execute(ctx context.Context, c *code.Code, cell string) (tool.Result, error) {
	t := c.Execute()
	args, err := json.Marshal(map[string]string{"code": cell})
	if err != nil {
		return tool.Result{}, err
	}
	if args, err = t.Check(args); err != nil {
		return tool.Result{}, err
	}
	return t.Run(ctx, args)
}

func report(tb testing.TB, res tool.Result) *code.Report {
	tb.Helper()
	var r code.Report
	if err := json.Unmarshal(res.Data, &r); err != nil {
		tb.Fatalf("Data is no report: %v: %s", err, res.Data)
	}
	if res.IsError != (r.ExitCode != 0 && r.Submitted == nil) {
		tb.Errorf("IsError is %v with exit code %d", res.IsError, r.ExitCode)
	}
	return &r
}

func wantText(tb testing.TB, what, got, want string) {
	tb.Helper()
	if got != want {
		tb.Errorf("%s:\n got %q\nwant %q", what, got, want)
	}
}

func wantHas(tb testing.TB, what, got string, parts ...string) {
	tb.Helper()
	for _, p := range parts {
		if !strings.Contains(got, p) {
			tb.Errorf("%s:\n got %q\nwant %q in it", what, got, p)
		}
	}
}

func wantNot(tb testing.TB, what, got string, parts ...string) {
	tb.Helper()
	for _, p := range parts {
		if strings.Contains(got, p) {
			tb.Errorf("%s:\n got %q\nwant no %q in it", what, got, p)
		}
	}
}

func wantEqual[T comparable](tb testing.TB, what string, got, want T) {
	tb.Helper()
	if got != want {
		tb.Errorf("%s is %v, want %v", what, got, want)
	}
}

func wantError(tb testing.TB, what string, err error, parts ...string) {
	tb.Helper()
	if err == nil {
		tb.Errorf("%s: no error, want one with %q", what, parts)
		return
	}
	wantHas(tb, what, err.Error(), parts...)
}

// echo is a function that returns what it gets.
func echo(name string) code.Function {
	return code.Func(name, "returns what it gets", func(_ context.Context, in struct {
		Text string `json:"text"`
	}) (string, error) {
		return in.Text, nil
	})
}

// number is a function for arithmetic on the host.
func double() code.Function {
	return code.Func("double", "doubles a number", func(_ context.Context, in struct {
		N int `json:"n" jsonschema:"what to double"`
	}) (int, error) {
		if in.N < 0 {
			return 0, fmt.Errorf("%d is negative", in.N)
		}
		return 2 * in.N, nil
	})
}

package command

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/helios-go/helios/sandbox"
	"github.com/helios-go/helios/tool"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	sandbox.Init()
	goleak.VerifyTestMain(m)
}

// sh is a grant of the shell with waits fit for tests.
func sh(tb testing.TB) Grant {
	tb.Helper()
	if runtime.GOOS == "windows" {
		tb.Skip("needs /bin/sh, which Windows does not have")
	}
	return Grant{Program: "/bin/sh", Timeout: time.Minute, Grace: 50 * time.Millisecond}
}

func open(tb testing.TB, g Grant) *Command {
	tb.Helper()
	c, err := Open(g)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = c.Close() })
	return c
}

// run runs a shell script.
func run(tb testing.TB, c *Command, script string, args ...string) *Result {
	tb.Helper()
	res, err := c.Run(tb.Context(), Input{Args: append([]string{"-c", script, "sh"}, args...)})
	if err != nil {
		tb.Fatal(err)
	}
	return res
}

// call calls the tool as an agent would.
func call(tb testing.TB, t tool.Tool, args any) (tool.Result, error) {
	tb.Helper()
	return callIn(tb.Context(), tb, t, args)
}

func callIn(ctx context.Context, tb testing.TB, t tool.Tool, args any) (tool.Result, error) {
	tb.Helper()
	raw, ok := args.(string)
	if !ok {
		data, err := json.Marshal(args)
		if err != nil {
			tb.Fatal(err)
		}
		raw = string(data)
	}
	checked, err := t.Check(json.RawMessage(raw))
	if err != nil {
		return tool.Result{}, err
	}
	return t.Run(ctx, checked)
}

// script is the arguments of a call that runs a shell script.
func script(code string) map[string]any { return map[string]any{"args": []string{"-c", code}} }

// until waits for a condition, for a minute at the most.
func until(tb testing.TB, what string, met func() bool) {
	tb.Helper()
	for end := time.Now().Add(time.Minute); !met(); <-time.After(time.Millisecond) {
		if time.Now().After(end) {
			tb.Fatalf("waited a minute for %s", what)
		}
	}
}

// alive tells whether a process of the host has the word on its command line.
func alive(word string) bool {
	lines, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, line := range lines {
		if data, err := os.ReadFile(line); err == nil && strings.Contains(string(data), word) {
			return true
		}
	}
	return false
}

func wantErr(tb testing.TB, what string, got, want error) {
	tb.Helper()
	if !errors.Is(got, want) {
		tb.Errorf("%s: got error %v, want %v", what, got, want)
	}
}

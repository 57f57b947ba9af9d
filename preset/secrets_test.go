package preset_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/helios-go/helios/agent"
	"github.com/helios-go/helios/agent/agenttest"
	"github.com/helios-go/helios/llm/llmtest"
	"github.com/helios-go/helios/sandbox/repl"
	"github.com/helios-go/helios/secret"
	"github.com/helios-go/helios/tool"
	"github.com/helios-go/helios/tool/code"
	"github.com/helios-go/helios/tool/command"
	"github.com/helios-go/helios/tool/files"
	"github.com/helios-go/helios/workspace"
)

// hidden are secrets, and every form and part of them that must not be seen.
var hidden = map[string]string{
	"AMP":   "a&b<c>12",
	"FIRST": "overlap-one-two", // the end of it begins the next
	"NEXT":  "one-two-three",
	"SELF":  "abcabcab",
	"KEY":   "k3y-of-the-archive",
}

var traces = []string{
	"a&b<c", `a\u0026b`, `\u003cc\u003e`, "b<c>12", "overlap-one", "two-three", "abcabc", "k3y-of", "of-the-archive", "the-archive",
}

// inPieces splits a text so that no two bytes of three stand together where it is
// written, only where it is printed.
func inPieces(text string) []string {
	var pieces []string
	for ; len(text) > 2; text = text[2:] {
		pieces = append(pieces, "'"+text[:2]+"'")
	}
	return append(pieces, "'"+text+"'")
}

// printed is a piece of a shell script that writes a text, one write for two bytes.
func printed(text string) string {
	return "printf %s " + strings.Join(inPieces(text), "; printf %s ") + "; echo; "
}

// joined is an expression of a language whose value is a text.
func joined(rt repl.Runtime, text string) string {
	list := "[" + strings.Join(inPieces(text), ",") + "]"
	if rt.Name() == "python" {
		return "''.join(" + list + ")"
	}
	return list + ".join('')"
}

// A sink collects everything that leaves: the log, live events, log lines, requests.
type sink struct {
	mu  sync.Mutex
	all bytes.Buffer
}

func (s *sink) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.all.Write(p)
}

func (s *sink) add(t *testing.T, v any) {
	t.Helper()
	plain, escaped := &bytes.Buffer{}, &bytes.Buffer{}
	for i, w := range []*bytes.Buffer{plain, escaped} {
		enc := json.NewEncoder(w)
		enc.SetEscapeHTML(i == 1)
		if err := enc.Encode(v); err != nil {
			t.Fatal(err)
		}
	}
	fmt.Fprintf(s, "%s%s", plain, escaped)
}

// speaker has tools that say secrets: a program, cells, files, and one that fails.
type speaker struct {
	rt      repl.Runtime
	secrets secret.Registry
	tools   []tool.Tool
}

func newSpeaker(t *testing.T, rt repl.Runtime) *speaker {
	t.Helper()
	s := &speaker{rt: rt}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	for name, value := range hidden {
		must(s.secrets.Register(name, value))
	}
	dir := t.TempDir()
	text := hidden["AMP"] + "\n" + strings.Repeat("x", 1_992) + hidden["KEY"] + " and more\noverlap-one-two-three\nabcabcabcabcab\n"
	must(os.WriteFile(filepath.Join(dir, "notes.txt"), []byte(text), 0o600))
	ws, err := workspace.Open(dir, &workspace.Options{Mode: workspace.Portable})
	must(err)
	t.Cleanup(func() { _ = ws.Close() })
	sh, err := command.Open(command.Grant{
		Program: "/bin/sh", Stderr: true, MaxOutput: 1024, Progress: true, Secrets: &s.secrets,
		Env: map[string]string{"SHORT": "1"}, SecretEnv: map[string]secret.Value{"KEY": secret.NewValue(hidden["KEY"])},
	})
	must(err)
	t.Cleanup(func() { _ = sh.Close() })
	boom := code.Func("boom", "Fails", func(context.Context, struct{}) (int, error) {
		return 0, errors.New("no access with " + hidden["AMP"])
	})
	cells, err := code.New(rt, &code.Options{
		Secrets: &s.secrets, ModelBytes: 1000, OnBindings: func(string, []repl.Binding) {}, Functions: []code.Function{boom},
	})
	must(err)
	t.Cleanup(cells.Close)
	s.tools = append([]tool.Tool{sh.Tool(), cells.Execute(), failing()}, files.New(ws, &files.Options{Secrets: &s.secrets}).ReadOnly()...)
	return s
}

func failing() tool.Tool {
	return tool.New("fail", "Fails", func(_ context.Context, in struct{ How string }) (tool.Result, error) {
		switch in.How {
		case "panic":
			panic("bad key " + hidden["FIRST"] + "-three")
		case "data":
			res := tool.Text("done")
			res.Data = json.RawMessage(`{"key":"a\u0026b\u003cc>12","` + hidden["KEY"] + `":[1]}`)
			return res, nil
		}
		return tool.Result{}, fmt.Errorf("open %q: %w", hidden["KEY"], errors.New(`{"body":"a\u0026b\u003cc\u003e12"}`))
	}, tool.WithEffect(tool.ReadOnly))
}

// script has every tool speak: in pieces, in other forms, and just where text is cut.
func (s *speaker) script(t *testing.T) *llmtest.Model {
	t.Helper()
	amp, key := joined(s.rt, hidden["AMP"]), joined(s.rt, hidden["KEY"])
	return llmtest.New(
		shell(t, printed(hidden["AMP"])+printed("overlap-one-two-three")+printed("abcabcabcabcab")),
		shell(t, printed(`{"k":"a\u0026b\u003cc\u003e12"}`)+`echo "$KEY" >&2`),
		shell(t, `i=0; while [ $i -lt 1015 ]; do printf x; i=$((i+1)); done; `+printed(hidden["KEY"]+" and more")),
		inLanguage{
			"javascript": "print(" + amp + "); print('x'.repeat(980) + " + key + ")",
			"python":     "print(" + amp + "); print('x' * 980 + " + key + ")",
		}.call(t, s.rt),
		called(t, "Execute", "code", "["+joined(s.rt, "overlap-one-two-three")+", "+joined(s.rt, "abcabcabcabcab")+"]"),
		called(t, "Execute", "code", "boom()"),
		inLanguage{"javascript": "let v = " + amp + "; throw new Error(v)", "python": "v = " + amp + "\nraise ValueError(v)"}.call(t, s.rt),
		llmtest.Call("Read", `{"path":"notes.txt"}`),
		llmtest.Call("Grep", `{"pattern":"arch|a&|abc|<red"}`),
		llmtest.Call("fail", `{"How":"error"}`).And("fail", `{"How":"panic"}`).And("fail", `{"How":"data"}`),
		llmtest.Text("done"),
	)
}

func shell(t *testing.T, script string) llmtest.Turn {
	t.Helper()
	return called(t, "sh", "args", []string{"-c", script})
}

func called(t *testing.T, name, argument string, value any) llmtest.Turn {
	t.Helper()
	args, err := json.Marshal(map[string]any{argument: value})
	if err != nil {
		t.Fatal(err)
	}
	return llmtest.Call(name, string(args))
}

// Nothing that leaves holds a secret, or a part of one: no live event, no log of the
// session, no line of the logger, no result that a model gets.
func TestNoSecretIsSeenWhateverSaysIt(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the programs of this test are those of Unix")
	}
	inEach(t, func(t *testing.T, rt repl.Runtime) {
		speaker := newSpeaker(t, rt)
		model := speaker.script(t)
		out := &sink{}
		store := agent.NewMemoryStore()
		a := agent.Agent{Model: model, Secrets: &speaker.secrets, Policy: agent.AllowAll(), Tools: speaker.tools}
		s, err := a.Open(t.Context(), &agent.OpenOptions{Store: store, Logger: slog.New(slog.NewJSONHandler(out, nil))})
		if err != nil {
			t.Fatal(err)
		}
		events := s.Events(t.Context(), 0)
		if _, err := s.Run(t.Context(), "Say what you know."); err != nil {
			t.Fatal(err)
		}
		s.Close()
		for e, err := range events {
			if err != nil {
				t.Fatal(err)
			}
			out.add(t, e)
		}
		redacted := 0
		logged, err := agenttest.Log(t.Context(), store, s.ID())
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range logged {
			out.add(t, e)
			if d, ok := e.Data.(*agent.ToolEnded); ok {
				redacted += strings.Count(d.Result.Text(), "<redacted:")
				if d.Outcome == agent.OutcomeDenied || d.Outcome == agent.OutcomeInvalid {
					t.Errorf("%s was %s, so it said nothing: %s", d.Result.Name, d.Outcome, d.Result.Text())
				}
			}
		}
		for _, said := range results(model) {
			out.add(t, said)
		}
		if redacted < 15 {
			t.Errorf("%d tokens in place of secrets; the test says too little", redacted)
		}
		out.check(t)
	})
}

func (s *sink) check(t *testing.T) {
	t.Helper()
	text := s.all.String()
	for _, trace := range append(slices.Collect(maps.Values(hidden)), traces...) {
		if at := strings.Index(text, trace); at >= 0 {
			t.Errorf("%q is seen: ...%s...", trace, text[max(0, at-200):min(len(text), at+100)])
		}
	}
}

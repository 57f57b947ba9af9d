package preset_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/helios-go/helios/agent"
	"github.com/helios-go/helios/llm/llmtest"
	"github.com/helios-go/helios/preset"
	"github.com/helios-go/helios/secret"
	"github.com/helios-go/helios/tool"
	"github.com/helios-go/helios/tool/files"
	"github.com/helios-go/helios/workspace"
)

func project(t *testing.T) (*workspace.Root, string) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"notes.txt": "one\n", "key.txt": "k3y-of-the-archive\n", ".agent/memory/old.md": "hello\n"} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	ws, err := workspace.Open(dir, &workspace.Options{Mode: workspace.Portable})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ws.Close() })
	return ws, dir
}

func TestEveryPresetMakesASessionWithEachToolOnce(t *testing.T) {
	t.Parallel()
	ws, _ := project(t)
	corpus, err := workspace.Open(t.TempDir(), &workspace.Options{Mode: workspace.Portable, ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer corpus.Close()
	bound, err := preset.CodeAct[Orbit, Summary]{Agent: agent.Agent{Model: llmtest.New()}, Runtime: scripted(nil), Task: "Go."}.Bind(orbit)
	if err != nil {
		t.Fatal(err)
	}
	defer bound.Close()
	rlm, err := preset.CodeAct[Orbit, Summary]{Agent: agent.Agent{Model: llmtest.New()}, Runtime: scripted(nil), Task: "Go.", Sub: &agent.Agent{Model: llmtest.New()}}.Bind(orbit)
	if err != nil {
		t.Fatal(err)
	}
	defer rlm.Close()
	m := llmtest.New()
	for name, want := range map[string]struct {
		agent agent.Agent
		tools []string
	}{
		"minimal":   {preset.Minimal(m), nil},
		"read-only": {preset.ReadOnly(m, ws, nil), []string{"Read", "Glob", "Grep", "LS"}},
		"workspace": {preset.Workspace(m, ws, nil), []string{"Read", "Glob", "Grep", "LS", "Write", "Edit", "MemoryRead", "MemoryWrite"}},
		"a corpus":  {preset.Workspace(m, corpus, nil), []string{"Read", "Glob", "Grep", "LS", "Write", "Edit", "MemoryRead"}},
		"codeact":   {bound.Agent, []string{"Execute"}},
		"recursive": {rlm.Agent, []string{"Execute"}},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := want.agent.Open(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			s.Close()
			var got []string
			for _, tl := range want.agent.Tools {
				got = append(got, tl.Spec.Name)
			}
			if !slices.Equal(got, want.tools) {
				t.Errorf("tools %v, want %v", got, want.tools)
			}
			if want.agent.Instructions == "" || want.agent.Name == "" {
				t.Error("it has no name or no instructions")
			}
		})
	}
}

func TestReadOnlyReadsAndChangesNothing(t *testing.T) {
	t.Parallel()
	ws, _ := project(t)
	var secrets secret.Registry
	if err := secrets.Register("KEY", "k3y-of-the-archive"); err != nil {
		t.Fatal(err)
	}
	ran := false
	drop := tool.New("drop", "", func(context.Context, struct{}) (string, error) { ran = true; return "", nil }, tool.WithEffect(tool.Mutating))
	model := llmtest.New(
		llmtest.Call("Read", `{"path":"key.txt"}`), llmtest.Call("drop", `{}`),
		llmtest.Call("Read", `{"path":".agent/memory/old.md"}`), llmtest.Text("done"),
	)
	a := preset.ReadOnly(model, ws, &preset.Options{Secrets: &secrets, Files: &files.Options{MaxLine: 100}})
	a.Tools = append(a.Tools, drop)
	yes := agent.ApproverFunc(func(context.Context, *tool.Question) (tool.Answer, error) { return tool.Yes(), nil })
	s, err := a.Open(t.Context(), &agent.OpenOptions{Approver: yes})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := s.Run(t.Context(), "Look."); err != nil {
		t.Fatal(err)
	}
	said := results(model)
	if !strings.Contains(said[0], "<redacted:KEY>") || !strings.HasPrefix(said[1], "denied") || ran || !strings.Contains(said[2], "out of reach") {
		t.Errorf("got %q, ran %t", said, ran)
	}
}

func TestWorkspaceAsksBeforeItWritesAndKeepsNotesFreely(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		answer tool.Answer
		edit   func(*agent.Agent)
		want   string // of the file
		asked  int
	}{
		{"allowed", tool.Yes(), nil, "two\n", 1},
		{"denied", tool.No("not now"), nil, "one\n", 1},
		{"edits accepted", tool.No(""), func(a *agent.Agent) {
			p := a.Policy.(agent.Permissions)
			p.Mode = agent.ModeAcceptEdits
			a.Policy = p
		}, "two\n", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			ws, dir := project(t)
			asked := 0
			approver := agent.ApproverFunc(func(context.Context, *tool.Question) (tool.Answer, error) { asked++; return c.answer, nil })
			model := llmtest.New(
				llmtest.Call("Read", `{"path":"notes.txt"}`),
				llmtest.Call("Edit", `{"path":"notes.txt","old_string":"one","new_string":"two"}`),
				llmtest.Call("MemoryWrite", `{"op":"create","path":"/memories/new.md","content":"it says two"}`),
				llmtest.Call("MemoryRead", `{"path":"/memories/","list":true}`), llmtest.Text("done"),
			)
			a := preset.Workspace(model, ws, nil)
			if c.edit != nil {
				c.edit(&a)
			}
			s, err := a.Open(t.Context(), &agent.OpenOptions{Approver: approver})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			if _, err := s.Run(t.Context(), "Make it two."); err != nil {
				t.Fatal(err)
			}
			text, err := os.ReadFile(filepath.Join(dir, "notes.txt"))
			if err != nil {
				t.Fatal(err)
			}
			said := results(model)
			if string(text) != c.want || asked != c.asked {
				t.Errorf("the file is %q after %d questions, want %q after %d; the tools said %q", text, asked, c.want, c.asked, said)
			}
			if last := said[len(said)-1]; last != "/memories/new.md\n/memories/old.md" {
				t.Errorf("the notes are %q", last)
			}
		})
	}
}

// An agent that reads a folder and asks on the terminal before it changes a file.
func ExampleWorkspace() {
	dir, err := os.MkdirTemp("", "project")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	if err := os.WriteFile(filepath.Join(dir, "greeting.txt"), []byte("Helo!\n"), 0o600); err != nil {
		fmt.Println(err)
		return
	}
	// Strict, the zero mode, is the one to use where it is possible.
	ws, err := workspace.Open(dir, &workspace.Options{Mode: workspace.Portable})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer ws.Close()
	model := llmtest.New( // what a model would say
		llmtest.Call("Read", `{"path":"greeting.txt"}`),
		llmtest.Call("Edit", `{"path":"greeting.txt","old_string":"Helo","new_string":"Hello"}`),
		llmtest.Text("I have corrected greeting.txt."),
	)
	ask := agent.ApproverFunc(func(_ context.Context, q *tool.Question) (tool.Answer, error) {
		fmt.Println(q.Tool, q.Keys, "?")
		return tool.Yes(), nil
	})
	s, err := preset.Workspace(model, ws, nil).Open(context.Background(), &agent.OpenOptions{Approver: ask})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	res, err := s.Run(context.Background(), "Correct the spelling.")
	fmt.Println(res.Text, err)
	// Output:
	// Edit [greeting.txt] ?
	// I have corrected greeting.txt. <nil>
}

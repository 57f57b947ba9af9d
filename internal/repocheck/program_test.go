package repocheck

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestProgramWithAnAgentStaysSmall holds the promise to those who take the
// framework alone: a program with an agent and a scripted model compiles at most 3
// third-party modules and is at most 8 MB once stripped.
func TestProgramWithAnAgentStaysSmall(t *testing.T) {
	t.Parallel()
	for _, goos := range []string{"linux", "darwin", "windows"} {
		_, modules, err := LoadGraph(t.Context(), root, goos, "./llm", "./llm/llmtest", "./tool", "./agent")
		if err != nil {
			t.Fatal(err)
		}
		if len(modules) == 0 || len(modules) > 3 {
			t.Errorf("on %s, agent compiles these third-party modules, want 1 to 3: %s", goos, strings.Join(modules, ", "))
		}
	}
	holdSize(t, "a scripted model", "llm/llmtest", `llmtest.New(llmtest.Text("hello"))`, 8_000_000)
}

// TestProgramWithAProviderStaysSmall holds the same for a program that speaks to a
// real model: still at most 3 third-party modules, and at most 12 MB.
func TestProgramWithAProviderStaysSmall(t *testing.T) {
	t.Parallel()
	models := map[string]string{
		"anthropic": `anthropic.New("claude-sonnet-5", nil)`,
		"compat":    `compat.Groq("llama-3.3-70b-versatile", nil)`,
		"gemini":    `gemini.New("gemini-3.8-flash", nil)`,
		"openai":    `openai.New("gpt-5.5", nil)`,
	}
	entries, err := os.ReadDir(filepath.Join(root, "provider"))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.IsDir() && e.Name() != "internal" && models[e.Name()] == "" {
			t.Errorf("provider/%s has no program here", e.Name())
		}
	}
	for provider, model := range models {
		t.Run(provider, func(t *testing.T) {
			t.Parallel()
			for _, goos := range []string{"linux", "darwin", "windows"} {
				_, modules, err := LoadGraph(t.Context(), root, goos, "./agent", "./provider/"+provider)
				if err != nil {
					t.Fatal(err)
				}
				if len(modules) == 0 || len(modules) > 3 {
					t.Errorf("on %s, agent and provider/%s compile these third-party modules, want 1 to 3: %s", goos, provider, strings.Join(modules, ", "))
				}
			}
			holdSize(t, "provider/"+provider, "provider/"+provider, model, 12_000_000)
		})
	}
}

// holdSize builds a program with an agent whose model is the expression given, of
// the package given.
func holdSize(t *testing.T, what, pkg, model string, limit int64) {
	t.Helper()
	size := sizeOf(t, `package main

import (
	"context"
	"fmt"

	"`+Module+`/agent"
	"`+Module+`/`+pkg+`"
)

func main() {
	a := agent.Agent{Model: `+model+`}
	result, err := a.Run(context.Background(), "hello")
	fmt.Println(result, err)
}
`)
	if size > limit {
		t.Errorf("a program with an agent and %s is %d bytes, want at most %d", what, size, limit)
	}
	t.Logf("a program with an agent and %s: %.1f MB", what, float64(size)/1e6)
}

// sizeOf builds a program and returns its size once stripped.
func sizeOf(t *testing.T, program string) int64 {
	t.Helper()
	dir := t.TempDir()
	source, binary := filepath.Join(dir, "main.go"), filepath.Join(dir, "program")
	if err := os.WriteFile(source, []byte(program), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "go", "build", "-ldflags=-s -w", "-o", binary, source)
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	info, err := os.Stat(binary)
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}

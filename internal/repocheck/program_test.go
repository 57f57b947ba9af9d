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
// third-party modules and is at most 8 MB once stripped; with a provider, which
// speaks HTTP, 12 MB.
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
	for _, program := range []struct {
		name, imports, model string
		limit                int64
	}{
		{"a scripted model", `"` + Module + `/llm/llmtest"`, `llmtest.New(llmtest.Text("hello"))`, 8_000_000},
		{"HTTP", `"net/http"`, `nil}; http.Get("https://localhost"); a = agent.Agent{Model: a.Model`, 12_000_000},
	} {
		t.Run(program.name, func(t *testing.T) {
			t.Parallel()
			size := sizeOf(t, `package main

import (
	"context"
	"fmt"
	`+program.imports+`

	"`+Module+`/agent"
)

func main() {
	a := agent.Agent{Model: `+program.model+`}
	result, err := a.Run(context.Background(), "hello")
	fmt.Println(result, err)
}
`)
			if size > program.limit {
				t.Errorf("a program with an agent and %s is %d bytes, want at most %d", program.name, size, program.limit)
			}
			t.Logf("a program with an agent and %s: %.1f MB", program.name, float64(size)/1e6)
		})
	}
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

package repocheck

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestProgramWithAnAgentStaysSmall holds the promise to those who take the
// framework alone: a program with an agent compiles at most 3 third-party
// modules and is at most 12 MB once stripped.
func TestProgramWithAnAgentStaysSmall(t *testing.T) {
	t.Parallel()
	for _, goos := range []string{"linux", "darwin", "windows"} {
		_, modules, err := LoadGraph(t.Context(), root, goos, "./llm", "./tool", "./agent")
		if err != nil {
			t.Fatal(err)
		}
		if len(modules) == 0 || len(modules) > 3 {
			t.Errorf("on %s, agent compiles these third-party modules, want 1 to 3: %s", goos, strings.Join(modules, ", "))
		}
	}

	dir := t.TempDir()
	source, binary := filepath.Join(dir, "main.go"), filepath.Join(dir, "program")
	// The default client stands for a provider, which speaks HTTP.
	program := `package main

import (
	"context"
	"fmt"
	"net/http"

	"` + Module + `/agent"
)

func main() {
	response, err := http.Get("https://localhost")
	fmt.Println(response, err)
	result, err := agent.Agent{}.Run(context.Background(), "hello")
	fmt.Println(result, err)
}
`
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
	const limit = 12_000_000
	if info.Size() > limit {
		t.Errorf("a program with an agent is %d bytes, want at most %d", info.Size(), limit)
	}
	t.Logf("a program with an agent: %.1f MB", float64(info.Size())/1e6)
}

package main

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// program builds approval and returns a function that runs it, each time as a
// new process in the same folder.
func program(t *testing.T) func(args ...string) string {
	t.Helper()
	dir := t.TempDir()
	exe := filepath.Join(dir, "approval.exe")
	if out, err := exec.Command("go", "build", "-o", exe, ".").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return func(args ...string) string {
		cmd := exec.CommandContext(t.Context(), exe, args...)
		cmd.Dir = dir
		out, _ := cmd.CombinedOutput()
		return string(out)
	}
}

func TestAnswerFromAnotherProcess(t *testing.T) {
	t.Parallel()
	run := program(t)
	steps := []struct{ command, arg, want string }{
		{"answer", "allow", "no question waits"},
		{"ask", "put 1.2 online", `may I deploy {"Version":"1.2"}?`},
		{"answer", "perhaps", "perhaps is not among the choices"},
		{"answer", "deny", "The outcome: "},
		{"answer", "allow", "no question waits"},
		{"ask", "put 1.2 online", `may I deploy {"Version":"1.2"}?`},
		{"answer", "allow", "deploying 1.2\nThe outcome: 1.2 is online\n"},
		{"answer", "allow", "no question waits"},
	}
	for _, step := range steps {
		got := run(step.command, step.arg)
		if !strings.Contains(got, step.want) {
			t.Fatalf("approval %s %s: got %q, want %q", step.command, step.arg, got, step.want)
		}
		if deploys := strings.Contains(step.want, "deploying"); strings.Contains(got, "deploying") != deploys {
			t.Fatalf("approval %s %s: got %q, want a deployment: %t", step.command, step.arg, got, deploys)
		}
	}
}

package main

import (
	"os/exec"
	"path/filepath"
	"regexp"
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

func TestAnswersFromOtherProcesses(t *testing.T) {
	t.Parallel()
	run := program(t)
	// A test asks twice; S1 and Q1 stand for the first session and its question.
	ids := map[string]string{}
	asks := regexp.MustCompile(`May I deploy {"Version":"1.2"}\? \(approval yes (\S+) (\S+)\)`)
	for _, n := range []string{"1", "2"} {
		m := asks.FindStringSubmatch(run("ask", "put 1.2 online"))
		if m == nil {
			t.Fatal("approval ask: no question")
		}
		ids["S"+n], ids["Q"+n] = m[1], m[2]
	}
	for _, step := range []struct{ command, want string }{
		{"yes S0 Q1", "attach to session S0: no such session"},
		{"yes S1 Q2", "no such open question"},
		{"work", "May I deploy"}, // that changes nothing
		{"yes S1 Q1", ""},
		{"yes S1 Q1", "no such open question"},
		{"no S1 Q1 late", "no such open question"},
		{"work", "deploying 1.2\n"},
		{"no S2 Q2 friday", ""},
		{"work", "The outcome: denied by the user: friday\n"},
		{"work", ""},
		{"perhaps", "want ask TASK"},
	} {
		args := strings.Fields(step.command)
		for i, arg := range args {
			if id, ok := ids[arg]; ok {
				args[i] = id
			}
		}
		got := run(args...)
		if !strings.Contains(got, step.want) || step.want == "" && got != "" {
			t.Fatalf("approval %s: got %q, want %q", step.command, got, step.want)
		}
		if deploys := strings.HasPrefix(step.want, "deploying"); strings.Contains(got, "deploying") != deploys {
			t.Fatalf("approval %s: got %q, want a deployment: %t", step.command, got, deploys)
		}
	}
}

func TestWorkersDoNotDeployTwice(t *testing.T) {
	t.Parallel()
	run := program(t)
	m := regexp.MustCompile(`yes (\S+) (\S+)\)`).FindStringSubmatch(run("ask", "put 1.2 online"))
	if m == nil {
		t.Fatal("approval ask: no question")
	}
	if got := run("yes", m[1], m[2]); got != "" {
		t.Fatalf("approval yes: got %q, want nothing", got)
	}
	out := make(chan string)
	const workers = 4
	for range workers {
		go func() { out <- run("work") }()
	}
	var all string
	for range workers {
		all += <-out
	}
	if got := strings.Count(all, "deploying"); got != 1 {
		t.Errorf("got %d deployments, want 1:\n%s", got, all)
	}
}

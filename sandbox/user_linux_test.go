package sandbox

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// What a caller who is not root gets differs in nearly everything: who the
// launcher runs as, which caps there are, who owns the files. So root runs all
// tests of this package a second time as somebody else.
func TestAllAgainAsAnotherUser(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("this is a user who is not root")
	}
	if testing.Short() {
		t.Skip("it takes as long as all the others")
	}
	box(t)
	temp := stageBase(t)
	if err := os.Chown(temp, 12345, 12345); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	// The binary of go test lies in a folder that is root's alone.
	cmd := exec.CommandContext(t.Context(), "/proc/self/exe", "-test.v", "-test.short", "-test.skip=AsAnotherUser")
	cmd.Env = append(os.Environ(), "TMPDIR="+temp, "HOME="+temp)
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 12345, Gid: 12345}}
	err := cmd.Run()
	text := out.String()
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if passed := strings.Count(text, "--- PASS: Test"); passed < 40 {
		t.Errorf("only %d tests passed\n%s", passed, text)
	}
	for line := range strings.Lines(text) {
		if strings.Contains(line, "--- SKIP") {
			t.Log(strings.TrimSpace(line))
		}
	}
	left, _ := filepath.Glob(filepath.Join(temp, stagePrefix+"*"))
	if len(left) != 0 {
		t.Errorf("stages are left: %q", left)
	}
}

package command

import (
	"errors"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/helios-go/helios/internal/testdata"
)

// A real program that looks for a home, a terminal and a pager, and has none.
func TestGitWorksUnderAGrant(t *testing.T) {
	t.Parallel()
	_, err := exec.LookPath("git")
	testdata.Need(t, "git", err)
	g := Grant{
		Program: "git", Dir: t.TempDir(), Timeout: time.Minute, Grace: 50 * time.Millisecond, Key: Line, Stderr: true,
		Env: map[string]string{"GIT_CONFIG_NOSYSTEM": "1", "GIT_AUTHOR_NAME": "A", "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "A", "GIT_COMMITTER_EMAIL": "a@b"},
	}
	all := open(t, g)
	for _, args := range [][]string{{"init", "-q"}, {"commit", "-q", "--allow-empty", "-m", "first; echo $HOME"}} {
		if res, err := all.Run(t.Context(), Input{Args: args}); err != nil || res.ExitCode != 0 {
			t.Fatalf("git %q: %+v, error %v", args, res, err)
		}
	}
	g.Check = func(args []string) error {
		if len(args) == 0 || args[0] != "log" {
			return errors.New("only git log is granted")
		}
		return nil
	}
	tl := open(t, g).Tool()
	res, err := call(t, tl, `{"args":["log","--format=%s|%an"]}`)
	if err != nil || res.Text() != "[exit 0]\nfirst; echo $HOME|A\n" {
		t.Errorf("got %q, error %v", res.Text(), err)
	}
	if _, err := call(t, tl, `{"args":["push"]}`); err == nil || err.Error() != "only git log is granted" {
		t.Errorf("got error %v, want the reason", err)
	}
	// It would ask for a name on the terminal, which it does not have.
	res, err = call(t, all.Tool(), `{"args":["credential","fill"]}`)
	if err != nil || strings.HasPrefix(res.Text(), "[exit 0]") || strings.Contains(res.Text(), "TIMEOUT") {
		t.Errorf("got %q, error %v, want it to fail at once", res.Text(), err)
	}
}

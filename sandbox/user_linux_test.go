package sandbox

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// Nothing of a run is root's on the host: not the program and not the launcher.
func TestNothingRunsAsRoot(t *testing.T) {
	t.Parallel()
	s, want := box(t), os.Getuid()
	if want == 0 {
		var err error
		if s, err = Open(t.Context(), &Options{UID: 54321, GID: 54322}); err != nil {
			t.Fatal(err)
		}
		want = 54321
	}
	name := word(t) + ".py"
	job := program("send([os.getuid(), os.geteuid(), os.stat('/ws/f').st_uid])\ntime.sleep(600)")
	job.Files[name], job.Main, job.Dir = job.Files["main.py"], name, folder(t, map[string]string{"f": ""})
	owners := map[string][]string{}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var got Frame
	job.OnFrame = func(f Frame) {
		defer cancel()
		got = f
		lines, _ := filepath.Glob("/proc/[0-9]*/cmdline")
		for _, line := range lines {
			command, _ := os.ReadFile(line)
			status, _ := os.ReadFile(filepath.Join(filepath.Dir(line), "status"))
			if _, after, ok := strings.Cut(string(status), "\nUid:"); ok && bytes.Contains(command, []byte(name)) {
				program, _, _ := strings.Cut(string(command), "\x00")
				owners[filepath.Base(program)] = append(owners[filepath.Base(program)], strings.Fields(after)[:4]...)
			}
		}
	}
	if _, err := s.Run(ctx, job); !errors.Is(err, context.Canceled) {
		t.Errorf("got error %v, want %v", err, context.Canceled)
	}
	if string(got) != "[65534, 65534, 65534]" {
		t.Errorf("inside, the ids are %s, want 65534", got)
	}
	for program, least := range map[string]int{"bwrap": 2, "python3": 1} {
		if got := owners[program]; len(got) < 4*least {
			t.Errorf("the host saw %d processes of %s, want %d", len(got)/4, program, least)
		}
		for _, uid := range owners[program] {
			if uid != strconv.Itoa(want) {
				t.Errorf("on the host %s has uid %s, want %d", program, uid, want)
			}
		}
	}
}

// What a caller who is not root gets differs in nearly everything: who the
// launcher runs as, which caps there are, who owns the files. So root runs all
// tests of this package a second time as somebody else.
func TestAllAgainAsAnotherUser(t *testing.T) { //nolint:paralleltest // it runs all tests again, one set at a time
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

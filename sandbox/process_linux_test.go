package sandbox

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"
)

// talker is a program that answers each line on its socket.
func talker(code string) *Job {
	const preamble = "import os, signal, socket, sys, time\n" +
		"sock = socket.socket(fileno=int(os.environ['HELIOS_SOCKET_FD']))\n" +
		"lines = sock.makefile('r')\n" +
		"def say(text):\n" +
		"    sock.sendall((text + '\\n').encode())\n"
	return &Job{Files: map[string][]byte{"main.py": []byte(preamble + code)}, Main: "main.py"}
}

// inEach runs a test in every layer for Python.
func inEach(t *testing.T, test func(t *testing.T, s *Sandbox)) {
	t.Helper()
	for name, s := range layers(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, s)
		})
	}
}

func start(tb testing.TB, s *Sandbox, job *Job) (*Process, *bufio.Reader) {
	tb.Helper()
	p, err := s.Start(tb.Context(), job)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { p.Kill(); <-p.Done(); _ = p.Conn().Close() })
	_ = p.Conn().SetDeadline(time.Now().Add(time.Minute))
	return p, bufio.NewReader(p.Conn())
}

// answer reads a line.
func answer(tb testing.TB, r *bufio.Reader) string {
	tb.Helper()
	line, err := r.ReadString('\n')
	if err != nil {
		tb.Fatalf("got %q and %v", line, err)
	}
	return strings.TrimSuffix(line, "\n")
}

func ask(tb testing.TB, p *Process, r *bufio.Reader, line string) string {
	tb.Helper()
	if _, err := io.WriteString(p.Conn(), line+"\n"); err != nil {
		tb.Fatal(err)
	}
	return answer(tb, r)
}

func TestProgramThatStaysKeepsItsVariables(t *testing.T) {
	t.Parallel()
	inEach(t, func(t *testing.T, s *Sandbox) {
		p, r := start(t, s, talker(`
names = {}
for line in lines:
    exec(line, names)
    say(str(names.get("x")))
sys.exit(5)
`))
		for _, c := range [][2]string{{"x = 1", "1"}, {"x += 41", "42"}, {"y = 0", "42"}} {
			if got := ask(t, p, r, c[0]); got != c[1] {
				t.Errorf("%s: got %s, want %s", c[0], got, c[1])
			}
		}
		if used := p.Memory(); used < 1<<20 || used > 1<<30 {
			t.Errorf("it uses %d bytes", used)
		}
		if err := p.Conn().Close(); err != nil {
			t.Error(err)
		}
		res, err := p.Wait()
		if err != nil || res.ExitCode != 5 {
			t.Errorf("got %+v, %v, want exit code 5", res, err)
		}
		if err := p.Interrupt(); !errors.Is(err, os.ErrProcessDone) {
			t.Errorf("interrupting what has ended: got %v", err)
		}
		if p.Memory() != 0 {
			t.Error("what has ended uses memory")
		}
	})
}

// Whatever was written before a frame that has arrived is in the output, and
// nothing twice.
func TestOutputIsInStepWithTheSocket(t *testing.T) {
	t.Parallel()
	inEach(t, func(t *testing.T, s *Sandbox) {
		p, r := start(t, s, talker(`
for n, line in enumerate(lines):
    os.write(1, b"out %d " % n + b"x" * 50000 + b"\n")
    os.write(2, b"err %d\n" % n)
    say(str(n))
`))
		for n := range 200 {
			ask(t, p, r, "go")
			stdout, stderr, cut := p.Output()
			wantOut, wantErr := fmt.Sprintf("out %d %s\n", n, strings.Repeat("x", 50000)), fmt.Sprintf("err %d\n", n)
			if string(stdout) != wantOut || string(stderr) != wantErr || cut {
				t.Fatalf("%d: got %d and %q, cut %v", n, len(stdout), stderr, cut)
			}
		}
	})
}

func TestInterruptReachesTheProgramAlone(t *testing.T) {
	t.Parallel()
	inEach(t, func(t *testing.T, s *Sandbox) {
		p, r := start(t, s, talker(`
import subprocess
child = subprocess.Popen([sys.executable, "-I", "-S", "-c", "import time; time.sleep(600)"])
signal.signal(signal.SIGINT, lambda *_: say("interrupted " + str(child.poll())))
say("ready")
while True:
    time.sleep(0.01)  # a signal just before a long sleep would wait for its end
`))
		if got := answer(t, r); got != "ready" {
			t.Fatal(got)
		}
		for range 3 {
			if err := p.Interrupt(); err != nil {
				t.Fatal(err)
			}
			if got := answer(t, r); got != "interrupted None" {
				t.Errorf("got %q", got)
			}
		}
	})
}

func TestKillEndsEveryDescendant(t *testing.T) {
	t.Parallel()
	inEach(t, func(t *testing.T, s *Sandbox) {
		if _, alone := s.layer.(*alone); alone {
			t.Skip("there a program does not see its children in /proc; see the tests of that layer")
		}
		word := word(t)
		p, r := start(t, s, talker("send = say\n"+detached(word)+"time.sleep(600)\n"))
		if got := answer(t, r); got != "started" {
			t.Fatal(got)
		}
		if seen := running(word); seen != 5 {
			t.Errorf("the host saw %d children, want 5", seen)
		}
		p.Kill()
		res, err := p.Wait()
		if left := running(word); left != 0 || err != nil || res.ExitCode != exitKilled || res.TimedOut {
			t.Errorf("%d children are left; got %+v, %v", left, res, err)
		}
		if _, err := r.ReadString('\n'); !errors.Is(err, io.EOF) {
			t.Errorf("reading from what is dead: got %v, want EOF", err)
		}
	})
}

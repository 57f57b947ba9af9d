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

	"github.com/helios-go/helios/internal/testdata"
)

// testWorkers are what the test binary passes to Init.
var testWorkers = []Worker{
	{Name: "echo", Main: echo, Intrinsic: true},
	{Name: "strict", Main: echo},
	{Name: "escapes", Main: escapeWorker},
}

// echo answers each line, and does what some of them say.
func echo(conn *os.File) int {
	lines := bufio.NewScanner(conn)
	for lines.Scan() {
		verb, rest, _ := strings.Cut(lines.Text(), " ")
		answer := rest
		switch verb {
		case "exit":
			return 5
		case "print":
			fmt.Print(rest)
			fmt.Fprint(os.Stderr, rest, rest)
		case "environment":
			answer = strings.Join(os.Environ(), " ")
		case "panic":
			panic(rest)
		case "spin":
			for { //nolint:staticcheck // on purpose
			}
		case "allocate":
			var all [][]byte
			for {
				b := make([]byte, 1<<20)
				for i := range b {
					b[i] = 1
				}
				all = append(all, b) //nolint:staticcheck // so that it is not freed
			}
		}
		if _, err := io.WriteString(conn, answer+"\n"); err != nil {
			return 1
		}
	}
	return 0
}

// eachLayer runs a test in every layer that can hold the worker here.
func eachLayer(t *testing.T, test func(t *testing.T, s *Sandbox)) {
	t.Helper()
	w := testWorkers[0]
	for _, c := range candidates(&w) {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s, err := OpenWorker(t.Context(), w, &Options{Layers: []string{c.name}})
			if err != nil {
				testdata.Need(t, "the layer "+c.name, err)
			}
			test(t, s)
		})
	}
}

// short is a result in words.
func short(res *Result) string {
	if res == nil {
		return "no result"
	}
	return fmt.Sprintf("exit code %d, timed out %v, out of memory %v after %v, stderr %.300q", res.ExitCode, res.TimedOut, res.OutOfMemory, res.Wall, res.Stderr)
}

func TestWorkerTalks(t *testing.T) {
	t.Parallel()
	eachLayer(t, func(t *testing.T, s *Sandbox) {
		p, r := start(t, s, &Job{})
		if got := ask(t, p, r, "say hello"); got != "hello" {
			t.Errorf("got %q", got)
		}
		if got := ask(t, p, r, "environment"); got != "" {
			t.Errorf("its environment is %q, want it empty", got)
		}
		ask(t, p, r, "print something")
		stdout, stderr, cut := p.Output()
		if string(stdout) != "something" || string(stderr) != "somethingsomething" || cut {
			t.Errorf("got output %q, %q, cut %v", stdout, stderr, cut)
		}
		if used := p.Memory(); used < 1<<20 {
			t.Errorf("it uses %d bytes", used)
		}
		_, _ = io.WriteString(p.Conn(), "exit\n")
		if res, err := p.Wait(); err != nil || res.ExitCode != 5 || res.OutOfMemory {
			t.Errorf("got %s, %v, want exit code 5", short(res), err)
		}
	})
}

func TestWorkerThatPanicsSaysWhy(t *testing.T) {
	t.Parallel()
	eachLayer(t, func(t *testing.T, s *Sandbox) {
		p, _ := start(t, s, &Job{})
		_, _ = io.WriteString(p.Conn(), "panic at once\n")
		res, err := p.Wait()
		if err != nil || res.ExitCode != 2 || !strings.Contains(string(res.Stderr), "panic: at once") {
			t.Errorf("got %s, %v", short(res), err)
		}
	})
}

func TestWorkerThatSpinsIsKilled(t *testing.T) {
	t.Parallel()
	eachLayer(t, func(t *testing.T, s *Sandbox) {
		p, r := start(t, s, &Job{})
		ask(t, p, r, "say ready")
		_, _ = io.WriteString(p.Conn(), "spin\n")
		p.Kill()
		began := time.Now()
		if res, err := p.Wait(); err != nil || res.ExitCode != exitKilled || time.Since(began) > 10*time.Second {
			t.Errorf("got %s, %v after %v", short(res), err, time.Since(began))
		}
		p, _ = start(t, s, &Job{Limits: Limits{Wall: 50 * time.Millisecond}})
		_, _ = io.WriteString(p.Conn(), "spin\n")
		if res, err := p.Wait(); err != nil || !res.TimedOut {
			t.Errorf("got %s, %v, want a timeout", short(res), err)
		}
	})
}

func TestWorkerIsBoundInMemory(t *testing.T) {
	t.Parallel()
	eachLayer(t, func(t *testing.T, s *Sandbox) {
		p, r := start(t, s, &Job{Limits: Limits{Memory: 128 << 20}})
		ask(t, p, r, "say ready")
		_, _ = io.WriteString(p.Conn(), "allocate\n")
		if res, err := p.Wait(); err != nil || !res.OutOfMemory || res.ExitCode == 0 {
			t.Errorf("got %s, %v, want it out of memory", short(res), err)
		}
	})
}

func TestWorkerTakesNoJob(t *testing.T) {
	t.Parallel()
	eachLayer(t, func(t *testing.T, s *Sandbox) {
		for _, job := range []*Job{nil, program(""), {Dir: t.TempDir()}, {Env: map[string]string{"A": "b"}}} {
			if _, err := s.Start(t.Context(), job); err == nil {
				t.Errorf("the job %+v was taken", job)
			}
		}
		if _, err := s.Run(t.Context(), &Job{}); err == nil || !strings.Contains(err.Error(), "Start") {
			t.Errorf("Run: got %v", err)
		}
	})
}

func TestWorkerMustBeKnown(t *testing.T) {
	t.Parallel()
	_, err := OpenWorker(t.Context(), Worker{Name: "stranger", Main: echo}, nil)
	if u, ok := errors.AsType[*Unavailable](err); !ok || !strings.Contains(u.Reason, "stranger") {
		t.Errorf("got %v", err)
	}
}

// Where nothing else holds, an intrinsic worker still has the filter.
func TestTheLastLayerHasTheFilter(t *testing.T) {
	t.Parallel()
	got, err := hearCanary(t.Context(), &plain{path: "/proc/self/exe", worker: &bareCanary, filtered: true})
	testdata.Need(t, "a filter of system calls", err)
	for name, outcome := range got {
		switch name {
		case "file", "make", "sys", "kernel_setting", "socket", "spaces", "mount", "run", "signal":
			if outcome != "denied" {
				t.Errorf("%s: %s", name, outcome)
			}
		}
	}
	bare, err := hearCanary(t.Context(), &plain{path: "/proc/self/exe", worker: &bareCanary})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"file", "make", "sys", "socket", "mount", "run", "signal"} {
		if bare[name] != "open" {
			t.Errorf("without the filter %s is %s, so that it is denied with it proves nothing", name, bare[name])
		}
	}
	s, err := OpenWorker(t.Context(), testWorkers[0], &Options{Layers: []string{"limits"}})
	if err != nil {
		t.Fatal(err)
	}
	if said := s.Describe(); !strings.Contains(said, "a filter of system calls lets it open no file") {
		t.Errorf("it is described as\n%s", said)
	}
}

package sandbox

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/helios-go/helios/internal/testdata"
	"go.uber.org/goleak"
)

// secretValue is in the environment of the test process, and must be in nobody
// else's.
const secretValue = "canary-4f1d0c6b"

// helpers are other programs that the test binary can be, by the value of
// HELIOS_SANDBOX_HELPER.
var helpers = map[string]func() int{}

func TestMain(m *testing.M) {
	if name := os.Getenv("HELIOS_SANDBOX_HELPER"); name != "no-init" {
		Init(testWorkers...)
		if help := helpers[name]; help != nil {
			os.Exit(help())
		}
	} else {
		os.Exit(helpers[name]())
	}
	_ = os.Setenv("HELIOS_TEST_SECRET", secretValue)
	goleak.VerifyTestMain(m)
}

var openOnce = sync.OnceValues(func() (*Sandbox, error) {
	return Open(context.Background(), nil)
})

// box returns the sandbox that the tests share, or skips where there is none.
func box(tb testing.TB) *Sandbox {
	tb.Helper()
	s, err := openOnce()
	testdata.Need(tb, "a host where programs can be confined", err)
	return s
}

var opened struct {
	sync.Once
	layers map[string]*Sandbox
	lack   map[string]error
}

// layers returns the shared sandbox of every layer that the host has for Python,
// and logs which it lacks.
func layers(tb testing.TB) map[string]*Sandbox {
	tb.Helper()
	box(tb)
	opened.Do(func() {
		opened.layers, opened.lack = map[string]*Sandbox{}, map[string]error{}
		for _, c := range candidates(nil) {
			s, err := Open(context.Background(), &Options{Layers: []string{c.name}})
			if err != nil {
				opened.lack[c.name] = err
				continue
			}
			opened.layers[c.name] = s
		}
	})
	for name, err := range opened.lack {
		tb.Logf("not tested: layer %s: %v", name, err)
	}
	return opened.layers
}

// program is a job with the given Python and a preamble: send(value) sends a
// frame.
func program(code string) *Job {
	const preamble = "import json, os, sys, time\n" +
		"def send(value):\n" +
		"    data = json.dumps(value).encode()\n" +
		"    out = open(int(os.environ['HELIOS_RESULT_FD']), 'wb', closefd=False)\n" +
		"    out.write(len(data).to_bytes(4, 'big') + data); out.flush()\n"
	return &Job{
		Files:  map[string][]byte{"main.py": []byte(preamble + code)},
		Main:   "main.py",
		Limits: Limits{Wall: time.Minute},
	}
}

func mustRun(tb testing.TB, s *Sandbox, job *Job) *Result {
	tb.Helper()
	res, err := s.Run(tb.Context(), job)
	if err != nil {
		tb.Fatal(err)
	}
	return res
}

// ok fails unless the program ended well.
func ok(tb testing.TB, res *Result) *Result {
	tb.Helper()
	if res.ExitCode != 0 || res.FrameError != nil || res.TimedOut {
		tb.Fatalf("the program ended with %d, frame error %v, timed out %v, stderr:\n%s", res.ExitCode, res.FrameError, res.TimedOut, res.Stderr)
	}
	return res
}

// frame decodes the only frame of a result.
func frame[T any](tb testing.TB, res *Result) T {
	tb.Helper()
	var v T
	if len(res.Frames) != 1 {
		tb.Fatalf("got %d frames, want 1; stderr:\n%s", len(res.Frames), res.Stderr)
	}
	if err := json.Unmarshal(res.Frames[0], &v); err != nil {
		tb.Fatal(err)
	}
	return v
}

// folder makes a workspace with files; a name that ends in / is a folder.
func folder(tb testing.TB, files map[string]string) string {
	tb.Helper()
	dir := tb.TempDir()
	for name, content := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			tb.Fatal(err)
		}
		if strings.HasSuffix(name, "/") {
			if err := os.MkdirAll(path, 0o700); err != nil {
				tb.Fatal(err)
			}
			continue
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			tb.Fatal(err)
		}
	}
	return dir
}

func readFile(tb testing.TB, path string) string {
	tb.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	return string(data)
}

// running counts the processes of the host whose command line has the word.
func running(word string) int {
	count := 0
	lines, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, line := range lines {
		if data, err := os.ReadFile(line); err == nil && strings.Contains(string(data), word) {
			count++
		}
	}
	return count
}

// word returns a word that no other process's command line has.
func word(tb testing.TB) string {
	return fmt.Sprintf("marker-%d-%s", os.Getpid(), strings.ReplaceAll(tb.Name(), "/", "-"))
}

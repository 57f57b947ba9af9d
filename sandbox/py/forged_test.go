package py

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/helios-go/helios/sandbox/repl"
)

// forge is a cell's way to the worker's socket.
const forge = `
import json, os, socket
def find():
    for name in sorted(os.listdir("/proc/self/fd"), key=int):
        try:
            if os.readlink("/proc/self/fd/" + name).startswith("socket:"):
                return int(name)
        except OSError:
            pass
fd = find()
def forge(text):
    data = text if isinstance(text, bytes) else text.encode()
    os.write(fd, len(data).to_bytes(4, "big") + data)
`

func run(t *testing.T, k *repl.Kernel, code string, timeout time.Duration) *repl.Outcome {
	t.Helper()
	out, err := k.Execute(context.Background(), repl.Cell{Code: code, Timeout: timeout})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestForgeryByTheProgram(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		code string
		want func(out, next *repl.Outcome) bool
	}{
		"a result ends its own cell": {
			`forge('{"type":"result","id":2,"exit":0}')`,
			func(out, next *repl.Outcome) bool { return out.ExitCode == 0 && next.Dead },
		},
		"a result of another cell": {
			`forge('{"type":"result","id":99}')`,
			func(out, _ *repl.Outcome) bool { return out.Dead && strings.Contains(out.Stderr, "broke the protocol") },
		},
		"a call that it may make takes the id of the next": {
			`forge('{"type":"call","id":1,"name":"price","args":{"id":1}}')` + "\nprice(2)",
			func(out, _ *repl.Outcome) bool { return out.Dead },
		},
		"a function that is not there": {
			`forge('{"type":"call","id":1,"name":"submit","args":{}}')` + "\n1",
			func(out, next *repl.Outcome) bool { return out.ExitCode == 0 && next.ExitCode == 0 },
		},
		"rubbish":         {`os.write(fd, b"GET / HTTP/1.1")`, func(out, _ *repl.Outcome) bool { return out.Dead }},
		"a flood":         {`while True: os.write(fd, b"\0" * 65536)`, func(out, _ *repl.Outcome) bool { return out.Dead }},
		"a closed socket": {`os.close(fd)`, func(out, _ *repl.Outcome) bool { return out.Dead }},
		"half a frame": {
			`os.write(fd, b"\0\0\1\0{")` + "\n1",
			func(out, _ *repl.Outcome) bool { return out.Dead },
		},
		"eating what the host says": {
			"import threading\nthreading.Thread(target=lambda: [os.read(fd, 1) for _ in range(10**9)], daemon=True).start()",
			func(_, next *repl.Outcome) bool { return next.Wall < 20*time.Second }, // on a busy machine, too
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			calls := make(chan string, 10)
			k := start(t, &repl.Config{Functions: []repl.Function{{Name: "price", Params: []string{"id"}}}, Call: func(_ context.Context, name string, _ json.RawMessage) (json.RawMessage, error) {
				calls <- name
				return nil, nil
			}})
			if out := run(t, k, forge, 5*time.Second); out.ExitCode != 0 {
				t.Fatalf("prepare: %+v", out)
			}
			out := run(t, k, test.code, time.Second)
			next := run(t, k, "1", time.Second)
			if !test.want(out, next) {
				t.Errorf("got %+v\nthen %+v", out, next)
			}
			if err := k.Close(); err != nil { // waits for the handlers
				t.Error(err)
			}
			close(calls)
			for name := range calls {
				if name != "price" {
					t.Errorf("%s was called", name)
				}
			}
		})
	}
}

func TestDescendants(t *testing.T) {
	t.Parallel()
	k := start(t, nil)
	out := run(t, k, `
import os, subprocess, sys
child = subprocess.Popen([sys.executable, "-c", "import os; os.setsid(); print(sorted(os.listdir('/proc/self/fd')), flush=True); import time; time.sleep(1000)"])
pid = os.fork()
if pid == 0:
    try:
        forged_from_child = 1
        mean([1])
    finally:
        pass
else:
    print("parent", os.waitpid(pid, 0)[1])
`, 5*time.Second)
	if out.ExitCode != 0 || !strings.Contains(out.Stdout, "parent 0") {
		t.Fatalf("got %+v", out)
	}
	if out := run(t, k, "import time\nwhile child.poll() is None: time.sleep(0.01)", 300*time.Millisecond); !out.TimedOut {
		t.Errorf("the child has ended by itself: %+v", out)
	}
	if err := k.Close(); err != nil { // waits until nothing of it is left
		t.Errorf("Close: %v", err)
	}
}

func TestForkedChildCannotCall(t *testing.T) {
	t.Parallel()
	k := start(t, &repl.Config{Functions: []repl.Function{{Name: "f"}}, Call: func(context.Context, string, json.RawMessage) (json.RawMessage, error) { return nil, nil }})
	out := run(t, k, `
import os
pid = os.fork()
if pid == 0:
    f()
os.waitpid(pid, 0)
f()
`, 5*time.Second)
	if out.ExitCode != 0 || !strings.Contains(out.Stderr, "HostError: f cannot be called from a child process") {
		t.Errorf("got %+v", out)
	}
}

func TestThreads(t *testing.T) {
	t.Parallel()
	k := start(t, &repl.Config{Functions: []repl.Function{{Name: "square", Params: []string{"n"}}}, Call: func(_ context.Context, _ string, args json.RawMessage) (json.RawMessage, error) {
		var in struct{ N int }
		_ = json.Unmarshal(args, &in)
		return json.RawMessage(fmt.Sprint(in.N * in.N)), nil
	}})
	out := run(t, k, "from concurrent.futures import ThreadPoolExecutor\nwith ThreadPoolExecutor(16) as pool: squares = list(pool.map(square, range(200)))\nsum(squares)", 10*time.Second)
	if out.Stdout != "2646700\n" {
		t.Errorf("200 calls from 16 threads: %+v", out)
	}
	// A thread that outlives its cell is told so, and harms no other.
	run(t, k, `
import threading
over, told = threading.Event(), []
def late():
    over.wait()
    try:
        square(3)
    except HostError as e:
        told.append(str(e))
worker = threading.Thread(target=late, daemon=True); worker.start()
threading.Timer(0.05, over.set).start()`, 5*time.Second)
	for range 100 {
		if out := run(t, k, "worker.join(0.02); told", 5*time.Second); strings.Contains(out.Stdout, "square") || out.Dead {
			break
		}
	}
	out = run(t, k, "square(4)", 5*time.Second)
	if out.Stdout != "16\n" {
		t.Errorf("after a late thread: %+v", out)
	}
}

func TestStandardOutputIsRestored(t *testing.T) {
	t.Parallel()
	k := start(t, nil)
	run(t, k, "import io, sys\nsys.stdout = io.StringIO()\nprint('lost')", 5*time.Second)
	run(t, k, "sys.stdout.close()", 5*time.Second)
	if out := run(t, k, "print('here')", 5*time.Second); out.Stdout != "here\n" {
		t.Errorf("got %+v", out)
	}
}

func TestWarm(t *testing.T) {
	t.Parallel()
	box, err := openOnce()
	if err != nil {
		t.Skip("no sandbox here; TestRuntime says why")
	}
	k, err := New(box, &Options{Warm: []string{"decimal", "no_such_module"}, Env: map[string]string{"TZ_NAME": "x"}}).Start(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer k.Close()
	if out := run(t, k, "import sys; 'decimal' in sys.modules, 'decimal' in globals()", 5*time.Second); out.Stdout != "(True, False)\n" {
		t.Errorf("got %+v", out)
	}
}

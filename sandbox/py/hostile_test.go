package py

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/helios-go/helios/sandbox/repl"
)

// cells runs cells one after the other, and wants each but the first to say what
// stands beside it.
func cells(t *testing.T, list ...[2]string) {
	t.Helper()
	k := start(t, nil)
	for _, c := range list {
		out, err := k.Execute(context.Background(), repl.Cell{Code: c[0], Timeout: 5 * time.Second, Bindings: &repl.BindingLimits{}})
		if err != nil || out.Dead {
			t.Fatalf("%s: %+v, %v", c[0], out, err)
		}
		if c[1] != "*" && (out.Stdout != c[1] || out.TimedOut) {
			t.Errorf("%s\ngot %+v, want %q", c[0], out, c[1])
		}
	}
}

// A storm of processes ends with the cell that started it.
func TestTheCellAfterAForkBomb(t *testing.T) {
	t.Parallel()
	for name, bomb := range map[string]string{
		"that gives up":    "import os\nwhile True:\n    try: os.fork()\n    except OSError: break",
		"that never does":  "import os\nwhile True:\n    try: os.fork()\n    except OSError: pass",
		"of a few that go": "import os\nfor _ in range(4):\n    if os.fork() == 0:\n        while True: print('noise')\nwhile True: pass",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			// On a busy machine the storm can outlast the two seconds after which the
			// interpreter is killed; then its cells say so, and it is tried again.
			for range 5 {
				k := start(t, nil)
				run(t, k, "kept = 1", 5*time.Second)
				run(t, k, bomb, 500*time.Millisecond)
				run(t, k, "", 5*time.Second) // what was said between the cells
				out := run(t, k, "import threading\nt = threading.Thread(target=lambda: None)\nt.start()\nt.join()\nif pid := os.fork(): os.waitpid(pid, 0)\nelse: os._exit(0)\nkept", 5*time.Second)
				if out.Dead {
					continue
				}
				if out.Stdout != "1\n" || out.ExitCode != 0 {
					t.Errorf("got %+v, want a cell that can start threads and processes", out)
				}
				return
			}
			t.Error("the interpreter was killed each time")
		})
	}
}

func TestClosedStreamsComeBack(t *testing.T) {
	t.Parallel()
	cells(t, [2]string{"import os\nos.close(1); os.close(2); 1/0", "*"}, [2]string{"print(2)", "2\n"})
	k := start(t, nil)
	run(t, k, "import os\nos.close(2)", 5*time.Second)
	if out := run(t, k, "1/0", 5*time.Second); !strings.Contains(out.Stderr, "ZeroDivisionError") {
		t.Errorf("got %+v", out)
	}
}

func TestRemovedBuiltinsComeBack(t *testing.T) {
	t.Parallel()
	cells(t, [2]string{"import builtins\nbuiltins.__dict__.clear()", "*"}, [2]string{"print(sum([1, 2]))\n4", "3\n4\n"})
}

// Text of values and of exceptions is code of the program.
func TestTextThatNeverEnds(t *testing.T) {
	t.Parallel()
	cells(t,
		[2]string{"class Slow:\n    def __repr__(self):\n        while True:\n            try:\n                while True: pass\n            except BaseException: pass\nslow = Slow(); 1", "1\n"},
		[2]string{"2", "2\n"},
	)
	k := start(t, nil)
	run(t, k, "kept = 1", 5*time.Second)
	if out := run(t, k, "class E(Exception):\n    def __str__(self):\n        while True: pass\nraise E", 300*time.Millisecond); !out.TimedOut || out.Dead {
		t.Errorf("got %+v, want a timeout that the kernel survives", out)
	}
	if out := run(t, k, "kept", 5*time.Second); out.Stdout != "1\n" {
		t.Errorf("got %+v", out)
	}
}

// A loop that catches every interruption is interrupted where it catches it.
func TestALoopThatCatchesEverything(t *testing.T) {
	t.Parallel()
	k := start(t, nil)
	run(t, k, "kept = 1", 5*time.Second)
	loop := "while True:\n    try:\n        while True: pass\n    except BaseException: pass"
	if out := run(t, k, loop, 300*time.Millisecond); !out.TimedOut || out.Dead {
		t.Errorf("got %+v, want a timeout that the kernel survives", out)
	}
	if out := run(t, k, "import sys; kept, sys.gettrace()", 5*time.Second); out.Stdout != "(1, None)\n" {
		t.Errorf("got %+v, want the variables and no trace of how it was ended", out)
	}
}

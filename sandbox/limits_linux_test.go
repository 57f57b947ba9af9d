package sandbox

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"
)

// boxes are every layer that the host has, and each of them without cgroups.
func boxes(t *testing.T) map[string]*Sandbox {
	t.Helper()
	all := map[string]*Sandbox{}
	for name, s := range layers(t) {
		all[name] = s
		switch l := s.layer.(type) {
		case *bubblewrap:
			all[name+" without cgroups"] = &Sandbox{layer: &bubblewrap{ground: l.without(), path: l.path}}
		case *spaces:
			alone := *l
			alone.ground = l.without()
			all[name+" without cgroups"] = &Sandbox{layer: &alone}
		}
	}
	return all
}

// without is the ground of a host where no cgroup can be made.
func (g *ground) without() *ground {
	copied := *g
	copied.groups = controllers{}
	return &copied
}

func TestMemoryOfOneProcessIsCapped(t *testing.T) {
	t.Parallel()
	for name, s := range boxes(t) {
		job := program("b = bytearray(600 << 20)\nsend('got it')\n")
		job.Limits.Memory = 512 << 20
		res := mustRun(t, s, job)
		if !res.OutOfMemory || res.ExitCode == 0 || len(res.Frames) != 0 {
			t.Errorf("%s: got out of memory %v, exit code %d, %d frames; stderr:\n%s", name, res.OutOfMemory, res.ExitCode, len(res.Frames), res.Stderr)
		}
		job = program("b = bytearray(300 << 20)\nsend('got it')\n")
		job.Limits.Memory = 512 << 20
		if res := ok(t, mustRun(t, s, job)); res.OutOfMemory || len(res.Frames) != 1 {
			t.Errorf("%s: within the limit: got out of memory %v, %d frames", name, res.OutOfMemory, len(res.Frames))
		}
	}
}

// Each of the four stays within the limit of a process; together they do not.
func TestMemoryOfAllProcessesIsCapped(t *testing.T) {
	t.Parallel()
	for name, s := range boxes(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			job := program(`
reader, writer = os.pipe()
for i in range(4):
    if os.fork() == 0:
        os.setsid()
        os.close(reader)
        b = bytearray(b"x") * (150 << 20)
        os.write(writer, b"x")
        os.close(writer)
        time.sleep(600)
os.close(writer)
got = b""
while chunk := os.read(reader, 10):
    got += chunk
if len(got) == 4:
    time.sleep(600)
send(len(got))
`)
			job.Limits.Memory = 300 << 20
			// The kernel kills one process at a time; the watch kills the run.
			res := mustRun(t, s, job)
			if !res.OutOfMemory || res.TimedOut {
				t.Errorf("got out of memory %v, timed out %v, exit code %d, frames %s", res.OutOfMemory, res.TimedOut, res.ExitCode, res.Frames)
			}
		})
	}
}

// Forks share the pages that they have not written: they count once.
func TestSharedMemoryCountsOnce(t *testing.T) {
	t.Parallel()
	for name, s := range boxes(t) {
		job := program(`
b = bytearray(b"x") * (150 << 20)
reader, writer = os.pipe()
children = []
for i in range(4):
    children.append(os.fork())
    if children[-1] == 0:
        os.read(reader, 1)
        os._exit(0)
time.sleep(0.3)  # several looks of the watch
os.write(writer, b"1234")
for pid in children:
    os.waitpid(pid, 0)
send("done")
`)
		job.Limits.Memory = 300 << 20
		if res := mustRun(t, s, job); res.OutOfMemory || res.ExitCode != 0 || len(res.Frames) != 1 {
			t.Errorf("%s: got out of memory %v, exit code %d, %d frames; stderr:\n%s", name, res.OutOfMemory, res.ExitCode, len(res.Frames), res.Stderr)
		}
	}
}

func TestForkBombIsBounded(t *testing.T) {
	t.Parallel()
	job := program(`
made = 0
try:
    while made < 1000:
        if os.fork() == 0:
            time.sleep(600)
            os._exit(0)
        made += 1
except BlockingIOError:
    pass
send(made)
`)
	job.Limits.Processes = 20
	for name, s := range boxes(t) {
		// The program itself is one of the twenty.
		got, least := frame[int](t, ok(t, mustRun(t, s, job))), 15
		if l, is := s.layer.(*alone); is && l.groups.pids == "" {
			least = 1 // the other processes of the user count too
		}
		if got < least || got > 19 {
			t.Errorf("%s: got %d children before fork failed, want %d to 19", name, got, least)
		}
	}
}

func TestThreadsCountAsProcesses(t *testing.T) {
	t.Parallel()
	job := program(`
import threading
made = 0
try:
    while made < 1000:
        threading.Thread(target=time.sleep, args=(600,), daemon=True).start()
        made += 1
except RuntimeError:
    pass
send(made)
os._exit(0)
`)
	job.Limits.Processes = 20
	if got := frame[int](t, ok(t, mustRun(t, box(t), job))); got < 10 || got > 19 {
		t.Errorf("got %d threads before one could not be started, want 10 to 19", got)
	}
}

func TestBombThatForksForeverEnds(t *testing.T) {
	t.Parallel()
	word := word(t)
	job := program(`
word = "` + word + `"
while True:
    try:
        os.fork()
    except OSError:
        pass
`)
	job.Limits.Wall = time.Second
	job.Limits.Processes = 30
	if res := mustRun(t, box(t), job); !res.TimedOut {
		t.Errorf("got exit code %d, want a timeout", res.ExitCode)
	}
}

func TestFloodOfOutputIsCut(t *testing.T) { //nolint:paralleltest // it measures the process's memory
	s := box(t)
	job := program(`
line = b"0123456789abcdef" * 4096
end = time.time() + 1
while time.time() < end:
    os.write(1, line)
    os.write(2, line)
`)
	job.Limits.Stdout, job.Limits.Stderr = 1000, 2000
	before := residentMemory(t)
	res := ok(t, mustRun(t, s, job))
	if len(res.Stdout) != 1000 || len(res.Stderr) != 2000 || !res.StdoutCut || !res.StderrCut {
		t.Errorf("kept %d and %d bytes, cut %v and %v", len(res.Stdout), len(res.Stderr), res.StdoutCut, res.StderrCut)
	}
	if !bytes.HasPrefix(res.Stdout, []byte("0123456789abcdef0123")) {
		t.Errorf("kept %q, want the beginning", res.Stdout[:20])
	}
	if grown := residentMemory(t) - before; grown > 32<<20 {
		t.Errorf("the host's memory grew by %d bytes", grown)
	}
}

func TestFloodOfFramesIsCut(t *testing.T) { //nolint:paralleltest // it measures the process's memory
	s := box(t)
	job := program(`
try:
    while True:
        send("x" * 1000)
except BrokenPipeError:
    print("nobody reads any more")
    os._exit(3)
`)
	job.Limits.Frames = 50
	before := residentMemory(t)
	res := mustRun(t, s, job)
	if len(res.Frames) != 50 || res.FrameError == nil {
		t.Errorf("got %d frames, error %v, want 50 and an error", len(res.Frames), res.FrameError)
	}
	if res.ExitCode != 3 {
		t.Errorf("got exit code %d, want the program to learn of it; stderr:\n%s", res.ExitCode, res.Stderr)
	}
	if grown := residentMemory(t) - before; grown > 32<<20 {
		t.Errorf("the host's memory grew by %d bytes", grown)
	}
}

func residentMemory(t *testing.T) int64 {
	t.Helper()
	runtime.GC()
	data, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Fatal(err)
	}
	pages, err := strconv.ParseInt(strings.Fields(string(data))[1], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return pages * int64(os.Getpagesize())
}

func TestBadFramesAreReportedAndDoNoHarm(t *testing.T) {
	t.Parallel()
	s := box(t)
	for name, c := range map[string]struct {
		write  string // Python expression of the bytes written after one good frame
		frames int
		err    string
	}{
		"no JSON":          {`b"\0\0\0\3abc"`, 1, "frame 2 of the program: it is not JSON"},
		"not UTF-8":        {`b"\0\0\0\3\"\xff\""`, 1, "it is not JSON in UTF-8"},
		"two values":       {`b"\0\0\0\0031 2"`, 1, "it is not JSON"},
		"empty":            {`b"\0\0\0\0"`, 1, "its length is 0"},
		"huge":             {`b"\xff\xff\xff\xff" + b"x" * 100`, 1, "4294967295 bytes is over the limit"},
		"cut in length":    {`b"\0\0"`, 1, "after 2 of 4 length bytes"},
		"cut in body":      {`b"\0\0\0\12[1"`, 1, "after 2 of 10 bytes"},
		"good after good":  {`b"\0\0\0\2[]"`, 2, ""},
		"nothing":          {`b""`, 1, ""},
		"good after wrong": {`b"\0\0\0\1x" + b"\0\0\0\2[]"`, 1, "frame 2"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			res := mustRun(t, s, program("send(1)\nos.write(3, "+c.write+")\nprint('end')\n"))
			if len(res.Frames) != c.frames {
				t.Errorf("got %d frames, want %d", len(res.Frames), c.frames)
			}
			if got := fmt.Sprint(res.FrameError); c.err == "" && res.FrameError != nil || !strings.Contains(got, c.err) {
				t.Errorf("got error %q, want one with %q", got, c.err)
			}
			if res.ExitCode != 0 || string(res.Stdout) != "end\n" {
				t.Errorf("got exit code %d, output %q", res.ExitCode, res.Stdout)
			}
		})
	}
}

func TestFramesOnStandardOutputAreNotFrames(t *testing.T) {
	t.Parallel()
	res := ok(t, mustRun(t, box(t), program(`os.write(1, b"\0\0\0\2[]")`)))
	if len(res.Frames) != 0 || string(res.Stdout) != "\x00\x00\x00\x02[]" {
		t.Errorf("got %d frames and output %q", len(res.Frames), res.Stdout)
	}
}

func TestFramesArriveWhileTheProgramRuns(t *testing.T) {
	t.Parallel()
	dir := folder(t, nil)
	job := program(`
for i in range(3):
    send(i)
print(sys.stdin.read() == "")
`)
	job.Dir = dir
	var got []string
	job.OnFrame = func(f Frame) { got = append(got, string(f)) }
	res := ok(t, mustRun(t, box(t), job))
	if fmt.Sprint(got) != "[0 1 2]" || len(res.Frames) != 3 {
		t.Errorf("got %v as they came and %d in the end", got, len(res.Frames))
	}
	if string(res.Stdout) != "True\n" {
		t.Errorf("standard input is not empty: %s", res.Stdout)
	}
}

func TestWorkspaceIsBounded(t *testing.T) {
	t.Parallel()
	s := box(t)
	fill := func(code string) *Result {
		job := program(code + "\ntime.sleep(600)\n")
		job.Dir = folder(t, nil)
		job.Limits.Workspace, job.Limits.Files = 20<<20, 100
		return mustRun(t, s, job)
	}
	for name, code := range map[string]string{
		"bytes":   "for i in range(30): open('f%d' % i, 'wb').write(bytes(1 << 20))",
		"files":   "for i in range(200): open('f%d' % i, 'wb')",
		"folders": "for i in range(200): os.mkdir('d%d' % i)",
		"depth":   "for i in range(60): os.mkdir('d'); os.chdir('d')",
	} {
		if res := fill(code); !res.OverDisk || res.TimedOut || len(res.Changed) != 0 {
			t.Errorf("%s: got over disk %v, timed out %v, changed %v; stderr:\n%s", name, res.OverDisk, res.TimedOut, res.Changed, res.Stderr)
		}
	}
}

func TestLimitsThatMakeNoSenseAreRefused(t *testing.T) {
	t.Parallel()
	for name, l := range map[string]Limits{
		"Limits.Wall is 10m0s":    {Wall: 10 * time.Minute},
		"Limits.Wall is -1s":      {Wall: -time.Second},
		"Limits.Memory is -1":     {Memory: -1},
		"Limits.Processes is -4":  {Processes: -4},
		"Limits.FramesAll is -10": {FramesAll: -10},
	} {
		if _, err := l.withDefaults(false); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("got %v, want an error with %q", err, name)
		}
	}
	l, err := Limits{}.withDefaults(false)
	if err != nil || l.Wall != time.Minute || l.Memory != 1<<30 || l.Processes != 64 || l.FileSize != 200e6 || l.Frame != 1<<20 || l.Frames != 10_000 {
		t.Errorf("got defaults %+v, %v", l, err)
	}
}

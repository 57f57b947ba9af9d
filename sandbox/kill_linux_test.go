package sandbox

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// detached starts children that leave the session, lose their parent and sleep
// for longer than any test takes; they have the word on their command line.
// Then it sends a frame.
func detached(word string) string {
	return `
import subprocess
for i in range(5):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.execv(sys.executable, [sys.executable, "-I", "-S", "-c", "import time; time.sleep(600)", "` + word + `"])
        os._exit(0)
    os.wait()
def started():
    n = 0
    for pid in os.listdir("/proc"):
        if pid.isdigit():
            try:
                n += b"` + word + `" in open("/proc/%s/cmdline" % pid, "rb").read()
            except OSError:
                pass
    return n
while started() < 5:
    time.sleep(0.001)
send("started")
`
}

func TestTimeoutKillsEveryDescendant(t *testing.T) {
	t.Parallel()
	s, word := box(t), word(t)
	// On a busy host the children may take longer to start than the run lasts.
	for wall := time.Second; ; wall *= 3 {
		job := program(detached(word) + "time.sleep(600)\n")
		job.Limits.Wall = wall
		seen := 0
		job.OnFrame = func(Frame) { seen = running(word) }
		res := mustRun(t, s, job)
		if !res.TimedOut || res.ExitCode != exitKilled || res.Wall < wall {
			t.Errorf("got timed out %v, exit code %d after %v, want true, %d after %v", res.TimedOut, res.ExitCode, res.Wall, exitKilled, wall)
		}
		if left := running(word); left != 0 {
			t.Errorf("%d children are alive after Run returned", left)
		}
		if seen == 5 {
			return
		}
		if wall > time.Minute {
			t.Fatalf("the host saw %d children while they ran, want 5", seen)
		}
	}
}

func TestCancelKillsEveryDescendant(t *testing.T) {
	t.Parallel()
	word := word(t)
	ctx, cancel := context.WithCancel(t.Context())
	job := program(detached(word) + "time.sleep(600)\n")
	job.OnFrame = func(Frame) { cancel() }
	_, err := box(t).Run(ctx, job)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got error %v, want %v", err, context.Canceled)
	}
	if left := running(word); left != 0 {
		t.Errorf("%d children are alive after Run returned", left)
	}
}

// The children hold standard output and the result descriptor open; nothing
// waits for them.
func TestEndOfTheProgramEndsItsChildren(t *testing.T) {
	t.Parallel()
	word := word(t)
	dir := folder(t, nil)
	job := program(detached(word) + "print('the end'); open('done.txt', 'w').write('yes')\n")
	job.Dir = dir
	began := time.Now()
	res := ok(t, mustRun(t, box(t), job))
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("Run returned after %v", took)
	}
	if left := running(word); left != 0 {
		t.Errorf("%d children are alive after Run returned", left)
	}
	if got := string(res.Stdout); got != "the end\n" {
		t.Errorf("got output %q", got)
	}
	if got := readFile(t, filepath.Join(dir, "done.txt")); got != "yes" {
		t.Errorf("got %q in done.txt", got)
	}
}

func TestIgnoredSignalsAreNoHelp(t *testing.T) {
	t.Parallel()
	job := program(`
import signal
for n in range(1, 65):
    try:
        signal.signal(n, signal.SIG_IGN)
    except (OSError, ValueError):
        pass
while True:
    pass
`)
	job.Limits.Wall = 300 * time.Millisecond
	if res := mustRun(t, box(t), job); !res.TimedOut {
		t.Errorf("got exit code %d, want a timeout; stderr:\n%s", res.ExitCode, res.Stderr)
	}
}

func init() {
	helpers["owner"] = func() int {
		s, err := Open(context.Background(), nil)
		if err != nil {
			fmt.Println(err)
			return 1
		}
		word := os.Getenv("HELIOS_SANDBOX_WORD")
		job := program(detached(word) + "time.sleep(600)\n")
		job.Dir = os.Getenv("HELIOS_SANDBOX_DIR")
		job.OnFrame = func(Frame) { fmt.Println("started") }
		_, err = s.Run(context.Background(), job)
		fmt.Println(err)
		return 1
	}
}

func TestDeathOfTheOwnerEndsTheProgram(t *testing.T) {
	t.Parallel()
	box(t)
	word, base := word(t), stageBase(t)
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = append(os.Environ(), "HELIOS_SANDBOX_HELPER=owner", "HELIOS_SANDBOX_WORD="+word, "HELIOS_SANDBOX_DIR="+t.TempDir(), "TMPDIR="+base)
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	greeting := make([]byte, len("started\n"))
	if _, err := io.ReadFull(stdout, greeting); err != nil {
		t.Fatal(err)
	}
	seen := running(word)
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	if seen != 5 {
		t.Errorf("the host saw %d children while they ran, want 5", seen)
	}
	// The kernel passes the death on; there is nothing to wait on.
	for until := time.Now().Add(10 * time.Second); running(word) > 0 && time.Now().Before(until); {
		runtime.Gosched()
	}
	if left := running(word); left != 0 {
		t.Errorf("%d children are alive after their owner was killed", left)
	}
	// What it left on the disk goes when the next program opens the sandbox.
	dir, err := os.Open(base)
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	stages, err := dir.Readdirnames(-1)
	if err != nil || len(stages) != 1 {
		t.Fatalf("got stages %q, %v, want the one of the killed owner", stages, err)
	}
	sweepStage(dir, stages[0], []int{os.Getuid(), innerID}, 0)
	if left := leftIn(t, base); len(left) != 0 {
		t.Errorf("the stage still holds %q", left)
	}
}

// A 32-bit call has numbers of its own, so that a filter that lets other
// architectures through would take socket for something else.
func TestThirtyTwoBitCallKills(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("int 0x80 is a call of amd64 and 386")
	}
	t.Parallel()
	// mov eax, 359 (socket); mov ebx, 2; mov ecx, 1; xor edx, edx; int 0x80; ret,
	// with rbx saved around it.
	const code = `
import ctypes, mmap
text = bytes.fromhex("53 b867010000 bb02000000 b901000000 31d2 cd80 5b c3")
page = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
page.write(text)
call = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(page)))
print("before", flush=True)
print("got", call(), flush=True)
`
	out, err := exec.Command("/usr/bin/python3", "-I", "-c", code).Output()
	if err != nil || !bytes.Contains(out, []byte("got ")) || bytes.Contains(out, []byte("got -")) {
		t.Logf("the host itself makes no 32-bit call (%v, %q): this kernel has none, so the next check is weak", err, out)
	}
	res := mustRun(t, box(t), program(code))
	if want := 128 + int(unix.SIGSYS); res.ExitCode != want {
		t.Errorf("got exit code %d and output %q, want %d (killed by SIGSYS)", res.ExitCode, res.Stdout, want)
	}
	if got := string(res.Stdout); got != "before\n" {
		t.Errorf("got output %q, want it to end before the call", got)
	}
}

// Not parallel: it makes a descriptor that every child of the process inherits.
func TestInheritedDescriptorsStayOut(t *testing.T) { //nolint:paralleltest // see above
	s := box(t)
	fd, err := unix.Open("/etc/passwd", unix.O_RDONLY, 0) // on purpose without O_CLOEXEC
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	const code = `
found = {}
for n in os.listdir("/proc/self/fd"):
    try:
        found[int(n)] = os.readlink("/proc/self/fd/" + n)
    except OSError:
        pass  # the listing's own
`
	out, err := exec.Command("/usr/bin/python3", "-I", "-c", "import os\n"+code+"print(found)").Output()
	if err != nil || !bytes.Contains(out, []byte("/etc/passwd")) {
		t.Fatalf("a plain child does not inherit the descriptor (%v, %s), so this test proves nothing", err, out)
	}
	got := frame[map[string]string](t, ok(t, mustRun(t, s, program(code+"send(found)"))))
	for n, what := range got {
		if n != "0" && n != "1" && n != "2" && n != "3" {
			t.Errorf("descriptor %s reached the program: %s", n, what)
		}
		if what != "/dev/null" && !strings.HasPrefix(what, "pipe:") {
			t.Errorf("descriptor %s is %s, want a pipe or /dev/null", n, what)
		}
	}
	if len(got) != 4 {
		t.Errorf("got %d descriptors, want 4: %v", len(got), got)
	}
}

func init() {
	helpers["one-by-one"] = func() int {
		if _, err := unix.Open("/etc/passwd", unix.O_RDONLY, 0); err != nil {
			fmt.Println(err)
			return 1
		}
		if err := closeOnExecOneByOne(); err != nil {
			fmt.Println(err)
			return 1
		}
		err := unix.Exec("/bin/ls", []string{"ls", "-l", "/proc/self/fd"}, nil)
		fmt.Println(err)
		return 1
	}
}

// A kernel before 5.11 does not mark all descriptors at once.
func TestDescriptorsAreClosedOneByOneToo(t *testing.T) {
	t.Parallel()
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = append(os.Environ(), "HELIOS_SANDBOX_HELPER=one-by-one")
	out, err := cmd.CombinedOutput()
	if err != nil || !bytes.Contains(out, []byte(" 0 -> ")) || bytes.Contains(out, []byte("/etc/passwd")) {
		t.Errorf("got %v\n%s", err, out)
	}
}

func TestEnvironmentIsOurs(t *testing.T) {
	t.Parallel()
	job := program("send({'env': dict(os.environ), 'flags': [sys.flags.isolated, sys.flags.utf8_mode, sys.flags.dont_write_bytecode], 'cwd': os.getcwd(), 'one': open('/proc/1/environ').read()})")
	job.Env = map[string]string{"MPLCONFIGDIR": "/tmp/mpl"}
	got := frame[struct {
		Env   map[string]string
		Flags []int
		Cwd   string
		One   string
	}](t, ok(t, mustRun(t, box(t), job)))
	if got.Cwd != "/tmp" || got.One != "" || fmt.Sprint(got.Flags) != "[1 1 1]" {
		t.Errorf("got folder %q, flags %v, environment of process 1 %q", got.Cwd, got.Flags, got.One)
	}
	want := map[string]string{"HELIOS_RESULT_FD": "3", "PWD": "/tmp", "MPLCONFIGDIR": "/tmp/mpl"}
	maps.Copy(want, ownEnv)
	gotText, _ := json.Marshal(got.Env)
	wantText, _ := json.Marshal(want)
	if string(gotText) != string(wantText) {
		t.Errorf("got environment %s\nwant %s", gotText, wantText)
	}
}

func TestExitCodes(t *testing.T) {
	t.Parallel()
	s := box(t)
	for code, want := range map[string]int{
		"":                                   0,
		"sys.exit(7)":                        7,
		"raise ValueError('no')":             1,
		"os.kill(os.getpid(), 15)":           128 + 15,
		"import ctypes; ctypes.string_at(0)": 128 + 11,
	} {
		if res := mustRun(t, s, program(code)); res.ExitCode != want || res.TimedOut || res.OutOfMemory {
			t.Errorf("%q: got exit code %d, want %d", code, res.ExitCode, want)
		}
	}
}

func TestRunsDoNotMeet(t *testing.T) {
	t.Parallel()
	s := box(t)
	type outcome struct {
		res *Result
		err error
	}
	const runs = 6
	outcomes := make(chan outcome, runs)
	for i := range runs {
		go func() {
			job := program(fmt.Sprintf("open('/tmp/x', 'x').write('%d'); time.sleep(0.05); send([open('/tmp/x').read(), sorted(int(p) for p in os.listdir('/proc') if p.isdigit())])", i))
			res, err := s.Run(t.Context(), job)
			outcomes <- outcome{res, err}
		}()
	}
	seen := map[string]bool{}
	for range runs {
		o := <-outcomes
		if o.err != nil {
			t.Error(o.err)
			continue
		}
		got := frame[[]any](t, ok(t, o.res))
		seen[fmt.Sprint(got[0])] = true
		if fmt.Sprint(got[1]) != "[1 2]" {
			t.Errorf("a program sees the processes %v, want its own two", got[1])
		}
	}
	if len(seen) != runs {
		t.Errorf("got %d different answers, want %d", len(seen), runs)
	}
}

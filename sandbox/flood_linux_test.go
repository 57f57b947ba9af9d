package sandbox

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"
)

// hostGrowth is how much more memory this process may use for a program that
// does its worst.
const hostGrowth = 32 << 20

// A program that writes ten gigabytes costs the host nothing, and the one after
// it is served.
func TestTenGigabytesOfOutputCostNothing(t *testing.T) { //nolint:paralleltest // it measures the process's memory
	if testing.Short() {
		t.Skip("it takes some seconds")
	}
	s := box(t)
	p, r := start(t, s, talker(`
chunk = b"x" * (1 << 20)
for line in lines:
    for i in range(10 * 1024):
        os.write(1, chunk)
    say("written")
`))
	before, began := residentMemory(t), time.Now()
	_ = p.Conn().SetDeadline(time.Now().Add(5 * time.Minute))
	ask(t, p, r, "go")
	t.Logf("10 GiB took %v", time.Since(began).Round(time.Millisecond))
	stdout, _, cut := p.Output()
	if len(stdout) != 1<<20 || !cut {
		t.Errorf("kept %d bytes, cut %v", len(stdout), cut)
	}
	if grown := residentMemory(t) - before; grown > hostGrowth {
		t.Errorf("the host's memory grew by %d bytes", grown)
	}
	stdout, _, cut = p.Output()
	if len(stdout) != 0 || cut {
		t.Errorf("after that: got %d bytes, cut %v, want nothing", len(stdout), cut)
	}
	p.Kill()
	<-p.Done()
	ok(t, mustRun(t, s, program("")))
}

// What a program does to use the host up ends with it, in every layer.
func TestProgramThatStaysIsBounded(t *testing.T) { //nolint:paralleltest // it measures the process's memory
	for name, s := range layers(t) {
		before := residentMemory(t)
		for what, code := range map[string]string{
			"memory":    "hold = []\nwhile True: hold.append(bytearray(b'x') * (8 << 20))",
			"fork bomb": "while True:\n    try: os.fork()\n    except OSError: pass",
			"socket":    "while True: sock.sendall(b'x' * 65536)",
		} {
			job := talker("say('ready')\n" + code + "\n")
			job.Limits = Limits{Memory: 200 << 20, Processes: 20, Wall: 2 * time.Second}
			p, r := start(t, s, job)
			if got := answer(t, r); got != "ready" {
				t.Fatal(got)
			}
			res, err := p.Wait()
			switch {
			case err != nil:
				t.Errorf("%s: %s: %v", name, what, err)
			case what == "memory" && !res.OutOfMemory, what != "memory" && !res.TimedOut:
				t.Errorf("%s: %s: %s", name, what, short(res))
			}
		}
		if grown := residentMemory(t) - before; grown > hostGrowth {
			t.Errorf("%s: the host's memory grew by %d bytes", name, grown)
		}
		ok(t, mustRun(t, s, program("")))
	}
}

// The result descriptor is not there, standard output is never read for frames,
// and what comes over the socket is bytes that whoever reads them has to judge.
func TestForgedFramesOfAProgramThatStays(t *testing.T) {
	t.Parallel()
	inEach(t, func(t *testing.T, s *Sandbox) {
		p, r := start(t, s, talker(`
frame = b"\0\0\0\2[]"
os.write(1, frame)
os.write(2, frame)
sock.sendall(frame)
say(" " + str("HELIOS_RESULT_FD" in os.environ))
for line in lines: pass
`))
		if got := answer(t, r); got != "\x00\x00\x00\x02[] False" {
			t.Errorf("got %q over the socket", got)
		}
		stdout, stderr, _ := p.Output()
		if string(stdout) != "\x00\x00\x00\x02[]" || string(stderr) != string(stdout) {
			t.Errorf("got output %q, %q", stdout, stderr)
		}
		_ = p.Conn().Close()
		res, err := p.Wait()
		if err != nil || res.ExitCode != 0 || len(res.Frames) != 0 || len(res.Stdout) != 0 {
			t.Errorf("got %s, %d frames, %v", short(res), len(res.Frames), err)
		}
	})
}

func TestFramesAreForRun(t *testing.T) {
	t.Parallel()
	job := talker("")
	job.OnFrame = func(json.RawMessage) {}
	if _, err := box(t).Start(t.Context(), job); err == nil || !strings.Contains(err.Error(), "OnFrame") {
		t.Errorf("got %v", err)
	}
}

func TestStartObeysItsContextAndTheProgramDoesNot(t *testing.T) {
	t.Parallel()
	inEach(t, func(t *testing.T, s *Sandbox) {
		ctx, cancel := context.WithCancel(t.Context())
		p, err := s.Start(ctx, talker("for line in lines: say(line.strip())\n"))
		if err != nil {
			t.Fatal(err)
		}
		cancel()
		r := bufio.NewReader(p.Conn())
		if got := ask(t, p, r, "still here"); got != "still here" {
			t.Errorf("got %q", got)
		}
		p.Kill()
		<-p.Done()
		_ = p.Conn().Close()
		if _, err := s.Start(ctx, talker("")); err == nil {
			t.Error("it started under a context that had ended")
		}
	})
}

func TestFilesOfAProgramThatStaysComeBack(t *testing.T) {
	t.Parallel()
	inEach(t, func(t *testing.T, s *Sandbox) {
		for killed, want := range map[bool]string{false: "[made.txt]", true: "[]"} {
			job := talker("open('made.txt', 'w').write('x')\nsay('made')\nfor line in lines: pass\n")
			job.Dir = folder(t, map[string]string{"old.txt": "old"})
			p, r := start(t, s, job)
			answer(t, r)
			if killed {
				p.Kill()
			}
			_ = p.Conn().Close()
			res, err := p.Wait()
			if err != nil || fmt.Sprint(res.Changed) != want {
				t.Errorf("killed %v: got %v, %v, want %s", killed, res.Changed, err, want)
			}
		}
	})
}

func init() {
	helpers["owner-of-many"] = func() int {
		for _, c := range candidates(nil) {
			if s, err := Open(context.Background(), &Options{Layers: []string{c.name}}); err == nil {
				job := talker("import subprocess\nsubprocess.Popen([sys.executable, '-I', '-S', '-c', 'import time; time.sleep(600)', 'WORD'], start_new_session=True)\nsay('x')\ntime.sleep(600)\n")
				job.Files["main.py"] = []byte(strings.ReplaceAll(string(job.Files["main.py"]), "WORD", os.Getenv("HELIOS_SANDBOX_WORD")))
				job.Limits.Processes = 200
				if _, err := startAndHear(s, job, "x\n"); err != nil {
					fmt.Println(c.name, err)
					return 1
				}
			}
		}
		for _, c := range candidates(&testWorkers[0]) {
			if s, err := OpenWorker(context.Background(), testWorkers[0], &Options{Layers: []string{c.name}}); err == nil {
				p, err := startAndHear(s, &Job{}, "")
				if err != nil {
					fmt.Println(c.name, err)
					return 1
				}
				_, _ = io.WriteString(p.Conn(), "spin\n")
			}
		}
		fmt.Println("started")
		time.Sleep(time.Hour)
		return 0
	}
}

func startAndHear(s *Sandbox, job *Job, want string) (*Process, error) {
	p, err := s.Start(context.Background(), job)
	if err != nil {
		return nil, err
	}
	got := make([]byte, len(want))
	if _, err := io.ReadFull(p.Conn(), got); err != nil || string(got) != want {
		stdout, stderr, _ := p.Output()
		return nil, fmt.Errorf("got %q, %w\n%s\n%s", got, err, stdout, stderr)
	}
	return p, nil
}

// The owner is killed as the kernel kills for memory: it can do nothing more
// about what it has started.
func TestKilledOwnerLeavesNoProcessInAnyLayer(t *testing.T) {
	t.Parallel()
	box(t)
	word := word(t)
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = append(os.Environ(), "HELIOS_SANDBOX_HELPER=owner-of-many", "HELIOS_SANDBOX_WORD="+word, "TMPDIR="+stageBase(t))
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	greeting, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil || greeting != "started\n" {
		t.Fatalf("got %q, %v", greeting, err)
	}
	seen, descendants := running(word), descendantsOf(cmd.Process.Pid)
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	if seen < len(layers(t)) || len(descendants) < 2*seen {
		t.Errorf("there were %d programs and %d processes below their owner", seen, len(descendants))
	}
	left := func() (alive []int) {
		for pid, born := range descendants {
			if startOf(pid) == born {
				alive = append(alive, pid)
			}
		}
		return alive
	}
	for until := time.Now().Add(20 * time.Second); len(left()) > 0 && time.Now().Before(until); {
		runtime.Gosched()
	}
	if alive := left(); len(alive) > 0 {
		t.Errorf("the processes %v outlive their owner", alive)
	}
}

// descendantsOf returns the processes below one, and when each of them started.
func descendantsOf(pid int) map[int]string {
	all := map[int]string{}
	for _, child := range childrenOf(pid) {
		all[child] = startOf(child)
		maps.Copy(all, descendantsOf(child))
	}
	return all
}

// startOf is when a process started, "" when it is gone or a zombie.
func startOf(pid int) string {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return ""
	}
	fields := strings.Fields(string(data[bytes.LastIndexByte(data, ')')+1:]))
	if len(fields) < 20 || fields[0] == "Z" || fields[0] == "X" {
		return ""
	}
	return fields[19]
}

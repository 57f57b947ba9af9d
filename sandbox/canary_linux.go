package sandbox

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

//go:embed canary.py
var canaryProgram []byte

// canaryLimits are tight: the canary needs a few hundredths of a second.
var canaryLimits = Limits{Wall: 20 * time.Second, Stdout: 4 << 10, Stderr: 4 << 10, Frames: 1, Frame: 64 << 10}

// A trial is a layer that runs the canary: with a Python that loads nothing, and
// told of a file of the host that the program's uid could read, were it in sight.
type trial struct {
	describer
	python *interpreter
	launch func(ctx context.Context, t *task, command []string, more func(*stage) map[string]string) (body, error)
}

type describer interface{ describe() string }

func (t trial) start(ctx context.Context, task *task) (body, error) {
	return t.launch(ctx, task, []string{t.python.command, "-I", "-S", "-B", "-X", "utf8", "/job/canary.py"}, func(s *stage) map[string]string {
		return map[string]string{"CANARY_HOST_FILE": filepath.Join(s.path, "job", "canary.py")}
	})
}

// prove runs the real profile once, with a program that tries to get out.
func (b *bubblewrap) prove(ctx context.Context) error {
	return trial{b, b.python, b.launch}.prove(ctx, marks{firstPIDs: 3, ownTasks: 1})
}

func (t trial) prove(ctx context.Context, m marks) error {
	job := &Job{Files: map[string][]byte{"canary.py": canaryProgram}, Main: "canary.py", Limits: canaryLimits}
	task, err := newTask(job, false)
	if err != nil {
		return err
	}
	process, err := begin(ctx, t, task)
	if err != nil {
		return err
	}
	process.see(ctx)
	res, err := process.Wait()
	if err != nil {
		return err
	}
	if res.ExitCode != 0 || len(res.Frames) != 1 || res.FrameError != nil {
		return &launchError{
			said: lastLine(res.Stderr),
			err:  fmt.Errorf("the trial program ended with status %d and %d reports", res.ExitCode, len(res.Frames)),
		}
	}
	return judge(res.Frames[0], task.limits, m)
}

// errOpen is what a canary that got out makes of a host.
var errOpen = errors.New("the confinement has a hole")

// marks are what differs from layer to layer in a canary's report.
type marks struct {
	firstPIDs int // the canary is among so many first processes of its namespace
	ownTasks  int // of the layer itself, which the limit of processes counts
}

// judge compares a canary's report with what it has to be.
func judge(frame Frame, limits Limits, m marks) error {
	var report map[string]string
	if err := json.Unmarshal(frame, &report); err != nil {
		return fmt.Errorf("%w: the trial program's report cannot be read: %w", errOpen, err)
	}
	want := map[string]string{
		// The one thing that must work, or the others prove nothing.
		"control": "open",

		"Seccomp": "2", "NoNewPrivs": "1", "environ": "0", "descriptors": "0 1 2 3",
		"CapEff": "0000000000000000", "CapPrm": "0000000000000000", "CapBnd": "0000000000000000",
		"Uid": strings.TrimSpace(strings.Repeat(strconv.Itoa(innerID)+" ", 4)),
		"Gid": strings.TrimSpace(strings.Repeat(strconv.Itoa(innerID)+" ", 4)),
	}
	for _, name := range []string{
		"shadow", "passwd", "host_file", "kernel_setting", "sysrq", "root", "usr", "dev", "job", "sys", "socket", "setuid", "node",
	} {
		want[name] = "denied"
	}
	for _, name := range sortedKeys(want) {
		if report[name] != want[name] {
			return fmt.Errorf("%w: %s is %q and not %q", errOpen, name, report[name], want[name])
		}
	}
	for name, most := range map[string]int64{
		"Max address space": limits.Memory, "Max processes": int64(limits.Processes + m.ownTasks),
		"Max file size": limits.FileSize, "Max open files": openFiles, "Max core file size": 0,
	} {
		if value, err := strconv.ParseInt(report[name], 10, 64); err != nil || value > most {
			return fmt.Errorf("%w: the limit %q is %q and not %d", errOpen, name, report[name], most)
		}
	}
	for _, name := range []string{"user", "pid", "net", "mnt", "ipc", "uts", "cgroup"} {
		ours, err := os.Readlink("/proc/self/ns/" + name)
		if err != nil {
			return fmt.Errorf("%w: the %s namespace of the host cannot be compared: %w", errOpen, name, err)
		}
		if inside := report["ns_"+name]; inside == "" || inside == ours {
			return fmt.Errorf("%w: the %s namespace is the host's", errOpen, name)
		}
	}
	last := report["NSpid"][strings.LastIndexByte(report["NSpid"], ' ')+1:]
	if pid, err := strconv.Atoi(last); err != nil || pid < 2 || pid > m.firstPIDs {
		return fmt.Errorf("%w: processes of the host are in sight", errOpen)
	}
	return nil
}

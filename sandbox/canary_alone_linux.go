package sandbox

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

//go:embed canary_alone.py
var canaryAlone []byte

// prove runs the layer once, with a program that tries to get out.
func (a *alone) prove(ctx context.Context) error {
	return a.proveWith(ctx, func(*stage, *insideOrder) {})
}

// proveWith proves the layer with a change to it, which tests make worse.
func (a *alone) proveWith(ctx context.Context, alter func(*stage, *insideOrder)) error {
	bait, err := a.newBait()
	if err != nil {
		return err
	}
	defer bait.end()
	if a.worker != nil {
		return a.proveWorker(ctx, alter, bait.cmd.Process.Pid)
	}
	job := &Job{
		Files: map[string][]byte{"canary.py": canaryAlone}, Main: "canary.py", Limits: canaryLimits,
		Env: map[string]string{"CANARY_OWNER": strconv.Itoa(os.Getpid()), "CANARY_BAIT": strconv.Itoa(bait.cmd.Process.Pid)},
	}
	t, err := newTask(job, false)
	if err != nil {
		return err
	}
	process, err := begin(ctx, aloneTrial{a, func(s *stage, o *insideOrder) {
		o.Env = append(o.Env, "CANARY_STAGE="+s.path)
		if f, err := create(s.top, "bait"); err == nil {
			if a.asOther {
				_ = f.Chown(a.uid, a.gid)
			}
			_ = f.Close()
		}
		alter(s, o)
	}}, t)
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
	return a.judge(res.Frames[0], t.limits)
}

// An aloneTrial is the layer with its order altered.
type aloneTrial struct {
	*alone
	alter func(*stage, *insideOrder)
}

func (a aloneTrial) start(ctx context.Context, t *task) (body, error) {
	return a.startWith(ctx, t, a.alter)
}

// judge compares a canary's report with what it has to be.
func (a *alone) judge(frame Frame, limits Limits) error {
	var report map[string]string
	if err := json.Unmarshal(frame, &report); err != nil {
		return fmt.Errorf("%w: the trial program's report cannot be read: %w", errOpen, err)
	}
	ids := func(id int) string { return strings.TrimSpace(strings.Repeat(strconv.Itoa(id)+" ", 3)) }
	want := map[string]string{
		// What must work, or the others prove nothing.
		"control": "open", "control_device": "open",

		"Seccomp": "2", "NoNewPrivs": "1", "Session": "1", "Caps": "0", "descriptors": "0 1 2 3",
		"Uid": ids(a.uid),
	}
	for _, name := range []string{
		"shadow", "passwd", "host_file", "host_folder", "root_folder", "stage", "base", "shared_memory", "job", "move",
		"sys", "proc", "process_1", "terminal", "shell", "run", "signal", "signal_owner", "signal_bait", "limit", "affinity", "bait_priority", "priority",
		"mode", "times", "trace", "socket", "datagrams", "node", "setuid",
	} {
		want[name] = "denied"
	}
	if a.asOther { // a caller who is not root keeps the groups that it has
		want["Gid"] = ids(a.gid)
	}
	for _, name := range sortedKeys(want) {
		if report[name] != want[name] {
			return fmt.Errorf("%w: %s is %q and not %q", errOpen, name, report[name], want[name])
		}
	}
	for _, r := range a.limits(limits) {
		name := map[int]string{
			unix.RLIMIT_AS: "AS", unix.RLIMIT_NPROC: "NPROC", unix.RLIMIT_FSIZE: "FSIZE",
			unix.RLIMIT_NOFILE: "NOFILE", unix.RLIMIT_CORE: "CORE",
		}[r.resource]
		if name == "" {
			continue
		}
		slack := uint64(0)
		if r.resource == unix.RLIMIT_NPROC {
			slack = 1000 // processes of the user come and go
		}
		if value, err := strconv.ParseUint(report[name], 10, 64); err != nil || value > r.value+slack {
			return fmt.Errorf("%w: the limit on %s is %q and not %d", errOpen, r.what, report[name], r.value)
		}
	}
	return nil
}

// A bait is a process of the user that programs run as. It does nothing.
type bait struct {
	cmd  *exec.Cmd
	hold *os.File // it lives as long as this is open
}

// baitName is what the re-executed child is called that is a bait.
const baitName = "helios-sandbox-bait"

func (a *alone) newBait() (*bait, error) {
	theirs, ours, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("start a trial: %w", err)
	}
	defer theirs.Close()
	b := &bait{hold: ours, cmd: &exec.Cmd{
		Path: selfPath, Args: []string{baitName}, Env: []string{}, Dir: "/", Stdin: theirs, SysProcAttr: &syscall.SysProcAttr{Setsid: true},
	}}
	if a.asOther {
		b.cmd.SysProcAttr.Credential = &syscall.Credential{Uid: uint32(a.uid), Gid: uint32(a.gid)}
	}
	if err := b.cmd.Start(); err != nil {
		_ = ours.Close()
		return nil, fmt.Errorf("start a trial: %w", err)
	}
	return b, nil
}

func (b *bait) end() {
	_ = b.hold.Close()
	_ = b.cmd.Process.Kill()
	_ = b.cmd.Wait()
}

// runBait does not return when this process is a bait.
func runBait() {
	if len(os.Args) == 1 && os.Args[0] == baitName {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}
}

// canaryWorker is the worker that tries to get out. It is there in every program.
var canaryWorker = Worker{Name: "helios-canary", Main: canaryMain}

// canaryMain reads from its socket what to try, and answers with what it got.
func canaryMain(conn *os.File) int {
	var targets canaryTargets
	if err := json.NewDecoder(conn).Decode(&targets); err != nil {
		return 1
	}
	if err := json.NewEncoder(conn).Encode(targets.try()); err != nil {
		return 1
	}
	return 0
}

// canaryTargets are what there is on the host for any process to reach.
type canaryTargets struct {
	Owner int
	Bait  int    // a process of the program's own user
	File  string // that everybody may read
	Base  string // a folder that everybody may write to
}

// try returns for each attempt whether it was "denied".
func (c *canaryTargets) try() map[string]string {
	report := map[string]string{}
	attempt := func(name string, err error) {
		switch {
		case err == nil:
			report[name] = "open"
		case errors.Is(err, unix.EPERM), errors.Is(err, unix.EACCES), errors.Is(err, unix.ENOSYS),
			errors.Is(err, unix.ENOENT), errors.Is(err, unix.ESRCH), errors.Is(err, unix.EROFS):
			report[name] = "denied"
		default:
			report[name] = err.Error()
		}
	}
	open := func(path string, flags int) error {
		fd, err := unix.Open(path, flags|unix.O_CLOEXEC, 0o600)
		if err == nil {
			_ = unix.Close(fd)
		}
		return err
	}
	attempt("file", open(c.File, unix.O_RDONLY))
	attempt("program", open("/proc/self/exe", unix.O_RDONLY))
	attempt("root", open("/", unix.O_RDONLY|unix.O_DIRECTORY))
	leave := func(path string) error {
		err := open(path, unix.O_WRONLY|unix.O_CREAT)
		if err == nil {
			_ = unix.Unlink(path)
		}
		return err
	}
	attempt("make", leave(fmt.Sprintf("%s/helios-canary-%d", c.Base, os.Getpid())))
	attempt("shared_memory", leave(fmt.Sprintf("/dev/shm/helios-canary-%d", os.Getpid())))
	attempt("process_1", open("/proc/1/status", unix.O_RDONLY))
	attempt("signal", unix.Kill(c.Owner, 0))
	attempt("signal_supervisor", unix.Kill(unix.Getppid(), 0))
	attempt("signal_bait", unix.Kill(c.Bait, 0))
	attempt("limit", unix.Prlimit(c.Bait, unix.RLIMIT_NOFILE, nil, new(unix.Rlimit)))
	attempt("mode", unix.Chmod(c.File, 0o777))
	attempt("run", unix.Exec(c.File, []string{"x"}, nil))
	_, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0)
	attempt("socket", err)
	_, err = unix.Socketpair(unix.AF_UNIX, unix.SOCK_DGRAM, 0)
	attempt("datagrams", err)
	attempt("trace", unix.PtraceAttach(c.Bait))
	attempt("spaces", unix.Unshare(unix.CLONE_NEWUSER))
	_, _, errno := unix.RawSyscall6(unix.SYS_CLONE, uintptr(unix.SIGCHLD|unix.CLONE_VM|unix.CLONE_VFORK), 0, 0, 0, 0, 0)
	attempt("process", errnoOrNil(errno))
	r, err := unix.PrctlRetInt(unix.PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0)
	report["NoNewPrivs"] = fmt.Sprint(r, err)
	r, err = unix.PrctlRetInt(unix.PR_GET_SECCOMP, 0, 0, 0, 0)
	report["Seccomp"] = fmt.Sprint(r, err)
	report["uid"] = strconv.Itoa(unix.Getuid())
	return report
}

func errnoOrNil(errno unix.Errno) error {
	if errno == 0 {
		return nil
	}
	return errno
}

// proveWorker runs the layer once with the worker that tries to get out.
func (a *alone) proveWorker(ctx context.Context, alter func(*stage, *insideOrder), bait int) error {
	trial := *a
	trial.worker = &canaryWorker
	limits, err := canaryLimits.withDefaults(true)
	if err != nil {
		return err
	}
	t := &task{job: &Job{}, limits: limits, stays: true}
	p, err := begin(ctx, aloneTrial{&trial, alter}, t)
	if err != nil {
		return err
	}
	go p.see(ctx)
	defer func() { p.Kill(); <-p.Done() }()
	conn := p.Conn()
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(canaryLimits.Wall))
	targets := canaryTargets{Owner: os.Getpid(), Bait: bait, File: "/etc/passwd", Base: os.TempDir()}
	if err := json.NewEncoder(conn).Encode(&targets); err != nil {
		return &launchError{err: fmt.Errorf("ask the trial worker: %w", err)}
	}
	var got map[string]string
	if err := json.NewDecoder(io.LimitReader(conn, 64<<10)).Decode(&got); err != nil {
		return &launchError{err: fmt.Errorf("hear the trial worker: %w", err)}
	}
	want := map[string]string{"NoNewPrivs": "1 <nil>", "Seccomp": "2 <nil>", "uid": strconv.Itoa(a.uid)}
	for _, name := range []string{
		"file", "program", "root", "make", "shared_memory", "process_1", "signal", "signal_supervisor", "signal_bait", "limit", "mode", "run",
		"socket", "datagrams", "trace", "spaces", "process",
	} {
		want[name] = "denied"
	}
	for _, name := range sortedKeys(want) {
		if got[name] != want[name] {
			return fmt.Errorf("%w: %s is %q and not %q", errOpen, name, got[name], want[name])
		}
	}
	return nil
}

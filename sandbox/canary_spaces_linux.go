package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// prove runs the real profile once, with a program that tries to get out.
func (s *spaces) prove(ctx context.Context) error {
	if s.worker != nil {
		return s.proveWorker(ctx)
	}
	return trial{s, s.python, s.launch}.prove(ctx, marks{firstPIDs: 2 * ownTasks, ownTasks: ownTasks})
}

// spacesCanary is the worker that tries to get out. It is there in every program.
var spacesCanary = Worker{Name: "helios-canary-spaces", Main: spacesCanaryMain}

// bareCanary is the same in no namespaces.
var bareCanary = Worker{Name: "helios-canary-bare", Main: spacesCanaryMain}

// nowhere is a path that no host has: what would do harm is tried with it, so that
// it does none where it is not refused. A refusal is told from its absence.
const nowhere = "/.helios-canary-nowhere/x"

// forbidden is whether the kernel forbade something, rather than not finding it.
func forbidden(err error) bool {
	return errors.Is(err, unix.EPERM) || errors.Is(err, unix.EACCES) || errors.Is(err, unix.ENOSYS)
}

// spacesCanaryMain answers what it is asked to try with what came of it. None of it
// may do harm: it also runs where nothing holds it.
func spacesCanaryMain(conn *os.File) int {
	var file string
	if json.NewDecoder(conn).Decode(&file) != nil {
		return 1
	}
	report := map[string]string{}
	attempt := func(name string, denied bool) {
		report[name] = "open"
		if denied {
			report[name] = "denied"
		}
	}
	open := func(path string, flags int) error {
		fd, err := unix.Open(path, flags|unix.O_CLOEXEC, 0o600)
		if err == nil {
			_ = unix.Close(fd)
		}
		return err
	}
	attempt("file", open(file, unix.O_RDONLY) != nil)
	// An empty root can be written to by nobody; without one the call is refused.
	attempt("make", unix.Access("/", unix.W_OK) == unix.EROFS || forbidden(open(nowhere, unix.O_WRONLY|unix.O_CREAT)))
	attempt("sys", open("/sys", unix.O_RDONLY) != nil)
	attempt("kernel_setting", open("/proc/sys/kernel/core_pattern", unix.O_WRONLY) != nil)
	_, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0)
	attempt("socket", forbidden(err))
	attempt("mount", forbidden(unix.Mount("x", nowhere, "tmpfs", 0, "")))
	attempt("run", forbidden(unix.Exec(nowhere, []string{"x"}, nil)))
	attempt("signal", unix.Kill(unix.Getppid(), 0) != nil)
	attempt("spaces", forbidden(unix.Unshare(unix.CLONE_NEWUSER)))
	report["parent"] = strconv.Itoa(unix.Getppid())
	report["pid"] = strconv.Itoa(unix.Getpid())
	report["uid"] = strconv.Itoa(unix.Getuid())
	for name, option := range map[string]int{"Seccomp": unix.PR_GET_SECCOMP, "NoNewPrivs": unix.PR_GET_NO_NEW_PRIVS} {
		value, err := unix.PrctlRetInt(option, 0, 0, 0, 0)
		report[name] = fmt.Sprint(value, err)
	}
	report["capabilities"] = threadsWithCapabilities()
	said, err := json.Marshal(report)
	if err != nil {
		return 1
	}
	if _, err := conn.Write(append(said, '\n')); err != nil {
		return 1
	}
	return 0
}

// threadsWithCapabilities is "none", or says why that is not so.
func threadsWithCapabilities() string {
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var data [2]unix.CapUserData
	if err := unix.Capget(&header, &data[0]); err != nil {
		return err.Error()
	}
	if data != [2]unix.CapUserData{} {
		return fmt.Sprint(data)
	}
	return "none"
}

// proveWorker runs the layer once with the worker that tries to get out.
func (s *spaces) proveWorker(ctx context.Context) error {
	self := *s
	self.worker = &spacesCanary
	got, err := hearCanary(ctx, &self)
	if err != nil {
		return err
	}
	want := map[string]string{
		"pid": "1", "parent": "0", "uid": strconv.Itoa(innerID), "Seccomp": "2 <nil>", "NoNewPrivs": "1 <nil>", "capabilities": "none",
	}
	for name := range strings.FieldsSeq("file make sys kernel_setting socket spaces mount run") {
		want[name] = "denied"
	}
	for _, name := range sortedKeys(want) {
		if got[name] != want[name] {
			return fmt.Errorf("%w: %s is %q and not %q", errOpen, name, got[name], want[name])
		}
	}
	return nil
}

// hearCanary runs a layer once with such a worker, and returns its report.
func hearCanary(ctx context.Context, l layer) (map[string]string, error) {
	limits, err := canaryLimits.withDefaults(true)
	if err != nil {
		return nil, err
	}
	p, err := begin(ctx, l, &task{job: &Job{}, limits: limits, stays: true})
	if err != nil {
		return nil, err
	}
	go p.see(ctx)
	conn := p.Conn()
	_ = conn.SetDeadline(time.Now().Add(canaryLimits.Wall))
	var got map[string]string
	err = json.NewEncoder(conn).Encode("/etc/passwd")
	if err == nil {
		err = json.NewDecoder(io.LimitReader(conn, 64<<10)).Decode(&got)
	}
	p.Kill()
	res, waited := p.Wait()
	_ = conn.Close()
	if err := errors.Join(err, waited); err != nil {
		return nil, &launchError{err: fmt.Errorf("hear the trial worker: %w", err), said: lastLine(res.stderr())}
	}
	return got, nil
}

func (r *Result) stderr() []byte {
	if r == nil {
		return nil
	}
	return r.Stderr
}

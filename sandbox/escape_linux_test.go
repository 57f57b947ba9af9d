package sandbox

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/elastic/go-seccomp-bpf/arch"
)

// A host is what the escapes are aimed at: files, sockets and a process that
// are there for any program of the host.
type host struct {
	PrivateFile string         `json:"private_file"` // of another user, mode 0600
	SharedFile  string         `json:"shared_file"`  // that everybody may read
	Secret      string         `json:"secret"`       // in the environment of HostPID
	HostPID     int            `json:"host_pid"`
	Port        int            `json:"port"`
	Abstract    string         `json:"abstract"`
	SocketFile  string         `json:"socket_file"`
	Syscalls    map[string]int `json:"syscalls"`
}

func newHost(t *testing.T) host {
	t.Helper()
	dir, err := os.MkdirTemp("", "helios-escape-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	h := host{
		PrivateFile: filepath.Join(dir, "private"), SharedFile: filepath.Join(dir, "shared"),
		Secret: secretValue, HostPID: os.Getpid(),
		Abstract: fmt.Sprintf("helios-escape-%d", os.Getpid()), SocketFile: filepath.Join(dir, "socket"),
	}
	for path, mode := range map[string]os.FileMode{h.PrivateFile: 0o600, h.SharedFile: 0o644} {
		if err := os.WriteFile(path, []byte("out of reach"), mode); err != nil {
			t.Fatal(err)
		}
	}
	tcp := listen(t, "tcp", "127.0.0.1:0")
	h.Port = tcp.Addr().(*net.TCPAddr).Port
	listen(t, "unix", "@"+h.Abstract)
	listen(t, "unix", h.SocketFile)
	if err := os.Chmod(h.SocketFile, 0o666); err != nil {
		t.Fatal(err)
	}
	info, err := arch.GetInfo(runtime.GOARCH)
	if err != nil {
		t.Fatal(err)
	}
	h.Syscalls = info.SyscallNames
	return h
}

// listen answers every connection with a greeting.
func listen(t *testing.T, network, address string) net.Listener {
	t.Helper()
	l, err := net.Listen(network, address)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = c.Write([]byte("hello from host"))
			_ = c.Close()
		}
	}()
	t.Cleanup(func() { _ = l.Close(); <-done })
	return l
}

// outcomes reads the frames of escapes.py.
func outcomes(t *testing.T, data []byte) map[string]string {
	t.Helper()
	limits, err := Limits{}.withDefaults(false)
	if err != nil {
		t.Fatal(err)
	}
	frames := frameReader{r: bytes.NewReader(data), limits: limits}
	if err := frames.readAll(); err != nil {
		t.Fatal(err)
	}
	return outcomesOf(t, frames.frames)
}

func outcomesOf(t *testing.T, frames []json.RawMessage) map[string]string {
	t.Helper()
	found := map[string]string{}
	for _, f := range frames {
		var o struct{ Name, Outcome string }
		if err := json.Unmarshal(f, &o); err != nil {
			t.Fatal(err)
		}
		found[o.Name] = o.Outcome
	}
	return found
}

func TestEveryEscapeIsDenied(t *testing.T) {
	t.Parallel()
	s := box(t)
	h := newHost(t)
	config, err := json.Marshal(h)
	if err != nil {
		t.Fatal(err)
	}
	escapes := []byte(readFile(t, "testdata/escapes.py"))
	dir := folder(t, map[string]string{"data/fixed.txt": "fixed", "manifest.json": "{}"})

	t.Run("controls succeed unconfined", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "job.json")
		if err := os.WriteFile(path, config, 0o600); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("/usr/bin/python3", "-I", "testdata/escapes.py", path)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%v\n%s", err, stderr.Bytes())
		}
		found := outcomes(t, out)
		if len(found) < 10 {
			t.Errorf("only %d controls ran", len(found))
		}
		for name, outcome := range found {
			if !strings.HasPrefix(outcome, "OPEN") {
				t.Errorf("%s on the host itself: got %s, want it to succeed", name, outcome)
			}
		}
	})

	res := ok(t, mustRun(t, s, &Job{
		Files:    map[string][]byte{"main.py": escapes, "job.json": config},
		Main:     "main.py",
		Dir:      dir,
		ReadOnly: []string{"data", "manifest.json"},
		Limits:   Limits{Temp: 32 << 20, FileSize: 2 << 20},
	}))
	found := outcomesOf(t, res.Frames)
	if len(found) < 80 {
		t.Errorf("only %d attempts reported; stderr:\n%s", len(found), res.Stderr)
	}
	denials := []string{"EPERM", "EACCES", "ENOENT", "EROFS", "ENOSYS", "EXDEV", "ENOTTY", "ESRCH", "ENOSPC", "EFBIG", "EBUSY"}
	for name, outcome := range found {
		denied := false
		for _, d := range denials {
			denied = denied || outcome == d
		}
		if !denied {
			t.Errorf("%s: got %s, want it denied", name, outcome)
		}
	}
	// These say which of several layers refused, and that it was the right one.
	for name, want := range map[string]string{
		"write_core_pattern": "EACCES", "write_own_file_in_proc": "EROFS",
		"write_in_dev": "EROFS", "write_in_root": "EROFS", "write_in_job": "EROFS",
		"setuid_by_fchmodat2": "EPERM", "setuid_by_open": "EPERM", "setuid_by_openat2": "ENOSYS", "clone3_user": "ENOSYS",
		"unshare_user": "EPERM", "connect_to_loopback": "EPERM", "kill_host_process": "ESRCH",
		"fill_temporary_folder": "ENOSPC", "fill_shared_memory": "ENOSPC", "large_file": "EFBIG",
		"type_into_terminal_with_high_bits": "ENOTTY", "hard_link_out_of_usr": "EXDEV",
	} {
		if found[name] != want {
			t.Errorf("%s: got %s, want %s", name, found[name], want)
		}
	}
	for _, path := range []string{h.PrivateFile, h.SharedFile} {
		if got := readFile(t, path); got != "out of reach" {
			t.Errorf("%s was changed to %q", path, got)
		}
	}
	if got := readFile(t, filepath.Join(dir, "data/fixed.txt")); got != "fixed" {
		t.Errorf("the read-only file was changed to %q", got)
	}
	for _, name := range []string{"link-file", "link-folder", "link-root", "link-write"} {
		if _, err := os.Lstat(filepath.Join(dir, name)); err == nil {
			t.Errorf("the planted link %s was brought back", name)
		}
	}
}

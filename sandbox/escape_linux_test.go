package sandbox

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"

	"github.com/elastic/go-seccomp-bpf/arch"
)

// A host is what the escapes are aimed at: files, sockets and a process that
// are there for any program of the host.
type host struct {
	PrivateFile   string `json:"private_file"`   // of another user, mode 0600
	SharedFile    string `json:"shared_file"`    // that everybody may read
	OwnedFile     string `json:"owned_file"`     // of the program's own user
	OpenFolder    string `json:"open_folder"`    // that everybody may write to
	RemovableFile string `json:"removable_file"` // in that folder

	Secret   string `json:"secret"`   // in the environment of HostPID
	HostPID  int    `json:"host_pid"` // a process of the program's own user
	HostName string `json:"host_name"`

	Port              int    `json:"port"`
	Abstract          string `json:"abstract"`
	SocketFile        string `json:"socket_file"`
	AbstractDatagrams string `json:"abstract_datagrams"`
	DatagramFile      string `json:"datagram_file"`

	Mark     string         `json:"mark"` // a word that nothing else has
	Loader   string         `json:"loader"`
	Syscalls map[string]int `json:"syscalls"`
	Only     []string       `json:"only"`

	dir string
	uid int // who programs run as
}

func init() {
	// A process of the user that programs run as, with a secret.
	helpers["victim"] = func() int {
		_, _ = fmt.Println("ready")
		_, _ = io.Copy(io.Discard, os.Stdin)
		return 0
	}
}

// asProgram has a command run as the user that programs run as.
func asProgram(cmd *exec.Cmd, uid int) *exec.Cmd {
	if uid != os.Getuid() {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(uid)}}
	}
	return cmd
}

func newHost(t *testing.T, mark string) *host {
	t.Helper()
	dir, err := os.MkdirTemp("", "helios-escape-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	h := &host{dir: dir, uid: os.Getuid(), Mark: mark, Secret: secretValue, Abstract: mark, AbstractDatagrams: mark + "-datagrams"}
	if h.uid == 0 {
		h.uid = innerID
	}
	at := func(name string) string { return filepath.Join(dir, name) }
	h.PrivateFile, h.SharedFile, h.OwnedFile = at("private"), at("shared"), at("owned")
	h.OpenFolder, h.RemovableFile = at("open"), at("open/removable")
	h.SocketFile, h.DatagramFile = at("socket"), at("datagrams")
	h.restore(t)
	if h.Loader, err = loaderOf("/usr/bin/python3"); err != nil {
		t.Fatal(err)
	}
	if h.HostName, err = os.Hostname(); err != nil {
		t.Fatal(err)
	}
	tcp := listen(t, "tcp", "127.0.0.1:0")
	h.Port = tcp.Addr().(*net.TCPAddr).Port
	listen(t, "unix", "@"+h.Abstract)
	listen(t, "unix", h.SocketFile)
	for _, name := range []string{"@" + h.AbstractDatagrams, h.DatagramFile} {
		c, err := net.ListenPacket("unixgram", name)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close() })
	}
	for _, name := range []string{h.SocketFile, h.DatagramFile} {
		if err := os.Chmod(name, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	info, err := arch.GetInfo(runtime.GOARCH)
	if err != nil {
		t.Fatal(err)
	}
	h.Syscalls = info.SyscallNames

	victim := asProgram(exec.Command("/proc/self/exe"), h.uid)
	victim.Env = []string{"HELIOS_SANDBOX_HELPER=victim", "A_SECRET=" + secretValue}
	stdin, err := victim.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := victim.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := victim.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = stdin.Close(); _ = victim.Wait() })
	if _, err := io.ReadFull(stdout, make([]byte, len("ready\n"))); err != nil {
		t.Fatal(err)
	}
	h.HostPID = victim.Process.Pid
	return h
}

// restore puts back what an attempt may have changed.
func (h *host) restore(t *testing.T) {
	t.Helper()
	if err := errors.Join(os.Chmod(h.dir, 0o755), os.MkdirAll(h.OpenFolder, 0o700), os.Chmod(h.OpenFolder, 0o777)); err != nil {
		t.Fatal(err)
	}
	for path, mode := range map[string]os.FileMode{h.PrivateFile: 0o600, h.SharedFile: 0o644, h.OwnedFile: 0o644, h.RemovableFile: 0o644} {
		if err := errors.Join(os.WriteFile(path, []byte("out of reach"), mode), os.Chmod(path, mode)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chown(h.OwnedFile, h.uid, -1); err != nil {
		t.Fatal(err)
	}
	_ = os.Remove(filepath.Join(h.OpenFolder, "escaped"))
}

// untouched fails when something on the host is not as restore leaves it.
func (h *host) untouched(t *testing.T) {
	t.Helper()
	for path, mode := range map[string]os.FileMode{h.PrivateFile: 0o600, h.SharedFile: 0o644, h.OwnedFile: 0o644, h.RemovableFile: 0o644} {
		if got := readFile(t, path); got != "out of reach" {
			t.Errorf("%s was changed to %q", path, got)
		}
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != mode || info.ModTime().Year() < 2000 {
			t.Errorf("the mode or the time of %s was changed: %v, %v", path, info, err)
		}
	}
	for _, path := range []string{filepath.Join(h.OpenFolder, "escaped"), "/escaped", filepath.Join("/dev/shm", h.Mark), filepath.Join("/tmp", h.Mark)} {
		if _, err := os.Lstat(path); err == nil {
			t.Errorf("%s was made on the host", path)
		}
	}
	if left := running(h.Mark); left != 0 {
		t.Errorf("%d processes are left", left)
	}
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

// apart are the attempts that may end their program, so that each has its own.
var apart = []string{"fill_temporary_folder", "fork_without_end", "memory_by_many_processes", "leave_a_process"}

// attempts runs escapes.py on a layer and returns what each attempt came to: a
// word that begins with OPEN, or what it was denied with.
func (h *host) attempts(t *testing.T, s *Sandbox) map[string]string {
	t.Helper()
	escapes := []byte(readFile(t, "testdata/escapes.py"))
	found := map[string]string{}
	run := func(only ...string) *Result {
		h.restore(t)
		h.Only = only
		config, err := json.Marshal(h)
		if err != nil {
			t.Fatal(err)
		}
		dir := folder(t, map[string]string{"data/fixed.txt": "fixed", "manifest.json": "{}", "tool": readFile(t, "/bin/true")})
		res := mustRun(t, s, &Job{
			Files:    map[string][]byte{"main.py": escapes, "job.json": config},
			Main:     "main.py",
			Dir:      dir,
			ReadOnly: []string{"data", "manifest.json"},
			Limits:   Limits{Temp: 32 << 20, FileSize: 2 << 20, Memory: 512 << 20},
		})
		maps.Copy(found, outcomesOf(t, res.Frames))
		if found["leave_a_process"] != "" && running(h.Mark) == 0 {
			found["leave_a_process"] = "KILLED" // it was started, and did not outlive the run
		}
		h.untouched(t)
		if got := readFile(t, filepath.Join(dir, "data/fixed.txt")) + readFile(t, filepath.Join(dir, "manifest.json")); got != "fixed{}" {
			t.Errorf("a read-only file was changed: %q", got)
		}
		for _, name := range []string{"link-file", "link-folder", "link-root", "link-write", "s1", "dev", "fifo"} {
			if info, err := os.Lstat(filepath.Join(dir, name)); err == nil && !info.Mode().IsRegular() {
				t.Errorf("%s was brought back as %v", name, info.Mode())
			}
		}
		return res
	}
	ok(t, run())
	for _, name := range apart {
		res := run(name)
		if _, said := found[name]; !said && res.ExitCode == exitKilled && (res.OutOfMemory || res.OverDisk) {
			found[name] = "KILLED"
		}
	}
	return found
}

// controls runs those attempts that any program of the user can make, as that
// user and unconfined.
func (h *host) controls(t *testing.T) map[string]string {
	t.Helper()
	h.restore(t)
	h.Only = nil
	config, err := json.Marshal(h)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(h.dir, "controls")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{
		"escapes.py": readFile(t, "testdata/escapes.py"), "host.json": string(config), "tool": readFile(t, "/bin/true"),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chown(dir, h.uid, -1); err != nil {
		t.Fatal(err)
	}
	cmd := asProgram(exec.Command("/usr/bin/python3", "-I", "escapes.py", "host.json"), h.uid)
	cmd.Dir, cmd.Env = dir, []string{"TMPDIR=" + dir}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr.Bytes())
	}
	h.restore(t)
	return outcomes(t, out)
}

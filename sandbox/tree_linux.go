package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// treeName is what the re-executed supervisor is called.
const treeName = "helios-tree-supervisor"

// fdOwner is the supervisor's end of the socket to its owner. The descriptors
// that the program gets beyond the first three follow it.
const fdOwner = 3

// A treeOrder is what the owner tells the supervisor: first what to start, later
// when to end it.
type treeOrder struct {
	Start *treeProgram  `json:",omitempty"`
	Kill  bool          `json:",omitempty"`
	Grace time.Duration `json:",omitempty"`
}

type treeProgram struct {
	Path, Dir string
	Args, Env []string
	Extra     int // descriptors beyond the first three
	Owner     int // the process that asks
}

// A treeNote is what the supervisor tells its owner.
type treeNote struct {
	Pid    int             `json:",omitempty"` // the program was started
	Ended  bool            `json:",omitempty"` // it ended like this
	Status unix.WaitStatus `json:",omitempty"`
	Clear  bool            `json:",omitempty"` // nothing is left
	Failed string          `json:",omitempty"` // nothing was started
	Errno  syscall.Errno   `json:",omitempty"` // because of this
}

// canSupervise tells what the host lacks for a supervisor.
var canSupervise = sync.OnceValue(func() error {
	fd, err := unix.PidfdOpen(os.Getpid(), 0)
	if err != nil {
		return fmt.Errorf("take hold of a process: %w", err)
	}
	defer unix.Close(fd)
	if err := unix.PidfdSendSignal(fd, 0, nil, 0); err != nil {
		return fmt.Errorf("send a signal to a process: %w", err)
	}
	if _, err := os.ReadFile(fmt.Sprintf("/proc/self/task/%d/children", os.Getpid())); err != nil {
		return err
	}
	_, err = os.Stat(selfPath)
	return err
})

const selfPath = "/proc/self/exe"

// startSupervised starts a supervisor with the program's descriptors, and has it
// start the program.
func startSupervised(cmd *exec.Cmd) (*Tree, error) {
	ours, theirs, err := socketPair()
	if err != nil {
		return nil, fmt.Errorf("start a process tree: %w", err)
	}
	sup := bare(cmd)
	sup.Path, sup.Args, sup.Dir = selfPath, []string{treeName}, "/"
	sup.Env = []string{"GOMAXPROCS=1", "GOTRACEBACK=none"}
	sup.ExtraFiles = append([]*os.File{theirs}, cmd.ExtraFiles...)
	sup.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	err = sup.Start()
	_ = theirs.Close()
	if err != nil {
		_ = ours.Close()
		return nil, fmt.Errorf("start a process tree: %w", err)
	}
	s := &supervised{conn: ours, notes: json.NewDecoder(ours)}
	t := &Tree{complete: true, done: make(chan struct{}), end: s.kill}
	t.abandon = func() { _ = sup.Process.Kill() }
	program := &treeProgram{
		Path: cmd.Path, Dir: cmd.Dir, Args: cmd.Args, Env: cmd.Environ(),
		Extra: len(cmd.ExtraFiles), Owner: os.Getpid(),
	}
	if len(program.Args) == 0 {
		program.Args = []string{cmd.Path}
	}
	if t.pid, err = s.start(program); err != nil {
		_ = sup.Process.Kill()
		_ = sup.Wait()
		_ = ours.Close()
		return nil, err
	}
	go func() {
		sound := s.follow(t)
		err := ignoreDelay(sup.Wait())
		_ = ours.Close()
		if !sound {
			err = errors.Join(errLost, err)
		}
		t.err = err
		close(t.done)
	}()
	return t, nil
}

// A supervised is the owner's side of a supervisor.
type supervised struct {
	mu    sync.Mutex // one order at a time
	conn  *os.File
	notes *json.Decoder
}

func (s *supervised) tell(o treeOrder) error {
	data, err := json.Marshal(o)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	_, err = s.conn.Write(data)
	return err
}

// kill has no error: a supervisor that does not listen any more has ended.
func (s *supervised) kill(grace time.Duration) { _ = s.tell(treeOrder{Kill: true, Grace: grace}) }

// start has the program started and returns its number.
func (s *supervised) start(p *treeProgram) (int, error) {
	_ = s.conn.SetDeadline(time.Now().Add(setupTime))
	// What cannot be written tells less than what the supervisor says of it.
	told := s.tell(treeOrder{Start: p})
	var note treeNote
	err := s.notes.Decode(&note)
	switch {
	case err == nil && note.Errno != 0:
		return 0, &fs.PathError{Op: note.Failed, Path: p.Path, Err: note.Errno}
	case err == nil && note.Failed != "":
		return 0, fmt.Errorf("start %s: %s", p.Path, note.Failed)
	case err == nil && note.Pid > 0:
		return note.Pid, s.conn.SetDeadline(time.Time{})
	case told != nil:
		err = told
	}
	return 0, fmt.Errorf("start %s: its supervisor did not answer; is sandbox.Init the first call of main? %w", p.Path, err)
}

// follow reads notes to the end, and tells whether the supervisor saw the last
// process end.
func (s *supervised) follow(t *Tree) (sound bool) {
	for {
		var note treeNote
		if s.notes.Decode(&note) != nil {
			return sound
		}
		if note.Ended {
			t.exit = Exit{Code: note.Status.ExitStatus()}
			if note.Status.Signaled() {
				signal := int(note.Status.Signal())
				t.exit = Exit{Code: 128 + signal, Signal: signal}
			}
		}
		sound = sound || note.Clear
	}
}

func socketPair() (ours, theirs *os.File, err error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		return nil, nil, err
	}
	return os.NewFile(uintptr(fds[0]), "supervisor"), os.NewFile(uintptr(fds[1]), "owner"), nil
}

// untilWaitable waits for the end of a child and leaves it to be waited for, so
// that its number, which is its group's, is not given to another.
func untilWaitable(pid int) bool {
	for {
		err := unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if !errors.Is(err, unix.EINTR) {
			return err == nil
		}
	}
}

package sandbox

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// A watch looks at a run every so often for what no limit of the kernel holds:
// the memory of all processes together where there is no cgroup to cap it, and
// the size of the workspace. nil watches nothing.
type watch struct {
	memory bool
	disk   func() (bytes int64, files int, err error) // of the workspace
	path   string                                     // its folder, whose file system must not fill up
}

// watchEvery is the time between two looks, unless a look takes long.
const watchEvery = 50 * time.Millisecond

// diskFloor is how much room a program must leave on the host's disk.
const diskFloor = 64 << 20

// A patrol is a running watch; its goroutine ends with stop.
type patrol struct {
	found chan excess
	quit  chan struct{}
	done  sync.WaitGroup
}

func (w *watch) start(pidfd int, limits Limits) *patrol {
	p := &patrol{found: make(chan excess, 1), quit: make(chan struct{})}
	if w == nil || !w.memory && w.disk == nil {
		return p
	}
	p.done.Go(func() {
		pause := watchEvery
		for {
			select {
			case <-p.quit:
				return
			case <-time.After(pause):
			}
			began := time.Now()
			if over := w.look(pidfd, limits); over != (excess{}) {
				p.found <- over
				return
			}
			// Looking takes a tenth of one core at the most.
			pause = max(watchEvery, 10*time.Since(began))
		}
	})
	return p
}

func (p *patrol) stop() {
	close(p.quit)
	p.done.Wait()
}

func (w *watch) look(pidfd int, limits Limits) excess {
	if w.memory && memoryOf(pidOf(pidfd)) > limits.Memory {
		return excess{memory: true}
	}
	if w.disk == nil {
		return excess{}
	}
	var fs unix.Statfs_t
	if unix.Statfs(w.path, &fs) == nil && fs.Bavail*uint64(fs.Bsize) < diskFloor {
		return excess{disk: true}
	}
	size, files, err := w.disk()
	return excess{disk: err == nil && (size > limits.Workspace || files > limits.Files)}
}

// pidOf returns the number of the process behind a pidfd, -1 when it is gone.
func pidOf(pidfd int) int {
	data, err := os.ReadFile(fmt.Sprintf("/proc/self/fdinfo/%d", pidfd))
	if err != nil {
		return -1
	}
	for line := range strings.Lines(string(data)) {
		if value, ok := strings.CutPrefix(line, "Pid:"); ok {
			if pid, err := strconv.Atoi(strings.TrimSpace(value)); err == nil {
				return pid
			}
		}
	}
	return -1
}

// memoryOf adds up the memory of a process and all that descend from it, in
// bytes. Pages that several of them share are counted once, by proportion.
func memoryOf(pid int) int64 {
	if pid <= 0 {
		return 0
	}
	total := proportional(pid)
	for _, child := range childrenOf(pid) {
		total += memoryOf(child)
	}
	return total
}

func proportional(pid int) int64 {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	if err != nil {
		return resident(pid)
	}
	for line := range bytes.Lines(data) {
		if value, ok := bytes.CutPrefix(line, []byte("Pss:")); ok {
			kib, _ := strconv.ParseInt(strings.TrimSuffix(string(bytes.TrimSpace(value)), " kB"), 10, 64)
			return kib << 10
		}
	}
	return 0
}

// resident is the cruder figure, which any process may read of any other.
func resident(pid int) int64 {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(data))
	if len(fields) < 3 {
		return 0
	}
	all, _ := strconv.ParseInt(fields[1], 10, 64)
	shared, _ := strconv.ParseInt(fields[2], 10, 64)
	return (all - shared) * int64(os.Getpagesize())
}

// childrenOf includes what a thread other than the first has started.
func childrenOf(pid int) []int {
	var children []int
	lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, list := range lists {
		data, _ := os.ReadFile(list)
		for field := range strings.FieldsSeq(string(data)) {
			if child, err := strconv.Atoi(field); err == nil && !slices.Contains(children, child) {
				children = append(children, child)
			}
		}
	}
	return children
}

// parentOf returns the parent's number of a process.
func parentOf(pid int) (int, error) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	// The command's name is in brackets and may itself hold brackets.
	after := data[bytes.LastIndexByte(data, ')')+1:]
	fields := strings.Fields(string(after))
	if len(fields) < 2 {
		return 0, fmt.Errorf("read /proc/%d/stat: too short", pid)
	}
	return strconv.Atoi(fields[1])
}

// firstChild takes hold of the first child of a process, by a pidfd.
func firstChild(parent int) (int, error) {
	children := childrenOf(parent)
	if len(children) == 0 {
		return -1, os.ErrProcessDone
	}
	fd, err := unix.PidfdOpen(children[0], 0)
	if err != nil {
		return -1, os.ErrProcessDone
	}
	if now, err := parentOf(children[0]); err != nil || now != parent {
		_ = unix.Close(fd) // it ended, and the number is another's by now
		return -1, os.ErrProcessDone
	}
	return fd, nil
}

// signalProgram sends a signal to the process behind a pidfd.
func signalProgram(pidfd int, signal unix.Signal) error {
	err := unix.PidfdSendSignal(pidfd, signal, nil, 0)
	if errors.Is(err, unix.ESRCH) {
		return os.ErrProcessDone
	}
	if err != nil {
		return fmt.Errorf("interrupt the program: %w", err)
	}
	return nil
}

package sandbox

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// A hunt ends the descendants of this process, which may be starting others
// while it lasts.
type hunt struct {
	mine *os.File     // lists the processes that were adopted
	met  map[int]bool // children that were signalled
	buf  []byte
}

func (h *hunt) open() (err error) {
	h.met, h.buf = map[int]bool{}, make([]byte, 64<<10)
	h.mine, err = os.Open(fmt.Sprintf("/proc/self/task/%d/children", os.Getpid()))
	return err
}

// forget says that a child was waited for.
func (h *hunt) forget(pid int) { delete(h.met, pid) }

// adopted signals the processes that lost their parents, and tells whether it
// had not met one of them. It is fast: in a chain where each process starts the
// next one and ends, there is little time between two.
func (h *hunt) adopted(sig unix.Signal) (more bool) {
	n, _ := h.mine.ReadAt(h.buf, 0)
	for _, pid := range numbers(h.buf[:n]) {
		_ = unix.Kill(pid, sig)
		more = more || !h.met[pid]
		h.met[pid] = true
	}
	return more
}

// all ends all descendants. It stops them first: a stopped process starts no
// others while the rest is being found. Those whose parents have ended become
// children of this process.
func (h *hunt) all() {
	stopped := map[int]bool{}
	for range 100 {
		found := false
		walkTree(func(pid int) { found, stopped[pid] = found || !stopped[pid], true }, unix.SIGSTOP, nil)
		if !found {
			break
		}
	}
	signalTree(unix.SIGKILL)
}

// signalTree sends a signal to every descendant, children before their parents,
// so that nobody loses a parent before it was found.
func signalTree(sig unix.Signal) { walkTree(nil, 0, &sig) }

// walkTree visits the descendants of this process. down is sent to each before
// its children are looked at, up afterwards.
//
// Only the goroutine that waits for the children may call it: as long as a child
// was not waited for, its number is its own. Those further down are held by
// descriptors, and signalled only when it is certain whose children they are.
func walkTree(visit func(pid int), down unix.Signal, up *unix.Signal) {
	w := walk{visit: visit, down: down, up: up}
	children := childNumbers(os.Getpid())
	for _, pid := range children {
		if down != 0 {
			_ = unix.Kill(pid, down) // before the time that it takes to look at the others
		}
	}
	for _, pid := range children {
		send := func(sig unix.Signal) bool { return !errors.Is(unix.Kill(pid, sig), unix.ESRCH) }
		w.at(pid, send)
	}
}

type walk struct {
	visit func(pid int)
	down  unix.Signal
	up    *unix.Signal
}

// at visits a process and what is below it. send is certain to reach that
// process and no other, and is false when the process is gone.
func (w *walk) at(pid int, send func(unix.Signal) bool) {
	if w.visit != nil {
		w.visit(pid)
	}
	if w.down != 0 {
		send(w.down)
	}
	for _, child := range childNumbers(pid) {
		fd, err := unix.PidfdOpen(child, 0)
		if err != nil {
			continue // gone, or too many of them at once: the next walk finds it
		}
		sendChild := func(sig unix.Signal) bool {
			return !errors.Is(unix.PidfdSendSignal(fd, sig, nil, 0), unix.ESRCH)
		}
		// Both were there after this was read, so it was about these two.
		parent, err := parentOf(child)
		if err == nil && parent == pid && sendChild(0) && send(0) {
			w.at(child, sendChild)
		}
		_ = unix.Close(fd)
	}
	if w.up != nil {
		send(*w.up)
	}
}

// childNumbers returns the children of a process, whichever thread started them.
// While they come and go it may miss some.
func childNumbers(pid int) []int {
	dir := fmt.Sprintf("/proc/%d/task", pid)
	threads, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	var all []int
	for _, thread := range threads {
		if list, err := os.ReadFile(dir + "/" + thread.Name() + "/children"); err == nil {
			all = append(all, numbers(list)...)
		}
	}
	return all
}

func numbers(list []byte) []int {
	var all []int
	for field := range bytes.FieldsSeq(list) {
		if n, err := strconv.Atoi(string(field)); err == nil {
			all = append(all, n)
		}
	}
	return all
}

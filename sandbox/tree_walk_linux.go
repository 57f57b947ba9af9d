package sandbox

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// killTree ends all descendants of this process. It stops them first: a stopped
// process starts no others while the rest is being found. Those whose parents
// have ended become children of this process, and are found by the next call.
func killTree() {
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
	for _, pid := range childNumbers(os.Getpid()) {
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
	var numbers []int
	for _, thread := range threads {
		list, err := os.ReadFile(dir + "/" + thread.Name() + "/children")
		if err != nil {
			continue
		}
		for field := range bytes.FieldsSeq(list) {
			if n, err := strconv.Atoi(string(field)); err == nil {
				numbers = append(numbers, n)
			}
		}
	}
	return numbers
}

package sandbox

import (
	"errors"
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// filterThread puts a filter, as filterProgram makes it, on the calling thread
// and on what it starts from then on. The caller has locked the thread and has
// given up new privileges.
func filterThread(program []byte) error { return installFilter(program, 0) }

// filterProcess puts it on every thread of this process.
func filterProcess(program []byte) error {
	return installFilter(program, unix.SECCOMP_FILTER_FLAG_TSYNC)
}

func installFilter(program []byte, flags uintptr) error {
	const size = int(unsafe.Sizeof(unix.SockFilter{}))
	if len(program) == 0 || len(program)%size != 0 || len(program)/size > unix.BPF_MAXINSNS {
		return errors.New("install the system-call filter: it is not a program")
	}
	// A copy, since the kernel wants it aligned.
	code := make([]unix.SockFilter, len(program)/size)
	copy(unsafe.Slice((*byte)(unsafe.Pointer(&code[0])), len(program)), program) //nolint:gosec // G103: within what was made above
	prog := unix.SockFprog{Len: uint16(len(code)), Filter: &code[0]}
	const setModeFilter = 1                                                                             // SECCOMP_SET_MODE_FILTER
	r, _, errno := unix.Syscall(unix.SYS_SECCOMP, setModeFilter, flags, uintptr(unsafe.Pointer(&prog))) //nolint:gosec // G103: the argument of seccomp
	switch {
	case errno != 0:
		return fmt.Errorf("install the system-call filter: %w", errno)
	case r != 0: // the thread that could not take it
		return fmt.Errorf("install the system-call filter: thread %d has another", r)
	}
	return nil
}

//go:build !linux

package workspace

import "runtime"

func openStrict(string) (folder, error) {
	return nil, &UnsupportedError{"it needs the system call openat2 of Linux, and this is " + runtime.GOOS}
}

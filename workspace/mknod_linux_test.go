package workspace_test

import "golang.org/x/sys/unix"

// mknod makes what /dev/zero is.
func mknod(name string) error { return unix.Mknod(name, unix.S_IFCHR|0o600, int(unix.Mkdev(1, 5))) }

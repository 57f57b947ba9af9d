//go:build !unix

package workspace

import "os"

// nonblock has no meaning where no entry of a folder waits for another program.
const nonblock = 0

// renamed leaves the name that the file has: there is no other way to it here.
func renamed(f *os.File, _ string) (*os.File, error) { return f, nil }

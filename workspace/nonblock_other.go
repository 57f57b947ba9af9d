//go:build !unix

package workspace

// nonblock has no meaning where no entry of a folder waits for another program.
const nonblock = 0

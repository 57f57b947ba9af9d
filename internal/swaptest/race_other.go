//go:build !linux

package swaptest

import (
	"testing"
	"time"
)

// A Race is a tree in which folders and files are swapped for links.
type Race struct {
	Root, Outside, Secret string
}

// New skips the test.
func New(tb testing.TB) *Race {
	tb.Helper()
	tb.Skip("the race needs the system call renameat2 of Linux")
	return nil
}

// Run is never reached.
func (*Race) Run(time.Duration, ...Case) Report { return Report{} }

// Control is never reached.
func (*Race) Control(time.Duration) bool { return false }

// Observe is never reached.
func (*Race) Observe(time.Duration, ...Case) Report { return Report{} }

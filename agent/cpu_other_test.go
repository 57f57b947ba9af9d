//go:build !unix

package agent_test

import (
	"testing"
	"time"
)

var started = time.Now()

// cpuTime is the time that has passed, where it is not known how much of it was
// this process's.
func cpuTime(b *testing.B) time.Duration {
	b.Helper()
	return time.Since(started)
}

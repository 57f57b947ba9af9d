package sandbox

import "context"

// Init must be the first call in main and in TestMain: the sandbox re-executes
// the program that uses it, and Init is where that child leaves for its own
// work and never returns. In every other process it does nothing but note that
// it was called.
func Init() {}

// Open finds the layer that can confine programs on this host and proves it: it
// runs the real profile once with a program that tries to get out. The error is
// an [*Unavailable].
func Open(ctx context.Context, opts *Options) (*Sandbox, error) {
	return nil, &Unavailable{
		Reason: "no layer is built for this host",
		Remedy: "use what needs no Python",
	}
}

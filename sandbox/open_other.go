//go:build !linux

package sandbox

import (
	"context"
	"runtime"
)

func runShim() {}

func closeInherited() {}

func openLayer(context.Context, *Options) (layer, error) {
	return nil, &Unavailable{
		Reason: "Python programs can be confined on Linux only, and this is " + runtime.GOOS,
		Remedy: "use what needs no Python, or run this program on Linux",
	}
}

package js

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"runtime/metrics"
	"time"

	"github.com/helios-go/helios/sandbox"
	"github.com/helios-go/helios/sandbox/repl"
)

// Worker is what a child of the program becomes to run JavaScript. Give it to
// sandbox.Init, first thing in main and in TestMain:
//
//	sandbox.Init(js.Worker)
var Worker = sandbox.Worker{Name: "javascript", Main: serve, Intrinsic: true}

// exitOutOfMemory is the worker's exit code when its heap is over the limit.
const exitOutOfMemory = 137

// serve is the worker's main.
func serve(conn *os.File) int {
	// An interrupt comes as a frame that says which cell it is for. The signal
	// beside it is for interpreters that cannot listen while they run.
	signal.Ignore(os.Interrupt)
	debug.SetTraceback("none") // what kills the worker is said in one line
	debug.SetMaxStack(256 << 20)
	debug.SetGCPercent(50) // so that two thirds of the limit can be in use; a limit for the collector would burn time at the edge
	e := newEngine(os.Stdout, os.Stderr)
	e.watch = watchMemory
	return repl.Serve(conn, e)
}

// watchMemory ends the process when it holds more than limit bytes. It looks
// every 5 ms, while a cell runs.
func watchMemory(limit int64) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				if held() > limit {
					dieOfMemory(limit)
				}
			}
		}
	}()
	return func() {
		cancel()
		<-done
		if held() > limit { // too fast for a look, and perhaps in use no more
			debug.FreeOSMemory()
			if held() > limit {
				dieOfMemory(limit)
			}
		}
	}
}

func dieOfMemory(limit int64) {
	fmt.Fprintf(os.Stderr, "out of memory: the JavaScript heap is over its limit of %d MiB\n", limit>>20)
	os.Exit(exitOutOfMemory)
}

// held is how many bytes the process has from the system.
func held() int64 {
	samples := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(samples)
	return int64(samples[0].Value.Uint64() - samples[1].Value.Uint64())
}

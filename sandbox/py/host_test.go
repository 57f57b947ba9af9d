package py

import (
	"context"
	"encoding/json"
	"runtime/metrics"
	"testing"
	"time"

	"github.com/helios-go/helios/sandbox/repl"
)

// held is how many bytes this process has from the system.
func held() uint64 {
	s := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64() - s[1].Value.Uint64()
}

// TestHostStaysSmall is not parallel: it measures this process.
func TestHostStaysSmall(t *testing.T) { //nolint:paralleltest // it measures this process
	before := held()
	var peak uint64
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		tick := time.NewTicker(2 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-stop:
				return
			case <-tick.C:
				peak = max(peak, held())
			}
		}
	}()
	for name, code := range map[string]string{
		"output":     "import os\nbig = b'x' * (1 << 20)\nwhile True: os.write(1, big)",
		"frames":     forge + "os.write(fd, b'\\0\\x1f\\xff\\xff')\nwhile True: os.write(fd, b'\\0' * 65536)",
		"long calls": "from concurrent.futures import ThreadPoolExecutor\nbig = 'x' * ((1 << 20) - 1000)\nwith ThreadPoolExecutor(8) as pool: list(pool.map(hold, [big] * 8))",
		"bindings":   "for i in range(100000): globals()['v%d' % i] = 'x' * 1000",
		"memory":     "keep = []\nwhile True: keep.append(bytearray(1 << 20))",
		"forks":      "import os, time\nwhile True:\n    if os.fork() == 0: time.sleep(100)",
	} {
		k := start(t, &repl.Config{Functions: []repl.Function{{Name: "hold", Params: []string{"x"}}}, Call: func(ctx context.Context, _ string, _ json.RawMessage) (json.RawMessage, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}})
		out, err := k.Execute(context.Background(), repl.Cell{Code: code, Timeout: time.Second, Bindings: &repl.BindingLimits{}})
		if err != nil || out.Wall > 20*time.Second { // 3.1 s, but on a busy machine
			t.Errorf("%s: %+v, %v", name, out, err)
		}
		if err := k.Close(); err != nil {
			t.Errorf("%s: Close: %v", name, err)
		}
	}
	close(stop)
	<-stopped
	t.Logf("host: %d MiB before, at most %d MiB", before>>20, peak>>20)
	if peak > before+32<<20 {
		t.Errorf("the host grew from %d to %d MiB, want at most 32 MiB more", before>>20, peak>>20)
	}
}

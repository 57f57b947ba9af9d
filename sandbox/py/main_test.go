package py

import (
	"context"
	"sync"
	"testing"

	"github.com/helios-go/helios/internal/testdata"
	"github.com/helios-go/helios/sandbox"
	"github.com/helios-go/helios/sandbox/internal/conformance"
	"github.com/helios-go/helios/sandbox/repl"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	sandbox.Init()
	goleak.VerifyTestMain(m)
}

var openOnce = sync.OnceValues(func() (*sandbox.Sandbox, error) { return sandbox.Open(context.Background(), nil) })

// runtime is what the tests share.
func runtime(tb testing.TB) *Runtime {
	tb.Helper()
	box, err := openOnce()
	testdata.Need(tb, "a host where programs can be confined", err)
	return New(box, nil)
}

// start starts a kernel that ends with the test.
func start(tb testing.TB, cfg *repl.Config) *repl.Kernel {
	tb.Helper()
	k, err := runtime(tb).Start(context.Background(), cfg)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = k.Close() })
	return k
}

func TestRuntime(t *testing.T) {
	t.Parallel()
	conformance.Test(t, runtime(t))
}

package preset_test

import (
	"context"
	"errors"
	"os"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/helios-go/helios/internal/testdata"
	"github.com/helios-go/helios/sandbox"
	"github.com/helios-go/helios/sandbox/js"
	"github.com/helios-go/helios/sandbox/py"
	"github.com/helios-go/helios/sandbox/repl"
)

func TestMain(m *testing.M) {
	sandbox.Init(js.Worker)
	if err := goleak.Find(); err != nil {
		panic(err)
	}
	code := m.Run()
	if code == 0 {
		if err := goleak.Find(); err != nil {
			_, _ = os.Stderr.WriteString(err.Error() + "\n")
			code = 1
		}
	}
	os.Exit(code)
}

// runtimes are the real interpreters; each is found out once.
var runtimes = map[string]func() (repl.Runtime, error){
	"javascript": sync.OnceValues(func() (repl.Runtime, error) { return js.New(context.Background(), nil) }),
	"python": sync.OnceValues(func() (repl.Runtime, error) {
		box, err := sandbox.Open(context.Background(), nil)
		if err != nil {
			return nil, err
		}
		return py.New(box, nil), nil
	}),
}

// inEach runs a test with each of them; a host that cannot have one says so.
func inEach(t *testing.T, test func(t *testing.T, rt repl.Runtime)) {
	for name, open := range runtimes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rt, err := open()
			if unavailable := (*sandbox.Unavailable)(nil); errors.As(err, &unavailable) {
				testdata.Need(t, "an interpreter of "+name, err)
			}
			if err != nil {
				t.Fatal(err)
			}
			test(t, rt)
		})
	}
}

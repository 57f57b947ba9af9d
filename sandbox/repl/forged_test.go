package repl_test

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/helios-go/helios/sandbox"
	"github.com/helios-go/helios/sandbox/repl"
)

// fake is a process whose frames the test writes.
type fake struct {
	host, worker net.Conn
	once         sync.Once
	done         chan struct{}
}

func newFake() *fake {
	f := &fake{done: make(chan struct{})}
	f.host, f.worker = net.Pipe()
	return f
}

func (f *fake) Conn() net.Conn                 { return f.host }
func (f *fake) Interrupt() error               { return nil }
func (f *fake) Output() ([]byte, []byte, bool) { return nil, nil, false }
func (f *fake) Done() <-chan struct{}          { return f.done }
func (f *fake) Wait() (*sandbox.Result, error) { <-f.done; return &sandbox.Result{ExitCode: 137}, nil }
func (f *fake) Kill()                          { f.once.Do(func() { _ = f.worker.Close(); close(f.done) }) }
func (f *fake) say(frame string)               { _, _ = f.worker.Write(framed(frame)) }
func framed(frame string) []byte {
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(frame))), frame...)
}

// listen reads what the host says and answers its first two frames as a program
// would: ready, and then what the test wants said in the first cell.
func (f *fake) listen(first string) {
	said := 0
	var head [4]byte
	for {
		if _, err := io.ReadFull(f.worker, head[:]); err != nil {
			return
		}
		body := make([]byte, binary.BigEndian.Uint32(head[:]))
		if _, err := io.ReadFull(f.worker, body); err != nil {
			return
		}
		said++
		switch said {
		case 1:
			f.say(`{"type":"ready"}`)
		case 2:
			go func() { _, _ = f.worker.Write([]byte(first)) }()
		}
	}
}

// forged starts a kernel and runs a cell in which a program writes these bytes.
func forged(t *testing.T, bytes string) (*repl.Kernel, *repl.Outcome, int) {
	t.Helper()
	f := newFake()
	var listening sync.WaitGroup
	listening.Go(func() { f.listen(bytes) })
	var mu sync.Mutex
	calls := 0
	k, err := repl.New(context.Background(), f, &repl.Config{
		Functions: []repl.Function{{Name: "f", Params: []string{"a"}}}, MaxFrame: 4096, MaxCalls: 5,
		Call: func(context.Context, string, json.RawMessage) (json.RawMessage, error) {
			mu.Lock()
			defer mu.Unlock()
			calls++
			return nil, nil
		},
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = k.Close(); listening.Wait() })
	out, err := k.Execute(context.Background(), repl.Cell{Code: "x", Timeout: 20 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	mu.Lock()
	defer mu.Unlock()
	return k, out, calls
}

func TestForgedFrames(t *testing.T) {
	t.Parallel()
	call := func(id int) string {
		return string(framed(fmt.Sprintf(`{"type":"call","id":%d,"name":"f","args":{"a":1}}`, id)))
	}
	result := string(framed(`{"type":"result","id":1}`))
	many := ""
	for id := 1; id <= 50; id++ {
		many += call(id)
	}
	for name, test := range map[string]struct {
		bytes string
		dead  bool   // the kernel is killed at once
		why   string // in standard error
		calls int    // of the handler, at most
	}{
		"a result of its own":        {bytes: result},
		"calls, which it may make":   {bytes: call(1) + call(2) + result, calls: 2},
		"more calls than it may":     {bytes: many + result, calls: 5},
		"a call with another id":     {bytes: call(7), dead: true, why: "call 7 after call 0"},
		"the same call twice":        {bytes: call(1) + call(1), dead: true, why: "call 1 after call 1", calls: 1},
		"a result for another cell":  {bytes: string(framed(`{"type":"result","id":2}`)), dead: true, why: "cell 2"},
		"two results":                {bytes: result + result, dead: false},
		"a second ready":             {bytes: string(framed(`{"type":"ready"}`)), dead: true, why: "second ready"},
		"an unknown type":            {bytes: string(framed(`{"type":"exec"}`)), dead: true, why: "unknown"},
		"an unknown member":          {bytes: string(framed(`{"type":"result","id":1,"dead":false}`)), dead: true, why: "protocol"},
		"a wrong type":               {bytes: string(framed(`{"type":"result","id":"1"}`)), dead: true, why: "protocol"},
		"a negative id":              {bytes: string(framed(`{"type":"result","id":-1}`)), dead: true, why: "protocol"},
		"an exit code of 256":        {bytes: string(framed(`{"type":"result","id":1,"exit":256}`)), dead: true, why: "exit code 256"},
		"a call with bindings":       {bytes: string(framed(`{"type":"call","id":1,"name":"f","bindings":[]}`)), dead: true, why: "cannot have"},
		"a list":                     {bytes: string(framed(`[]`)), dead: true, why: "protocol"},
		"null":                       {bytes: string(framed(`null`)), dead: true, why: "unknown"},
		"two values":                 {bytes: string(framed(`{"type":"result","id":1} {}`)), dead: true, why: "more than one"},
		"nothing":                    {bytes: "\x00\x00\x00\x00", dead: true, why: "length is 0"},
		"a length over the limit":    {bytes: "\x00\x00\x10\x01", dead: true, why: "length is 4097"},
		"four gigabytes":             {bytes: "\xff\xff\xff\xff", dead: true, why: "length is 4294967295"},
		"no UTF-8":                   {bytes: string(framed("{\"type\":\"\xff\"}")), dead: true, why: "UTF-8"},
		"deep":                       {bytes: string(framed(`{"type":"call","id":1,"name":"f","args":` + strings.Repeat("[", 2000) + strings.Repeat("]", 2000) + `}`)), calls: 0},
		"half a frame, then silence": {bytes: "\x00\x00\x00\x10{", dead: false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, out, calls := forged(t, test.bytes)
			switch {
			case test.dead && (!out.Dead || out.TimedOut && out.Wall > 10*time.Second || !strings.Contains(out.Stderr, test.why)):
				t.Errorf("got %+v, want a dead kernel because of %q", out, test.why)
			case calls > test.calls:
				t.Errorf("%d calls reached the handler, want at most %d", calls, test.calls)
			case out.Wall > 10*time.Second: // a busy machine has more to do
				t.Errorf("took %v", out.Wall)
			}
		})
	}
}

// TestForgedResultHarmsItsOwnCellOnly holds the worst that a forgery does.
func TestForgedResultHarmsItsOwnCellOnly(t *testing.T) {
	t.Parallel()
	k, out, _ := forged(t, string(framed(`{"type":"result","id":1,"exit":0,"bindings":[{"name":"x","type":"int","value":"1"}]}`)))
	if out.Dead || out.ExitCode != 0 || out.Bindings != nil {
		t.Errorf("got %+v, want the cell ended, and no bindings that nobody asked for", out)
	}
	// The program goes on and says the true result later: nobody waits for it.
	if out := execute(t, k, repl.Cell{Code: "y", Timeout: 20 * time.Millisecond}); !out.TimedOut {
		t.Errorf("got %+v, want the next cell to end at its timeout", out)
	}
}

func TestStartThatGoesWrong(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ bytes, want string }{
		"an error":          {string(framed(`{"type":"ready","error":"no memory for it"}`)), "no memory for it"},
		"a result first":    {string(framed(`{"type":"result","id":1}`)), "cell 1"},
		"a call first":      {string(framed(`{"type":"call","id":1,"name":"f"}`)), "no cell"},
		"not this protocol": {"HTTP/1.1 400 Bad Request\r\n\r\n", "length"},
		"silence":           {"", "did not answer within"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFake()
			var writing sync.WaitGroup
			writing.Go(func() { _, _ = io.Copy(io.Discard, f.worker) })
			writing.Go(func() { _, _ = f.worker.Write([]byte(test.bytes)) })
			_, err := repl.New(context.Background(), f, &repl.Config{Startup: 50 * time.Millisecond}, nil)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want %q", err, test.want)
			}
			writing.Wait()
		})
	}
}

func FuzzKernel(f *testing.F) {
	f.Add(framed(`{"type":"result","id":1}`))
	f.Add(append(framed(`{"type":"call","id":1,"name":"f","args":{"a":[1]}}`), framed(`{"type":"result","id":1,"exit":3}`)...))
	f.Add([]byte("\x00\x00\x00\x02{}"))
	f.Add([]byte("\xff\xff\xff\xff"))
	f.Fuzz(func(t *testing.T, bytes []byte) {
		p := newFake()
		var listening sync.WaitGroup
		listening.Go(func() { p.listen(string(bytes)) })
		k, err := repl.New(context.Background(), p, &repl.Config{
			MaxFrame: 4096, Functions: []repl.Function{{Name: "f", Params: []string{"a"}}},
			Call: func(_ context.Context, name string, args json.RawMessage) (json.RawMessage, error) {
				if name != "f" || !json.Valid(args) {
					t.Errorf("the handler got %s(%s)", name, args)
				}
				return args, nil
			},
		}, nil)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Millisecond)
		defer cancel()
		go func() { <-ctx.Done(); _ = k.Close() }() // what does not end by itself
		out, err := k.Execute(ctx, repl.Cell{Code: "x", Bindings: &repl.BindingLimits{}})
		if err == nil && (out.ExitCode < 0 || out.ExitCode > 255) {
			t.Errorf("exit code %d", out.ExitCode)
		}
		_ = k.Close()
		listening.Wait()
	})
}

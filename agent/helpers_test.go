package agent_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/helios-go/helios/agent"
	"github.com/helios-go/helios/agent/agenttest"
	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/llm/llmtest"
	"github.com/helios-go/helios/tool"
)

// bench is a session under test over a memory store: its requests and its log
// are checked when the test ends.
type bench struct {
	*agent.Session
	t     *testing.T
	store agent.Store
}

func open(t *testing.T, a agent.Agent, opts *agent.OpenOptions) *bench {
	t.Helper()
	a.Model = agenttest.Checked(a.Model, func(err error) { t.Errorf("invalid request: %v", err) })
	o := agent.OpenOptions{}
	if opts != nil {
		o = *opts
	}
	if o.Store == nil {
		o.Store = agent.NewMemoryStore()
	}
	s, err := a.Open(t.Context(), &o)
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	b := &bench{s, t, o.Store}
	t.Cleanup(func() { b.done() })
	return b
}

func (b *bench) done() {
	b.t.Helper()
	b.Close()
	if err := agenttest.CheckLog(b.log()); err != nil {
		b.t.Errorf("log: %v", err)
	}
}

func (b *bench) log() []agent.Event {
	b.t.Helper()
	events, err := agenttest.Log(context.Background(), b.store, b.ID())
	if err != nil {
		b.t.Fatalf("read log: %v", err)
	}
	return events
}

// ask runs one question that must be answered well.
func (b *bench) ask(prompt string) *agent.Result {
	b.t.Helper()
	res, err := b.Run(b.t.Context(), prompt)
	if err != nil {
		b.t.Fatalf("run %q: %v", prompt, err)
	}
	return res
}

func (b *bench) send(text string, d agent.Delivery) agent.Seq {
	b.t.Helper()
	seq, err := b.Send(b.t.Context(), llm.User(text), d)
	if err != nil {
		b.t.Fatalf("send %q: %v", text, err)
	}
	return seq
}

func (b *bench) interrupt(at agent.SafePoint, reason string) {
	b.t.Helper()
	if err := b.Interrupt(b.t.Context(), at, reason); err != nil {
		b.t.Fatalf("interrupt: %v", err)
	}
}

func (b *bench) wait() (*agent.Result, error) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.t.Context(), 2*time.Hour)
	defer cancel()
	return b.Wait(ctx)
}

// ended returns the ends of all calls, in the order of the log.
func (b *bench) ended() []*agent.ToolEnded { return pick[*agent.ToolEnded](b.log()) }

func pick[D agent.EventData](events []agent.Event) []D {
	var all []D
	for _, e := range events {
		if d, ok := e.Data.(D); ok {
			all = append(all, d)
		}
	}
	return all
}

// kinds names the events of a log.
func kinds(events []agent.Event) string {
	var names []string
	for _, e := range events {
		names = append(names, string(e.Kind()))
	}
	return strings.Join(names, " ")
}

// transcript writes a conversation in short: who said what, one message a line.
func transcript(messages []llm.Message) string {
	var b strings.Builder
	for _, m := range messages {
		b.WriteString(string(m.Role))
		for _, p := range m.Parts {
			switch p.Kind {
			case llm.PartText:
				b.WriteString(" " + p.Text)
			case llm.PartCall:
				b.WriteString(" " + p.Call.Name + string(p.Call.Args))
			case llm.PartResult:
				b.WriteString(" =" + p.Result.Text())
			}
		}
		b.WriteString("\n")
	}
	return b.String()
}

func wantTranscript(t *testing.T, got []llm.Message, want ...string) {
	t.Helper()
	if g, w := transcript(got), strings.Join(want, "\n")+"\n"; g != w {
		t.Errorf("conversation:\n%swant:\n%s", g, w)
	}
}

func wantStop(t *testing.T, res *agent.Result, err error, stop agent.StopReason, is error) {
	t.Helper()
	if res.Stop != stop {
		t.Errorf("stop = %q, want %q (error %v)", res.Stop, stop, err)
	}
	if !errors.Is(err, is) || !errors.Is(res.Err, is) {
		t.Errorf("error = %v, Result.Err = %v, want %v", err, res.Err, is)
	}
}

// echo is a tool that returns its argument.
func echo(name string, effect tool.Effect) tool.Tool {
	return tool.New(name, "returns its argument", func(_ context.Context, in struct {
		Text string `json:"text,omitempty"`
	}) (string, error) {
		return name + ":" + in.Text, nil
	}, tool.WithEffect(effect))
}

// blocking is a tool that waits for its context to end, or for d.
func blocking(name string, effect tool.Effect, d time.Duration) tool.Tool {
	return tool.New(name, "waits", func(ctx context.Context, _ struct{}) (string, error) {
		select {
		case <-ctx.Done():
			return "", context.Cause(ctx)
		case <-time.After(d):
			return name + " done", nil
		}
	}, tool.WithEffect(effect))
}

func script(turns ...llmtest.Turn) *llmtest.Model { return llmtest.New(turns...) }

func texts(events []*agent.ToolEnded) []string {
	var all []string
	for _, e := range events {
		all = append(all, e.Result.Text())
	}
	return all
}

func wantEqual[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s = %v, want %v", what, got, want)
	}
}

func wantTexts(t *testing.T, got []*agent.ToolEnded, want ...string) {
	t.Helper()
	if !slices.Equal(texts(got), want) {
		t.Errorf("results = %q, want %q", texts(got), want)
	}
}

// clock is a clock that moves by a second each time.
func clock() func() time.Time {
	var ticks atomic.Int64
	return func() time.Time {
		return time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC).Add(time.Duration(ticks.Add(1)) * time.Second)
	}
}

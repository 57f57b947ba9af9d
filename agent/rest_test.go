package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/helios-go/helios/agent"
	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/llm/llmtest"
	"github.com/helios-go/helios/tool"
)

// unpacked hides that the store could pack a log.
type unpacked struct{ agent.Store }

// rested is a session after n runs of two model calls and a tool.
func rested(t *testing.T, store agent.Store, n int) *bench {
	t.Helper()
	m := llmtest.Func(func(req *llm.Request) llmtest.Turn {
		last := req.Messages[len(req.Messages)-1]
		if last.Role == llm.RoleTool {
			return llmtest.Text("it said " + last.Parts[0].Result.Text() + strings.Repeat(".", len(req.Messages))).Using(llm.Usage{Input: 10, Output: 3})
		}
		return llmtest.Call("echo", fmt.Sprintf(`{"text":%q}`, last.Text()))
	})
	a := agent.Agent{Model: m, Tools: []tool.Tool{echo("echo", tool.ReadOnly)}}
	b := open(t, a, &agent.OpenOptions{Store: store, SessionID: "rested", Clock: clock()})
	for i := range n {
		b.ask(fmt.Sprintf("question %d", i))
	}
	return b
}

func logText(t *testing.T, events []agent.Event) string {
	t.Helper()
	var b strings.Builder
	for _, e := range events {
		switch d := e.Data.(type) { // what differs from run to run
		case *agent.ToolEnded:
			c := *d
			c.Duration = 0
			e.Data = &c
		case *agent.TurnStarted:
			c := *d
			c.Left.Wall = 0
			e.Data = &c
		}
		data, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		b.WriteString(strings.ReplaceAll(string(data), e.Run, "RUN") + "\n")
	}
	return b.String()
}

func TestARestingSessionRemembersAll(t *testing.T) {
	t.Parallel()
	for _, runs := range []int{1, 2, 30} { // the last is too long to be packed whole
		t.Run(fmt.Sprint(runs), func(t *testing.T) {
			t.Parallel()
			store := agent.NewMemoryStore()
			packed, plain := rested(t, store, runs), rested(t, unpacked{agent.NewMemoryStore()}, runs)
			want := plain.log()
			if g, w := logText(t, packed.log()), logText(t, want); g != w {
				t.Errorf("log:\n%swant:\n%s", g, w)
			}
			for _, from := range []agent.Seq{0, 1, 2, 9, 10, 11, 12, 15, agent.Seq(len(want)), agent.Seq(len(want)) + 1} {
				var got []agent.Event
				for e, err := range store.Read(t.Context(), "rested", from) {
					if err != nil {
						t.Fatal(err)
					}
					got = append(got, e)
				}
				if g, w := logText(t, got), logText(t, want[min(max(int(from), 1)-1, len(want)):]); g != w {
					t.Errorf("from %d:\n%swant:\n%s", from, g, w)
				}
			}
			wantTranscript(t, packed.History(), strings.Split(strings.TrimSpace(transcript(plain.History())), "\n")...)
			first, err := packed.wait()
			second, _ := plain.wait()
			if err != nil || first.Text != second.Text || first.Usage != second.Usage || first.Turns != 2 {
				t.Errorf("the last result = %+v, %v; want %+v", first, err, second)
			}
			fork, err := packed.Fork(t.Context(), 0)
			if err != nil {
				t.Fatal(err)
			}
			defer fork.Close()
			wantTranscript(t, fork.History(), strings.Split(strings.TrimSpace(transcript(plain.History())), "\n")...)
			g, w := packed.ask("more"), plain.ask("more")
			wantEqual(t, "the next answer", g.Text, w.Text)
			wantTranscript(t, packed.History(), strings.Split(strings.TrimSpace(transcript(plain.History())), "\n")...)
		})
	}
}

func TestAnErrorIsTheSameAfterARest(t *testing.T) {
	t.Parallel()
	b := open(t, agent.Agent{Model: script(llmtest.Text("no").Ending(llm.FinishRefusal))}, nil)
	b.Run(t.Context(), "go")
	res, err := b.wait()
	wantStop(t, res, err, agent.StopRefused, agent.ErrRefused)
	ended := pick[*agent.RunEnded](b.log())
	wantEqual(t, "the log's error", ended[0].Result.Err, res.Err)
}

func TestASessionThatRestsCanBeLookedAtWhileItIsRoused(t *testing.T) {
	t.Parallel()
	store := agent.NewMemoryStore()
	b := rested(t, store, 1)
	other := rested(t, store, 0) // on the same session
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		for ctx.Err() == nil {
			seen := len(b.History())
			if n := len(other.History()); seen < 4 {
				t.Errorf("%d and %d messages are remembered", seen, n)
			}
			for _, err := range store.Read(ctx, "rested", 1) {
				if err != nil {
					break
				}
			}
		}
	}()
	for i := range 40 {
		[]*bench{b, other}[i%2].ask("again")
	}
	cancel()
	<-done
	b.wait()
	if n := len(b.History()); n != 41*4 {
		t.Errorf("%d messages, want %d", n, 41*4)
	}
}

package agent_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/helios-go/helios/agent"
	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/llm/llmtest"
	"github.com/helios-go/helios/tool"
)

func TestMessagesThatWaitTogetherAreSeenTogether(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := slowModel()
		b := open(t, agent.Agent{Model: m, Tools: []tool.Tool{blocking("wait", tool.ReadOnly, 10*time.Second)}}, nil)
		b.send("call wait", agent.Steer)
		time.Sleep(5 * time.Second) // the tool runs
		image := llm.Part{Kind: llm.PartMedia, Media: &llm.Media{MIME: "image/png", Data: []byte{1}}}
		b.send("one", agent.Steer)
		if _, err := b.Send(t.Context(), llm.User("two", image), agent.Steer); err != nil {
			t.Fatal(err)
		}
		b.send("three", agent.Steer)
		b.wait()
		wantEqual(t, "requests", len(m.Requests()), 2)
		seen := m.Requests()[1].Messages
		wantTranscript(t, seen, "user call wait", "assistant wait", "tool =wait done", "user one", "user two", "user three")
		if parts := seen[4].Parts; len(parts) != 2 || parts[1].Media != image.Media {
			t.Errorf("the second message has %v", parts)
		}
	})
}

// A message that Send has taken is answered, by this process or the next; one that
// it has refused is not there.
func TestAMessageThatRacesWithCloseIsTakenOrRefused(t *testing.T) {
	t.Parallel()
	store := agent.NewMemoryStore()
	model := llmtest.Func(func(*llm.Request) llmtest.Turn { return llmtest.Text("ok") })
	a := agent.Agent{Model: model, Limits: agent.Limits{Waiting: 1000}}
	opts := &agent.OpenOptions{Store: store, SessionID: "s"}
	taken := map[string]bool{}
	for round := range 20 {
		b := open(t, a, opts)
		var (
			mu    sync.Mutex
			sent  atomic.Int32
			group sync.WaitGroup
		)
		for i := range 50 {
			group.Go(func() {
				text := fmt.Sprintf("<%d.%d>", round, i)
				_, err := b.Send(context.Background(), llm.User(text), []agent.Delivery{agent.Steer, agent.Queue}[i%2])
				if err != nil && !errors.Is(err, agent.ErrClosed) {
					t.Error(err)
				}
				mu.Lock()
				taken[text] = err == nil
				mu.Unlock()
				if sent.Add(1) == int32(2*round+1) {
					b.Close()
				}
			})
		}
		group.Wait()
	}
	last := open(t, a, opts)
	last.wait()
	seen := map[string]int{}
	for _, m := range last.History() {
		if m.Role == llm.RoleUser {
			seen[m.Text()]++
		}
	}
	refused := 0
	for text, ok := range taken {
		want := 0
		if ok {
			want = 1
		} else {
			refused++
		}
		if seen[text] != want {
			t.Errorf("message %s (taken: %t) is there %d times", text, ok, seen[text])
		}
	}
	if refused == 0 || refused == len(taken) {
		t.Errorf("%d of %d messages were refused: the test does not test", refused, len(taken))
	}
}

// The limit is for those who send: a run always has room for what it has to say to
// the model itself.
func TestAFullSessionHasRoomForItsHooks(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		again := agent.Hook{Name: "again", BeforeStop: func(_ context.Context, at agent.Moment, _ *agent.Result) (agent.StopVerdict, error) {
			if at.Turn == 1 {
				return agent.StopVerdict{Inject: "Are you sure?"}, nil
			}
			return agent.StopVerdict{}, nil
		}}
		b := open(t, agent.Agent{Model: slowModel(), Hooks: []agent.Hook{again}, Limits: agent.Limits{Waiting: 1}}, nil)
		b.send("one", agent.Queue)
		time.Sleep(500 * time.Millisecond)
		b.send("two", agent.Queue)
		if _, err := b.Send(t.Context(), llm.User("three"), agent.Queue); !errors.Is(err, agent.ErrFull) || !strings.Contains(err.Error(), "1 messages") {
			t.Errorf("a third message: %v", err)
		}
		b.wait()
		wantTranscript(t, b.History(),
			"user one", "assistant re: one", "user Are you sure?", "assistant re: Are you sure?",
			"user two", "assistant re: two", "user Are you sure?", "assistant re: Are you sure?")
	})
}

// releasing is a store that does something when a lease is given back, just before.
type releasing struct {
	agent.Store

	before func()
}

func (r *releasing) Release(ctx context.Context, l agent.Lease) error {
	if f := r.before; f != nil {
		r.before = nil
		f()
	}
	return r.Store.Release(ctx, l)
}

// A message that comes when the run is over and its owner is about to go idle is
// answered, though nobody waits: whoever has sent it found the session still owned.
func TestAMessageAtTheLastMomentIsAnswered(t *testing.T) {
	t.Parallel()
	for _, byOther := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			st := &releasing{Store: agent.NewMemoryStore()}
			a := agent.Agent{Model: llmtest.Func(func(req *llm.Request) llmtest.Turn {
				return llmtest.Text("re: " + req.Messages[len(req.Messages)-1].Text())
			})}
			owner := open(t, a, &agent.OpenOptions{Store: st, SessionID: "s"})
			sender := owner
			if byOther {
				sender = open(t, a, &agent.OpenOptions{Store: st, SessionID: "s"})
			}
			st.before = func() {
				sender.send("two", agent.Steer)
				if byOther {
					time.Sleep(time.Second) // it finds that the lease is taken
				}
			}
			owner.send("one", agent.Steer)
			time.Sleep(10 * time.Second)
			wantTranscript(t, owner.History(), "user one", "assistant re: one", "user two", "assistant re: two")
		})
	}
}

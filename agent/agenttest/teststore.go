package agenttest

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/helios-go/helios/agent"
	"github.com/helios-go/helios/llm"
)

// TestStore tests what [agent.Store] promises. Open returns a store without
// sessions, and is called once for each of the subtests.
func TestStore(t *testing.T, open func(t *testing.T) agent.Store) {
	for _, tt := range []struct {
		name string
		f    func(t *testing.T, st agent.Store)
	}{
		{"EventsComeBackAsTheyWere", eventsComeBack},
		{"SeqsHaveNoGapsUnderConcurrentWriters", noGaps},
		{"AnAppendIsAllOrNothing", allOrNothing},
		{"AnEndedContextWritesAllOrNothing", ended},
		{"EventsAreCopied", copied},
		{"OneOwnerAtATime", oneOwner},
		{"OneOfManyBecomesTheOwner", oneOfMany},
		{"AFencedOwnerCannotWrite", fenced},
		{"AnOldLeaseOfTheSameOwnerIsFenced", sameOwner},
		{"RenewExtendsTheLease", renews},
		{"ReadStartsAnywhere", readAnywhere},
		{"SessionsDoNotMix", apart},
		{"ListTellsTheState", listTells},
		{"ListFiltersTogether", listFilters},
		{"PurgeTakesIdleSessionsOnly", purgeIdle},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.f(t, open(t))
		})
	}
}

var moment = time.Date(2026, 11, 30, 12, 0, 0, 123e6, time.UTC)

func said(text string) agent.Event {
	return agent.Event{Time: moment, Data: &agent.UserMessage{Message: llm.User(text), Delivery: agent.Steer, Origin: agent.OriginUser}}
}

func acquire(t *testing.T, st agent.Store, session, owner string, ttl time.Duration) agent.Lease {
	t.Helper()
	l, err := st.Acquire(t.Context(), session, owner, ttl)
	if err != nil {
		t.Fatalf("acquire %s for %s: %v", session, owner, err)
	}
	return l
}

func post(t *testing.T, st agent.Store, session string, events ...agent.Event) agent.Seq {
	t.Helper()
	seq, err := st.Post(t.Context(), session, events)
	if err != nil {
		t.Fatalf("post to %s: %v", session, err)
	}
	return seq
}

func log(t *testing.T, st agent.Store, session string) []agent.Event {
	t.Helper()
	events, err := Log(t.Context(), st, session)
	if err != nil {
		t.Fatalf("read %s: %v", session, err)
	}
	return events
}

func infos(t *testing.T, st agent.Store, f agent.Filter) []agent.SessionInfo {
	t.Helper()
	var all []agent.SessionInfo
	for i, err := range st.List(t.Context(), f) {
		if err != nil {
			t.Fatalf("list: %v", err)
		}
		all = append(all, i)
	}
	return all
}

func eventsComeBack(t *testing.T, st agent.Store) {
	calls := []llm.Part{
		{Kind: llm.PartCall, Call: &llm.ToolCall{ID: "c", Name: "read", Args: json.RawMessage(`{"cut": "off`)}},
		{Kind: llm.PartCall, Call: &llm.ToolCall{ID: "d", Name: "read", Args: json.RawMessage(`{"b":1.0,"a":1e2,"b":"\u0000"}`)}}, // as the model wrote it
	}
	events := []agent.Event{
		{Time: moment, Data: &agent.SessionOpened{Agent: "a", User: "u"}},
		said("héllo <&> \u2028 \x00"),
		{Time: moment, Run: "r", Turn: 3, Data: &agent.ModelMessage{
			Model:   "m",
			Message: llm.Message{Role: llm.RoleAssistant, Parts: calls},
			Usage:   llm.Usage{Input: 1 << 40}, Meta: json.RawMessage(`{"id":"x"}`),
		}},
		{Time: moment, Run: "r", Turn: 3, Data: &agent.Unrecognized{Name: "later_kind", Raw: json.RawMessage(`{"x":1}`)}},
		said(strings.Repeat("0123456789abcdef", 1<<16)),
	}
	if seq := post(t, st, "s", events...); int(seq) != len(events) {
		t.Errorf("seq = %d, want %d", seq, len(events))
	}
	got := log(t, st, "s")
	if len(got) != len(events) {
		t.Fatalf("%d events, want %d", len(got), len(events))
	}
	for i, e := range events {
		e.Seq = agent.Seq(i + 1)
		want, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		if have, err := json.Marshal(got[i]); err != nil || string(have) != string(want) {
			t.Errorf("event %d = %.200s, %v; want %.200s", i+1, have, err, want)
		}
	}
}

func noGaps(t *testing.T, st agent.Store) {
	const writers, each = 8, 25
	l := acquire(t, st, "s", "me", time.Minute)
	seqs := make(chan agent.Seq, writers*each)
	var group sync.WaitGroup
	for w := range writers {
		group.Go(func() {
			for range each {
				var seq agent.Seq
				var err error
				if w%2 == 0 {
					seq, err = st.Post(context.Background(), "s", []agent.Event{said("a"), said("b")})
				} else {
					seq, err = st.Append(context.Background(), l, []agent.Event{said("a"), said("b")})
				}
				if err != nil {
					t.Error(err)
				}
				seqs <- seq
			}
		})
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		readWhile(t, st, writers*each*2)
	}()
	group.Wait()
	<-done
	close(seqs)
	var last []agent.Seq
	for seq := range seqs {
		last = append(last, seq)
	}
	slices.Sort(last)
	for i, seq := range last {
		if seq != agent.Seq(2*(i+1)) {
			t.Fatalf("write %d ended at seq %d, want %d", i, seq, 2*(i+1))
		}
	}
	for i, e := range log(t, st, "s") {
		if e.Seq != agent.Seq(i+1) {
			t.Fatalf("event %d has seq %d", i, e.Seq)
		}
	}
}

// readWhile reads on while others write, until all is there: events come one after
// the other also to those who are close behind, and a longer log never gets
// shorter.
func readWhile(t *testing.T, st agent.Store, n int) {
	seen := 0
	for giveUp := time.Now().Add(time.Minute); seen < n && time.Now().Before(giveUp); {
		had := seen
		for e, err := range st.Read(context.Background(), "s", agent.Seq(seen+1)) {
			if err != nil || e.Seq != agent.Seq(seen+1) {
				t.Errorf("while others write: seq %d after %d, %v", e.Seq, seen, err)
				return
			}
			seen++
		}
		if seen%2 != 0 {
			t.Errorf("half of an append can be seen: %d events", seen)
			return
		}
		count := 0
		for _, err := range st.Read(context.Background(), "s", 1) {
			if count++; err != nil || count >= had {
				break
			}
		}
		if count < had {
			t.Errorf("%d events after there were %d", count, had)
			return
		}
	}
	if seen < n {
		t.Errorf("a reader saw %d events, want %d", seen, n)
	}
}

func allOrNothing(t *testing.T, st agent.Store) {
	post(t, st, "s", said("one"))
	bad := agent.Event{Time: moment, Data: &agent.Custom{Name: "bad", Data: json.RawMessage(`{`)}}
	// A store that keeps events as values may take this one; then all are there.
	_, err := st.Post(t.Context(), "s", []agent.Event{said("two"), bad, said("three")})
	want := 4
	if err != nil {
		want = 1
	}
	if got := len(log(t, st, "s")); got != want {
		t.Errorf("%d events after a post with error %v, want %d", got, err, want)
	}
	if seq := post(t, st, "s", said("four")); seq != agent.Seq(want+1) {
		t.Errorf("the next seq is %d, want %d", seq, want+1)
	}
}

func ended(t *testing.T, st agent.Store) {
	post(t, st, "s", said("one"))
	l := acquire(t, st, "s", "me", time.Minute)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	want := 1
	if _, err := st.Post(ctx, "s", []agent.Event{said("two"), said("three")}); err == nil {
		want += 2
	}
	if _, err := st.Append(ctx, l, []agent.Event{said("four"), said("five")}); err == nil {
		want += 2
	}
	if got := len(log(t, st, "s")); got != want {
		t.Errorf("%d events, want the %d that were accepted", got, want)
	}
	if seq := post(t, st, "s", said("six")); seq != agent.Seq(want+1) {
		t.Errorf("the next seq is %d, want %d", seq, want+1)
	}
}

// copied changes a slice of events after it was written.
func copied(t *testing.T, st agent.Store) {
	events := []agent.Event{said("one")}
	post(t, st, "s", events...)
	l := acquire(t, st, "s", "me", time.Minute)
	if seq, err := st.Append(t.Context(), l, events); err != nil || seq != 2 {
		t.Errorf("append = %d, %v; want 2", seq, err)
	}
	events[0] = said("changed")
	events[0].Seq = 99
	for i, e := range log(t, st, "s") {
		if m, ok := e.Data.(*agent.UserMessage); !ok || m.Message.Text() != "one" || e.Seq != agent.Seq(i+1) {
			t.Errorf("event %d = %+v", i+1, e)
		}
	}
}

func readAnywhere(t *testing.T, st agent.Store) {
	const n = 700 // more than a page of any store
	batch := make([]agent.Event, n)
	for i := range batch {
		batch[i] = said(fmt.Sprint(i + 1))
	}
	post(t, st, "s", batch...)
	post(t, st, "other", said("x"))
	for _, from := range []agent.Seq{0, 1, 2, 256, 257, n, n + 1} {
		want := max(from, 1)
		for e, err := range st.Read(t.Context(), "s", from) {
			if err != nil || e.Seq != want {
				t.Fatalf("from %d: seq %d, %v; want %d", from, e.Seq, err, want)
			}
			want++
		}
		if want != max(n+1, from) {
			t.Errorf("from %d: read up to %d", from, want-1)
		}
	}
	for _, err := range st.Read(t.Context(), "s", 1) {
		if err != nil {
			t.Error(err)
		}
		break // no harm done
	}
	for e, err := range st.Read(t.Context(), "unknown", 1) {
		t.Errorf("an unknown session has event %+v, error %v", e, err)
	}
	if n := len(infos(t, st, agent.Filter{})); n != 2 {
		t.Errorf("%d sessions, want 2", n)
	}
}

// apart keeps sessions whose ids nearly are the same.
func apart(t *testing.T, st agent.Store) {
	ids := []string{"s", "S", "s-", "s_", "ss", "0", "00"}
	for n, id := range ids {
		for range n + 1 {
			post(t, st, id, said(id))
		}
		acquire(t, st, id, "owner of "+id, time.Minute)
	}
	for n, id := range ids {
		events := log(t, st, id)
		if len(events) != n+1 {
			t.Errorf("session %q has %d events, want %d", id, len(events), n+1)
		}
		for _, e := range events {
			if m, ok := e.Data.(*agent.UserMessage); !ok || m.Message.Text() != id {
				t.Errorf("session %q has the event %+v", id, e)
			}
		}
	}
	for _, info := range infos(t, st, agent.Filter{}) {
		if info.Owner != "owner of "+info.ID {
			t.Errorf("session %q is owned by %q", info.ID, info.Owner)
		}
	}
}

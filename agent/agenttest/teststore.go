package agenttest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
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
		{"OneOwnerAtATime", oneOwner},
		{"AFencedOwnerCannotWrite", fenced},
		{"ReadStartsAnywhere", readAnywhere},
		{"ListTellsTheState", listTells},
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
	call := &llm.ToolCall{ID: "c", Name: "read", Args: json.RawMessage(`{"cut": "off`)}
	events := []agent.Event{
		{Time: moment, Data: &agent.SessionOpened{Agent: "a", User: "u"}},
		said("héllo <&> \u2028"),
		{Time: moment, Run: "r", Turn: 3, Data: &agent.ModelMessage{
			Model:   "m",
			Message: llm.Message{Role: llm.RoleAssistant, Parts: []llm.Part{{Kind: llm.PartCall, Call: call}}},
			Usage:   llm.Usage{Input: 1 << 40}, Meta: json.RawMessage(`{"id":"x"}`),
		}},
		{Time: moment, Run: "r", Turn: 3, Data: &agent.Unrecognized{Name: "later_kind", Raw: json.RawMessage(`{"x":1}`)}},
	}
	if seq := post(t, st, "s", events...); seq != 4 {
		t.Errorf("seq = %d, want 4", seq)
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
			t.Errorf("event %d = %s, %v; want %s", i+1, have, err, want)
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
	group.Wait()
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

func oneOwner(t *testing.T, st agent.Store) {
	first := acquire(t, st, "s", "first", time.Minute)
	_, err := st.Acquire(t.Context(), "s", "second", time.Minute)
	var taken *agent.LeasedError
	if !errors.As(err, &taken) || taken.Until.Before(time.Now()) {
		t.Fatalf("second owner: %v, want a LeasedError", err)
	}
	if again := acquire(t, st, "s", "first", time.Minute); again.Epoch <= first.Epoch {
		t.Errorf("epoch %d after %d", again.Epoch, first.Epoch)
	} else if err := st.Release(t.Context(), again); err != nil {
		t.Error(err)
	}
	acquire(t, st, "s", "second", time.Nanosecond) // and ends at once
	time.Sleep(time.Millisecond)
	third := acquire(t, st, "s", "third", time.Minute)
	if err := st.Renew(t.Context(), third); err != nil {
		t.Errorf("renew: %v", err)
	}
}

func fenced(t *testing.T, st agent.Store) {
	old := acquire(t, st, "s", "old", time.Nanosecond)
	time.Sleep(time.Millisecond)
	// Its time is up, but nobody else has come: it may still write.
	if _, err := st.Append(t.Context(), old, []agent.Event{said("one")}); err != nil {
		t.Errorf("append before the takeover: %v", err)
	}
	current := acquire(t, st, "s", "new", time.Minute)
	if _, err := st.Append(t.Context(), old, []agent.Event{said("no")}); !errors.Is(err, agent.ErrFenced) {
		t.Errorf("append after the takeover: %v, want ErrFenced", err)
	}
	if err := st.Renew(t.Context(), old); !errors.Is(err, agent.ErrFenced) {
		t.Errorf("renew after the takeover: %v, want ErrFenced", err)
	}
	if err := st.Release(t.Context(), old); err != nil {
		t.Errorf("release after the takeover: %v", err)
	}
	if _, err := st.Append(t.Context(), current, []agent.Event{said("two")}); err != nil {
		t.Errorf("append of the owner: %v", err)
	}
	if _, err := st.Append(t.Context(), agent.Lease{Session: "nobody", Owner: "x", Epoch: 1}, []agent.Event{said("no")}); !errors.Is(err, agent.ErrFenced) {
		t.Errorf("append without a session: %v, want ErrFenced", err)
	}
	if got := len(log(t, st, "s")); got != 2 {
		t.Errorf("%d events, want 2", got)
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

func listTells(t *testing.T, st agent.Store) {
	open := func(id, user, parent string, at time.Duration) {
		opened := &agent.SessionOpened{Agent: "a", User: user}
		if parent != "" {
			opened.Parent = &agent.Parent{Session: parent}
		}
		post(t, st, id, agent.Event{Time: moment.Add(at), Data: opened})
	}
	open("idle", "ada", "", 0)
	open("ready", "bob", "", time.Second)
	post(t, st, "ready", agent.Event{Time: moment.Add(time.Second), Data: said("x").Data})
	open("child", "ada", "ready", 2*time.Second)
	l := acquire(t, st, "child", "me", time.Minute)
	if _, err := st.Append(t.Context(), l, []agent.Event{{Time: moment.Add(3 * time.Second), Run: "r", Data: &agent.RunStarted{}}}); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		f    agent.Filter
		want string
	}{
		{agent.Filter{}, "[child:running ready:ready idle:idle]"},
		{agent.Filter{States: []agent.SessionState{agent.StateReady, agent.StateIdle}}, "[ready:ready idle:idle]"},
		{agent.Filter{User: "ada"}, "[child:running idle:idle]"},
		{agent.Filter{Agent: "b"}, "[]"},
		{agent.Filter{Prefix: "re"}, "[ready:ready]"},
		{agent.Filter{Prefix: "%"}, "[]"},
		{agent.Filter{Top: true}, "[ready:ready idle:idle]"},
		{agent.Filter{Limit: 1}, "[child:running]"},
	} {
		got := []string{}
		for _, i := range infos(t, st, tt.f) {
			got = append(got, i.ID+":"+string(i.State))
		}
		if fmt.Sprint(got) != tt.want {
			t.Errorf("list %+v = %v, want %s", tt.f, got, tt.want)
		}
	}
	child := infos(t, st, agent.Filter{Prefix: "child"})[0]
	if !child.Leased(time.Now()) || child.Parent != "ready" || child.Seq != 2 || !child.Active.Equal(moment.Add(3*time.Second)) || !child.Created.Equal(moment.Add(2*time.Second)) {
		t.Errorf("child = %+v", child)
	}
	if ready := infos(t, st, agent.Filter{Prefix: "ready"})[0]; ready.Pending != 1 || ready.User != "bob" {
		t.Errorf("ready = %+v", ready)
	}
}

func purgeIdle(t *testing.T, st agent.Store) {
	for _, id := range []string{"old", "new", "leased", "waiting"} {
		at := moment
		if id == "new" {
			at = moment.Add(time.Hour)
		}
		post(t, st, id, agent.Event{Time: at, Data: &agent.SessionOpened{Agent: "a"}})
	}
	post(t, st, "waiting", said("x"))
	acquire(t, st, "leased", "me", time.Minute)
	n, err := st.Purge(t.Context(), moment.Add(time.Minute))
	if err != nil || n != 1 {
		t.Errorf("purge = %d, %v; want 1", n, err)
	}
	if left := len(infos(t, st, agent.Filter{})); left != 3 {
		t.Errorf("%d sessions left, want 3", left)
	}
	if len(log(t, st, "old")) != 0 {
		t.Error("the events of a purged session are still there")
	}
	if seq := post(t, st, "old", said("again")); seq != 1 {
		t.Errorf("a purged session begins at seq %d", seq)
	}
}

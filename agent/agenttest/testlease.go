package agenttest

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/helios-go/helios/agent"
)

// What [TestStore] says about leases.

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

// oneOfMany has many ask for a lease at the same time.
func oneOfMany(t *testing.T, st agent.Store) {
	const many = 16
	leases, errs := make([]agent.Lease, many), make([]error, many)
	var group sync.WaitGroup
	for i := range many {
		group.Go(func() { leases[i], errs[i] = st.Acquire(t.Context(), "s", fmt.Sprint("owner ", i), time.Minute) })
	}
	group.Wait()
	owners := 0
	for i, err := range errs {
		switch {
		case err == nil:
			owners++
			if _, err := st.Append(t.Context(), leases[i], []agent.Event{said("mine")}); err != nil {
				t.Errorf("the owner: %v", err)
			}
		case !errors.As(err, new(*agent.LeasedError)):
			t.Errorf("acquire: %v, want a LeasedError", err)
		}
	}
	if owners != 1 {
		t.Errorf("%d owners", owners)
	}
}

// sameOwner lets one owner come back: its older leases are over all the same,
// also when they were released in between.
func sameOwner(t *testing.T, st agent.Store) {
	var old []agent.Lease
	for i := range 3 {
		l := acquire(t, st, "s", "me", time.Minute)
		if i > 0 && l.Epoch <= old[i-1].Epoch {
			t.Errorf("epoch %d after %d", l.Epoch, old[i-1].Epoch)
		}
		for _, o := range old {
			if _, err := st.Append(t.Context(), o, []agent.Event{said("no")}); !errors.Is(err, agent.ErrFenced) {
				t.Errorf("append under the lease before: %v, want ErrFenced", err)
			}
			if err := st.Renew(t.Context(), o); !errors.Is(err, agent.ErrFenced) {
				t.Errorf("renew of the lease before: %v, want ErrFenced", err)
			}
			if err := st.Release(t.Context(), o); err != nil {
				t.Errorf("release of the lease before: %v", err)
			}
		}
		if _, err := st.Append(t.Context(), l, []agent.Event{said("yes")}); err != nil {
			t.Errorf("append of the owner: %v", err)
		}
		if _, err := st.Acquire(t.Context(), "s", "you", time.Minute); !errors.As(err, new(*agent.LeasedError)) {
			t.Errorf("acquire beside the owner: %v, want a LeasedError", err)
		}
		if i == 1 {
			if err := st.Release(t.Context(), l); err != nil {
				t.Error(err)
			}
		}
		old = append(old, l)
	}
	if got := len(log(t, st, "s")); got != 3 {
		t.Errorf("%d events, want 3", got)
	}
}

func renews(t *testing.T, st agent.Store) {
	l := acquire(t, st, "s", "me", time.Millisecond)
	l.TTL = time.Minute
	if err := st.Renew(t.Context(), l); err != nil {
		t.Fatal(err)
	}
	time.Sleep(2 * time.Millisecond)
	_, err := st.Acquire(t.Context(), "s", "you", time.Minute)
	var taken *agent.LeasedError
	if !errors.As(err, &taken) || time.Until(taken.Until) < 30*time.Second || time.Until(taken.Until) > time.Minute {
		t.Errorf("acquire after a renewal: %v, want a LeasedError for a minute", err)
	}
	l.TTL = -time.Second // over at once, as after a long stop
	if err := st.Renew(t.Context(), l); err != nil {
		t.Error(err)
	}
	acquire(t, st, "s", "you", time.Minute)
	unknown := agent.Lease{Session: "nobody", Owner: "x", Epoch: 1, TTL: time.Minute}
	if err := st.Renew(t.Context(), unknown); !errors.Is(err, agent.ErrFenced) {
		t.Errorf("renew without a session: %v, want ErrFenced", err)
	}
	if err := st.Release(t.Context(), unknown); err != nil {
		t.Errorf("release without a session: %v", err)
	}
}

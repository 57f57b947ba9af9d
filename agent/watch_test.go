package agent_test

import (
	"context"

	"github.com/helios-go/helios/agent"
)

// watcher collects the events of a session in a goroutine of its own.
type watcher struct {
	events chan agent.Event
	cancel context.CancelFunc
	seen   []agent.Event
}

// watch reads from a seq on, until the bench is closed.
func (b *bench) watch(from agent.Seq) *watcher {
	ctx, cancel := context.WithCancel(context.Background())
	w := &watcher{make(chan agent.Event, 10_000), cancel, nil}
	go func() {
		defer close(w.events)
		for e, err := range b.Events(ctx, from) {
			if err != nil {
				return
			}
			w.events <- e
		}
	}()
	b.t.Cleanup(cancel)
	if err := b.Custom(ctx, "watching", nil); err != nil {
		b.t.Fatal(err)
	}
	w.until(agent.KindCustom) // by now it is attached
	return w
}

// until returns all events up to the first one of a kind that is still to come.
func (w *watcher) until(kind agent.EventKind) []agent.Event {
	for e := range w.events {
		w.seen = append(w.seen, e)
		if e.Kind() == kind {
			break
		}
	}
	return w.seen
}

//go:build !race

package sqlite_test

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/helios-go/helios/agent"
)

// What the store itself costs: the JSON of the event, its row, the session's
// row, a transaction.
func TestAnAppendTakesAtMost40Allocations(t *testing.T) {
	st := open(t, filepath.Join(t.TempDir(), "s.db"))
	l, err := st.Acquire(context.Background(), "s", "me", time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	events := []agent.Event{{Time: time.Now().UTC(), Run: "r", Turn: 1, Data: &agent.Custom{Name: "x", Data: []byte(`{"y":1}`)}}}
	got := testing.AllocsPerRun(100, func() {
		if _, err := st.Append(context.Background(), l, events); err != nil {
			t.Fatal(err)
		}
	})
	t.Logf("%v allocations", got)
	if got > 40 {
		t.Errorf("an append takes %v allocations, want at most 40", got)
	}
}

// A turn is a model call and a tool call: four appends.
func TestATurnTakesAtMost220Allocations(t *testing.T) {
	const turns = 20
	st := open(t, filepath.Join(t.TempDir(), "s.db"))
	a := leanAgent(turns)
	got := testing.AllocsPerRun(10, func() { runLean(t, st, a) }) / (turns + 1)
	t.Logf("%v allocations", got)
	if got > 220 {
		t.Errorf("a turn takes %v allocations, want at most 220", got)
	}
}

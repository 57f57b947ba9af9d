package sqlite

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/helios-go/helios/agent"
)

func openHere(t *testing.T) *Store {
	t.Helper()
	st, err := Open(filepath.Join(t.TempDir(), "s.db"), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { st.Close() })
	return st
}

func custom(data string) []agent.Event {
	return []agent.Event{{Data: &agent.Custom{Name: "x", Data: []byte(data)}}}
}

// count reads session s.
func count(t *testing.T, st *Store) int {
	t.Helper()
	n := 0
	for e, err := range st.Read(t.Context(), "s", 1) {
		if err != nil {
			t.Fatal(err)
		}
		if n++; e.Seq != agent.Seq(n) {
			t.Errorf("event %d comes as number %d", e.Seq, n)
		}
	}
	return n
}

// TestAFullDiskLosesNothingThatWasAccepted fills a file up to a number of pages,
// and goes on when there are more.
func TestAFullDiskLosesNothingThatWasAccepted(t *testing.T) {
	t.Parallel()
	st := openHere(t)
	l, err := st.Acquire(t.Context(), "s", "me", time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	limit := func(pages int) {
		t.Helper()
		if err := st.w.durable.first(fmt.Sprint(`PRAGMA max_page_count = `, pages), func(values) {}); err != nil {
			t.Fatal(err)
		}
	}
	limit(50)
	large := `"` + strings.Repeat("x", 10_000) + `"`
	accepted := 0
	for err == nil {
		if accepted++; accepted > 100 {
			t.Fatal("the file is never full")
		}
		_, err = st.Append(t.Context(), l, custom(large))
	}
	accepted--
	if want := "append to session s: the disk is full; free some space and try again, nothing of this was written"; err.Error() != want {
		t.Errorf("error = %v, want %s", err, want)
	}
	if n := count(t, st); n != accepted {
		t.Errorf("%d events, want the %d that were accepted", n, accepted)
	}
	limit(10_000)
	if seq, err := st.Append(t.Context(), l, custom(large)); err != nil || seq != agent.Seq(accepted+1) {
		t.Errorf("append = %d, %v; want %d", seq, err, accepted+1)
	}
	if n := count(t, st); n != accepted+1 {
		t.Errorf("%d events, want %d", n, accepted+1)
	}
}

// TestOneWriteDoesNotSpoilThoseBesideIt puts writes into one transaction, some of
// which fail: with an error of theirs, or with one of the database that undoes
// all.
func TestOneWriteDoesNotSpoilThoseBesideIt(t *testing.T) {
	t.Parallel()
	st := openHere(t)
	w := &st.w
	w.turn <- struct{}{} // as if somebody were writing
	var group sync.WaitGroup
	errs := make([]error, 20)
	for i := range errs {
		group.Go(func() {
			switch {
			case i == 7:
				errs[i] = w.write(context.Background(), func(c *conn) error {
					_, err := c.change(`INSERT INTO sessions (id, num) VALUES ('bad', 'not a number')`)
					return err
				})
			case i%5 == 0:
				_, errs[i] = st.Append(context.Background(), agent.Lease{Session: "s", Owner: "nobody"}, custom(`1`))
			case i%5 == 1:
				_, errs[i] = st.Acquire(context.Background(), "s", "me", time.Minute)
			default:
				_, errs[i] = st.Post(context.Background(), "s", custom(`1`))
			}
		})
	}
	for queued := 0; queued < len(errs); {
		time.Sleep(time.Millisecond)
		w.mu.Lock()
		queued = len(w.queue)
		w.mu.Unlock()
	}
	<-w.turn
	group.Wait()
	posts := 0
	for i, err := range errs {
		switch {
		case i == 7 && !isFault(err), i%5 == 0 && !errors.Is(err, agent.ErrFenced), i != 7 && i%5 != 0 && err != nil:
			t.Errorf("write %d: %v", i, err)
		case i%5 > 1 && i != 7:
			posts++
		}
	}
	if n := count(t, st); n != posts {
		t.Errorf("%d events, want %d", n, posts)
	}
}

// TestAWriteThatHasBegunIsWaitedFor ends the context of a write that somebody
// else has taken along: it is told what became of it.
func TestAWriteThatHasBegunIsWaitedFor(t *testing.T) {
	t.Parallel()
	st := openHere(t)
	w := &st.w
	w.turn <- struct{}{}
	ctx, cancel := context.WithCancel(t.Context())
	begun, wait := make(chan struct{}), make(chan struct{})
	var group sync.WaitGroup
	group.Go(func() {
		w.write(context.Background(), func(*conn) error {
			close(begun)
			<-wait
			return nil
		})
	})
	queued := func(n int) {
		for {
			w.mu.Lock()
			have := len(w.queue)
			w.mu.Unlock()
			if have == n {
				return
			}
			time.Sleep(time.Millisecond)
		}
	}
	queued(1)
	posted := make(chan error, 1)
	group.Go(func() {
		_, err := st.Post(ctx, "s", custom(`1`))
		posted <- err
	})
	queued(2)
	<-w.turn
	<-begun // by the first one, or by the second, which then has begun itself
	cancel()
	select {
	case err := <-posted:
		t.Errorf("post = %v before its transaction has ended", err)
	case <-time.After(20 * time.Millisecond):
	}
	close(wait)
	if err := <-posted; err != nil {
		t.Errorf("post = %v, want what became of it", err)
	}
	group.Wait()
	if n := count(t, st); n != 1 {
		t.Errorf("%d events, want 1", n)
	}
}

// TestAWriteOfAnotherProcessIsNoticed has a second store on the same file write
// to a session that the first one owns, and take it over.
func TestAWriteOfAnotherProcessIsNoticed(t *testing.T) {
	t.Parallel()
	st := openHere(t)
	other, err := Open(st.path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	ctx := t.Context()
	l, err := st.Acquire(ctx, "s", "me", time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 10 {
		if seq, err := st.Append(ctx, l, custom(`1`)); err != nil || seq != agent.Seq(2*i+1) {
			t.Fatalf("append = %d, %v; want %d", seq, err, 2*i+1)
		}
		if seq, err := other.Post(ctx, "s", custom(`2`)); err != nil || seq != agent.Seq(2*i+2) {
			t.Fatalf("post = %d, %v; want %d", seq, err, 2*i+2)
		}
	}
	if err := other.Release(ctx, l); err != nil {
		t.Fatal(err)
	}
	next, err := other.Acquire(ctx, "s", "you", time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := st.Append(ctx, l, custom(`3`)); !errors.Is(err, agent.ErrFenced) {
		t.Errorf("append after the takeover: %v, want ErrFenced", err)
	}
	if seq, err := other.Append(ctx, next, custom(`4`)); err != nil || seq != 21 {
		t.Errorf("append of the owner = %d, %v", seq, err)
	}
	// Purged and made again, it may have the same number and seq.
	other.Release(ctx, next)
	if n, err := other.Purge(ctx, time.Now()); err != nil || n != 1 {
		t.Fatalf("purge = %d, %v", n, err)
	}
	if _, err := st.Append(ctx, l, custom(`5`)); !errors.Is(err, agent.ErrFenced) {
		t.Errorf("append to a purged session: %v, want ErrFenced", err)
	}
	if n := count(t, st); n != 0 {
		t.Errorf("%d events of a purged session", n)
	}
}

// TestQueriesFindWhatTheyNeed holds queries to their indexes.
func TestQueriesFindWhatTheyNeed(t *testing.T) {
	t.Parallel()
	st := openHere(t)
	for query, want := range map[string]string{
		pageQuery: "SEARCH events USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)",
		`SELECT ` + columns + ` FROM sessions WHERE id = ?`:                                                             "SEARCH sessions USING INDEX sqlite_autoindex_sessions_1 (id=?)",
		`SELECT ` + columns + ` FROM sessions WHERE seq > 0 AND id >= ? AND id < ? ORDER BY active DESC, id`:            "SEARCH sessions USING INDEX sqlite_autoindex_sessions_1 (id>? AND id<?)",
		`DELETE FROM events WHERE id IN (SELECT events.id FROM (` + oldSessions + `) CROSS JOIN events ` + theirs + `)`: "SEARCH events USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)",
	} {
		var plan []string
		args := make(values, strings.Count(query, "?"))
		err := st.w.durable.each(t.Context(), `EXPLAIN QUERY PLAN `+query, args, func(v values) error {
			plan = append(plan, v.text(3))
			return nil
		})
		if err != nil || !strings.Contains(strings.Join(plan, "\n"), want) {
			t.Errorf("%s:\n%s\nwant %s (%v)", query, strings.Join(plan, "\n"), want, err)
		}
	}
}

// TestAFileOfVersion1IsBroughtUpToDate opens a file with the first tables.
func TestAFileOfVersion1IsBroughtUpToDate(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "s.db")
	if err := create(path); err != nil {
		t.Fatal(err)
	}
	var w writer
	if err := w.open(newDriver(), dsn(path, time.Second), time.Second); err != nil {
		t.Fatal(err)
	}
	for _, script := range []string{
		components[0].scripts[0],
		`CREATE TABLE helios_versions (component TEXT PRIMARY KEY, version INTEGER NOT NULL) STRICT`,
		`INSERT INTO helios_versions VALUES ('sessions', 1)`,
		`INSERT INTO sessions (num, id, seq) VALUES (3, 'a', 2), (9, 'b', 1)`,
		`INSERT INTO events VALUES
			(9, 1, '{"v":1,"seq":1,"time":"2026-01-01T00:00:00Z","kind":"custom","name":"b1","data":1}'),
			(3, 2, '{"v":1,"seq":2,"time":"2026-01-01T00:00:00Z","kind":"custom","name":"a2","data":1}'),
			(3, 1, '{"v":1,"seq":1,"time":"2026-01-01T00:00:00Z","kind":"custom","name":"a1","data":1}')`,
	} {
		if _, err := w.durable.exec(t.Context(), script); err != nil {
			t.Fatal(err)
		}
	}
	w.close()
	var names []string
	for range 2 {
		st, err := Open(path, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, id := range []string{"a", "b"} {
			for e, err := range st.Read(t.Context(), id, 1) {
				if err != nil {
					t.Fatal(err)
				}
				names = append(names, e.Data.(*agent.Custom).Name)
			}
			if _, err := st.Post(t.Context(), id, custom(`1`)); err != nil {
				t.Fatal(err)
			}
		}
		st.Close()
	}
	if got := strings.Join(names, " "); got != "a1 a2 b1 a1 a2 x b1 x" {
		t.Errorf("events %s", got)
	}
}

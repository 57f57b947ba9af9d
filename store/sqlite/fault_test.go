package sqlite_test

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/helios-go/helios/agent"
	"github.com/helios-go/helios/agent/agenttest"
	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/store/sqlite"
)

func said(text string) []agent.Event {
	return []agent.Event{{Data: &agent.UserMessage{Message: llm.User(text), Delivery: agent.Steer, Origin: agent.OriginUser}}}
}

// wantSentence fails unless an error says this, and says it as one sentence
// without a driver's codes.
func wantSentence(t *testing.T, err error, want string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error = %v, want %q in it", err, want)
		return
	}
	for _, jargon := range []string{"SQLITE_", "\n", "SQL logic"} {
		if strings.Contains(err.Error(), jargon) {
			t.Errorf("error = %v, with %q in it", err, jargon)
		}
	}
}

func TestADamagedFileIsSaidToBeDamaged(t *testing.T) {
	t.Parallel()
	whole := filepath.Join(t.TempDir(), "s.db")
	st := open(t, whole)
	for i := range 40 {
		if _, err := st.Post(t.Context(), fmt.Sprint("s", i%4), said(strings.Repeat("text ", 500))); err != nil {
			t.Fatal(err)
		}
	}
	st.Close()
	data, err := os.ReadFile(whole)
	if err != nil {
		t.Fatal(err)
	}
	told := 0
	for _, page := range []int{0, 1, 2, 3, 5, len(data)/4096 - 1} {
		path := filepath.Join(t.TempDir(), "s.db")
		broken := bytes.Clone(data)
		for i := page * 4096; i < (page+1)*4096; i++ {
			broken[i] = byte(i * 31)
		}
		if err := os.WriteFile(path, broken, 0o600); err != nil {
			t.Fatal(err)
		}
		err := useAll(t, path)
		if page == 0 {
			wantSentence(t, err, "not a database")
		} else if err != nil {
			wantSentence(t, err, "damaged")
			told++
		}
	}
	if told < 3 {
		t.Errorf("%d of 5 damaged pages were noticed", told)
	}
	path := filepath.Join(t.TempDir(), "s.db")
	if err := os.WriteFile(path, data[:len(data)/2], 0o600); err != nil {
		t.Fatal(err)
	}
	wantSentence(t, useAll(t, path), "damaged")
}

// useAll returns the first error of opening, listing, reading and writing.
func useAll(t *testing.T, path string) error {
	st, err := sqlite.Open(path, nil)
	if err != nil {
		return err
	}
	defer st.Close()
	for _, err := range st.List(t.Context(), agent.Filter{}) {
		if err != nil {
			return err
		}
	}
	for i := range 4 {
		if _, err := agenttest.Log(t.Context(), st, fmt.Sprint("s", i)); err != nil {
			return err
		}
		if _, err := st.Post(t.Context(), fmt.Sprint("s", i), said("more")); err != nil {
			return err
		}
	}
	return nil
}

func TestAFileThatMayNotBeWrittenIsSaidToBe(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "s.db")
	st := open(t, path)
	st.Post(t.Context(), "s", said("x"))
	st.Close()
	for _, mode := range []struct{ file, dir os.FileMode }{{0o400, 0o700}, {0o600, 0o500}, {0o400, 0o500}} {
		os.Chmod(path, mode.file)
		os.Chmod(dir, mode.dir)
		raise := lower(t, dir)
		err := useAll(t, path)
		raise()
		wantSentence(t, err, "needs the right to")
		os.Chmod(dir, 0o700)
	}
}

func TestALockedFileIsWaitedForAndThenSaidToBe(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "s.db")
	st, err := sqlite.Open(path, &sqlite.Options{BusyTimeout: 50 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	patient := open(t, path)
	other, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	other.SetMaxOpenConns(1)
	if _, err := other.Exec(`BEGIN IMMEDIATE`); err != nil {
		t.Fatal(err)
	}
	_, err = st.Post(t.Context(), "s", said("no"))
	wantSentence(t, err, "another process has the file locked")

	// A context ends the wait, for the one that asks SQLite and for those behind it.
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	var group sync.WaitGroup
	for range 3 {
		group.Go(func() {
			if _, err := patient.Post(ctx, "s", said("no")); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("post = %v, want the context's end", err)
			}
		})
	}
	group.Wait()
	group.Go(func() {
		if seq, err := patient.Post(t.Context(), "s", said("yes")); seq != 1 || err != nil {
			t.Errorf("post = %d, %v", seq, err)
		}
	})
	if _, err := other.Exec(`COMMIT`); err != nil {
		t.Fatal(err)
	}
	group.Wait()
	if events, err := agenttest.Log(t.Context(), st, "s"); err != nil || len(events) != 1 {
		t.Errorf("%d events, %v; want the one that was accepted", len(events), err)
	}
}

func TestAClosedStoreSaysSo(t *testing.T) {
	t.Parallel()
	st := open(t, filepath.Join(t.TempDir(), "s.db"))
	st.Post(t.Context(), "s", said("x"))
	if err := errors.Join(st.Close(), st.Close()); err != nil {
		t.Fatal(err)
	}
	_, posted := st.Post(t.Context(), "s", said("x"))
	_, read := agenttest.Log(t.Context(), st, "s")
	_, acquired := st.Acquire(t.Context(), "s", "me", time.Second)
	_, resolved := st.Prompts().Resolve(t.Context(), "p")
	for _, err := range []error{posted, read, acquired, resolved} {
		wantSentence(t, err, "the store is closed")
	}
}

// TestAnyNumberMayOpenANewFile opens and uses a file that is not there yet, many
// at the same time.
func TestAnyNumberMayOpenANewFile(t *testing.T) {
	t.Parallel()
	for range 5 {
		path := filepath.Join(t.TempDir(), "new", "s.db")
		var group sync.WaitGroup
		for i := range 8 {
			group.Go(func() {
				st, err := sqlite.Open(path, nil)
				if err != nil {
					t.Error(err)
					return
				}
				defer st.Close()
				if _, err := st.Post(context.Background(), "s", said(fmt.Sprint(i))); err != nil {
					t.Error(err)
				}
			})
		}
		group.Wait()
		if events, err := agenttest.Log(t.Context(), open(t, path), "s"); err != nil || len(events) != 8 {
			t.Errorf("%d events, %v; want 8", len(events), err)
		}
	}
}

// TestTheWALStaysSmall writes much while others read all the time.
func TestTheWALStaysSmall(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "s.db")
	st := open(t, path)
	text := strings.Repeat("0123456789abcdef", 1<<12) // 64 KiB
	ctx, cancel := context.WithCancel(t.Context())
	var group sync.WaitGroup
	for range 2 {
		group.Go(func() {
			for from := agent.Seq(1); ctx.Err() == nil; {
				for e, err := range st.Read(context.Background(), "s", from) {
					if err != nil {
						t.Error(err)
						return
					}
					from = e.Seq
				}
			}
		})
	}
	most := int64(0)
	size := func() int64 {
		info, err := os.Stat(path + "-wal")
		if err != nil {
			return 0
		}
		return info.Size()
	}
	for range 250 { // 16 MB
		if _, err := st.Post(t.Context(), "s", said(text)); err != nil {
			t.Fatal(err)
		}
		most = max(most, size())
	}
	cancel()
	group.Wait()
	if most > 12<<20 {
		t.Errorf("the -wal file grew to %d bytes", most)
	}
	// One that a huge write has made large is cut back by what follows.
	huge := said(strings.Repeat(text, 400))
	if _, err := st.Post(t.Context(), "huge", huge); err != nil {
		t.Fatal(err)
	}
	before := size()
	for range 3 {
		if _, err := st.Post(t.Context(), "s", said("more")); err != nil {
			t.Fatal(err)
		}
	}
	if before < 24<<20 || size() > 16<<20 {
		t.Errorf("the -wal file had %d bytes, and has %d after some more writes", before, size())
	}
	st.Close()
	if n := size(); n != 0 {
		t.Errorf("the -wal file has %d bytes after the last one has closed", n)
	}
	t.Logf("at most %d bytes", most)
}

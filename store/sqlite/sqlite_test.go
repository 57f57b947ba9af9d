package sqlite_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"database/sql"

	"github.com/helios-go/helios/agent"
	"github.com/helios-go/helios/agent/agenttest"
	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/llm/llmtest"
	"github.com/helios-go/helios/store/sqlite"
)

func open(t *testing.T, path string) *sqlite.Store {
	t.Helper()
	st, err := sqlite.Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { st.Close() })
	return st
}

func TestStore(t *testing.T) {
	t.Parallel()
	agenttest.TestStore(t, func(t *testing.T) agent.Store { return open(t, filepath.Join(t.TempDir(), "s.db")) })
}

func TestAConversationGoesOnAfterAReopen(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "folder", "with blanks & 100%", "s.db")
	ask := func(m llm.Model, prompt string) *agent.Result {
		st, err := sqlite.Open(path, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer st.Close()
		s, err := agent.Agent{Model: m}.Open(t.Context(), &agent.OpenOptions{Store: st, SessionID: "talk"})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		res, err := s.Run(t.Context(), prompt)
		if err != nil {
			t.Fatal(err)
		}
		return res
	}
	ask(llmtest.New(llmtest.Text("Hello Ada.")), "I am Ada.")
	m := llmtest.New(llmtest.Text("Ada."))
	if res := ask(m, "Who am I?"); res.Text != "Ada." {
		t.Errorf("result = %+v", res)
	}
	if n := len(m.Requests()[0].Messages); n != 3 {
		t.Errorf("the model saw %d messages, want 3", n)
	}
}

func TestOnlyTheOwnerMayReadTheFiles(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no such modes")
	}
	t.Parallel()
	path := filepath.Join(t.TempDir(), "new", "s.db")
	st := open(t, path)
	if _, err := st.Post(t.Context(), "s", []agent.Event{{Data: &agent.Custom{Name: "x"}}}); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]os.FileMode{"": 0o600, "-wal": 0o600, "-shm": 0o600, "/..": 0o700 | os.ModeDir} {
		info, err := os.Stat(path + name)
		if name == "/.." {
			info, err = os.Stat(filepath.Dir(path))
		}
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode() != want {
			t.Errorf("mode of %q = %v, want %v", name, info.Mode(), want)
		}
	}
}

func TestAFileThatIsNotOursIsRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	text := filepath.Join(dir, "text")
	if err := os.WriteFile(text, []byte(strings.Repeat("not a database ", 100)), 0o600); err != nil {
		t.Fatal(err)
	}
	newer := filepath.Join(dir, "newer.db")
	open(t, newer).Close()
	db, err := sql.Open("sqlite", newer)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec(`UPDATE helios_versions SET version = 99`); err != nil {
		t.Fatal(err)
	}
	db.Close()
	for path, want := range map[string]string{text: "not a database", newer: "newer", "": "no name", dir: dir} {
		if _, err := sqlite.Open(path, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("open %q = %v, want an error with %q", path, err, want)
		}
	}
}

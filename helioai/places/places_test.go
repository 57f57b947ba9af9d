package places_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/helios-go/helios/helioai/places"
)

func TestDataDirFollowsTheEnvironment(t *testing.T) {
	own, xdg, home := t.TempDir(), t.TempDir(), t.TempDir()
	for _, tc := range []struct {
		name, own, xdg, want string
	}{
		{"own variable first", own, xdg, own},
		{"then XDG", "", xdg, filepath.Join(xdg, "helioai")},
		{"a relative XDG is ignored", "", "here", filepath.Join(home, ".local", "share", "helioai")},
		{"then the home directory", "", "", filepath.Join(home, ".local", "share", "helioai")},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Setenv("HELIOAI_DATA_DIR", tc.own)
			t.Setenv("XDG_DATA_HOME", tc.xdg)
			t.Setenv("HOME", home)
			t.Setenv("USERPROFILE", home)
			h, err := places.Open("")
			if err != nil {
				t.Fatal(err)
			}
			if h.Root() != tc.want {
				t.Errorf("root = %q, want %q", h.Root(), tc.want)
			}
			if st, err := os.Stat(h.Root()); err != nil || !st.IsDir() {
				t.Errorf("the data directory was not made: %v", err)
			}
		})
	}
}

func TestOpenSaysWhatToDoWhenTheFolderCannotBeMade(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := places.Open(filepath.Join(file, "below"))
	if err == nil || !strings.Contains(err.Error(), "HELIOAI_DATA_DIR") {
		t.Errorf("err = %v, want one that names HELIOAI_DATA_DIR", err)
	}
}

func TestIDsThatCouldLeaveTheFolderAreRefused(t *testing.T) {
	t.Parallel()
	for _, id := range []string{"", "..", "a/b", `a\b`, "a b", "é", strings.Repeat("x", 65)} {
		if places.CheckID(id) == nil {
			t.Errorf("CheckID(%q) = nil, want an error", id)
		}
	}
	id, err := places.NewID()
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{id, "storm_2015-03", "X"} {
		if err := places.CheckID(id); err != nil {
			t.Errorf("CheckID(%q) = %v", id, err)
		}
	}
}

func TestLabelsAreReadableAndSafe(t *testing.T) {
	t.Parallel()
	const id = "019e2f00-1111-7222-8333-44445555aaaa"
	for _, tc := range []struct{ question, id, want string }{
		{"Mean |B| at ACE, please", id, "mean-b-at-ace_55aaaa"},
		{"../../etc/passwd", "x", "etc-passwd_x"},
		{"¿Qué?", "storm", "qu_storm"},
		{"", id, "session_55aaaa"},
		{"supercalifragilisticexpialidocious words", id, "supercalifragilisticexpia_55aaaa"},
	} {
		if got := places.Label(tc.question, tc.id); got != tc.want {
			t.Errorf("Label(%q) = %q, want %q", tc.question, got, tc.want)
		}
	}
}

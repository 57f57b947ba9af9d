package tools

import (
	"fmt"
	"io/fs"
	"os"
	"slices"
	"sync"
	"testing"
)

func workspace(t *testing.T) *os.Root {
	t.Helper()
	root, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = root.Close() })
	return root
}

func TestScriptsSavedAtOnceGetNumbersOfTheirOwn(t *testing.T) {
	t.Parallel()
	root := workspace(t)
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			index, _, err := saveScript(root, fmt.Sprint(i))
			if err != nil {
				t.Error(err)
				return
			}
			data, err := root.ReadFile(fmt.Sprintf("code_%d.py", index))
			if err != nil || string(data) != fmt.Sprint(i) {
				t.Errorf("code_%d.py holds %q, %v; want %d", index, data, err, i)
			}
		})
	}
	wg.Wait()
	if entries, err := fs.ReadDir(root.FS(), "."); err != nil || len(entries) != 20 {
		t.Errorf("there are %d files, %v; want 20", len(entries), err)
	}
}

// A program may leave files that are called like scripts.
func TestPlantedScriptNamesDoNotStopASession(t *testing.T) {
	t.Parallel()
	root := workspace(t)
	planted := []string{"code_0.py", "code_3.py", "code_999999.py", "code_99999999999999999999.py"}
	for _, name := range planted {
		if err := root.WriteFile(name, []byte("planted"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for range 3 {
		index, earlier, err := saveScript(root, "own")
		if err != nil {
			t.Fatal(err)
		}
		if name := fmt.Sprintf("code_%d.py", index); slices.Contains(earlier, name) {
			t.Errorf("%s was there before", name)
		}
		for _, name := range planted {
			if !slices.Contains(earlier, name) {
				t.Errorf("%s is not among what was there before: %q", name, earlier)
			}
		}
	}
}

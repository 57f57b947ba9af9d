package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// outside makes a folder with a file that no cleanup may touch.
func outside(tb testing.TB) (dir string, check func()) {
	tb.Helper()
	dir = tb.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, []byte("mine"), 0o640); err != nil {
		tb.Fatal(err)
	}
	if err := os.Chmod(dir, 0o750); err != nil {
		tb.Fatal(err)
	}
	return dir, func() {
		tb.Helper()
		info, err := os.Stat(dir)
		if err != nil || info.Mode().Perm() != 0o750 {
			tb.Errorf("the folder outside: %v, error %v, want mode 750", info, err)
		}
		if data, err := os.ReadFile(file); err != nil || string(data) != "mine" {
			tb.Errorf("the file outside: %q, error %v", data, err)
		}
	}
}

func TestCleanupFollowsNoLinks(t *testing.T) {
	t.Parallel()
	for name, plant := range map[string]string{
		"link to a folder":      `ln -s "$OUT" link; mkdir d; ln -s "$OUT" d/link; ln -s ../.. d/up`,
		"link to a file":        `ln -s "$OUT/file" link`,
		"hard link":             `ln "$OUT/file" hard || true`,
		"locked folders":        `mkdir -p a/b/c; : > a/b/c/f; ln -s "$OUT" a/b/link; chmod 0 a/b/c a/b a`,
		"its own folder locked": `mkdir a; : > a/f; chmod 0 a .`,
		"itself a link":         `d=$(pwd); mv "$d" "$d-moved"; ln -s "$OUT" "$d"; : > "$d-moved/left"`,
		"itself a file":         `d=$(pwd); mv "$d" "$d-moved"; : > "$d"`,
		"itself another folder": `d=$(pwd); mv "$d" "$d-moved"; mkdir "$d"; : > "$d-moved/left"`,
		"fifo and strange names": `mkfifo fifo; : > "...";  : > "-rf"; : > "a
b"; : > '*'`,
		"removed by itself": `rmdir "$(pwd)"`,
		"deep":              `i=0; while [ $i -lt 300 ]; do mkdir d; cd d; i=$((i+1)); done; ln -s "$OUT" link`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, check := outside(t)
			g := sh(t)
			g.Env = map[string]string{"OUT": dir}
			res := run(t, open(t, g), `pwd; `+plant)
			was := strings.TrimSpace(res.Stdout)
			check()
			if _, err := os.Lstat(was); err == nil {
				t.Errorf("%s is still there", was)
			}
			if left, err := os.ReadDir(was + "-moved"); err == nil {
				if len(left) > 0 {
					t.Errorf("what was moved away still holds %v", left)
				}
				_ = os.Remove(was + "-moved")
			}
		})
	}
}

package workspace_test

import (
	"errors"
	"testing"

	"github.com/helios-go/helios/tool"
	"github.com/helios-go/helios/workspace"
)

// FuzzClean: the name that a permission is given for is the name that is opened.
func FuzzClean(f *testing.F) {
	for _, name := range []string{
		"", ".", "./", "a", "./a", "a/", "a//b", "a/./b", "a/../b", "x/y/../../b", "..a", "...", "~/a", "é/a:b",
		"..", "../a", "a/../../b", "/", "/etc/passwd", "//a", `a\b`, `..\a`, "a\x00b", "a\nb", "a\u0085b", "a\xffb", "C:a", "a b ",
	} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		got, err := workspace.Clean(name)
		want, wantErr := tool.CleanPath(name)
		if got != want || (err == nil) != (wantErr == nil) {
			t.Fatalf("Clean(%q) = %q, %v; tool.CleanPath %q, %v", name, got, err, want, wantErr)
		}
		if err != nil {
			if err.Error() != wantErr.Error() {
				t.Errorf("Clean(%q): %q, tool.CleanPath %q", name, err, wantErr)
			}
			if errors.Is(err, workspace.ErrEscape) == errors.Is(err, workspace.ErrName) {
				t.Errorf("Clean(%q): %v is not one of ErrEscape and ErrName", name, err)
			}
			return
		}
		if again, err := workspace.Clean(got); again != got || err != nil {
			t.Errorf("Clean(%q) = %q, and that cleaned is %q, %v", name, got, again, err)
		}
	})
}

func TestANameThatLeadsOutIsToldFromOneThatIsNone(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]error{
		"..": workspace.ErrEscape, "a/../../b": workspace.ErrEscape, "/a": workspace.ErrEscape, "../a\x00": workspace.ErrName,
		"a\\b": workspace.ErrName, "a\tb": workspace.ErrName, "\xff": workspace.ErrName,
	} {
		if _, err := workspace.Clean(name); !errors.Is(err, want) {
			t.Errorf("Clean(%q): %v, want %v", name, err, want)
		}
	}
}

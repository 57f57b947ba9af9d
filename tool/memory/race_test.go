package memory

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/helios-go/helios/internal/swaptest"
	"github.com/helios-go/helios/workspace"
)

// Both tools over a tree whose folders and files change places with links.
func TestToolsNeverEscapeARace(t *testing.T) {
	t.Parallel()
	race := swaptest.New(t)
	m := New(tree(t, race.Root, &workspace.Options{Mode: modes()[0]}), nil)
	m.base = "." // the swaps are at the top of the tree
	use := func(tl int, fill func(name string) map[string]any) func(string) (string, error) {
		return func(name string) (string, error) {
			args := fill(strings.TrimSuffix("/memories/"+name, "/."))
			data, err := json.Marshal(args)
			if err != nil {
				return "", err
			}
			text, err := call(t.Context(), m.Tools()[tl], string(data))
			if err != nil {
				text += err.Error() // it must not tell of the outside either
			}
			return text, err
		}
	}
	d := 6 * time.Second
	if testing.Short() {
		d = 2 * time.Second
	}
	report := race.Run(d,
		swaptest.Case{Name: "read", On: swaptest.File, Do: use(0, func(n string) map[string]any { return map[string]any{"path": n} })},
		swaptest.Case{Name: "list", On: swaptest.Folder, Do: use(0, func(n string) map[string]any { return map[string]any{"path": n, "list": true} })},
		swaptest.Case{Name: "create", On: swaptest.Fresh, Do: use(1, func(n string) map[string]any {
			return map[string]any{"op": "create", "path": n, "content": "new"}
		})},
		swaptest.Case{Name: "create folders", On: swaptest.Gone, Do: use(1, func(n string) map[string]any {
			return map[string]any{"op": "create", "path": n, "content": "new"}
		})},
		swaptest.Case{Name: "str_replace", On: swaptest.File, Do: use(1, func(n string) map[string]any {
			return map[string]any{"op": "str_replace", "path": n, "old_string": "needle", "new_string": "needle"}
		})},
		swaptest.Case{Name: "insert", On: swaptest.File, Do: use(1, func(n string) map[string]any {
			return map[string]any{"op": "insert", "path": n, "line_number": 1, "content": "first"}
		})},
		swaptest.Case{Name: "delete", On: swaptest.File, Do: use(1, func(n string) map[string]any { return map[string]any{"op": "delete", "path": n} })},
	)
	t.Logf("%d swaps; the control escaped after %v", report.Swaps, report.Control)
	for _, c := range report.Cases {
		t.Logf("%s: %d calls, %d succeeded, %d escapes", c.Name, c.Calls, c.Succeeded, c.Escapes)
	}
}

package memory

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// A store of files does what a map would.
func TestNotesAgainstAMap(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		m, model := notes(t, &Options{MaxFile: 60, MaxFiles: 5}), map[string]string{}
		path := rapid.SampledFrom([]string{"/memories/a", "/memories/b", "/memories/d", "/memories/d/a", "/memories/d/b", "/memories/d/e/a", "/memories/f/a"})
		text := rapid.StringOfN(rapid.RuneFrom([]rune("ab\né")), 0, 12, -1)
		// A path is taken by a note, by the folder of one, or by a note where a folder
		// would have to be.
		blocked := func(p string) bool {
			for note := range model {
				if strings.HasPrefix(note+"/", p+"/") || strings.HasPrefix(p+"/", note+"/") {
					return true
				}
			}
			return false
		}
		same := func(op, p string, err error, valid bool) {
			if (err == nil) != valid {
				rt.Fatalf("%s %s: got error %v, want success %v; notes %q", op, p, err, valid, model)
			}
		}
		edit := func(op, p string, err error, change func(string) (string, bool)) {
			old, there := model[p]
			changed, valid := "", false
			if there {
				changed, valid = change(old)
			}
			valid = valid && len(changed) <= 60
			same(op, p, err, valid)
			if valid {
				model[p] = changed
			}
		}
		rt.Repeat(map[string]func(*rapid.T){
			"create": func(rt *rapid.T) {
				p, s := path.Draw(rt, "path"), text.Draw(rt, "text")
				valid := !blocked(p) && len(model) < 5
				same("create", p, m.Create(t.Context(), p, s), valid)
				if valid {
					model[p] = s
				}
			},
			"replace": func(rt *rapid.T) {
				p, from, to := path.Draw(rt, "path"), rapid.StringOfN(rapid.RuneFrom([]rune("ab\né")), 0, 2, -1).Draw(rt, "from"), text.Draw(rt, "to")
				edit("replace", p, m.Replace(t.Context(), p, from, to), func(s string) (string, bool) { return naiveReplace(s, from, to) })
			},
			"insert": func(rt *rapid.T) {
				p, line, add := path.Draw(rt, "path"), rapid.IntRange(-1, 6).Draw(rt, "line"), text.Draw(rt, "add")
				edit("insert", p, m.Insert(t.Context(), p, line, add), func(s string) (string, bool) { return naiveInsert(s, line, add) })
			},
			"delete": func(rt *rapid.T) {
				p := path.Draw(rt, "path")
				_, there := model[p]
				same("delete", p, m.Delete(t.Context(), p), there)
				delete(model, p)
			},
			"": func(rt *rapid.T) {
				got, err := m.List(t.Context(), "/memories")
				if want := slices.Sorted(maps.Keys(model)); err != nil || !slices.Equal(got, want) {
					rt.Fatalf("list: got %q, error %v, want %q", got, err, want)
				}
				for p, want := range model {
					if got, err := m.View(t.Context(), p); got != want || err != nil {
						rt.Fatalf("%s: got %q, error %v, want %q", p, got, err, want)
					}
				}
			},
		})
	})
}

package files_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/helios-go/helios/internal/swaptest"
	"github.com/helios-go/helios/tool"
	"github.com/helios-go/helios/tool/files"
)

// raceTime is for all six tools together.
const raceTime = 10 * time.Second

//nolint:paralleltest // neighbours would take the time that the race needs
func TestNoToolEscapesWhileFoldersAndFilesAreSwappedForLinks(t *testing.T) {
	race := swaptest.New(t)
	f := files.New(open(t, race.Root), nil)
	run := func(x tool.Tool, in args) (string, error) {
		data, err := json.Marshal(in)
		if err != nil {
			return "", err
		}
		res, err := x.Run(t.Context(), data)
		if err != nil {
			return "", err
		}
		return fmt.Sprint(res.Text(), len(res.Parts)), nil
	}
	read, glob, grep, ls, write, edit := f.Read(), f.Glob(), f.Grep(), f.LS(), f.Write(), f.Edit()
	race.Run(raceTime,
		swaptest.Case{Name: "Read", On: swaptest.File, Do: func(name string) (string, error) {
			return run(read, args{"path": name})
		}},
		swaptest.Case{Name: "LS", On: swaptest.Folder, Do: func(name string) (string, error) {
			return run(ls, args{"path": name})
		}},
		swaptest.Case{Name: "Glob", On: swaptest.Folder, Do: func(name string) (string, error) {
			return run(glob, args{"path": name, "pattern": "**/*"})
		}},
		swaptest.Case{Name: "Grep", On: swaptest.Folder, Do: func(name string) (string, error) {
			return run(grep, args{"path": name, "pattern": "needle", "context": 1, "gitignore": true})
		}},
		swaptest.Case{Name: "Grep (file)", On: swaptest.File, Do: func(name string) (string, error) {
			return run(grep, args{"path": name, "pattern": "needle"})
		}},
		swaptest.Case{Name: "Write", On: swaptest.File, Do: func(name string) (string, error) {
			text, err := run(read, args{"path": name})
			if err != nil || !strings.Contains(text, "inside") {
				return text, err
			}
			return run(write, args{"path": name, "content": "needle inside, written\nend\n"})
		}},
		swaptest.Case{Name: "Write (new)", On: swaptest.Fresh, Do: func(name string) (string, error) {
			return run(write, args{"path": name, "content": "written"})
		}},
		swaptest.Case{Name: "Write (new folder)", On: swaptest.Gone, Do: func(name string) (string, error) {
			return run(write, args{"path": name, "content": "written"})
		}},
		swaptest.Case{Name: "Edit", On: swaptest.File, Do: func(name string) (string, error) {
			text, err := run(read, args{"path": name})
			if err != nil {
				return text, err
			}
			return run(edit, args{"path": name, "old_string": "inside", "new_string": "inside, edited"})
		}},
	)
}

package workspace_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/helios-go/helios/internal/swaptest"
	"github.com/helios-go/helios/workspace"
)

// raceTime is how long each mode is raced: long enough for some thousand calls
// of each kind on a machine with nothing else to do.
const raceTime = 5 * time.Second

//nolint:paralleltest // neighbours would take the time that the race needs
func TestNothingEscapesWhileFoldersAndFilesAreSwappedForLinks(t *testing.T) {
	for _, mode := range []workspace.Mode{workspace.Strict, workspace.Portable} {
		t.Run(mode.String(), func(t *testing.T) {
			race := swaptest.New(t)
			ws := open(t, race.Root, &workspace.Options{Mode: mode})
			race.Run(raceTime, raced(ws)...)
			if entries, err := ws.ReadDir("."); err != nil || strings.Contains(fmt.Sprint(entries), workspace.TempPrefix) {
				t.Errorf("a temporary file stayed behind: %v, %v", entries, err)
			}
		})
	}
}

// raced are all operations of a workspace.
func raced(ws *workspace.Root) []swaptest.Case {
	everything := func(name string) (string, error) {
		var shown strings.Builder
		err := ws.Walk(context.Background(), name, nil, func(f workspace.Found) error {
			fmt.Fprintln(&shown, f.Path)
			if f.Type == workspace.File {
				data, _, err := f.Append(nil, 1<<20)
				fmt.Fprintf(&shown, "%s %v\n", data, err)
			}
			is, err := f.Info()
			fmt.Fprintln(&shown, is, err)
			return nil
		})
		return shown.String(), err
	}
	return []swaptest.Case{
		{Name: "ReadFile", On: swaptest.File, Do: func(name string) (string, error) {
			data, _, err := ws.ReadFile(name, 1<<20)
			return string(data), err
		}},
		{Name: "Open", On: swaptest.File, Do: func(name string) (string, error) {
			f, err := ws.Open(name)
			if err != nil {
				return "", err
			}
			defer f.Close()
			data := make([]byte, 100)
			n, err := f.Read(data)
			return string(data[:n]), err
		}},
		{Name: "ReadDir", On: swaptest.Folder, Do: func(name string) (string, error) {
			entries, err := ws.ReadDir(name)
			return fmt.Sprint(entries), err
		}},
		{Name: "Walk", On: swaptest.Folder, Do: everything},
		{Name: "WriteFile", On: swaptest.File, Do: func(name string) (string, error) {
			_, err := ws.WriteFile(name, []byte("written"))
			return "", err
		}},
		{Name: "WriteFile (new)", On: swaptest.Fresh, Do: func(name string) (string, error) {
			_, err := ws.WriteFile(name, []byte("written"))
			return "", err
		}},
		{Name: "Replace", On: swaptest.File, Do: func(name string) (string, error) {
			data, is, err := ws.ReadFile(name, 1<<20)
			if err != nil {
				return "", err
			}
			return string(data), ws.Replace(name, []byte("replaced"), is)
		}},
		{Name: "Create", On: swaptest.Fresh, Do: func(name string) (string, error) {
			return "", ws.Create(name, []byte("created"))
		}},
		{Name: "Create (folders)", On: swaptest.Gone, Do: func(name string) (string, error) {
			return "", ws.Create(name, []byte("created"))
		}},
		{Name: "Mkdir", On: swaptest.Gone, Do: func(name string) (string, error) { return "", ws.Mkdir(name) }},
		{Name: "Remove", On: swaptest.File, Do: func(name string) (string, error) { return "", ws.Remove(name) }},
		{Name: "Keys", On: swaptest.File, Do: func(name string) (string, error) {
			keys, err := ws.Keys(name)
			return fmt.Sprint(keys), err
		}},
	}
}

package helioai

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/helios-go/helios/agent"
	"github.com/helios-go/helios/helioai/notebook"
	"github.com/helios-go/helios/helioai/tools"
)

// figures returns the paths of what the run drew since a place in the log, in
// order; never nil. Names come from sandboxed programs and the files lie where
// they write, so that only plain files of the session's own folder are taken, as
// they are when all programs have ended: no folders, no links.
func (a *Assistant) figures(ctx context.Context, s *place, since agent.Seq) ([]string, error) {
	paths := []string{}
	for event, err := range a.Store.Read(ctx, s.id, since) {
		if err != nil {
			return paths, fmt.Errorf("look for figures in session %s: %w", s.id, err)
		}
		ended, ok := event.Data.(*agent.ToolEnded)
		if !ok {
			continue
		}
		var data tools.Data
		if json.Unmarshal(ended.Data, &data) != nil {
			continue
		}
		for _, figure := range data.Figures {
			for _, name := range []string{figure.PNG, figure.PDF} {
				if isPlainFile(s.dir, name) {
					paths = append(paths, filepath.Join(s.dir, name))
				}
			}
		}
	}
	return paths, nil
}

func isPlainFile(dir, name string) bool {
	if name == "" || name != filepath.Base(name) {
		return false
	}
	info, err := os.Lstat(filepath.Join(dir, name))
	return err == nil && info.Mode().IsRegular()
}

// conclude exports the session's notebook. A session that computed nothing has
// none.
func (a *Assistant) conclude(ctx context.Context, s *place, answer *Answer) error {
	doc, err := notebook.FromLog(a.Store.Read(ctx, s.id, 1))
	if err != nil {
		return err
	}
	if answer.Unanswered || !computed(doc) {
		return nil
	}
	doc.Workspace, doc.Name, doc.Program = s.dir, s.label, a.Program
	doc.Generated = a.now()
	answer.Notebook, err = notebook.Export(a.Home.Notebook(a.User, s.label), doc)
	return err
}

func computed(doc *notebook.Doc) bool {
	for _, turn := range doc.Turns {
		for _, r := range turn.Results {
			if r.Dataset != nil || r.Script != nil || r.Formula != nil {
				return true
			}
		}
	}
	return false
}

// tidy removes the session's folders where they have stayed empty.
func tidy(dir string) {
	for _, d := range []string{filepath.Join(dir, "data"), dir} {
		if err := os.Remove(d); err != nil && !errors.Is(err, os.ErrNotExist) {
			return // not empty
		}
	}
}

// makeFolder makes the session's folder for its owner only.
func makeFolder(dir string) error {
	if err := os.MkdirAll(filepath.Join(dir, "data"), 0o700); err != nil {
		return fmt.Errorf("make the session's folder: %w", err)
	}
	return nil
}

// Package notebook exports a session as a folder that anybody can run: a Jupyter
// notebook with the very code that ran, the data that it read, and the values
// that were recorded, against which the notebook compares what it computes.
//
//	doc, err := notebook.FromLog(store.Read(ctx, session, 1))
//	if err != nil {
//		return err
//	}
//	doc.Workspace = dir // the session's folder, with its data
//	path, err := notebook.Export(filepath.Join(home, "notebooks", label), doc)
//
// The folder holds
//
//	<name>.ipynb           the notebook, nbformat 4.5
//	<name>.recorded.json   every value that the session recorded
//	data/*.npz             the data at full resolution, and manifest.json
//	ORIGIN.md              where the data come from, and how to cite them
//	SHA256SUMS             for sha256sum -c
//
// It needs nothing else: no network and no part of this project. The helpers
// are inlined from the same sources that the sandbox runs. Scripts stand there
// as they ran, in their order, each with fresh names; scripts that failed are
// text. Values that were computed by this program rather than in Python, such as
// statistics and plasma formulas, are computed anew by cells made for them. The
// last cell says "all N values reproduced" or names those that differ.
//
// Functions are safe for concurrent use on different folders.
package notebook

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/helios-go/helios/helioai/check"
	"github.com/helios-go/helios/helioai/tools"
)

// A Doc is what a session was about. Workspace must be set before [Export]; the
// rest may be empty.
type Doc struct {
	Title     string // "" takes the first question
	Name      string // of the notebook's file, without ending; "" takes that of the folder
	Session   string
	User      string
	Model     string
	Program   string // what made the session, with its version
	Generated time.Time
	Workspace string // the session's folder, from which the data are copied
	Turns     []Turn
}

// A Turn is one question with what was done about it.
type Turn struct {
	Question   string
	Answer     string
	Unanswered bool           // Answer says why there is none
	Verdict    *check.Verdict // nil: nothing was checked
	Results    []tools.Data   // of the tools, in order
}

// Export writes the folder and returns the notebook's path. In a folder that
// holds an earlier export it brings everything up to date; a notebook that was
// changed since, or run and saved, is kept, and the new one gets the next free
// name. An error means that the folder's files are as before or whole.
func Export(dir string, doc *Doc) (string, error) {
	f, err := fold(doc)
	if err != nil {
		return "", fmt.Errorf("export the notebook: %w", err)
	}
	data, err := f.readData(doc.Workspace)
	if err != nil {
		return "", fmt.Errorf("export the notebook: %w", err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "data"), 0o700); err != nil {
		return "", fmt.Errorf("export the notebook: %w", err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return "", fmt.Errorf("export the notebook: %w", err)
	}
	defer func() { _ = root.Close() }() // each file was closed with its error
	name := doc.Name
	if name == "" {
		name = filepath.Base(dir)
	}
	w := &writer{root: root}
	stem := w.freeName(name)
	for _, d := range f.datasets {
		w.write("data/"+d.File, data[d.Key])
	}
	w.writeJSON("data/manifest.json", map[string]any{"datasets": f.manifest()})
	recorded := stem + ".recorded.json"
	w.writeJSON(recorded, f.record())
	w.write("ORIGIN.md", []byte(f.origin()))
	w.writeJSON(stem+".ipynb", f.notebook(recorded))
	w.writeSums()
	if w.err != nil {
		return "", fmt.Errorf("export the notebook: %w", w.err)
	}
	return filepath.Join(dir, stem+".ipynb"), nil
}

// folded is a Doc in the order in which a notebook tells it.
type folded struct {
	*Doc
	datasets []*tools.Dataset // each once, in order
	steps    []step
}

// A step is one thing that was computed, under a name of its own.
type step struct {
	name string
	turn int
	data *tools.Data
}

// fold names the steps and lists the datasets.
func fold(doc *Doc) (*folded, error) {
	f := &folded{Doc: doc}
	formulas := 0
	for i := range doc.Turns {
		for j := range doc.Turns[i].Results {
			d := &doc.Turns[i].Results[j]
			switch {
			case d.Dataset != nil:
				f.addDataset(i, d)
			case d.Script != nil:
				f.steps = append(f.steps, step{d.Script.Name, i, d})
			case d.Formula != nil:
				formulas++
				f.steps = append(f.steps, step{fmt.Sprintf("%s %d", d.Formula.Name, formulas), i, d})
			}
		}
	}
	if len(f.steps) == 0 && len(f.datasets) == 0 {
		return nil, errors.New("the session has computed nothing yet")
	}
	return f, nil
}

// addDataset keeps the newest of each dataset; its statistics are a step where
// they were computed.
func (f *folded) addDataset(turn int, d *tools.Data) {
	known := false
	for i, other := range f.datasets {
		if other.Key == d.Dataset.Key {
			f.datasets[i], known = d.Dataset, true
		}
	}
	if !known {
		f.datasets = append(f.datasets, d.Dataset)
	}
	if len(d.Values) == 0 {
		return // fetched before, or without statistics
	}
	name := "statistics of " + d.Dataset.Key
	for i := range f.steps {
		if f.steps[i].name == name {
			f.steps[i].data = d
			return
		}
	}
	f.steps = append(f.steps, step{name, turn, d})
}

// runs reports whether the notebook runs a step. A script that failed is shown
// and not run, unless the answer rests on what it had computed by then.
func (f *folded) runs(s *step) bool {
	if s.data.Script == nil || s.data.Script.OK {
		return true
	}
	for _, turn := range f.Turns {
		if turn.Verdict == nil {
			continue
		}
		for _, line := range slices.Concat(turn.Verdict.Claims, turn.Verdict.Numbers) {
			if line.Entry != "" && line.Code == s.name {
				return true
			}
		}
	}
	return false
}

func (f *folded) manifest() map[string]*tools.Dataset {
	m := map[string]*tools.Dataset{}
	for _, d := range f.datasets {
		m[d.Key] = d
	}
	return m
}

// scripts returns the scripts that ran, those that failed too.
func (f *folded) scripts() []*tools.Script {
	var all []*tools.Script
	for _, s := range f.steps {
		if s.data.Script != nil {
			all = append(all, s.data.Script)
		}
	}
	return all
}

// versions returns the newest versions of Python and its libraries that ran.
func (f *folded) versions() map[string]string {
	all := map[string]string{}
	for _, s := range f.scripts() {
		maps.Copy(all, s.Versions)
	}
	return all
}

// document is the JSON of a notebook, nbformat 4.5.
type document struct {
	Cells    []cell         `json:"cells"`
	Metadata map[string]any `json:"metadata"`
	Major    int            `json:"nbformat"`
	Minor    int            `json:"nbformat_minor"`
}

func (f *folded) notebook(recorded string) *document {
	info := map[string]any{"name": "python", "file_extension": ".py", "mimetype": "text/x-python"}
	if version := f.versions()["python"]; version != "" {
		info["version"] = version
	}
	return &document{
		Cells: f.cells(recorded),
		Metadata: map[string]any{
			"kernelspec":    map[string]any{"name": "python3", "display_name": "Python 3", "language": "python"},
			"language_info": info,
			"helioai":       map[string]any{"session": f.Session, "program": f.Program, "recorded": recorded},
		},
		Major: 4, Minor: 5,
	}
}

// marshal writes JSON as notebooks are written: indented by one blank, without
// the escapes that only HTML needs.
func marshal(v any) ([]byte, error) {
	var b buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	err := enc.Encode(v)
	return b.Bytes(), err
}

package catalog

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// A Dir is a folder of catalogues on this machine, whose ids are local/NAME. Each is
// a VOTable, NAME.vot, which speasy opens with
//
//	from speasy.core.impex import load_catalog
//	catalog = load_catalog("NAME.vot")
//
// and tscat with import_votable_file. Catalogues that HelioAI saved, NAME.json, are
// listed and read as well. A Dir is safe for concurrent use, also by other
// processes: a catalogue is there whole or not at all.
type Dir struct{ path string }

var _ Source = (*Dir)(nil)

// MaxEvents is how many events a catalogue may have that is saved in a [Dir].
const MaxEvents = 5000

// OpenDir returns the folder, which is made when something is saved.
func OpenDir(path string) *Dir { return &Dir{path} }

var localName = regexp.MustCompile(`^[a-z0-9_-]{1,40}$`)

// Saved says what was saved.
type Saved struct {
	ID          string // as in "local/my_shocks"
	Path        string
	Events      int
	Overwritten bool
}

// Save keeps a catalogue under a name of 1 to 40 small letters, digits, _ and -, in
// place of one that was there. It must have 1 to [MaxEvents] events, each of which
// stops later than it starts, and that by a microsecond at least: that is what the
// file can hold, see [Catalog.WriteVOTable].
func (d *Dir) Save(name string, c *Catalog) (Saved, error) {
	if err := checkName(name); err != nil {
		return Saved{}, err
	}
	if n := len(c.Events); n < 1 || n > MaxEvents {
		return Saved{}, fmt.Errorf("save catalogue %q: it has %d events, and 1 to %d can be saved", name, n, MaxEvents)
	}
	for i := range c.Events {
		e := &c.Events[i]
		switch {
		case e.Start.IsFill() || e.Stop.IsFill():
			return Saved{}, fmt.Errorf("save catalogue %q: event %d has no start or no stop", name, i+1)
		case e.Start >= e.Stop:
			return Saved{}, fmt.Errorf("save catalogue %q: event %d starts at %v and stops at %v, which is not later", name, i+1, e.Start, e.Stop)
		case amdaTime(e.Start) == amdaTime(e.Stop):
			return Saved{}, fmt.Errorf("save catalogue %q: event %d at %v is shorter than a microsecond", name, i+1, e.Start)
		}
	}
	if err := os.MkdirAll(d.path, 0o755); err != nil {
		return Saved{}, fmt.Errorf("save catalogue %q: %w", name, err)
	}
	out := *c
	if out.Name == "" {
		out.Name = name
	}
	if out.Created == "" {
		out.Created = time.Now().UTC().Format(time.RFC3339)
	}
	_, before := d.find(name)
	path := filepath.Join(d.path, name+".vot")
	if err := out.WriteFile(path); err != nil {
		return Saved{}, fmt.Errorf("save catalogue %q: %w", name, err)
	}
	// One of the other form would come back when this one is deleted.
	if err := os.Remove(filepath.Join(d.path, name+".json")); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return Saved{}, fmt.Errorf("save catalogue %q: %w", name, err)
	}
	return Saved{ID: "local/" + name, Path: path, Events: len(c.Events), Overwritten: before}, nil
}

func checkName(name string) error {
	if !localName.MatchString(name) {
		return fmt.Errorf("%.60q cannot be the name of a catalogue: take 1 to 40 small letters, digits, _ and -", name)
	}
	return nil
}

// find returns the file of a catalogue.
func (d *Dir) find(name string) (path string, ok bool) {
	for _, ending := range []string{".vot", ".json"} {
		path := filepath.Join(d.path, name+ending)
		if info, err := os.Lstat(path); err == nil && info.Mode().IsRegular() {
			return path, true
		}
	}
	return "", false
}

// names lists the catalogues in order.
func (d *Dir) names() ([]string, error) {
	entries, err := os.ReadDir(d.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list the local catalogues: %w", err)
	}
	var names []string
	seen := map[string]bool{}
	for _, e := range entries {
		ending := filepath.Ext(e.Name())
		name := strings.TrimSuffix(e.Name(), ending)
		if (ending == ".vot" || ending == ".json") && e.Type().IsRegular() && checkName(name) == nil && !seen[name] {
			seen[name] = true
			names = append(names, name)
		}
	}
	return names, nil
}

// Catalogs lists the folder. A file that cannot be read is listed with its error as
// description and -1 events.
func (d *Dir) Catalogs(ctx context.Context) ([]Summary, error) {
	names, err := d.names()
	if err != nil {
		return nil, err
	}
	out := make([]Summary, 0, len(names))
	for _, name := range names {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		c, err := d.read(name)
		if err != nil {
			out = append(out, Summary{ID: "local/" + name, Name: name, Kind: Catalogue, Events: -1, Description: err.Error()})
			continue
		}
		out = append(out, c.Summary())
	}
	return out, nil
}

// Catalog reads one, by its id or its name alone.
func (d *Dir) Catalog(ctx context.Context, id string) (*Catalog, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return d.read(strings.TrimPrefix(id, "local/"))
}

func (d *Dir) read(name string) (*Catalog, error) {
	path, ok := "", false
	if checkName(name) == nil {
		path, ok = d.find(name)
	}
	if !ok {
		return nil, d.unknown(name)
	}
	c, err := ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read local catalogue %q: %w", name, err)
	}
	c.ID = "local/" + name
	return c, nil
}

func (d *Dir) unknown(name string) error {
	names, _ := d.names() // for a hint
	e := &UnknownError{ID: "local/" + name}
	for _, n := range names[:min(len(names), 10)] {
		e.Has = append(e.Has, "local/"+n)
	}
	return e
}

// Delete removes one, by its id or its name alone.
func (d *Dir) Delete(id string) error {
	name := strings.TrimPrefix(id, "local/")
	if checkName(name) != nil {
		return d.unknown(name)
	}
	found := false
	for path, ok := d.find(name); ok; path, ok = d.find(name) {
		if err := os.Remove(path); err != nil {
			return fmt.Errorf("delete local catalogue %q: %w", name, err)
		}
		found = true
	}
	if !found {
		return d.unknown(name)
	}
	return nil
}

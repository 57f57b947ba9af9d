package command

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// A folder is the working folder of one call. The program may have renamed it,
// put a link in its place, filled it with links, and locked what is in it; the
// root, which was opened before, is still the folder that was made.
type folder struct {
	path string
	root *os.Root
	self *os.File // of the root, to unlock it
}

func newFolder() (*folder, error) {
	path, err := os.MkdirTemp("", "helios-command-")
	if err == nil {
		path, err = filepath.Abs(path)
	}
	if err != nil {
		return nil, fmt.Errorf("make a working folder: %w", err)
	}
	root, err := os.OpenRoot(path)
	if err != nil {
		_ = os.Remove(path)
		return nil, fmt.Errorf("make a working folder: %w", err)
	}
	self, err := root.Open(".")
	if err != nil {
		_ = root.Close()
		_ = os.Remove(path)
		return nil, fmt.Errorf("make a working folder: %w", err)
	}
	return &folder{path, root, self}, nil
}

// remove removes the folder and what is in it, never what links in it lead to.
func (f *folder) remove() error {
	err := f.empty()
	// A link in its place is removed itself; if it was moved, it was emptied.
	return errors.Join(err, os.Remove(f.path), f.self.Close(), f.root.Close())
}

func (f *folder) empty() error {
	_ = f.self.Chmod(0o700)
	names, err := f.names(".")
	for _, name := range names {
		if f.root.RemoveAll(name) != nil {
			f.unlock(name)
			err = errors.Join(err, f.root.RemoveAll(name))
		}
	}
	return err
}

// unlock makes folders such that what is in them can be removed.
func (f *folder) unlock(name string) {
	if info, err := f.root.Lstat(name); err != nil || !info.IsDir() {
		return
	}
	_ = f.root.Chmod(name, 0o700)
	names, _ := f.names(name)
	for _, n := range names {
		f.unlock(name + "/" + n)
	}
}

func (f *folder) names(dir string) ([]string, error) {
	d, err := f.root.Open(dir)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	entries, err := d.ReadDir(-1)
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name()
	}
	return names, err
}

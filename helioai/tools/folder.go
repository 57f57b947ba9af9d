package tools

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"regexp"

	"github.com/helios-go/helios/helioai/python"
)

const dataDir = "data"

// openDir opens the session's folder; nothing done through it leaves it.
func (e *Env) openDir() (*os.Root, error) {
	root, err := os.OpenRoot(e.Dir)
	if err != nil {
		return nil, fmt.Errorf("open the session's folder: %w", err)
	}
	if err := root.Mkdir(dataDir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		_ = root.Close()
		return nil, fmt.Errorf("make the session's folder for data: %w", err)
	}
	return root, nil
}

// replaceFile writes a file so that it is there whole or not at all. The new
// file takes the name's place; a link of that name is replaced, not followed.
func replaceFile(root *os.Root, name string, data []byte) error {
	temp := path.Join(path.Dir(name), ".new-"+rand.Text())
	f, err := root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	_, err = f.Write(data)
	err = errors.Join(err, f.Close())
	if err == nil {
		err = root.Rename(temp, name)
	}
	if err != nil {
		_ = root.Remove(temp)
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}

var scriptName = regexp.MustCompile(`^code_\d+\.py$`)

// saveScript keeps a script under a free number before it runs. It also returns
// the scripts that were there before. Numbers are free until a file was made:
// scripts run side by side, and a program may leave files of such names.
func saveScript(root *os.Root, code string) (index int, earlier []string, err error) {
	entries, err := fs.ReadDir(root.FS(), ".")
	if err != nil {
		return 0, nil, fmt.Errorf("list the session's folder: %w", err)
	}
	for _, entry := range entries {
		if scriptName.MatchString(entry.Name()) {
			earlier = append(earlier, entry.Name())
		}
	}
	index = len(earlier)
	f, err := createScript(root, index)
	for errors.Is(err, fs.ErrExist) {
		index++
		f, err = createScript(root, index)
	}
	if err != nil {
		return 0, nil, fmt.Errorf("save a script: %w", err)
	}
	_, err = f.WriteString(code)
	if err = errors.Join(err, f.Close()); err != nil {
		return 0, nil, fmt.Errorf("save %s: %w", f.Name(), err)
	}
	return index, earlier, nil
}

func createScript(root *os.Root, index int) (*os.File, error) {
	return root.OpenFile(python.Script{Index: index}.Name(), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
}

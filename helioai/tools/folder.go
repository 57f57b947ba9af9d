package tools

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"regexp"
	"strconv"
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

var scriptName = regexp.MustCompile(`^code_(\d{1,6})\.py$`)

// saveScript keeps a script under the next free number before it runs. It also
// returns the scripts that were there before.
func saveScript(root *os.Root, code string) (index int, earlier []string, err error) {
	entries, err := fs.ReadDir(root.FS(), ".")
	if err != nil {
		return 0, nil, fmt.Errorf("list the session's folder: %w", err)
	}
	for _, entry := range entries {
		if m := scriptName.FindStringSubmatch(entry.Name()); m != nil {
			n, _ := strconv.Atoi(m[1]) // at most six digits
			index = max(index, n+1)
			earlier = append(earlier, entry.Name())
		}
	}
	name := fmt.Sprintf("code_%d.py", index)
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return 0, nil, fmt.Errorf("save %s: %w", name, err)
	}
	_, err = f.WriteString(code)
	if err = errors.Join(err, f.Close()); err != nil {
		return 0, nil, fmt.Errorf("save %s: %w", name, err)
	}
	return index, earlier, nil
}

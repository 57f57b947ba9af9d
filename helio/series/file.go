package series

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
)

// WriteFile writes series to a file in the format that its name's ending
// stands for, see [FormatOf]. The file appears whole or not at all: the data go
// to another name in the same folder, which then takes the place of what is
// there. An ending that is not known is refused before anything is written.
func WriteFile(path string, all ...*Series) error {
	format, err := FormatOf(path)
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	f, err := besides(path)
	if err != nil {
		return fmt.Errorf("write %s: %w", path, reason(err))
	}
	err = Write(f, format, all...)
	if err == nil {
		err = f.Sync()
	}
	if err2 := f.Close(); err == nil {
		err = err2
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name()) // the error that matters is the first
		return fmt.Errorf("write %s: %w", path, reason(err))
	}
	return nil
}

// besides creates a file next to path that nobody else has.
func besides(path string) (*os.File, error) {
	dir, name := filepath.Split(path)
	for i := 0; ; i++ {
		f, err := os.OpenFile(filepath.Join(dir, "."+name+"."+strconv.Itoa(os.Getpid())+"-"+strconv.Itoa(i)), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if err == nil || !errors.Is(err, fs.ErrExist) || i > 1000 {
			return f, err
		}
	}
}

// reason is an error without the name of the file in use meanwhile.
func reason(err error) error {
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &path):
		return path.Err
	case errors.As(err, &link):
		return link.Err
	}
	return err
}

package workspace

import (
	"errors"
	"io"
	"io/fs"
	"os"
)

// portableFolder is a folder of a portable tree. What os.Root follows it follows.
type portableFolder struct {
	root   *os.Root
	device uint64 // of the top; 0 where it is not known
}

func openPortable(dir string) (folder, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, cause(err)
	}
	is, err := root.Stat(".")
	if err != nil {
		root.Close()
		return nil, cause(err)
	}
	return &portableFolder{root, identityOf(is).device}, nil
}

func portableInfo(is fs.FileInfo) Info {
	return Info{Size: is.Size(), Mode: is.Mode(), ModTime: is.ModTime(), id: identityOf(is)}
}

func (f *portableFolder) open(name string) (*os.File, Info, error) {
	file, is, err := f.regular(name)
	if err != nil {
		return nil, is, err
	}
	// An os.Root has put the host's path into the file, and so into its errors.
	file, err = renamed(file, name)
	return file, is, err
}

func (f *portableFolder) regular(name string) (*os.File, Info, error) {
	// A first look spares devices being opened; the second one decides.
	is, err := f.root.Stat(name)
	if err != nil {
		return nil, Info{}, err
	}
	if err := check(portableInfo(is), f.device); err != nil {
		return nil, Info{}, err
	}
	file, err := f.root.OpenFile(name, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, Info{}, err
	}
	is, err = file.Stat()
	if err == nil {
		err = check(portableInfo(is), f.device)
	}
	if err != nil {
		file.Close()
		return nil, Info{}, err
	}
	return file, portableInfo(is), nil
}

func (f *portableFolder) read(buf []byte, name string, limit int64) ([]byte, Info, error) {
	file, is, err := f.regular(name)
	if err != nil {
		return buf, is, err
	}
	defer file.Close()
	buf, err = slurp(buf, is.Size, limit, file.Read)
	return buf, is, err
}

func (f *portableFolder) stat(name string) (Info, error) {
	is, err := f.root.Lstat(name)
	if err != nil {
		return Info{}, err
	}
	return portableInfo(is), nil
}

func (f *portableFolder) link(name string) (string, error) { return f.root.Readlink(name) }

func (f *portableFolder) parent(name string) (folder, error) { return f.folder(name) }

func (f *portableFolder) folder(name string) (folder, error) {
	// Without the last dot OpenRoot waits for the other end of a FIFO.
	root, err := f.root.OpenRoot(name + "/.")
	if err != nil {
		return nil, err
	}
	is, err := root.Stat(".")
	if err == nil && f.device != 0 && identityOf(is).device != f.device {
		err = ErrOtherDevice
	}
	if err != nil {
		root.Close()
		return nil, err
	}
	return &portableFolder{root, f.device}, nil
}

func (f *portableFolder) list(limit int) ([]dirent, error) {
	dir, err := f.root.Open(".")
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	entries, err := dir.ReadDir(limit + 1)
	if len(entries) > limit {
		return nil, errManyEntries
	}
	found := make([]dirent, 0, len(entries))
	for _, e := range entries {
		found = append(found, dirent{e.Name(), typeOf(e.Type())})
	}
	if err == io.EOF { //nolint:errorlint // an os.File returns it bare
		err = nil
	}
	return found, err
}

func (f *portableFolder) target(name string) (Info, error) {
	is, err := f.stat(name)
	if err != nil {
		return is, err
	}
	if err := check(is, f.device); err != nil {
		return is, err
	}
	file, err := f.root.OpenFile(name, os.O_WRONLY|nonblock, 0)
	if err == nil {
		err = file.Close()
	}
	return is, err
}

func (f *portableFolder) create(name string) (*os.File, error) {
	return f.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
}

func (f *portableFolder) rename(from, to string) error { return f.root.Rename(from, to) }

func (f *portableFolder) place(string, string) error { return errors.ErrUnsupported }

func (f *portableFolder) places() bool { return false }

func (f *portableFolder) mkdir(name string) error { return f.root.Mkdir(name, 0o700) }

func (f *portableFolder) remove(name string) error { return f.root.Remove(name) }

func (f *portableFolder) close() error { return f.root.Close() }

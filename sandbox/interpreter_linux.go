package sandbox

import (
	"debug/elf"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// An interpreter is a Python and the folders that it cannot do without. All of
// it is found by looking, so that Debian 12 and 13, Ubuntu 24.04, amd64 and
// arm64 need no table.
type interpreter struct {
	command string   // as it is called, "/usr/bin/python3"
	real    string   // what that links to, "/usr/bin/python3.11"
	loader  string   // where the loader that its ELF header names lies, "/usr/lib64/ld-linux-x86-64.so.2"
	dirs    []string // its standard library, Debian's packages, the folder of the C library
}

var versionedName = regexp.MustCompile(`^python(3\.\d+)$`)

func findInterpreter(command string) (*interpreter, error) {
	if command == "" {
		command = "/usr/bin/python3"
	}
	if !filepath.IsAbs(command) {
		return nil, fmt.Errorf("the interpreter %q is not an absolute path", command)
	}
	target, err := filepath.EvalSymlinks(command)
	if err != nil {
		return nil, fmt.Errorf("there is no %s", command)
	}
	match := versionedName.FindStringSubmatch(filepath.Base(target))
	if match == nil {
		return nil, fmt.Errorf("%s leads to %s, whose name is not that of a Python 3", command, target)
	}
	loader, err := loaderOf(target)
	if err != nil {
		return nil, err
	}
	prefix := filepath.Dir(filepath.Dir(target))
	in := &interpreter{command: command, real: target}
	stdlib := filepath.Join(prefix, "lib", "python"+match[1])
	if !isDir(stdlib) {
		return nil, fmt.Errorf("the standard library of %s is not at %s", target, stdlib)
	}
	in.dirs = append(in.dirs, stdlib)
	// Debian keeps the modules of its packages beside the versioned library.
	if packages := filepath.Join(prefix, "lib", "python3"); isDir(packages) {
		in.dirs = append(in.dirs, packages)
	}
	// The loader's own folder is /lib64 or /lib, which may be a link into /usr.
	folder, err := filepath.EvalSymlinks(filepath.Dir(loader))
	if err != nil {
		return nil, fmt.Errorf("the loader %s of %s does not exist", loader, target)
	}
	in.loader = filepath.Join(folder, filepath.Base(loader))
	// The loader itself is a link into the folder of the C library, whose name
	// holds the machine: /usr/lib/x86_64-linux-gnu, /usr/lib/aarch64-linux-gnu.
	library, err := filepath.EvalSymlinks(loader)
	if err != nil {
		return nil, fmt.Errorf("the loader %s of %s does not exist", loader, target)
	}
	return in, in.addLibraries(filepath.Dir(library))
}

// addLibraries adds the folder of shared libraries that holds the loader. On a
// system whose /lib is not a link into /usr there are two of that name.
func (in *interpreter) addLibraries(dir string) error {
	if dir == "/" || dir == "/lib" || dir == "/lib64" || dir == "/usr/lib" || dir == "/usr/lib64" {
		return fmt.Errorf("the shared libraries of %s lie in %s and not in a folder of their own", in.real, dir)
	}
	in.dirs = append(in.dirs, dir)
	if rest, ok := strings.CutPrefix(dir, "/lib/"); ok && isDir(filepath.Join("/usr/lib", rest)) {
		in.dirs = append(in.dirs, filepath.Join("/usr/lib", rest))
	}
	return nil
}

// loaderOf returns the dynamic loader named in a program's ELF header.
func loaderOf(path string) (string, error) {
	f, err := elf.Open(path)
	if err != nil {
		return "", fmt.Errorf("%s is not a program for this machine: %w", path, err)
	}
	defer f.Close()
	for _, p := range f.Progs {
		if p.Type != elf.PT_INTERP || p.Filesz == 0 || p.Filesz > 4096 {
			continue
		}
		name := make([]byte, p.Filesz)
		if _, err := p.ReadAt(name, 0); err != nil {
			return "", fmt.Errorf("read the loader's name in %s: %w", path, err)
		}
		return strings.TrimRight(string(name), "\x00"), nil
	}
	return "", fmt.Errorf("%s names no dynamic loader", path)
}

func isDir(path string) bool {
	info, err := os.Stat(path) //nolint:gosec // the operator's own configuration
	return err == nil && info.IsDir()
}

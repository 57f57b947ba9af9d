package command

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// findProgram returns the path that a grant stands for from now on.
func findProgram(spec, hostPath string) (string, error) {
	bad := func(err error, reason string, args ...any) (string, error) {
		return "", &GrantError{Program: spec, Field: "Program", Reason: fmt.Sprintf(reason, args...), Err: err}
	}
	switch {
	case strings.TrimSpace(spec) == "":
		return bad(nil, "it is blank; give the name or the path of a program")
	case strings.Contains(spec, "\x00"):
		return bad(nil, "it holds a zero byte")
	case filepath.IsAbs(spec):
		path, err := executable(filepath.Clean(spec))
		if err != nil {
			return bad(err, "%v", err)
		}
		return path, nil
	case spec == "." || spec == ".." || strings.ContainsRune(spec, '/') || strings.ContainsRune(spec, filepath.Separator):
		return bad(nil, "a path must be absolute, as the working folder may be any")
	case hostPath == "":
		return bad(nil, "the PATH of the host is empty; give an absolute path")
	}
	for _, dir := range filepath.SplitList(hostPath) {
		if !filepath.IsAbs(dir) {
			continue // it would be another folder each time
		}
		if path, err := executable(filepath.Join(dir, spec)); err == nil {
			return path, nil
		}
	}
	return bad(exec.ErrNotFound, "there is no such program on the PATH of the host; give an absolute path")
}

// executable returns the path, on Windows with the ending that was left out.
func executable(path string) (string, error) {
	found, err := exec.LookPath(path)
	if err != nil {
		if e, ok := errors.AsType[*exec.Error](err); ok {
			err = e.Err
		}
		return "", fmt.Errorf("%s cannot be executed: %w", path, err)
	}
	info, err := os.Stat(found) //nolint:gosec // it is the host that names programs
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() {
		return "", fmt.Errorf("%s is not a regular file: %w", found, fs.ErrInvalid)
	}
	return found, nil
}

func isFolder(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return fmt.Errorf("%s is not a folder: %w", path, fs.ErrInvalid)
	}
	return nil
}

// defaultPath is the PATH of a program.
func defaultPath() string {
	if runtime.GOOS == "windows" {
		root := os.Getenv("SystemRoot")
		return filepath.Join(root, "System32") + string(filepath.ListSeparator) + root
	}
	return "/usr/local/bin:/usr/bin:/bin"
}

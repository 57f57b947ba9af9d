package workspace

import (
	"fmt"
	"path"
	"runtime"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Clean returns the one spelling of a name in a workspace: relative to its root,
// with slashes, without empty, "." and ".." elements. The root itself, and no
// name at all, are ".". A name that is absolute or leads out is an [ErrEscape],
// one that could mean something else to the file system an [ErrName].
//
// The rules are those of tool.CleanPath, so that the name that a permission was
// given for is the name that is opened. All methods of a [Root] clean the names
// they take.
func Clean(name string) (string, error) { return clean(name, runtime.GOOS == "windows") }

// Clean is the function [Clean].
func (r *Root) Clean(name string) (string, error) { return Clean(name) }

func clean(name string, windows bool) (string, error) {
	spelled := path.Clean(name) // "" becomes "."
	var reason string
	kind := ErrName
	switch {
	case !utf8.ValidString(name):
		reason = "it is not valid UTF-8"
	case strings.ContainsFunc(name, unicode.IsControl):
		reason = "it holds a control character"
	case strings.Contains(name, `\`):
		reason = "it holds a backslash; write / between its parts"
	case path.IsAbs(name) || windows && len(name) > 1 && name[1] == ':':
		reason, kind = "it is absolute; write it relative to the workspace", ErrEscape
	case spelled == ".." || strings.HasPrefix(spelled, "../"):
		reason, kind = "it leads out of the workspace", ErrEscape
	case windows && oddOnWindows(spelled):
		reason = "Windows would read it as another name"
	default:
		return spelled, nil
	}
	return "", &NameError{Name: name, Reason: reason, kind: kind}
}

// oddOnWindows reports whether Windows drops the end of a part of the name, or
// takes it for the name of a stream.
func oddOnWindows(spelled string) bool {
	for part := range strings.SplitSeq(spelled, "/") {
		if strings.Contains(part, ":") || part != "." && strings.TrimRight(part, ". ") != part {
			return true
		}
	}
	return false
}

// A NameError says why a name cannot be one in a workspace. It is an [ErrEscape]
// or an [ErrName].
type NameError struct {
	Name   string // as it was given
	Reason string
	kind   error
}

// Error says which name and why.
func (e *NameError) Error() string { return fmt.Sprintf("path %q: %s", e.Name, e.Reason) }

// Unwrap returns ErrEscape or ErrName.
func (e *NameError) Unwrap() error { return e.kind }

// split returns the folder that a clean name is in and its last element.
func split(name string) (folder, leaf string) {
	if i := strings.LastIndexByte(name, '/'); i >= 0 {
		return name[:i], name[i+1:]
	}
	return ".", name
}

// join returns the name of an entry of a folder.
func join(folder, leaf string) string {
	if folder == "." {
		return leaf
	}
	return folder + "/" + leaf
}

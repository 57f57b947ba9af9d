package tool

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"runtime"
	"strings"
	"unicode"
	"unicode/utf8"
)

// CleanPath returns the one spelling of a path in a workspace: relative to its
// root, with slashes, without empty, "." and ".." elements. The root itself, and
// no path at all, are ".". A path that is absolute, leads out of the workspace or
// could mean something else to the file system is an error.
//
// It looks at the spelling alone. Where files can be links, or the file system
// does not mind upper and lower case, the spelling that the file system has is
// another key of the same call: see [WithKeys].
func CleanPath(p string) (string, error) { return cleanPath(p, runtime.GOOS == "windows") }

func cleanPath(p string, windows bool) (string, error) {
	clean := path.Clean(p) // "" becomes "."
	var reason string
	switch {
	case !utf8.ValidString(p):
		reason = "it is not valid UTF-8"
	case strings.ContainsFunc(p, unicode.IsControl):
		reason = "it holds a control character"
	case strings.Contains(p, `\`):
		reason = "it holds a backslash; write / between its parts"
	case path.IsAbs(p) || windows && len(p) > 1 && p[1] == ':':
		reason = "it is absolute; write it relative to the workspace"
	case clean == ".." || strings.HasPrefix(clean, "../"):
		reason = "it leads out of the workspace"
	case windows && oddOnWindows(clean):
		reason = "Windows would read it as another name"
	default:
		return clean, nil
	}
	return "", fmt.Errorf("path %q: %s", p, reason)
}

// oddOnWindows reports whether Windows drops the end of a part of the path, or
// takes it for the name of a stream.
func oddOnWindows(clean string) bool {
	for part := range strings.SplitSeq(clean, "/") {
		if strings.Contains(part, ":") || part != "." && strings.TrimRight(part, ". ") != part {
			return true
		}
	}
	return false
}

// PathKey is a function for [WithKey]: the key is the path in an argument, as
// [CleanPath] spells it, and "." when the argument is missing, empty or null.
// Arguments that are no object, or that name the path twice, have no key. The
// tool should open what CleanPath returns for its argument, so that what was
// permitted is what happens.
//
// The key of a tool that walks a directory is the directory: rules about what is
// inside are for the tool to heed.
func PathKey(argument string) func(json.RawMessage) (string, error) {
	return func(args json.RawMessage) (string, error) {
		value, err := member(args, argument)
		if err != nil {
			return "", fmt.Errorf("argument %s: %w", argument, err)
		}
		var p *string
		if len(value) > 0 {
			if err := json.Unmarshal(value, &p); err != nil {
				return "", fmt.Errorf("argument %s: it is not a string", argument)
			}
		}
		if p == nil {
			return ".", nil
		}
		return CleanPath(*p)
	}
}

// member returns the member of an object, nil if there is none. The name must be
// there once: JSON decoders do not agree which of several counts, and Go's does
// not mind upper and lower case.
func member(object json.RawMessage, name string) (json.RawMessage, error) {
	dec := json.NewDecoder(bytes.NewReader(object))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return nil, errors.New("the arguments are not a JSON object")
	}
	var found json.RawMessage
	for n := 0; dec.More(); {
		key, err := dec.Token()
		var value json.RawMessage
		if err == nil {
			err = dec.Decode(&value)
		}
		if err != nil {
			return nil, fmt.Errorf("the arguments are not valid JSON: %w", err)
		}
		if k, _ := key.(string); strings.EqualFold(k, name) {
			if n++; n > 1 || k != name {
				return nil, errors.New("it is named twice, or not as its schema names it")
			}
			found = value
		}
	}
	if _, err := dec.Token(); err != nil {
		return nil, fmt.Errorf("the arguments are not valid JSON: %w", err)
	}
	return found, nil
}

package workspace

import (
	"errors"
	"io/fs"
	"strings"
	"unicode/utf8"
)

// maxLinks is how many links one name may lead through, as in Linux.
const maxLinks = 40

// Keys returns the keys of a permission for a name: its clean spelling, and the
// spelling that the file system has for what it leads to, where that is another
// one. On a file system that does not mind upper and lower case that is
// "secrets.env" for "SECRETS.env"; in Portable mode, where links that stay inside
// are followed, it is where they lead. A rule that denies either must deny both.
//
// What is not there yet has the spelling that it is given. A name that will be
// refused when it is opened has just the clean one.
func (r *Root) Keys(name string) ([]string, error) {
	name, err := Clean(name)
	if err != nil {
		return nil, err
	}
	if err := r.enter(); err != nil {
		return nil, failure("look at", name, err)
	}
	defer r.leave()
	actual, err := resolve(r.top, name)
	switch {
	case errors.Is(err, errRefused), err == nil && actual == name:
		return []string{name}, nil
	case err != nil:
		// Without the spelling a rule that denies could be passed by.
		return nil, failure("look at", name, err)
	}
	return []string{name, actual}, nil
}

// errRefused says that opening the name will fail.
var errRefused = errors.New("it will be refused")

// resolve returns the spelling that the file system has.
func resolve(top folder, name string) (string, error) {
	at, rest, links := ".", name, 0
	for rest != "." && rest != "" {
		part, more, _ := strings.Cut(rest, "/")
		if part == "." || part == "" {
			rest = more
			continue
		}
		if part == ".." { // of a link: a clean name has none
			if at == "." {
				return "", errRefused
			}
			at, _ = split(at)
			rest = more
			continue
		}
		is, err := top.stat(join(at, part))
		if errors.Is(err, fs.ErrNotExist) {
			// What a link leads to need not be spelled cleanly.
			if at, err = Clean(join(at, rest)); err != nil {
				return "", errRefused
			}
			return at, nil
		}
		if err != nil {
			return "", refusal(err)
		}
		if is.Type() == Symlink {
			to, err := top.link(join(at, part))
			if err != nil {
				return "", refusal(err)
			}
			// An os.Root refuses an absolute one wherever it leads.
			if links++; links > maxLinks || strings.HasPrefix(to, "/") {
				return "", errRefused
			}
			rest = to + "/" + more
			continue
		}
		if part, err = spelled(top, at, part, is); err != nil {
			return "", err
		}
		at, rest = join(at, part), more
	}
	return at, nil
}

// refusal is errRefused for an error that opening the name will meet as well.
func refusal(err error) error {
	switch why := cause(err); {
	case errors.Is(why, ErrLink), errors.Is(why, ErrEscape), errors.Is(why, ErrNotFolder),
		errors.Is(why, ErrOtherDevice), errors.Is(why, fs.ErrPermission):
		return errRefused
	}
	return err
}

// spelled returns how a folder spells one of its entries. The folder is read only
// when there is reason to think that it could be otherwise.
func spelled(top folder, at, part string, is Info) (string, error) {
	doubtful := strings.IndexFunc(part, func(c rune) bool { return c >= utf8.RuneSelf || c == '~' }) >= 0
	if other := swapCase(part); !doubtful && other != part {
		o, err := top.stat(join(at, other))
		doubtful = err == nil && o.id.is(is.id)
	}
	if !doubtful {
		return part, nil
	}
	f, err := top.folder(at)
	if err != nil {
		return "", err
	}
	defer f.close()
	entries, err := f.list(maxEntries)
	if err != nil {
		return "", err
	}
	same := part
	for _, e := range entries {
		if e.name == part {
			return part, nil
		}
		if o, err := f.stat(e.name); err == nil && o.id.is(is.id) {
			same = e.name
		}
	}
	return same, nil
}

// swapCase exchanges upper and lower case of ASCII letters.
func swapCase(s string) string {
	return strings.Map(func(c rune) rune {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' {
			return c ^ 0x20
		}
		return c
	}, s)
}

package glob

import (
	"bytes"
	"strings"
)

// Rules tell which files a .gitignore file leaves out, by the rules of git.
//
//	top := glob.ParseIgnore(data, nil, ".")        // the rules of the root
//	sub := glob.ParseIgnore(more, top, "internal") // and those of a folder in it
//	sub.Match("internal/x.log", false)
//
// Within a file the last rule that matches decides; rules of a folder come before
// those of the folders above it. What lies in a folder that is left out is left
// out whatever rules are about it: who walks does not go into such a folder.
//
// A rule that git would not understand matches nothing. Only the files named
// .gitignore count, not what a user or a clone of a repository has configured
// beside them. Rules are immutable and safe for concurrent use; nil rules leave
// nothing out.
type Rules struct {
	above  *Rules
	prefix string // of the paths below the folder, "" or "dir/"
	rules  []rule
}

type rule struct {
	about  *Glob
	again  bool // with an exclamation mark: not left out
	folder bool // only folders
	name   bool // about the last part of a path alone
}

// ParseIgnore reads the .gitignore file of a folder, which is a clean path and "." for
// the root. The rules of the folders above it still count. A file without rules
// adds nothing.
func ParseIgnore(data []byte, above *Rules, folder string) *Rules {
	r := &Rules{above: above}
	if folder != "." {
		r.prefix = folder + "/"
	}
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	for line := range bytes.SplitSeq(data, []byte("\n")) {
		if one, ok := parseRule(string(bytes.TrimSuffix(line, []byte("\r")))); ok {
			r.rules = append(r.rules, one)
		}
	}
	if len(r.rules) == 0 {
		return above
	}
	return r
}

func parseRule(line string) (rule, bool) {
	var r rule
	if strings.HasPrefix(line, "#") {
		return rule{}, false
	}
	p := trimBlanks(line)
	p, r.again = strings.CutPrefix(p, "!")
	p, r.folder = strings.CutSuffix(p, "/")
	if p == "" {
		return rule{}, false
	}
	r.name = !strings.Contains(p, "/")
	p = strings.TrimPrefix(p, "/")
	g, err := Compile(p, &Options{PlainBraces: true})
	if err != nil {
		return rule{}, false
	}
	r.about = g
	return r, true
}

// trimBlanks takes off the blanks at the end, but for one behind a backslash.
func trimBlanks(s string) string {
	t := strings.TrimRight(s, " ")
	if len(t) < len(s) {
		slashes := len(t) - len(strings.TrimRight(t, `\`))
		if slashes%2 == 1 {
			t += " "
		}
	}
	return t
}

// Match reports whether the rules leave out a clean path below their folder.
func (r *Rules) Match(path string, folder bool) bool {
	name := path[strings.LastIndexByte(path, '/')+1:]
	for ; r != nil; r = r.above {
		below, ok := strings.CutPrefix(path, r.prefix)
		if !ok {
			continue
		}
		for i := len(r.rules) - 1; i >= 0; i-- {
			one := &r.rules[i]
			if one.folder && !folder {
				continue
			}
			part := below
			if one.name {
				part = name
			}
			if one.about.Match(part) {
				return !one.again
			}
		}
	}
	return false
}

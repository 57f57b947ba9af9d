package agent

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/helios-go/helios/tool"
)

// A Rule names calls: those of a tool, or those of a tool with certain keys. It
// is written "write" or "write(src/**)".
//
// Tool is the tool's name, in which * is any run of characters and ? is one:
// "mcp__*" are all tools whose names begin so. Key is a pattern for the canonical
// key of the call, see [tool.WithKey], and has to match all of it: * is any run of
// characters without a slash, ** is any run at all, ? is one character but a
// slash, everything else is itself. "**/" may also be nothing, so "**/x" matches
// "x" and "a/**/b" matches "a/b"; "a/**" is what is inside a, not a itself. No Key
// is any call.
//
// A rule about the beginning of a command line is a convenience, not a boundary:
// there are many ways to write a command. Confine the command instead.
type Rule struct {
	Tool string
	Key  string
}

// maxPattern is as long as a rule may be, in bytes.
const maxPattern = 1024

// ParseRule reads a rule as [Rule.String] writes it.
func ParseRule(text string) (Rule, error) {
	name, rest, found := strings.Cut(text, "(")
	r := Rule{Tool: name}
	if found {
		pattern, closed := strings.CutSuffix(rest, ")")
		switch {
		case !closed:
			return Rule{}, fmt.Errorf("rule %q: a pattern ends with )", text)
		case pattern == "":
			return Rule{}, fmt.Errorf("rule %q: the pattern is empty; write %s for every call", text, name)
		}
		r.Key = pattern
	}
	if err := r.Check(); err != nil {
		return Rule{}, err
	}
	return r, nil
}

// String writes the rule as [ParseRule] reads it.
func (r Rule) String() string {
	if r.Key == "" {
		return r.Tool
	}
	return r.Tool + "(" + r.Key + ")"
}

// MarshalText writes the rule as [ParseRule] reads it.
func (r Rule) MarshalText() ([]byte, error) { return []byte(r.String()), r.Check() }

// UnmarshalText is [ParseRule].
func (r *Rule) UnmarshalText(text []byte) (err error) {
	*r, err = ParseRule(string(text))
	return err
}

// Check reports why the rule cannot mean what it says: a name that no tool can
// have, or a pattern that no key, or not the intended one, would match.
func (r Rule) Check() error {
	if reason := r.malformed(); reason != "" {
		return fmt.Errorf("rule %q: %s", r.String(), reason)
	}
	return nil
}

func (r *Rule) malformed() string {
	key := r.Key
	switch {
	case r.Tool == "":
		return "it names no tool; * names all"
	case len(r.Tool)+len(key) > maxPattern:
		return fmt.Sprintf("it is longer than %d bytes", maxPattern)
	case strings.ContainsFunc(r.Tool, notInName):
		return "a tool's name consists of A-Z a-z 0-9 _ -, and * or ? for any of them"
	case key == "":
		return ""
	case !utf8.ValidString(key):
		return "the pattern is not valid UTF-8"
	case strings.ContainsFunc(key, unicode.IsControl):
		return "the pattern holds a control character"
	case strings.Contains(key, "***"):
		return "the pattern holds more than two stars in a row"
	case strings.Contains(key, `\`):
		return "the pattern holds a backslash; write / between the parts of a path"
	case strings.HasSuffix(key, "/") && key != "/":
		return "the pattern ends with a slash; write ** behind it for what is inside"
	}
	for part := range strings.SplitSeq(key, "/") {
		if part == "." && key != "." || part == ".." {
			return "the pattern holds a part that is . or .., which no key does"
		}
	}
	return ""
}

func notInName(c rune) bool {
	switch {
	case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '_', c == '-', c == '*', c == '?':
		return false
	}
	return true
}

// names reports whether the rule is about a tool.
func (r *Rule) names(name string) bool { return glob(r.Tool, name) }

// allows reports whether the rule is about a call with a key.
func (r *Rule) allows(name, key string) bool {
	return r.names(name) && (r.Key == "" || glob(r.Key, key))
}

// restricts is allows for rules that deny or ask. A call whose key is empty could
// be about anything: one that names its tool in full is about it.
func (r *Rule) restricts(name, key string) bool {
	return r.allows(name, key) || key == "" && r.Tool == name
}

// fits reports whether the rule can be about one of the tools, or is about none of
// them: a pattern for a tool whose calls have no keys would never match.
func (r *Rule) fits(tools []tool.Tool) error {
	if r.Key == "" || r.Tool == "*" {
		return nil
	}
	keyless := ""
	for i := range tools {
		if t := &tools[i]; r.names(t.Spec.Name) {
			if t.HasKey() {
				return nil
			}
			keyless = t.Spec.Name
		}
	}
	if keyless == "" {
		return nil
	}
	return fmt.Errorf("rule %q: calls of %s have no key for the pattern to match; write %s alone, or make the tool with tool.WithKey",
		r.String(), keyless, r.Tool)
}

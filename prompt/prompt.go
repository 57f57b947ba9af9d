// Package prompt keeps prompts in versions: texts with variables that can be
// changed, tried out and rolled back without a new program.
//
//	var prompts prompt.Memory // or store.Prompts() of store/sqlite
//	prompts.Register(ctx, "guide", "You guide {who} through {city}.")
//	p, err := prompts.Resolve(ctx, "guide") // the active version
//	if err != nil {
//		return err
//	}
//	text, err := p.RenderStrict(map[string]string{"who": "Ada", "city": "Toulouse"})
//
// A new version is registered, which makes it the active one, or drafted, which
// does not; activating an older version is how to roll back. A version never
// changes once it is there, so that its number says what a model was told.
package prompt

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// A Prompt is one version of a named text. Registries return it by value; one
// made by hand renders too.
type Prompt struct {
	Name    string    `json:"name"`
	Version int       `json:"version"` // from 1
	Content string    `json:"content"`
	Active  bool      `json:"active"` // when it was read; one version of a name is, or none
	Created time.Time `json:"created"`
}

// Variables returns the names that stand in braces in the content, each once, in
// the order of their first appearance. A name is letters, digits and underscores
// of ASCII: {city}, {a_b} and {1} are variables, {a-b}, {} and { a } are not.
func (p Prompt) Variables() []string {
	var names []string
	for _, f := range split(p.Content) {
		if f.name != "" && !slices.Contains(names, f.name) {
			names = append(names, f.name)
		}
	}
	return names
}

// Render puts values in the place of variables. It does so in one pass: braces
// in a value are text, never variables. A variable without a value stays as it
// is.
func (p Prompt) Render(values map[string]string) string {
	text, _ := p.render(values)
	return text
}

// RenderStrict is Render, but a variable without a value is a [*MissingError].
// Values that no variable asks for are no error.
func (p Prompt) RenderStrict(values map[string]string) (string, error) {
	text, missing := p.render(values)
	if missing != nil {
		return "", &MissingError{Name: p.Name, Version: p.Version, Variables: missing}
	}
	return text, nil
}

func (p Prompt) render(values map[string]string) (text string, missing []string) {
	var b strings.Builder
	for _, f := range split(p.Content) {
		value, ok := values[f.name]
		switch {
		case f.name == "":
			b.WriteString(f.text)
			continue
		case ok:
			b.WriteString(value)
			continue
		case !slices.Contains(missing, f.name):
			missing = append(missing, f.name)
		}
		b.WriteString(f.text)
	}
	return b.String(), missing
}

// A MissingError names the variables of a prompt that got no value.
type MissingError struct {
	Name      string // of the prompt
	Version   int
	Variables []string // in the order of their first appearance
}

// Error names the variables.
func (e *MissingError) Error() string {
	return fmt.Sprintf("render prompt %q, version %d: no value for %s", e.Name, e.Version, strings.Join(e.Variables, ", "))
}

// A fragment is a piece of content: a variable with its braces, or what stands
// between two of them, without a name.
type fragment struct{ text, name string }

func split(content string) []fragment {
	var all []fragment
	begin := 0
	for i := 0; i < len(content); {
		n := variable(content[i:])
		if n == 0 {
			i++
			continue
		}
		if begin < i {
			all = append(all, fragment{text: content[begin:i]})
		}
		all = append(all, fragment{text: content[i : i+n], name: content[i+1 : i+n-1]})
		i += n
		begin = i
	}
	if begin < len(content) {
		all = append(all, fragment{text: content[begin:]})
	}
	return all
}

// variable is how many bytes a variable at the beginning of s takes, 0 if there
// is none.
func variable(s string) int {
	if s[0] != '{' {
		return 0
	}
	n := 1
	for n < len(s) && isWord(s[n]) {
		n++
	}
	if n == 1 || n == len(s) || s[n] != '}' {
		return 0
	}
	return n + 1
}

func isWord(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

package archive

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A Template is a parameter that leaves something to choose, such as the look
// direction of an instrument: each choice is a parameter of its own.
type Template struct {
	Pattern   string // as in "bepi_sixp_p_##side##"
	Arguments []Argument
}

// An Argument is one thing to choose.
type Argument struct {
	Key     string // as in "side"
	Name    string // for people
	Type    string // "list", "generated-list", "float", "int" or "bool"
	Default string
	Choices []Choice // of the lists and bool; nil where any number will do
}

// A Choice is one value of an argument.
type Choice struct {
	Key  string // what stands in the id
	Name string // for people
}

// Resolve returns the name of the parameter for some choices, the defaults for the
// rest. notes says which defaults were taken. The error names the argument and what
// there is to choose from.
func (t *Template) Resolve(values map[string]string) (name string, notes []string, err error) {
	for key := range values {
		if !slices.ContainsFunc(t.Arguments, func(a Argument) bool { return a.Key == key }) {
			return "", nil, fmt.Errorf("there is no argument %q; there are %s", key, t.keys())
		}
	}
	name = t.Pattern
	for i := range t.Arguments {
		a := &t.Arguments[i]
		value, given := values[a.Key]
		if !given {
			value = a.Default
			notes = append(notes, fmt.Sprintf("%s was not chosen: the default %s is taken", firstOf(a.Name, a.Key), a.describe(value)))
		}
		if err := a.check(value); err != nil {
			return "", nil, err
		}
		name = strings.ReplaceAll(name, "##"+a.Key+"##", value)
	}
	if strings.Contains(name, "##") {
		return "", nil, fmt.Errorf("the template %q has arguments that its archive does not describe", t.Pattern)
	}
	return name, notes, nil
}

func (t *Template) keys() string {
	keys := make([]string, len(t.Arguments))
	for i, a := range t.Arguments {
		keys[i] = a.Key
	}
	return strings.Join(keys, ", ")
}

// describe is a value with its name.
func (a *Argument) describe(value string) string {
	for _, c := range a.Choices {
		if c.Key == value && c.Name != "" && c.Name != value {
			return fmt.Sprintf("%s (%s)", value, c.Name)
		}
	}
	return strconv.Quote(value)
}

// check refuses what is no value of the argument.
func (a *Argument) check(value string) error {
	var ok bool
	switch {
	case len(a.Choices) > 0:
		ok = slices.ContainsFunc(a.Choices, func(c Choice) bool { return c.Key == value })
	case a.Type == "int":
		_, err := strconv.Atoi(value)
		ok = err == nil
	case a.Type == "float":
		f, err := strconv.ParseFloat(value, 64)
		ok = err == nil && !math.IsNaN(f) && !math.IsInf(f, 0)
	default:
		ok = value != ""
	}
	if ok {
		return nil
	}
	if len(a.Choices) == 0 {
		return fmt.Errorf("%q is no value of %s; give a number of type %s", value, a.Key, a.Type)
	}
	var keys []string
	for _, c := range a.Choices[:min(len(a.Choices), 20)] {
		keys = append(keys, c.Key)
	}
	more := ""
	if n := len(a.Choices) - len(keys); n > 0 {
		more = fmt.Sprintf(" and %d more", n)
	}
	return fmt.Errorf("%q is no value of %s; choose one of %s%s", value, a.Key, strings.Join(keys, ", "), more)
}

// Match reports whether a name is one that the template can give, and for which
// choices.
func (t *Template) Match(name string) (values map[string]string, ok bool) {
	pattern, keys := t.regexp()
	if pattern == nil {
		return nil, false
	}
	found := pattern.FindStringSubmatch(name)
	if found == nil {
		return nil, false
	}
	values = map[string]string{}
	for i, key := range keys {
		if old, seen := values[key]; seen && old != found[i+1] {
			return nil, false
		}
		values[key] = found[i+1]
	}
	if again, _, err := t.Resolve(values); err != nil || again != name {
		return nil, false
	}
	return values, true
}

// regexp is the pattern with a group for each argument in it.
func (t *Template) regexp() (*regexp.Regexp, []string) {
	var b strings.Builder
	var keys []string
	b.WriteString("^")
	for i, part := range strings.Split(t.Pattern, "##") {
		if i%2 == 0 {
			b.WriteString(regexp.QuoteMeta(part))
			continue
		}
		j := slices.IndexFunc(t.Arguments, func(a Argument) bool { return a.Key == part })
		if j < 0 {
			return nil, nil
		}
		keys = append(keys, part)
		b.WriteString("(" + t.Arguments[j].pattern() + ")")
	}
	b.WriteString("$")
	re, err := regexp.Compile(b.String())
	if err != nil {
		return nil, nil
	}
	return re, keys
}

// pattern matches the values of an argument, longer ones first.
func (a *Argument) pattern() string {
	if len(a.Choices) == 0 {
		return `[-+0-9.eE]+`
	}
	keys := make([]string, len(a.Choices))
	for i, c := range a.Choices {
		keys[i] = regexp.QuoteMeta(c.Key)
	}
	slices.SortFunc(keys, func(a, b string) int { return len(b) - len(a) })
	return strings.Join(keys, "|")
}

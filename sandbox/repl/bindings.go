package repl

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

func (l *BindingLimits) withDefaults() *BindingLimits {
	if l == nil {
		return nil
	}
	out := *l
	if out.Value <= 0 {
		out.Value = 200
	}
	if out.Total <= 0 {
		out.Total = 16384
	}
	return &out
}

// Shorten cuts a value's text to limit bytes, at a rune boundary, and says how
// long it was: "first bytes... (len=500)". Interpreters and the host use the same
// rule, so that a text that is short enough stays as it is.
func Shorten(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	end := limit
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return fmt.Sprintf("%s... (len=%d)", text[:end], len(text))
}

// A Snapshot collects bindings up to the limits. The zero value takes none.
type Snapshot struct {
	Limits BindingLimits
	list   []Binding
	total  int
	full   bool
}

// Add takes one variable and reports whether there is room for more. Names that
// start with two underscores are left out.
func (s *Snapshot) Add(b Binding) bool {
	if s.full {
		return false
	}
	if strings.HasPrefix(b.Name, "__") {
		return true
	}
	b.Value = Shorten(b.Value, s.Limits.Value)
	size := len(b.Name) + len(b.Type) + len(b.Value)
	if s.total+size > s.Limits.Total {
		s.Cut()
		return false
	}
	s.total += size
	s.list = append(s.list, b)
	return true
}

// Cut says that the rest is missing.
func (s *Snapshot) Cut() {
	if !s.full {
		s.full = true
		s.list = append(s.list, Binding{Name: Truncated, Value: fmt.Sprintf("(snapshot exceeded %d chars; remaining vars dropped)", s.Limits.Total)})
	}
}

// Bindings are those that were taken.
func (s *Snapshot) Bindings() []Binding { return s.list }

// capBindings holds an interpreter to the limits that it was given.
func capBindings(list []Binding, limits *BindingLimits) []Binding {
	// A value that was cut already is longer by what says so.
	s := Snapshot{Limits: BindingLimits{Value: limits.Value + len("... (len=9223372036854775807)"), Total: limits.Total + 64}}
	for _, b := range list {
		if b.Name == Truncated {
			s.Limits.Total = limits.Total
			s.Cut()
			break
		}
		if !s.Add(b) {
			break
		}
	}
	return s.list
}

package secret

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// The bounds of a secret, in bytes. A shorter one would turn up in innocent
// text; a [Writer] holds back as many bytes as the longest is long.
const (
	MinLen = 8
	MaxLen = 64 << 10
)

// A Registry holds the secrets of a program by name. The zero value is empty and
// ready; a nil registry reads as an empty one. It is safe for concurrent use and
// must not be copied.
type Registry struct {
	mu       sync.RWMutex
	entries  []*entry
	redactor *Redactor // of entries, once somebody has asked for it
}

// An entry keeps its texts two pointers away from the registry. Somebody's struct
// may hold a registry in a private field, where fmt calls no methods: it then
// prints what the first pointer leads to, but never what the second does.
type entry struct {
	name  string
	forms *[]string // what is searched for; the first is the value
}

func (e *entry) value() string { return (*e.forms)[0] }

// Register adds a secret, or gives the name a new value, which is then the only
// one that is redacted: register a key that is being rotated under a second name.
// It is found as it stands, as JSON escapes it, and in the given encodings.
//
// A value is [MinLen] to [MaxLen] bytes of printable ASCII without the quote and
// the backslash, so that it is the same bytes in every encoding of text. A name
// is up to 128 bytes of printable ASCII without blanks at its ends and without
// any of "\<>, and neither it nor another name may hold the value: it is shown
// in place of it. The error says which rule was broken, and never the value.
func (r *Registry) Register(name, value string, also ...Encoding) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.shows(name, value) {
		return errors.New("register secret: its value, or another's, is part of what would be shown in its place; choose another name")
	}
	if err := checkName(name); err != nil {
		return fmt.Errorf("register secret: %w", err)
	}
	if err := checkValue(value); err != nil {
		return fmt.Errorf("register secret %q: %w", name, err)
	}
	forms, err := formsOf(value, also)
	if err != nil {
		return fmt.Errorf("register secret %q: %w", name, err)
	}
	added := &entry{name, &forms}
	r.redactor = nil
	for i, e := range r.entries {
		if e.name == name {
			r.entries[i] = added
			return nil
		}
	}
	r.entries = append(r.entries, added)
	return nil
}

// shows tells whether what stands for one secret would spell out one.
func (r *Registry) shows(name, value string) bool {
	token := replacement(name)
	if value != "" && strings.Contains(token, value) {
		return true
	}
	for _, e := range r.entries {
		if e.name != name && strings.Contains(token, e.value()) {
			return true
		}
		if len(value) >= MinLen && strings.Contains(replacement(e.name), value) {
			return true
		}
	}
	return false
}

func checkName(name string) error {
	if strings.TrimSpace(name) == "" {
		return errors.New("the name is blank; name it after what it opens, such as API_KEY")
	}
	ok := len(name) <= 128 && strings.TrimSpace(name) == name
	for i := range len(name) {
		ok = ok && name[i] >= ' ' && name[i] <= '~' && !strings.ContainsRune(`"\<>`, rune(name[i]))
	}
	if !ok {
		return errors.New(`the name is not fit to be shown; use up to 128 printable ASCII characters, none of "\<>, no blanks at the ends`)
	}
	return nil
}

func checkValue(value string) error {
	if len(value) < MinLen {
		return fmt.Errorf("its value has %d bytes, and innocent text would match it; give it at least %d", len(value), MinLen)
	}
	if len(value) > MaxLen {
		return fmt.Errorf("its value has %d bytes; at most %d are searched for", len(value), MaxLen)
	}
	for i := range len(value) {
		switch c := value[i]; {
		case c < ' ' || c == 0x7f:
			return fmt.Errorf("its value has the control character %#02x at byte %d; trim it, or register each line", c, i)
		case c > 0x7f:
			return fmt.Errorf("its value is not ASCII at byte %d; register the encoded form that is sent", i)
		case c == '"' || c == '\\':
			return fmt.Errorf("its value has a quote or a backslash at byte %d, which JSON writes differently each time; register the parts between", i)
		}
	}
	return nil
}

// Redactor returns a redactor of the secrets registered so far. It is made once
// and kept until the next Register, so asking for it every time is cheap, and is
// how secrets registered later are seen.
func (r *Registry) Redactor() *Redactor {
	if r == nil {
		return nil
	}
	r.mu.RLock()
	red := r.redactor
	r.mu.RUnlock()
	if red != nil {
		return red
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.redactor == nil {
		r.redactor = &Redactor{newMatcher(r.entries)}
	}
	return r.redactor
}

// Leaks tells whether the candidate, an argument of a program for example, holds
// a secret in any of its forms, and the name of the first.
func (r *Registry) Leaks(candidate string) (name string, leaks bool) {
	return r.Redactor().Leaks(candidate)
}

// Len is the number of secrets.
func (r *Registry) Len() int { return len(r.Names()) }

// Names returns the names in the order of their first registration.
func (r *Registry) Names() []string {
	if r == nil {
		return nil
	}
	r.mu.RLock()
	defer r.mu.RUnlock()
	names := make([]string, len(r.entries))
	for i, e := range r.entries {
		names[i] = e.name
	}
	return slices.Clip(names)
}

// String says how many secrets there are, and nothing else about them.
func (r *Registry) String() string { return fmt.Sprintf("secret.Registry(%d secrets)", r.Len()) }

// Format prints String for every verb.
func (r *Registry) Format(f fmt.State, _ rune) { show(f, r.String()) }

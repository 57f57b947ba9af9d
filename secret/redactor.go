package secret

import (
	"errors"
	"fmt"
)

// A Redactor replaces secrets by <redacted:NAME>. It is a snapshot: secrets
// registered after [Registry.Redactor] made it are not seen. It is immutable and
// safe for concurrent use; a nil or zero Redactor finds nothing.
//
// Matches that overlap are replaced together, by the name of the one that begins
// first and, of those, is the longest. A value with two names goes by the one
// registered first. Everything that is no match stays as it is, byte for byte.
type Redactor struct{ m *matcher }

// matcher is nil when there is nothing to find.
func (r *Redactor) matcher() *matcher {
	if r == nil {
		return nil
	}
	return r.m
}

// Append appends src, redacted, to dst. The two must not overlap.
func (r *Redactor) Append(dst, src []byte) ([]byte, Counts) {
	m := r.matcher()
	if m == nil {
		return append(dst, src...), nil
	}
	var counts Counts
	dst, _ = redact(m, dst, src, 0, len(src), &counts)
	return dst, counts
}

// Bytes returns a redacted copy of src, never nil.
func (r *Redactor) Bytes(src []byte) ([]byte, Counts) {
	return r.Append(make([]byte, 0, len(src)), src)
}

// Text returns s redacted: s itself, without allocations, when it holds no secret.
func (r *Redactor) Text(s string) (string, Counts) {
	m := r.matcher()
	if m == nil {
		return s, nil
	}
	if _, n := find(m, s, 0, len(s)); n == nil {
		return s, nil
	}
	var counts Counts
	out, _ := redact(m, make([]byte, 0, len(s)), s, 0, len(s), &counts)
	return string(out), counts
}

// Leaks tells whether s holds a secret in any of its forms, and the name of the
// first.
func (r *Redactor) Leaks(s string) (name string, leaks bool) {
	if m := r.matcher(); m != nil {
		if _, n := find(m, s, 0, len(s)); n != nil {
			return n.name, true
		}
	}
	return "", false
}

// Longest is the length in bytes of the longest form of a secret, 0 when there
// is none: what a [Writer] holds back is less than that.
func (r *Redactor) Longest() int {
	if m := r.matcher(); m != nil {
		return m.longest
	}
	return 0
}

// Err returns err, or when its text holds a secret an error with that text
// redacted. The new one still answers errors.Is and errors.As for err, but what
// errors.As finds are the original errors, with their texts.
func (r *Redactor) Err(err error) error {
	if err == nil {
		return nil
	}
	text, counts := r.Text(err.Error())
	if counts == nil {
		return err
	}
	return &redactedError{text, err}
}

// A redactedError has no Unwrap: who walks the chain to print it must not come
// upon the original.
type redactedError struct {
	text string
	err  error
}

func (e *redactedError) Error() string                { return e.text }
func (e *redactedError) Is(target error) bool         { return errors.Is(e.err, target) }
func (e *redactedError) As(target any) bool           { return errors.As(e.err, target) }
func (e *redactedError) Format(f fmt.State, _ rune)   { show(f, e.text) }
func (e *redactedError) MarshalText() ([]byte, error) { return []byte(e.text), nil }

// String says what it is, and nothing about the secrets.
func (r *Redactor) String() string { return "secret.Redactor" }

// Format prints String for every verb.
func (r *Redactor) Format(f fmt.State, _ rune) { show(f, r.String()) }

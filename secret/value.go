package secret

import (
	"fmt"
	"log/slog"
)

// A Value is a secret that a program carries with it, in a configuration for
// example. It prints, logs and encodes as "<redacted>", with every verb and in
// every struct, and decodes from text; only Reveal returns it. The zero value is
// an unset secret, which shows as "". Values are immutable and safe for
// concurrent use; compare what they reveal, not the values.
type Value struct{ text *string } // a pointer, which fmt does not follow even in a private field

// NewValue returns a value that hides s.
func NewValue(s string) Value {
	if s == "" {
		return Value{}
	}
	return Value{&s}
}

// Reveal returns the secret, "" when there is none.
func (v Value) Reveal() string {
	if v.text == nil {
		return ""
	}
	return *v.text
}

// IsZero tells whether the secret is unset; it is what the JSON option omitzero asks.
func (v Value) IsZero() bool { return v.text == nil }

// String returns "<redacted>", or "" when the secret is unset.
func (v Value) String() string {
	if v.text == nil {
		return ""
	}
	return hidden
}

// Format prints String for every verb.
func (v Value) Format(f fmt.State, _ rune) { show(f, v.String()) }

// LogValue logs String.
func (v Value) LogValue() slog.Value { return slog.StringValue(v.String()) }

// MarshalText encodes String, so that a configuration that is written out does
// not hold the secret.
func (v Value) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText takes the text as the secret. What MarshalText wrote is refused:
// the secret that it stood for is lost.
func (v *Value) UnmarshalText(text []byte) error {
	if string(text) == hidden {
		return fmt.Errorf("read a secret: the text is %s, which stands for one; put the secret itself there", hidden)
	}
	*v = NewValue(string(text))
	return nil
}

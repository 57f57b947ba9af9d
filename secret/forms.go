package secret

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// An Encoding is a way in which programs rewrite a secret before they show it.
type Encoding uint8

// The encodings that [Registry.Register] can look for besides the value.
const (
	// Base64 is base64 with either alphabet, also where the secret is only a part
	// of what was encoded, as in the header of HTTP basic authentication. The
	// characters at its ends that it shares with its neighbours stay; they hold
	// at most four bits of the first and of the last byte each.
	Base64 Encoding = iota + 1
	// Percent is the encoding of URLs, of paths, queries and forms, with hex
	// digits of either case.
	Percent
	// Hex is two hex digits a byte, all in one case.
	Hex
	// Reversed is the value from its end.
	Reversed
)

// formsOf returns the strings that show the value, the value first.
func formsOf(value string, also []Encoding) ([]string, error) {
	encoded := []string{value}
	for _, e := range also {
		switch e {
		case Base64:
			encoded = append(encoded, base64Forms(value)...)
		case Percent:
			encoded = append(encoded, percentForms(value)...)
		case Hex:
			digits := hex.EncodeToString([]byte(value))
			encoded = append(encoded, digits, strings.ToUpper(digits))
		case Reversed:
			b := []byte(value)
			slices.Reverse(b)
			encoded = append(encoded, string(b))
		default:
			return nil, fmt.Errorf("there is no encoding %d; use Base64, Percent, Hex or Reversed", e)
		}
	}
	var forms []string
	for _, s := range encoded {
		for _, form := range append([]string{s}, jsonForms(s)...) {
			if !slices.Contains(forms, form) {
				forms = append(forms, form)
			}
		}
	}
	return forms, nil
}

// base64Forms encodes the value at each place that it can have in a group of
// three bytes, and keeps the characters that depend on the value alone.
func base64Forms(value string) []string {
	var forms []string
	for _, enc := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		for before, shared := range []int{0, 2, 3} {
			all := enc.EncodeToString(append(make([]byte, before), value...))
			forms = append(forms, all[shared:(before+len(value))*8/6])
		}
	}
	return forms
}

func percentForms(value string) []string {
	const component = "-_.!~*'()" // what JavaScript's encodeURIComponent keeps
	var js strings.Builder
	for i := range len(value) {
		c := value[i]
		if c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' || strings.IndexByte(component, c) >= 0 {
			js.WriteByte(c)
		} else {
			fmt.Fprintf(&js, "%%%02X", c)
		}
	}
	query := url.QueryEscape(value)
	upper := []string{url.PathEscape(value), query, strings.ReplaceAll(query, "+", "%20"), js.String()}
	forms := upper
	for _, form := range upper {
		forms = append(forms, lowerDigits(form))
	}
	return forms
}

// lowerDigits rewrites the hex digits after each percent sign.
func lowerDigits(s string) string {
	b := []byte(s)
	for i := 0; i+2 < len(b); i++ {
		if b[i] == '%' {
			copy(b[i+1:], strings.ToLower(s[i+1:i+3]))
			i += 2
		}
	}
	return string(b)
}

// The characters that encoders of JSON escape though they need not: Go and
// others those that mean something in HTML, some more than that, some the slash.
var jsonEscapes = []struct{ chars, format string }{
	{"<>&", `\u%04x`},
	{"<>&", `\u%04X`},
	{"<>&='", `\u%04x`},
	{"<>&+'`", `\u%04X`},
}

// jsonForms returns how encoders of JSON write s in a string where that differs
// from s, and how they write that when it is encoded once more.
func jsonForms(s string) []string {
	var forms []string
	add := func(form string) {
		if form != s {
			forms = append(forms, form, strings.ReplaceAll(form, `\`, `\\`))
		}
	}
	escaped := []string{s}
	for _, e := range jsonEscapes {
		var b strings.Builder
		for i := range len(s) {
			if strings.IndexByte(e.chars, s[i]) >= 0 {
				fmt.Fprintf(&b, e.format, s[i])
			} else {
				b.WriteByte(s[i])
			}
		}
		escaped = append(escaped, b.String())
	}
	for _, form := range escaped {
		add(form)
		add(strings.ReplaceAll(form, "/", `\/`))
	}
	return forms
}

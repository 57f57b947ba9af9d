package secret_test

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	"github.com/helios-go/helios/secret"
)

// registry registers pairs of names and values.
func registry(tb testing.TB, pairs ...string) *secret.Registry {
	tb.Helper()
	r := new(secret.Registry)
	for i := 0; i < len(pairs); i += 2 {
		if err := r.Register(pairs[i], pairs[i+1]); err != nil {
			tb.Fatalf("Register(%q): %v", pairs[i], err)
		}
	}
	return r
}

// naive redacts in the plainest way: all matches, sorted, merged where they overlap.
func naive(values []string, text string) string {
	type match struct{ start, end, order int }
	var matches []match
	for order, v := range values {
		for at := 0; at+len(v) <= len(text); at++ {
			if text[at:at+len(v)] == v {
				matches = append(matches, match{at, at + len(v), order})
			}
		}
	}
	slices.SortFunc(matches, func(a, b match) int {
		return cmp.Or(a.start-b.start, b.end-a.end, a.order-b.order)
	})
	var out strings.Builder
	next := 0
	for _, m := range matches {
		if m.start >= next {
			out.WriteString(text[next:m.start] + "<redacted:" + label(m.order) + ">")
		}
		next = max(next, m.end)
	}
	return out.String() + text[next:]
}

func label(i int) string { return "S" + string(rune('A'+i)) }

// draw makes secrets and a text over four letters of arbitrary bytes, so that
// secrets overlap themselves and each other, and the text is full of them.
func draw(seed []byte) (values []string, text string) {
	letter := func(b byte) byte { return "abcd"[b&3] }
	at := 0
	take := func() byte {
		at++
		if at > len(seed) {
			return 0
		}
		return seed[at-1]
	}
	for range 1 + take()%5 {
		v := make([]byte, 8+take()%9)
		period := 1 + int(take()%6)
		for i := range v {
			if i < period {
				v[i] = letter(take())
			} else {
				v[i] = v[i-period]
			}
		}
		values = append(values, string(v))
	}
	var b strings.Builder
	for at < len(seed) {
		switch c := take(); {
		case c < 128: // a piece of a secret
			v := values[int(c)%len(values)]
			from := int(take()) % len(v)
			b.WriteString(v[from : from+int(take())%(len(v)-from+1)])
		case c < 200: // a whole one
			b.WriteString(values[int(c)%len(values)])
		default:
			b.WriteByte(c)
		}
	}
	return values, b.String()
}

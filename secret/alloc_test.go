//go:build !race

package secret_test

import (
	"io"
	"strings"
	"testing"
)

// It does not run in parallel: it would count the allocations of others.
func TestAllocationCeilings(t *testing.T) {
	reg := registry(t, "A", "first-secret", "B", "a&b<c>12")
	text := strings.Repeat("some text without any of them, ", 100)
	data := []byte(text)
	raw := []byte(`{"a":"` + text + `"}`)
	w := reg.Redactor().Writer(io.Discard)
	_, _ = w.Write(data)
	dst := make([]byte, 0, 2*len(text))
	for _, c := range []struct {
		name string
		most float64
		do   func()
	}{
		{"Redactor", 0, func() { reg.Redactor() }},
		{"Text", 0, func() { reg.Redactor().Text(text) }},
		{"Leaks", 0, func() { reg.Leaks(text) }},
		{"JSON", 0, func() { reg.Redactor().JSON(raw) }},
		{"Append", 0, func() { reg.Redactor().Append(dst, data) }},
		{"Writer", 0, func() { _, _ = w.Write(data) }},
		{"Text with a secret", 3, func() { reg.Redactor().Text("it is first-secret") }},
	} {
		if got := testing.AllocsPerRun(100, c.do); got > c.most {
			t.Errorf("%s: %v allocations, want at most %v", c.name, got, c.most)
		}
	}
}

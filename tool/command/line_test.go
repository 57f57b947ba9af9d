package command

import (
	"slices"
	"strconv"
	"strings"
	"testing"
)

// words reads back what Line wrote.
func words(line string) (args []string, ok bool) {
	for line != "" {
		word, rest, _ := strings.Cut(line, " ")
		if line[0] == '"' {
			quoted, err := strconv.QuotedPrefix(line)
			if err != nil {
				return nil, false
			}
			rest = strings.TrimPrefix(line[len(quoted):], " ")
			if word, err = strconv.Unquote(quoted); err != nil {
				return nil, false
			}
		}
		args, line = append(args, word), rest
	}
	return args, true
}

// FuzzLine finds arguments that are mistaken for others.
func FuzzLine(f *testing.F) {
	f.Add("status", "a b", "")
	f.Add("\"", "\\", "\xff")
	f.Add("é", "\u202e", "<")
	f.Fuzz(func(t *testing.T, a, b, c string) {
		args := []string{a, b, c}
		line, err := Line(args)
		if err != nil {
			t.Fatal(err)
		}
		if got, ok := words(line); !ok || !slices.Equal(got, args) {
			t.Errorf("%q became %q, which reads %q", args, line, got)
		}
		if strings.ContainsFunc(line, func(r rune) bool { return r < ' ' || r == 0x7f }) {
			t.Errorf("%q holds control characters", line)
		}
	})
}

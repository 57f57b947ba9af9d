package memory

import (
	"slices"
	"strings"
	"testing"
)

func TestInsert(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text string
		line int
		add  string
		want string
	}{
		{"a\nb\n", 1, "x", "x\na\nb\n"},
		{"a\nb\n", 2, "x\n", "a\nx\nb\n"},
		{"a\nb\n", 3, "x", "a\nb\nx\n"},
		{"a\nb", 3, "x\n", "a\nb\nx"},
		{"a\nb", 2, "x", "a\nx\nb"},
		{"a\n", 2, "x\n\n", "a\nx\n\n"},
		{"a\n", 1, "", "\na\n"},
		{"\n", 2, "x", "\nx\n"},
		{"", 1, "x", "x"},
		{"", 1, "x\n", "x\n"},
		{"", 1, "", "\n"},
	} {
		if got, err := insert(c.text, c.line, c.add); got != c.want || err != nil {
			t.Errorf("insert %q at %d of %q: got %q, error %v, want %q", c.add, c.line, c.text, got, err, c.want)
		}
	}
	for _, c := range []struct {
		text string
		line int
	}{{"a\nb\n", 0}, {"a\nb\n", -1}, {"a\nb\n", 4}, {"a\nb", 4}, {"", 0}, {"", 2}} {
		if got, err := insert(c.text, c.line, "x"); err == nil {
			t.Errorf("insert at %d of %q: got %q, want an error", c.line, c.text, got)
		}
	}
}

// naiveInsert works on a list of lines.
func naiveInsert(text string, line int, add string) (string, bool) {
	if text == "" {
		switch {
		case line != 1:
			return "", false
		case add == "":
			return "\n", true
		}
		return add, true
	}
	body, newline := strings.CutSuffix(text, "\n")
	lines := strings.Split(body, "\n")
	if line < 1 || line > len(lines)+1 {
		return "", false
	}
	lines = slices.Insert(lines, line-1, strings.Split(strings.TrimSuffix(add, "\n"), "\n")...)
	text = strings.Join(lines, "\n")
	if newline {
		text += "\n"
	}
	return text, true
}

func FuzzInsert(f *testing.F) {
	f.Add("a\nb\n", 2, "x\n")
	f.Add("a", 2, "")
	f.Add("\n\n", 3, "\n\n")
	f.Add("", 1, "\r\n")
	f.Add("", -53, "0")
	f.Fuzz(func(t *testing.T, text string, line int, add string) {
		got, err := insert(text, line, add)
		want, valid := naiveInsert(text, line, add)
		if (err == nil) != valid || got != want {
			t.Errorf("insert %q at %d of %q: got %q, error %v, want %q, %v", add, line, text, got, err, want, valid)
		}
	})
}

// naiveReplace looks at every place.
func naiveReplace(text, from, to string) (string, bool) {
	if from == "" {
		return "", false
	}
	var found []string
	for at := range len(text) {
		if strings.HasPrefix(text[at:], from) {
			found = append(found, text[:at]+to+text[at+len(from):])
		}
	}
	if len(found) != 1 {
		return "", false
	}
	return found[0], true
}

func FuzzReplace(f *testing.F) {
	f.Add("one two", "two", "three")
	f.Add("aaa", "aa", "b")
	f.Add("a", "", "b")
	f.Fuzz(func(t *testing.T, text, from, to string) {
		got, err := replace(text, from, to)
		want, valid := naiveReplace(text, from, to)
		if (err == nil) != valid || got != want {
			t.Errorf("replace %q by %q in %q: got %q, error %v, want %q, %v", from, to, text, got, err, want, valid)
		}
	})
}

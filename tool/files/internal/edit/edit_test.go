package edit_test

import (
	"bytes"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/helios-go/helios/tool/files/internal/edit"
)

func TestReplacesWhatIsThereOnce(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text    string
		changes []edit.Change
		want    string
	}{
		"once":                      {"a b c", []edit.Change{{Old: "b", New: "x"}}, "a x c"},
		"all":                       {"a b a", []edit.Change{{Old: "a", New: "aa", All: true}}, "aa b aa"},
		"all, where they overlap":   {"aaa", []edit.Change{{Old: "aa", New: "b", All: true}}, "ba"},
		"nothing in its place":      {"a b c", []edit.Change{{Old: " b"}}, "a c"},
		"one after the other":       {"one", []edit.Change{{Old: "one", New: "two"}, {Old: "two", New: "three"}}, "three"},
		"line ends of the file":     {"a\r\nb\r\nc\r\n", []edit.Change{{Old: "a\nb\n", New: "x\ny\nz\n"}}, "x\r\ny\r\nz\r\nc\r\n"},
		"a line end put in":         {"a\r\nb\r\n", []edit.Change{{Old: "b", New: "b\nc"}}, "a\r\nb\r\nc\r\n"},
		"told in CRLF":              {"a\r\nb\r\n", []edit.Change{{Old: "a\r\nb", New: "x\r\ny"}}, "x\r\ny\r\n"},
		"a line end taken out":      {"a\r\nb\r\n", []edit.Change{{Old: "a\nb", New: "ab"}}, "ab\r\n"},
		"mixed, where it is LF":     {"a\nb\r\nc\n", []edit.Change{{Old: "c\n", New: "c\nd\n"}}, "a\nb\r\nc\nd\n"},
		"mixed, within":             {"a\nb\r\nc\n", []edit.Change{{Old: "a\nb\nc", New: "1\n2\n3"}}, "1\n2\r\n3\n"},
		"mixed, where it is CRLF":   {"a\nb\r\nc\n", []edit.Change{{Old: "b\n", New: "b\nx\n"}}, "a\nb\r\nx\r\nc\n"},
		"bytes that are not UTF-8":  {"\xff a \xfe", []edit.Change{{Old: "a", New: "b"}}, "\xff b \xfe"},
		"a lone carriage return":    {"a\rb", []edit.Change{{Old: "a", New: "x\n"}}, "x\n\rb"},
		"CRLF into a file of LF":    {"a\nb\n", []edit.Change{{Old: "a", New: "a\r\nc"}}, "a\r\nc\nb\n"},
		"several carriage returns":  {"a\r\r\nb\r\n", []edit.Change{{Old: "b", New: "c"}}, "a\r\r\nc\r\n"},
		"at the end without a line": {"a\r\nb", []edit.Change{{Old: "b", New: "b\nc"}}, "a\r\nb\r\nc"},
	} {
		got, _, err := edit.Apply([]byte(c.text), c.changes, 1000)
		if err != nil || string(got) != c.want {
			t.Errorf("%s: got %q, %v, want %q", name, got, err, c.want)
		}
	}
}

func TestSaysWhyNot(t *testing.T) {
	t.Parallel()
	const code = "package x\n\nfunc f() {\n\tif a  {\n\t\treturn \"it's\"\n\t}\n}\n\nfunc g() {\n\tx()\n}\n"
	for name, c := range map[string]struct {
		text, old, with, want string
	}{
		"empty":               {code, "", "x", "is empty"},
		"the same":            {code, "x()", "x()", "are the same"},
		"twice":               {code, "() {\n", "x", "there 2 times, on lines 3 and 9"},
		"overlapping":         {"aaa", "aa", "b", "there 2 times, on lines 1 and 1"},
		"many times":          {strings.Repeat("a\n", 20), "a", "b", "on lines 1, 2, 3, 4, 5, 6, 7, 8 and more"},
		"line numbers":        {code, "     3\tfunc f() {\n     4\t\tif a  {", "", "with the line numbers that Read puts in front; on line 3"},
		"backslashes":         {code, `func g() {\n\tx()\n}`, "", "with backslashes; on line 9"},
		"CRLF":                {code, "func g() {\r\n\tx()\r\n", "", `with \r\n; on line 9`},
		"a mark":              {code, "key = <redacted:API_KEY>", "", "stands for a secret"},
		"blanks at the end":   {code, "func g() { \n\tx()", "", "line 9 it is there but for blanks at the ends"},
		"indentation":         {code, "    if a  {\n        return", "", "line 4 it is there but for blanks or indentation"},
		"a blank line":        {code, "package x\nfunc f() {", "", "line 1 it is there but for blanks or indentation"},
		"quotes":              {code, "return \u201cit\u2019s\u201d", "", "line 5 it is there but for typographic"},
		"case":                {code, "FUNC G", "", "line 9 it is there but for upper and lower case"},
		"first lines":         {code, "func g() {\n\tx()\n\ty()\n}", "", "its first 2 lines are on line 9, but line 11 is another"},
		"made already":        {code, "colour()\n", "x()\n", "on line 10: has the change been made already?"},
		"nothing close":       {code, "colour()", "color()", "nor anything close"},
		"only its line ends":  {"a\r\nb\r\n", "a\nb", "a\r\nb", "only in its line ends"},
		"too long":            {strings.Repeat("x", 900) + " a", "a", strings.Repeat("y", 200), "longer than 1000 bytes"},
		"near the end, wrong": {code, "x()\n}\n\n\n\nmore", "", "Read"},
	} {
		got, _, err := edit.Apply([]byte(c.text), []edit.Change{{Old: c.old, New: c.with}}, 1000)
		if err == nil || got != nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %q, %v\nwant %q", name, got, err, c.want)
		}
	}
}

func TestChangesAllOrNone(t *testing.T) {
	t.Parallel()
	text := []byte("a b c")
	_, _, err := edit.Apply(text, []edit.Change{{Old: "a", New: "x"}, {Old: "a", New: "y"}, {Old: "c", New: "z"}}, 1000)
	if err == nil || !strings.HasPrefix(err.Error(), "edit 2 of 3: ") || string(text) != "a b c" {
		t.Errorf("got %v, %q", err, text)
	}
}

func TestTellsWhereThePiecesAre(t *testing.T) {
	t.Parallel()
	out, spans, err := edit.Apply([]byte("one two three two"), []edit.Change{{Old: "three", New: "3"}, {Old: "two", New: "second", All: true}, {Old: "one ", New: ""}}, 1000)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range spans {
		got = append(got, string(out[s.Start:s.End]))
	}
	if want := "[ second 3 second]"; "["+strings.Join(got, " ")+"]" != want {
		t.Errorf("got %q of %q, want %s", got, out, want)
	}
}

// model is what Apply does to a text with one kind of line ends, said plainly.
func model(text string, c edit.Change) (string, bool) {
	crlf := strings.Contains(text, "\r\n")
	with := c.New
	old := c.Old
	if crlf {
		text, old, with = strings.ReplaceAll(text, "\r\n", "\n"), strings.ReplaceAll(old, "\r\n", "\n"), strings.ReplaceAll(with, "\r\n", "\n")
	}
	if c.Old == "" || c.Old == c.New {
		return "", false
	}
	n := 0
	for i := range len(text) {
		if strings.HasPrefix(text[i:], old) {
			n++
		}
	}
	out := strings.Replace(text, old, with, 1)
	if c.All {
		out = strings.ReplaceAll(text, old, with)
	}
	if n == 0 || n > 1 && !c.All || out == text {
		return "", false
	}
	if crlf {
		out = strings.ReplaceAll(out, "\n", "\r\n")
	}
	return out, true
}

func agree(t interface {
	Fatalf(format string, args ...any)
}, text string, c edit.Change) {
	want, ok := model(text, c)
	got, spans, err := edit.Apply([]byte(text), []edit.Change{c}, 1<<20)
	if ok != (err == nil) || ok && string(got) != want {
		t.Fatalf("%q %+v\n got %q, %v\nwant %q, %v", text, c, got, err, want, ok)
	}
	for _, s := range spans {
		with := c.New
		if strings.Contains(text, "\r\n") {
			with = strings.ReplaceAll(strings.ReplaceAll(with, "\r\n", "\n"), "\n", "\r\n")
		}
		if string(got[s.Start:s.End]) != with {
			t.Fatalf("%q %+v: a span holds %q", text, c, got[s.Start:s.End])
		}
	}
}

// uniform makes all line ends of a text alike.
func uniform(text string, crlf bool) string {
	text = strings.ReplaceAll(text, "\r", "")
	if crlf {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	return text
}

func TestAgreesWithANaiveModel(t *testing.T) {
	t.Parallel()
	piece := rapid.SampledFrom([]string{"a", "b", "ab", " ", "\n", "\r\n", "\t", "é", "\xff"})
	join := func(all []string) string { return strings.Join(all, "") }
	some := rapid.Map(rapid.SliceOfN(piece, 0, 4), join)
	rapid.Check(t, func(t *rapid.T) {
		text := uniform(rapid.Map(rapid.SliceOfN(piece, 0, 30), join).Draw(t, "text"), rapid.Bool().Draw(t, "crlf"))
		agree(t, text, edit.Change{Old: some.Draw(t, "old"), New: some.Draw(t, "new"), All: rapid.Bool().Draw(t, "all")})
	})
}

func FuzzApply(f *testing.F) {
	f.Add("a\nb\nc\n", "b\n", "x\ny\n", false, true)
	f.Add("aXbXc", "X", "", true, false)
	f.Fuzz(func(t *testing.T, text, old, with string, all, crlf bool) {
		c := edit.Change{Old: old, New: with, All: all}
		agree(t, uniform(text, crlf), c)
		// With any line ends: what is outside of the pieces stays byte for byte.
		out, spans, err := edit.Apply([]byte(text), []edit.Change{c}, 1<<20)
		if err != nil {
			return
		}
		rest, done := []byte(text), 0
		for _, s := range spans {
			between := out[done:s.Start]
			if !bytes.HasPrefix(rest, between) {
				t.Fatalf("%q %+v: %q changed more than it was to", text, c, out)
			}
			rest = rest[len(between):]
			k := len(rest) - len(bytes.TrimPrefix(rest, []byte(old)))
			if k == 0 { // it stands there with other line ends
				for k = 1; k <= len(rest); k++ {
					if bytes.Equal(bytes.ReplaceAll(rest[:k], []byte("\r\n"), []byte("\n")), []byte(strings.ReplaceAll(old, "\r\n", "\n"))) {
						break
					}
				}
			}
			rest, done = rest[k:], s.End
		}
		if !bytes.Equal(rest, out[done:]) {
			t.Fatalf("%q %+v: got the end %q, want %q", text, c, out[done:], rest)
		}
	})
}

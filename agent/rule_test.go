package agent

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestGlob(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ pattern, yes, no string }{
		{"a/b", "a/b", "a a/b/c xa/b a/bb"},
		{"/w/*", "/w/a /w/ /w/.x", "/w/a/b /w w/a"},
		{"**", "a a/b/c . /x ()", ""},
		{"*", "a .", "a/b /"},
		{"src/**", "src/a src/a/b src/", "src srcs/a xsrc/a"},
		{"a?c", "abc a.c aéc", "ac a/c abbc"},
		{"**/x", "x a/x a/b/x /x", "ax a/xx x/a a/bx"},
		{"**/secrets.*", "secrets.env a/secrets.env a/b/secrets.", "secretsxenv mysecrets.env secrets.d/x"},
		{"a/**/b", "a/b a/x/b a/x/y/b", "ab a/xb a/x/bb xa/b"},
		{"**.go", "a.go a/b.go .go", "a.gox go"},
		{"a**b", "ab axb a/x/b", "abx xab"},
		{"*.*", "a.b .", "ab a.b/c"},
		{"a.(+[x]{y}|^$b", "a.(+[x]{y}|^$b", "ab ax"},
		{"?", "a é 日", "ab / aa"},
		{"**/**/x", "x a/x a/b/x", "ax"},
		{"**?", "a a/b", ""},
		{"*/**/*", "a/b a/x/b", "a ab"},
		{"\uFFFD?", "\uFFFD\xff", "\xff\xff"},
	} {
		for key := range strings.FieldsSeq(tt.yes) {
			if !glob(tt.pattern, key) {
				t.Errorf("%q does not match %q", tt.pattern, key)
			}
		}
		for key := range strings.FieldsSeq(tt.no) {
			if glob(tt.pattern, key) {
				t.Errorf("%q matches %q", tt.pattern, key)
			}
		}
	}
	for pattern, want := range map[string]bool{"": true, "*": true, "**": true, "?": false, "**/": true, "a": false} {
		if got := glob(pattern, ""); got != want {
			t.Errorf("%q matches nothing: %t", pattern, got)
		}
	}
}

// asRegexp is another way to say what a pattern means.
func asRegexp(pattern string) *regexp.Regexp {
	var b strings.Builder
	b.WriteString("(?s)^")
	for i := 0; i < len(pattern); {
		rest := pattern[i:]
		switch {
		case strings.HasPrefix(rest, "**/") && (i == 0 || pattern[i-1] == '/'):
			b.WriteString("(?:.*/)?")
			i += 3
		case strings.HasPrefix(rest, "**"):
			b.WriteString(".*")
			i += 2
		case rest[0] == '*':
			b.WriteString("[^/]*")
			i++
		case rest[0] == '?':
			b.WriteString("[^/]")
			i++
		default:
			_, n := utf8.DecodeRuneInString(rest)
			b.WriteString(regexp.QuoteMeta(rest[:n]))
			i += n
		}
	}
	return regexp.MustCompile(b.String() + "$")
}

func TestGlobIsTheRegularExpressionThatItMeans(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		pattern := rapid.StringMatching(`(a|b|/|\*|\*\*|\*\*/|\?|\.|é){0,9}`).Draw(t, "pattern")
		key := rapid.StringMatching(`(a|b|/|\.|é){0,9}`).Draw(t, "key")
		if got, want := glob(pattern, key), asRegexp(pattern).MatchString(key); got != want {
			t.Fatalf("glob(%q, %q) = %t, want %t", pattern, key, got, want)
		}
	})
}

func FuzzGlob(f *testing.F) {
	for _, s := range []string{"**/x\na/x", "a*b?\nab/", "**/**/*\n//", "*a*a*a\naaaa", "a/**/b\na/b"} {
		pattern, key, _ := strings.Cut(s, "\n")
		f.Add(pattern, key)
	}
	f.Fuzz(func(t *testing.T, pattern, key string) {
		if !utf8.ValidString(pattern) || !utf8.ValidString(key) || len(pattern) > 300 {
			glob(pattern, key) // whatever it says
			return
		}
		if got, want := glob(pattern, key), asRegexp(pattern).MatchString(key); got != want {
			t.Fatalf("glob(%q, %q) = %t, want %t", pattern, key, got, want)
		}
	})
}

// Patterns that make backtracking matchers take forever: this ends, or it does not.
func TestGlobTakesNoLongerThanItsInputs(t *testing.T) {
	t.Parallel()
	key := strings.Repeat("a", 2000)
	for _, pattern := range []string{
		strings.Repeat("*a", 100) + "b", strings.Repeat("**a", 100) + "b", strings.Repeat("**/", 100) + "b",
		strings.Repeat("**/*", 100) + "b", strings.Repeat("?*", 100) + "b",
	} {
		if glob(pattern, key) {
			t.Errorf("%q matches", pattern)
		}
	}
}

func TestRulesAreReadAndWritten(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Rule{
		"write":                      {Tool: "write"},
		"mcp__*":                     {Tool: "mcp__*"},
		"*":                          {Tool: "*"},
		"write(src/**)":              {Tool: "write", Key: "src/**"},
		"write(a (1).txt)":           {Tool: "write", Key: "a (1).txt"},
		"exec(rm))":                  {Tool: "exec", Key: "rm)"},
		"fetch(https://example.org)": {Tool: "fetch", Key: "https://example.org"},
		"ls(.)":                      {Tool: "ls", Key: "."},
		"read(/)":                    {Tool: "read", Key: "/"},
		"read(.git/**)":              {Tool: "read", Key: ".git/**"},
	} {
		got, err := ParseRule(text)
		if got != want || err != nil || got.String() != text {
			t.Errorf("ParseRule(%q) = %+v, %v, want %+v", text, got, err, want)
		}
	}
}

func TestAMalformedRuleIsRefused(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                        "it names no tool; * names all",
		"(x)":                     "it names no tool",
		"write(":                  "a pattern ends with )",
		"write(a":                 "a pattern ends with )",
		"write(a)x":               "a pattern ends with )",
		"write()":                 "the pattern is empty; write write for every call",
		"write a":                 "a tool's name consists of",
		" write":                  "a tool's name consists of",
		"wr[i]te":                 "a tool's name consists of",
		"write(./**)":             "a part that is . or ..",
		"write(../x)":             "a part that is . or ..",
		"write(a/../b)":           "a part that is . or ..",
		"write(src/)":             "ends with a slash; write ** behind it",
		"write(***)":              "more than two stars",
		"write(a\\b)":             "a backslash; write /",
		"write(a\nb)":             "a control character",
		"write(\xff)":             "UTF-8",
		strings.Repeat("w", 2000): "longer than 1024 bytes",
	} {
		if r, err := ParseRule(text); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("ParseRule(%q) = %+v, %v, want an error with %q", text, r, err, want)
		}
	}
	if _, err := (Rule{Tool: "write", Key: "./x"}).MarshalText(); err == nil {
		t.Error("a malformed rule is written")
	}
}

func FuzzParseRule(f *testing.F) {
	for _, s := range []string{"write", "write(src/**)", "mcp__*(**/x)", "a(b", "a()", "(", "*(.)", "a(b))", "a(./b)"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r, err := ParseRule(text)
		if err != nil {
			if r != (Rule{}) || err.Error() == "" {
				t.Errorf("ParseRule(%q) = %+v beside %v", text, r, err)
			}
			return
		}
		if r.String() != text || r.Check() != nil {
			t.Errorf("ParseRule(%q) = %+v, which is written %q: %v", text, r, r, r.Check())
		}
		data, err := json.Marshal(r)
		var back Rule
		if err == nil {
			err = json.Unmarshal(data, &back)
		}
		if err != nil || back != r {
			t.Errorf("%q is written as %s and read as %+v: %v", text, data, back, err)
		}
	})
}

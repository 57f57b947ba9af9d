package glob_test

import (
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/helios-go/helios/tool/files/internal/glob"
)

func TestMatchesAsPeopleWritePatterns(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ pattern, yes, no string }{
		{"*.go", "a.go .go", "a/b.go a.got"},
		{"**/*.md", "a.md a/b.md a/b/c.md", "md a/md a.md/x"},
		{"a/**/b", "a/b a/x/b a/x/y/b", "ab a/xb a/b/c"},
		{"a/**", "a/b a/b/c", "a ab b/a/c"},
		{"**", "a a/b", ""},
		{"a/**/**/b", "a/b a/x/b", "ab"},
		{"a**b", "ab axxb", "a/b"},
		{"a/b**", "a/b a/bc", "a/b/c"},
		{"?", "a é /", "ab"},
		{"a?c", "abc aéc", "a/c ac"},
		{"[a-c]x", "ax cx", "dx x"},
		{"[!a-c]x", "dx", "ax"},
		{"[^a]", "b", "a"},
		{"[]a]", "] a", "b"},
		{"[!]]", "a", "]"},
		{"[a-]", "a -", "b"},
		{"[[:digit:]x]", "1 x", "a :"},
		{`\*`, "*", "a"},
		{`[\]]`, "]", "a"},
		{"{a,b}/c", "a/c b/c", "c {a,b}/c"},
		{"a{,.x,{1,2}y}", "a a.x a1y a2y", "ay"},
		{"*.{[ab],c{d,e}}", "x.a x.cd x.ce", "x.c"},
		{`\{a,b\}`, "{a,b}", "a"},
		{"a.b+(c)", "a.b+(c)", "axb+(c)"},
		{"src/main.go", "src/main.go", "main.go src/main.gox"},
		{"**/x/**", "x/a a/x/b a/b/x/c/d", "x a/x"},
		{"**/a*/*.c", "a/x.c b/ab/y.c", "x.c b/x.c"},
	} {
		g, err := glob.Compile(c.pattern, nil)
		if err != nil {
			t.Error(err)
			continue
		}
		for p := range strings.FieldsSeq(c.yes) {
			if p != "/" && !g.Match(p) {
				t.Errorf("%q does not match %q", c.pattern, p)
			}
		}
		for p := range strings.FieldsSeq(c.no) {
			if g.Match(p) {
				t.Errorf("%q matches %q", c.pattern, p)
			}
		}
	}
}

func TestSaysWhatIsWrongWithAPattern(t *testing.T) {
	t.Parallel()
	for pattern, want := range map[string]string{
		"a[":                       "[ has no ]",
		"a[b":                      "[ has no ]",
		`a[\`:                      "[ has no ]",
		"[z-a]":                    "range z-a runs backwards",
		"{a":                       "{ has no }",
		"a}":                       "} has no {",
		`a\`:                       "ends with a backslash",
		strings.Repeat("{a,b}", 9): "more than 256 patterns",
		strings.Repeat("*", 1001):  "1001 bytes, and 1000 is the most",
		strings.Repeat("{a,b}", 8) + strings.Repeat("?", 100): "too long together",
	} {
		if _, err := glob.Compile(pattern, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", pattern, err, want)
		}
	}
	if _, err := glob.Compile("{a,b", &glob.Options{PlainBraces: true}); err != nil {
		t.Error(err)
	}
}

// model writes a pattern as a regular expression, for the parts that fuzzing puts
// together.
func model(pattern string) *regexp.Regexp {
	var b strings.Builder
	b.WriteString(`(?s)^`)
	depth := 0
	for i := 0; i < len(pattern); {
		front := i == 0 || pattern[i-1] == '/' || depth > 0 && (pattern[i-1] == '{' || pattern[i-1] == ',')
		switch rest := pattern[i:]; {
		case front && depth == 0 && strings.HasPrefix(rest, "**/"):
			b.WriteString(`(?:[^/]+/)*`)
			i += 3
		case front && depth == 0 && rest == "**":
			b.WriteString(`.+`)
			i += 2
		case rest[0] == '*':
			b.WriteString(`[^/]*`)
			i++
		case rest[0] == '?':
			b.WriteString(`[^/]`)
			i++
		case strings.HasPrefix(rest, "[a-c]"):
			b.WriteString(`[a-c]`)
			i += 5
		case strings.HasPrefix(rest, "[!a]"):
			b.WriteString(`[^a/]`)
			i += 4
		case rest[0] == '{':
			b.WriteString(`(?:`)
			depth++
			i++
		case rest[0] == '}':
			b.WriteString(`)`)
			depth--
			i++
		case rest[0] == ',' && depth > 0:
			b.WriteString(`|`)
			i++
		default:
			b.WriteString(regexp.QuoteMeta(rest[:1]))
			i++
		}
	}
	b.WriteString(`$`)
	return regexp.MustCompile(b.String())
}

func paths() *rapid.Generator[string] {
	return rapid.Map(rapid.SliceOfN(rapid.StringOfN(rapid.SampledFrom([]rune("abcx.")), 1, 4, -1), 1, 4), func(s []string) string { return strings.Join(s, "/") })
}

func TestRandomPatternsAgreeWithARegexp(t *testing.T) {
	t.Parallel()
	piece := rapid.SampledFrom([]string{"a", "b", "x", ".", "*", "?", "[a-c]", "[!a]", "/", "/**/", "{a,bc}", "{*x,b,{a,c}}"})
	rapid.Check(t, func(t *rapid.T) {
		pattern := strings.Join(rapid.SliceOfN(piece, 1, 7).Draw(t, "pattern"), "")
		pattern = strings.ReplaceAll(pattern, "***", "*")
		pattern = rapid.SampledFrom([]string{"", "**/", "a/"}).Draw(t, "front") + strings.TrimPrefix(pattern, "/") + rapid.SampledFrom([]string{"", "/**"}).Draw(t, "end")
		if strings.Contains(pattern, "//") {
			t.Skip("not clean")
		}
		g, err := glob.Compile(pattern, nil)
		if err != nil {
			t.Fatal(err)
		}
		re := model(pattern)
		for range 20 {
			p := paths().Draw(t, "path")
			if got, want := g.Match(p), re.MatchString(p); got != want {
				t.Fatalf("%q on %q: got %v, want %v (%s)", pattern, p, got, want, re)
			}
		}
	})
}

func FuzzGlob(f *testing.F) {
	f.Add("**/*.{go,mod}", "a/b.go")
	f.Add("a/**/[!x]?", "a/b/yz")
	f.Fuzz(func(t *testing.T, pattern, path string) {
		g, err := glob.Compile(pattern, nil)
		if err != nil {
			return
		}
		got := g.Match(path)
		// Without what has a meaning of its own a pattern matches itself alone.
		if !strings.ContainsAny(pattern, `*?[]{}\`) && got != (pattern == path) {
			t.Fatalf("%q on %q: got %v", pattern, path, got)
		}
		// And each path is matched by itself with all of that taken literally.
		if len(path) > 500 {
			return
		}
		quoted := regexp.MustCompile(`[*?\[\]{}\\]`).ReplaceAllString(path, `\$0`)
		q, err := glob.Compile(quoted, nil)
		if err != nil || !q.Match(path) {
			t.Fatalf("%q: %v, or it does not match %q", quoted, err, path)
		}
		if every, _ := glob.Compile("**", nil); path != "" && !every.Match(path) {
			t.Fatalf("** does not match %q", path)
		}
	})
}

func BenchmarkMatch(b *testing.B) {
	for _, pattern := range []string{"**/*.go", "internal/**/x*_test.go", "*.{go,mod,sum}"} {
		b.Run(pattern, func(b *testing.B) {
			g, err := glob.Compile(pattern, nil)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				g.Match("internal/some/folder/xylophone_test.go")
				g.Match("internal/some/folder/readme.md")
			}
		})
	}
}

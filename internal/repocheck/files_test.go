package repocheck

import (
	"regexp"
	"strings"
	"testing"
)

func TestLongGoFilesAreRefused(t *testing.T) {
	t.Parallel()
	files := []File{
		{"long.go", []byte(strings.Repeat("\n", MaxLines+1))},
		{"enough.go", []byte(strings.Repeat("\n", MaxLines))},
		{"table.tsv", []byte(strings.Repeat("\n", 5*MaxLines))},
	}
	wantProblems(t, CheckLength(files), "long.go: 1001 lines")
}

func TestTextIsPlain(t *testing.T) {
	t.Parallel()
	files := []File{
		{"good.md", []byte("one\ntwo\n")},
		{"empty.txt", nil},
		{"windows.md", []byte("one\ntwo\r\n")},
		{"latin1.md", []byte("caf\xe9\n")},
		{"cut.md", []byte("one\ntwo")},
		{"data.cdf", []byte("\x00\r\xff")},
		{"testdata/windows.csv", []byte("a,b\r\n")},
	}
	wantProblems(t, CheckText(files), "windows.md:2: a carriage return", "latin1.md: is not UTF-8", "cut.md: the last line")
}

func TestWordsAreFoundWithTheirLine(t *testing.T) {
	t.Parallel()
	words := []Word{{Parts: []string{"secret"}, Pattern: regexp.MustCompile(`\bsecret\b`), Except: []string{"docs/*.md"}, Because: "it is secret"}}
	files := []File{
		{"a.go", []byte("one\ntwo secret\nsecretary\n")},
		{"docs/a.md", []byte("secret\n")},
		{"a.bin", []byte("\x00secret")},
	}
	wantProblems(t, CheckWords(words, files), `a.go:2: says "secret": it is secret`)
}

// The rules' own patterns, on what they must find and must leave alone.
func TestWordsWithoutAPlace(t *testing.T) {
	t.Parallel()
	tests := map[string]bool{
		"// TODO: later":                true,
		"ctx := context.TODO()":         false,
		"a FIXME here":                  true,
		"open /home/ada/data.cdf":       true,
		"cd /root/project":              true,
		"https://example.org/home/page": false,
		"~/.local/share/helioai":        false,
		"/usr/bin/python3":              false,
		"GOPROXY=https://example.org":   true,
		"https://pkg.go.dev/net/http":   false,
		"golang.org/x/sys":              false,
	}
	for text, want := range tests {
		if got := len(CheckWords(Words, []File{{"a.md", []byte(text)}})) > 0; got != want {
			t.Errorf("%q: found %v, want %v", text, got, want)
		}
	}
}

func TestLinksLeadSomewhere(t *testing.T) {
	t.Parallel()
	files := []File{
		{"README.md", []byte("# Helios\n[a](docs/why.md) [b](docs/) [c](docs/why.md#one-more-time) [d](https://example.org/x)\n" +
			"![f](docs/figure.png \"title\") <img src=\"docs/none.png\"> [m](mailto:a@example.org)\n`[code](gone.md)`\n" +
			"```\n[block](gone.md)\n```\n[e](#helios) [g](#missing)\n")},
		{"docs/why.md", []byte("## One more: `time`\n[up](../README.md) [down](gone.md)\n[h](../README.md#nope)\n")},
		{"docs/figure.png", []byte("\x00")},
		{"testdata/page.md", []byte("[x](gone.md)\n")},
	}
	wantProblems(t, CheckLinks(files),
		`README.md:3: the link "docs/none.png" leads to no file`,
		`README.md:8: the link "#missing" names a heading that README.md does not have`,
		`docs/why.md:2: the link "gone.md" leads to no file`,
		`docs/why.md:3: the link "../README.md#nope" names a heading`)
}

func TestPackageCommentsBeginWithTheirName(t *testing.T) {
	t.Parallel()
	packages := []Package{
		{Path: "./good", Name: "good", Doc: "Package good is good.\n"},
		{Path: "./cmd/x", Name: "main", Doc: "X does things.\n"},
		{Path: "./none", Name: "none"},
		{Path: "./wrong", Name: "wrong", Doc: "This package is wrong.\n"},
	}
	wantProblems(t, CheckComments(packages), "./none: no file has a package comment", `./wrong: the package comment begins "This package is"`)
}

func TestDependenciesNeedAReason(t *testing.T) {
	t.Parallel()
	page := File{"docs/rationale.md", []byte(`
example.org/prose is not a row.

| for | module | why |
|---|---|---|
| trees | example.org/tree | small |
| scripts, tests | example.org/go-internal/testscript (tests), golang.org/x/sys | readable |
| old | example.org/old | once |
| empty | example.org/empty | |
`)}
	required := []string{"example.org/tree", "example.org/go-internal", "golang.org/x/sys", "example.org/new", "example.org/empty"}
	wantProblems(t, CheckDependencies(page, required),
		"go.mod: requires example.org/new",
		"docs/rationale.md:8: example.org/old is explained, and go.mod does not require it",
		"docs/rationale.md:9: example.org/empty has a row without")
}

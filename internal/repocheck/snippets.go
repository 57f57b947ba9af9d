package repocheck

import (
	"path"
	"strings"
)

// CheckSnippets wants the Go code of the README and of the pages in docs to be
// code that is compiled and tested: the lines of each block, blank ones and
// indentation aside, stand one after the other in some Go file.
func CheckSnippets(files []File) []Problem {
	var sources []string
	for _, f := range files {
		if strings.HasSuffix(f.Path, ".go") && !f.fixture() {
			sources = append(sources, bare(strings.Split(string(f.Data), "\n")))
		}
	}
	var problems []Problem
	for _, f := range files {
		if f.Path != "README.md" && (path.Dir(f.Path) != "docs" || path.Ext(f.Path) != ".md") {
			continue
		}
		for _, s := range snippets(string(f.Data)) {
			if !containsAny(sources, bare(s.lines)) {
				problems = append(problems, Problem{Where: f.Path, Line: s.line, What: "this Go code stands in no Go file as it is here; take it from an Example"})
			}
		}
	}
	return problems
}

func containsAny(sources []string, text string) bool {
	for _, s := range sources {
		if strings.Contains(s, text) {
			return true
		}
	}
	return false
}

// bare is the text of lines without indentation and blank lines, each line
// between two line ends.
func bare(lines []string) string {
	var b strings.Builder
	b.WriteByte('\n')
	for _, l := range lines {
		if l = strings.TrimSpace(l); l != "" {
			b.WriteString(l)
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// snippet is a block of Go in a page.
type snippet struct {
	line  int // of its fence
	lines []string
}

func snippets(page string) []snippet {
	var all []snippet
	fence := "" // of the open block
	for i, l := range strings.Split(page, "\n") {
		l = strings.TrimSpace(l)
		switch {
		case fence == "" && strings.HasPrefix(l, "```"):
			fence = strings.TrimSpace(strings.TrimLeft(l, "`"))
			if fence == "go" {
				all = append(all, snippet{line: i + 1})
			} else {
				fence = "other"
			}
		case strings.HasPrefix(l, "```"):
			fence = ""
		case fence == "go":
			last := &all[len(all)-1]
			last.lines = append(last.lines, l)
		}
	}
	return all
}

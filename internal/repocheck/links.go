package repocheck

import (
	"fmt"
	"path"
	"regexp"
	"strings"
	"unicode"
)

var (
	inlineLink = regexp.MustCompile(`\]\(<?([^)\s>]+)>?(?:\s+"[^"]*")?\)`)
	imageTag   = regexp.MustCompile(`<(?:img|a)\s[^>]*\b(?:src|href)="([^"]+)"`)
	linkScheme = regexp.MustCompile(`^[a-z][a-z0-9+.-]*:`)
	codeSpan   = regexp.MustCompile("`[^`]*`")
)

// CheckLinks follows the relative links of the Markdown pages: the file must be
// under version control, and a heading that is named must be there.
func CheckLinks(files []File) []Problem {
	present := map[string]*File{".": nil}
	for i, f := range files {
		present[f.Path] = &files[i]
		for dir := path.Dir(f.Path); dir != "."; dir = path.Dir(dir) {
			present[dir] = nil
		}
	}
	var problems []Problem
	for _, f := range files {
		if !strings.HasSuffix(f.Path, ".md") || f.fixture() {
			continue
		}
		for number, text := range proseLines(string(f.Data)) {
			for _, target := range linksIn(text) {
				if why := broken(f, target, present); why != "" {
					problems = append(problems, Problem{Where: f.Path, Line: number + 1, What: fmt.Sprintf("the link %q %s", target, why)})
				}
			}
		}
	}
	return problems
}

func linksIn(text string) []string {
	text = codeSpan.ReplaceAllString(text, "")
	var targets []string
	for _, re := range []*regexp.Regexp{inlineLink, imageTag} {
		for _, m := range re.FindAllStringSubmatch(text, -1) {
			targets = append(targets, m[1])
		}
	}
	return targets
}

// broken says what is wrong with a link, or nothing.
func broken(from File, target string, present map[string]*File) string {
	if linkScheme.MatchString(target) || strings.HasPrefix(target, "//") {
		return ""
	}
	name, heading, _ := strings.Cut(target, "#")
	to := path.Join(path.Dir(from.Path), name)
	if fromRoot, ok := strings.CutPrefix(name, "/"); ok {
		to = fromRoot
	}
	if name == "" {
		to = from.Path
	}
	page, ok := present[to]
	if !ok {
		return "leads to no file of this repository"
	}
	if heading != "" && page != nil && strings.HasSuffix(to, ".md") && !hasHeading(*page, heading) {
		return "names a heading that " + to + " does not have"
	}
	return ""
}

func hasHeading(page File, anchor string) bool {
	for _, text := range proseLines(string(page.Data)) {
		if title := strings.TrimLeft(text, "#"); title != text && anchorOf(title) == anchor {
			return true
		}
	}
	return false
}

// anchorOf makes the anchor of a heading as GitHub does.
func anchorOf(title string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
			return unicode.ToLower(r)
		}
		return -1
	}, strings.TrimSpace(title))
}

// proseLines returns the lines of a page, those of code blocks emptied.
func proseLines(text string) []string {
	lines := strings.Split(text, "\n")
	fenced := false
	for i, l := range lines {
		fence := strings.HasPrefix(strings.TrimSpace(l), "```")
		if fence {
			fenced = !fenced
		}
		if fence || fenced {
			lines[i] = ""
		}
	}
	return lines
}

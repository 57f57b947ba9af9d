package edit

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"unicode"
)

// onLines says on which lines some places are.
func onLines(text []byte, places []int) string {
	const most = 8
	var b strings.Builder
	b.WriteString("on lines ")
	for i, p := range places {
		switch {
		case i == most:
			b.WriteString(" and more")
			return b.String()
		case i > 0 && i == len(places)-1:
			b.WriteString(" and ")
		case i > 0:
			b.WriteString(", ")
		}
		fmt.Fprint(&b, lineOf(text, p))
	}
	return b.String()
}

func lineOf(text []byte, at int) int { return bytes.Count(text[:at], []byte("\n")) + 1 }

var numbered = regexp.MustCompile(`(?m)^ *\d+\t`)

var quotes = strings.NewReplacer("\u2018", "'", "\u2019", "'", "\u201c", `"`, "\u201d", `"`, "\u00a0", " ", "\u2013", "-", "\u2014", "-", "\u2026", "...")

// notFound says why a quotation is not in a text, as well as can be told.
func notFound(v view, old, replacement string) string {
	text := string(v.lf)
	const is = "the text to replace is not there"
	for _, try := range []struct {
		same func(string) string
		say  string
	}{
		{func(s string) string { return numbered.ReplaceAllString(s, "") }, "%s with the line numbers that Read puts in front; on line %d it is there without them"},
		{strings.NewReplacer(`\n`, "\n", `\t`, "\t", `\"`, `"`).Replace, "%s with backslashes; on line %d it is there with real line breaks, tabs or quotes in place of them"},
	} {
		if clean := try.same(old); clean != old && clean != "" {
			if k := strings.Index(text, clean); k >= 0 {
				return fmt.Sprintf(try.say, is, lineOf(v.lf, k))
			}
		}
	}
	switch {
	case strings.Contains(old, "\r\n") && !v.crlf:
		if k := strings.Index(text, toLF(old)); k >= 0 {
			return fmt.Sprintf("%s with \\r\\n; on line %d it is there with \\n at the end of the lines, as the whole file has it", is, lineOf(v.lf, k))
		}
	case strings.Contains(old, "<redacted:"):
		return is + ": a mark <redacted:...> stands for a secret that is not shown; quote what stands around it"
	}
	for _, try := range []struct {
		same func(string) string
		say  string
	}{
		{trimEnds, "%s exactly; on line %d it is there but for blanks at the ends of lines"},
		{squeeze, "%s exactly; on line %d it is there but for blanks or indentation: copy them as Read shows them, tabs as tabs"},
		{quotes.Replace, "%s exactly; on line %d it is there but for typographic quotes, dashes or blanks"},
		{strings.ToLower, "%s exactly; on line %d it is there but for upper and lower case"},
	} {
		if line := similar(text, old, try.same); line > 0 {
			return fmt.Sprintf(try.say, is, line)
		}
	}
	if line, n := begins(text, old); line > 0 {
		return fmt.Sprintf("%s; its first %s on line %d, but line %d is another: Read that part again", is, plural(n, "line is", "lines are"), line, line+n)
	}
	if len(strings.TrimSpace(replacement)) > 2 && strings.Contains(text, toLF(replacement)) {
		return fmt.Sprintf("%s, but its replacement is, on line %d: has the change been made already?", is, lineOf(v.lf, strings.Index(text, toLF(replacement))))
	}
	return is + ", nor anything close; Read the file and copy the text exactly, without line numbers"
}

func plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return fmt.Sprint(n, " ", many)
}

func trimEnds(s string) string {
	lines := strings.Split(s, "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " \t")
	}
	return strings.Join(lines, "\n")
}

// squeeze leaves out all blanks within lines, and those lines that are blank.
func squeeze(s string) string {
	var b strings.Builder
	for line := range strings.SplitSeq(s, "\n") {
		n := b.Len()
		for _, r := range line {
			if !unicode.IsSpace(r) {
				b.WriteRune(r)
			}
		}
		if b.Len() > n {
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// similar looks for a quotation by whole lines when something that does not matter
// is taken off both, and returns the line, or 0. Quotations of less than a few
// characters are like too much.
func similar(text, old string, same func(string) string) int {
	want := same(old)
	if len(strings.TrimSpace(want)) < 3 {
		return 0
	}
	all := same(text)
	k := strings.Index(all, strings.TrimRight(want, "\n"))
	if k < 0 {
		return 0
	}
	// Lines may have gone, so the line is looked up by what stands on it.
	first, _, _ := strings.Cut(strings.TrimLeft(want, "\n"), "\n")
	n := strings.Count(all[:k+len(want)-len(strings.TrimLeft(want, "\n"))], "\n")
	for i, line := range strings.Split(text, "\n") {
		s := strings.TrimRight(same(line), "\n")
		if s == "" && same(line) == "" && same("\n") == "" {
			continue // a line that same leaves out
		}
		if n == 0 {
			if strings.Contains(s, first) {
				return i + 1
			}
			return 0
		}
		n--
	}
	return 0
}

// begins returns the line on which the first lines of a quotation stand, and how
// many of them.
func begins(text, old string) (line, n int) {
	want := strings.Split(strings.TrimRight(old, "\n"), "\n")
	if len(want) < 2 || len(strings.TrimSpace(want[0])) < 3 {
		return 0, 0
	}
	have := strings.Split(text, "\n")
	for i := range have {
		k := 0
		for k < len(want) && i+k < len(have) && have[i+k] == want[k] {
			k++
		}
		if k > n {
			line, n = i+1, k
		}
	}
	return line, n
}

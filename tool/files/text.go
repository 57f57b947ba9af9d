package files

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"
)

// A page is a piece of a text, as a model reads it: each line with its number in
// front.
type page struct {
	first, limit int // lines, the first one is 1
	maxLine      int // bytes of one line
	maxText      int // bytes of all

	b       strings.Builder
	last    int  // the last line that is there
	full    bool // maxText was reached
	cut     int  // lines that were cut
	invalid bool // some bytes were not UTF-8
}

// write puts the lines into b.
func (p *page) write(text []byte) {
	n := 0
	for len(text) > 0 && n < p.first+p.limit-1 {
		n++
		var line []byte
		line, text, _ = bytes.Cut(text, []byte("\n"))
		if n < p.first {
			continue
		}
		if !p.line(n, bytes.TrimSuffix(line, []byte("\r"))) {
			p.full = true
			return
		}
		p.last = n
	}
}

// line adds one line unless there is no room for it. The first one always has
// room: it is cut to it.
func (p *page) line(n int, line []byte) bool {
	const number = 8 // with its tab and the line break
	most := p.maxLine
	if p.b.Len() == 0 {
		most = min(most, p.maxText)
	}
	shown, cut := cutEnd(line, most)
	if p.b.Len() > 0 && p.b.Len()+len(shown)+number > p.maxText {
		return false
	}
	more := len(line) - len(shown)
	fmt.Fprintf(&p.b, "%6d\t", n)
	if !utf8.Valid(shown) {
		p.invalid = true
		shown = bytes.ToValidUTF8(shown, []byte("\uFFFD"))
	}
	p.b.Write(shown)
	if cut {
		p.cut++
		fmt.Fprintf(&p.b, " [... %d bytes more]", more)
	}
	p.b.WriteByte('\n')
	return true
}

// cutEnd cuts a line to so many bytes, or a few less where they would end within a
// character.
func cutEnd(line []byte, most int) ([]byte, bool) {
	if len(line) <= most {
		return line, false
	}
	return line[:boundary(line, most)], true
}

// boundary is the last place at or before at that is not within a character.
func boundary(line []byte, at int) int {
	for back := range utf8.UTFMax {
		if at-back <= 0 || at == len(line) {
			break
		}
		if utf8.RuneStart(line[at-back]) {
			return at - back
		}
	}
	return at
}

// countLines counts lines, of which the last one may have no line break.
func countLines(text []byte) int {
	n := bytes.Count(text, []byte("\n"))
	if len(text) > 0 && text[len(text)-1] != '\n' {
		n++
	}
	return n
}

// notes say what of a text of so many lines is not there, and how to see it.
func (p *page) notes(total int) string {
	var b strings.Builder
	switch {
	case p.full:
		fmt.Fprintf(&b, "[Lines %d to %d of %d, as %s of text is the most at once. Go on with offset=%d, or find the place with Grep.]\n",
			p.first, p.last, total, size(int64(p.maxText)), p.last+1)
	case p.last < total:
		fmt.Fprintf(&b, "[Lines %d to %d of %d. Go on with offset=%d, or find the place with Grep.]\n", p.first, p.last, total, p.last+1)
	}
	if p.cut > 0 {
		fmt.Fprintf(&b, "[%s cut at %d bytes; Grep shows what is around a match in it.]\n", count(p.cut, "long line was", "long lines were"), p.maxLine)
	}
	if p.invalid {
		b.WriteString("[Bytes that are not UTF-8 are shown as \uFFFD.]\n")
	}
	return b.String()
}

// count is a number with the word for it.
func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// size writes a number of bytes as people do.
func size(n int64) string {
	switch {
	case n >= 1<<20 && n%(1<<20) == 0:
		return fmt.Sprintf("%d MiB", n>>20)
	case n >= 10<<20:
		return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
	case n >= 1<<10 && n%(1<<10) == 0:
		return fmt.Sprintf("%d KiB", n>>10)
	}
	return fmt.Sprintf("%d bytes", n)
}

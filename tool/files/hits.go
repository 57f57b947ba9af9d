package files

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/helios-go/helios/tool/files/internal/grep"
)

// fileHits are the lines that Grep shows of a file.
type fileHits struct {
	path    string
	lines   []hit
	n       int // lines that match
	bytes   int
	notUTF8 bool
}

type hit struct {
	number int
	text   string
	match  bool
}

// hits finds at most so many lines of a file, with those around them. Only counts
// go on to the end.
func (s *search) hits(path string, data []byte, most int) fileHits {
	h := fileHits{path: path}
	content := s.output == "" || s.output == "content"
	c := collector{search: s, h: &h, data: data}
	over := s.m.Over(data)
	for line, ok := over.Next(0); ok; line, ok = over.Next(line.Next) {
		if h.n++; h.n == 1 {
			if !utf8.Valid(data) {
				h.notUTF8 = true
				return h
			}
			h.path = show(path)
			h.bytes = len(h.path)
		}
		if content {
			c.add(line)
		}
		if s.output == "files" || content && (h.n >= most || h.bytes > s.f.opts.MaxText) {
			break
		}
	}
	c.after(len(data))
	return h
}

// A collector cuts lines out of a text.
type collector struct {
	*search
	h      *fileHits
	data   []byte
	number int // of the line at which
	at     int // the text goes on that was not looked at
	open   int // how many lines are to follow the last match
}

// add takes in a line that matches and those before it.
func (c *collector) add(line grep.Line) {
	c.after(line.Start)
	if c.around > 0 {
		begin := line.Start
		for range c.around {
			if begin <= c.at {
				break
			}
			begin = bytes.LastIndexByte(c.data[c.at:begin-1], '\n') + 1 + c.at
		}
		c.skip(begin)
		for c.at < line.Start {
			c.take(false)
		}
	}
	c.skip(line.Start)
	c.take(true)
	c.open = c.around
}

// after takes in lines behind a match, as far as some place.
func (c *collector) after(place int) {
	for ; c.open > 0 && c.at < place; c.open-- {
		c.take(false)
	}
}

// skip goes on to the beginning of a line.
func (c *collector) skip(to int) {
	c.number += bytes.Count(c.data[c.at:to], []byte("\n"))
	c.at = to
}

// take keeps the next line.
func (c *collector) take(match bool) {
	line, _, _ := bytes.Cut(c.data[c.at:], []byte("\n"))
	c.at = min(c.at+len(line)+1, len(c.data))
	c.number++
	line = bytes.TrimSuffix(line, []byte("\r"))
	most := min(matchLine, c.f.opts.MaxLine)
	var text string
	if len(line) <= most {
		text = string(line)
	} else {
		start, end := 0, 0
		if match {
			start, end, _ = c.m.Find(line)
		}
		text = window(line, start, end, most)
	}
	c.h.lines = append(c.h.lines, hit{c.number, text, match})
	c.h.bytes += len(c.h.path) + len(text) + 8
}

// window cuts a line to about so many bytes, so that what is between start and end
// can be seen, or its beginning.
func window(line []byte, start, end, most int) string {
	before := max(most-(end-start), 0) / 3
	from := max(start-before, 0)
	if from+most > len(line) {
		from = max(len(line)-most, 0)
	}
	from = boundary(line, from)
	to := boundary(line, min(from+most, len(line)))
	var b strings.Builder
	if from > 0 {
		fmt.Fprintf(&b, "[%d bytes ...] ", from)
	}
	b.Write(line[from:to])
	if to < len(line) {
		fmt.Fprintf(&b, " [... %d bytes more]", len(line)-to)
	}
	return b.String()
}

// show is a path as it is listed. One that could be taken for several lines is
// quoted; it cannot be opened anyway.
func show(path string) string {
	if strings.ContainsFunc(path, func(r rune) bool { return r < ' ' || r == 0x7f || r == utf8.RuneError }) {
		return strconv.Quote(path)
	}
	return path
}

// A rendering writes what was found.
type rendering struct {
	*search
	b    strings.Builder
	room int // bytes
	left int // lines that match, or files
}

// file writes what was found in one file, and reports whether there is more room.
func (r *rendering) file(h *fileHits) bool {
	switch r.output {
	case "files":
		return r.one(h.path)
	case "count":
		return r.one(h.path + ":" + strconv.Itoa(h.n))
	}
	if r.left == 0 {
		return r.full()
	}
	if r.around > 0 && r.b.Len() > 0 {
		r.b.WriteString("--\n")
	}
	matched := false
	for i, l := range h.lines {
		if l.match {
			matched = true
		}
		if r.left == 0 && !(matched && !l.match && r.follows(h, i)) || r.b.Len()+len(h.path)+len(l.text) > r.room && r.b.Len() > 0 {
			return r.full()
		}
		if r.around > 0 && i > 0 && l.number > h.lines[i-1].number+1 {
			r.b.WriteString("--\n")
		}
		mark := byte('-')
		if l.match {
			mark = ':'
			r.left--
		}
		r.b.WriteString(h.path)
		r.b.WriteByte(mark)
		r.b.WriteString(strconv.Itoa(l.number))
		r.b.WriteByte(mark)
		r.b.WriteString(l.text)
		r.b.WriteByte('\n')
	}
	return true
}

// follows tells whether a line that does not match still belongs to a match before
// it.
func (r *rendering) follows(h *fileHits, i int) bool {
	for k := i - 1; k >= 0 && h.lines[i].number-h.lines[k].number <= r.around; k-- {
		if h.lines[k].match {
			return h.lines[i].number-h.lines[i-1].number == 1
		}
	}
	return false
}

// one writes a line that stands for a file.
func (r *rendering) one(line string) bool {
	if r.left == 0 || r.b.Len()+len(line) > r.room && r.b.Len() > 0 {
		return r.full()
	}
	r.left--
	r.b.WriteString(line)
	r.b.WriteByte('\n')
	return true
}

func (r *rendering) full() bool {
	what := "matches"
	if r.output == "files" || r.output == "count" {
		what = "files with a match"
	}
	fmt.Fprintf(&r.b, "[Cut after %d %s, and there are more; narrow pattern, path or include to see them.]\n", r.f.opts.MaxMatches-r.left, what)
	return false
}

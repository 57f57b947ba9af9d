package check

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// place is what stands around a number.
type place struct {
	before []string // from the previous number or the line's start, nearest last
	after  []string // up to the next number or separator
	wide   []string // of the sentence before that
	bound  int      // +1 "above 5", -1 "below 5", 0 none
	change bool     // "rose by 5", "± 5": not the quantity itself
	unit   string
}

// around reads the words around token i.
func (c *checker) around(i int) place {
	t := c.tokens[i]
	// Lines are looked at as far as a table's may reach.
	const reach = 4096
	lineStart, lineEnd := max(0, t.start-reach), min(len(c.text), t.end+reach)
	if n := strings.LastIndexByte(c.text[lineStart:t.start], '\n'); n >= 0 {
		lineStart += n + 1
	}
	if n := strings.IndexByte(c.text[t.end:lineEnd], '\n'); n >= 0 {
		lineEnd = t.end + n
	}
	if line := c.text[lineStart:lineEnd]; strings.HasPrefix(strings.TrimSpace(line), "|") {
		return c.cell(t, lineStart, lineEnd)
	}
	from := sentenceStart(c.text, t.start)
	own := max(from, lineStart)
	// A number's own words begin after the previous number; a time's words
	// after the previous time, for it stands behind the value it belongs to.
	for j := i - 1; j >= 0 && c.tokens[j].end > own; j-- {
		if c.tokens[j].end > t.start {
			continue // the other half of "2-5 January"
		}
		if !t.isTime || c.tokens[j].isTime {
			own = c.tokens[j].end + remark(c.text[c.tokens[j].end:t.start])
			break
		}
	}
	own = min(own, t.start)
	until := min(lineEnd, t.end+40)
	if i+1 < len(c.tokens) {
		until = min(until, max(c.tokens[i+1].start, t.end))
	}
	p := place{before: words(c.text[own:t.start]), after: words(tail(c.text[t.end:until])), wide: words(c.text[from:own])}
	p.bound = bound(c.text[own:t.start])
	p.change = changeRE.MatchString(c.text[own:t.start])
	return p
}

// sentenceStart returns where the sentence that holds position i begins, or a
// position 200 bytes before it. Lines of a list belong to what introduces them.
func sentenceStart(text string, i int) int {
	start := max(0, i-200)
	for start > 0 && !utf8.RuneStart(text[start]) {
		start++
	}
	if n := strings.LastIndex(text[start:i], "\n\n"); n >= 0 {
		start += n + 2
	}
	if at := sentenceRE.FindAllStringIndex(text[start:i], -1); len(at) > 0 {
		start += at[len(at)-1][1]
	}
	return start
}

var sentenceRE = regexp.MustCompile(`[.!?]\s+`)

// remark returns how much of the text between two numbers belongs to the first:
// "3.7 nT (mean), ", "3.7 nT on average, ".
func remark(s string) int {
	rest := strings.TrimLeft(s, " *_`")
	lead := len(s) - len(rest)
	if strings.HasPrefix(rest, "(") {
		return lead + strings.IndexByte(rest, ')') + 1
	}
	if n := strings.IndexAny(rest, ",;"); n > 0 && strings.TrimSpace(tail(rest)) != "" && !strings.Contains(rest[:n], "\n") {
		return lead + n + 1
	}
	return 0
}

var tailStop = regexp.MustCompile(`(?i)[,;:.!?|\n(]|\s(?:and|while|with|but|or|at|on|for|from|than|whereas|compared)\s|\s[-–—=]\s`)

// tail keeps of the text after a number what still speaks of it: a remark in
// brackets, or the words up to the next separator.
func tail(s string) string {
	s = strings.TrimLeft(s, " *_`")
	if strings.HasPrefix(s, "(") {
		if n := strings.IndexByte(s, ')'); n > 0 {
			return s[1:n]
		}
		return s[1:]
	}
	if at := tailStop.FindStringIndex(" " + s); at != nil {
		return s[:max(0, at[0]-1)]
	}
	return s
}

var (
	aboveRE = regexp.MustCompile(`(?i)(?:above|over|exceed(?:s|ed|ing)?|more than|greater than|larger than|higher than|stronger than|faster than|at least|beyond|[>≥])\s*(?:or equal to\s*)?(?:the\s+)?(?:threshold\s+)?(?:of\s+)?$`)
	belowRE = regexp.MustCompile(`(?i)(?:below|under|less than|smaller than|lower than|weaker than|slower than|fewer than|at most|up to|[<≤])\s*(?:or equal to\s*)?(?:the\s+)?(?:threshold\s+)?(?:of\s+)?$`)
)

// changeRE finds what makes a number a difference or an uncertainty.
var changeRE = regexp.MustCompile(`(?i)(?:±|\+/-|\+-|\b(?:by|within|factor of|(?:difference|change|increase|decrease|drop|rise|jump|error|uncertainty|spread|scatter|step|range) of))\s*(?:about|roughly|around|nearly|only|some|[~≈])?\s*$`)

// bound reports whether the words before a number make it a limit.
func bound(before string) int {
	switch {
	case aboveRE.MatchString(before):
		return 1
	case belowRE.MatchString(before):
		return -1
	}
	return 0
}

// cell reads the labels of a table cell: the heads of its row and column.
func (c *checker) cell(t token, lineStart, lineEnd int) place {
	column := strings.Count(c.text[lineStart:t.start], "|")
	row := cells(c.text[lineStart:lineEnd])
	head := lineStart
	for head > 0 {
		prev := strings.LastIndexByte(c.text[:head-1], '\n') + 1
		if !strings.HasPrefix(strings.TrimSpace(c.text[prev:head]), "|") {
			break
		}
		head = prev
	}
	p := place{}
	var labels []string
	if head != lineStart {
		titles := cells(c.text[head : head+strings.IndexByte(c.text[head:], '\n')])
		if column-1 < len(titles) && column > 0 {
			labels = append(labels, titles[column-1])
		}
		for k, title := range titles {
			if strings.HasPrefix(strings.ToLower(title), "unit") && k < len(row) {
				p.unit = row[k]
			}
		}
	}
	if len(row) > 0 && column > 1 {
		labels = append(labels, row[0])
	}
	for _, label := range labels {
		p.before = append(p.before, words(label)...)
		if m := bracketRE.FindStringSubmatch(label); m != nil && p.unit == "" {
			p.unit = m[1]
		}
	}
	if column-1 < len(row) && column > 0 {
		p.before = append(p.before, words(row[column-1])...)
	}
	return p
}

var bracketRE = regexp.MustCompile(`[(\[]([^()\[\]]+)[)\]]\s*$`)

// cells splits a table line.
func cells(line string) []string {
	parts := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	return parts
}

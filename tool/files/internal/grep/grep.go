// Package grep finds the lines of a text that a regular expression matches,
// mostly without running it.
//
//	m, err := grep.Compile(`func \w+Close\(`, false)
//	s := m.Over(text)
//	for line, ok := s.Next(0); ok; line, ok = s.Next(line.Next) {
//		fmt.Printf("%s\n", text[line.Start:line.End])
//	}
//
// The expression is RE2's, as in package regexp, and is matched against one line
// at a time, so ^ and $ are the ends of a line, and nothing matches across lines.
// A line ends before "\n" or "\r\n"; a "\r" that ends the text is no part of it
// either, unless the expression speaks of one.
//
// What makes it fast is that most expressions cannot match without certain bytes
// in a row: `Close(` above, or a digit four times and a hyphen for a date. A row is
// made of sets of bytes, so upper and lower case are no obstacle. The text is
// searched for the row that is rarest by the look of it, and the expression is run
// on the lines that have it. Without such a row each line is tried.
package grep

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
)

// A Matcher is a compiled expression. It is immutable and safe for concurrent use.
type Matcher struct {
	re     *regexp.Regexp
	any    plan // for any text
	ascii  plan // for text that is ASCII throughout
	keepCR bool // the expression speaks of carriage returns
}

// A plan is how lines that may match are found.
type plan struct {
	find *finder // nil: every line may
	sure bool    // what is found matches
}

// An Error says what is wrong with an expression.
type Error struct{ Pattern, Reason string }

// Error tells pattern and reason.
func (e *Error) Error() string { return fmt.Sprintf("pattern %q: %s", e.Pattern, e.Reason) }

// Compile reads an expression; with fold, upper and lower case do not matter.
func Compile(pattern string, fold bool) (*Matcher, error) {
	flags := syntax.Perl
	source := pattern
	if fold {
		flags |= syntax.FoldCase
		source = "(?i)" + pattern
	}
	tree, err := syntax.Parse(pattern, flags)
	if err != nil {
		return nil, &Error{Pattern: pattern, Reason: reason(err)}
	}
	if holds(tree, '\n') {
		return nil, &Error{Pattern: pattern, Reason: "it holds a line break, and each line is searched on its own; search for one of the lines"}
	}
	re, err := regexp.Compile(source)
	if err != nil {
		return nil, &Error{Pattern: pattern, Reason: reason(err)}
	}
	m := &Matcher{re: re, keepCR: holds(tree, '\r')}
	tree = tree.Simplify()
	m.any, m.ascii = newPlan(tree, false), newPlan(tree, true)
	return m, nil
}

// reason words what package regexp finds wrong.
func reason(err error) string {
	var e *syntax.Error
	if !errors.As(err, &e) {
		return err.Error()
	}
	hint := ""
	switch e.Code {
	case syntax.ErrInvalidPerlOp:
		hint = " (RE2 syntax: there is no lookahead and no lookbehind)"
	case syntax.ErrMissingParen, syntax.ErrUnexpectedParen, syntax.ErrMissingBracket, syntax.ErrMissingRepeatArgument, syntax.ErrTrailingBackslash:
		hint = `; a character that is meant as itself is written with a backslash, as in \( or \[`
	case syntax.ErrInvalidEscape:
		hint = " (RE2 syntax: there are no backreferences)"
	}
	return fmt.Sprintf("%s: `%s`%s", e.Code, e.Expr, hint)
}

// holds reports whether a character is spelled out in an expression.
func holds(re *syntax.Regexp, r rune) bool {
	if re.Op == syntax.OpLiteral && slices.Contains(re.Rune, r) {
		return true
	}
	if re.Op == syntax.OpCharClass && len(re.Rune) == 2 && re.Rune[0] == r && re.Rune[1] == r {
		return true
	}
	return slices.ContainsFunc(re.Sub, func(sub *syntax.Regexp) bool { return holds(sub, r) })
}

func newPlan(tree *syntax.Regexp, ascii bool) plan {
	r := reader{ascii: ascii, budget: 1000}
	n := r.need(tree)
	if n.inside == nil {
		return plan{}
	}
	f := newFinder(n.inside)
	return plan{find: f, sure: n.exact != nil && !r.looks && sameRows(n.exact, n.inside)}
}

func sameRows(a, b []seq) bool {
	return slices.EqualFunc(a, b, slices.Equal)
}

// A Line is a line that matches: its text without the line break, and where the
// next one begins.
type Line struct{ Start, End, Next int }

// A Search goes through one text.
type Search struct {
	m    *Matcher
	text []byte
	plan *plan
}

// Over prepares to search a text, which must not change meanwhile.
func (m *Matcher) Over(text []byte) Search {
	s := Search{m: m, text: text, plan: &m.any}
	if m.ascii.cheaper(&m.any) && isASCII(text) {
		s.plan = &m.ascii
	}
	return s
}

// cheaper tells whether a plan is worth the look at all bytes that it needs.
func (p *plan) cheaper(than *plan) bool {
	switch {
	case p.find == nil:
		return false
	case than.find == nil:
		return true
	}
	return p.find.cost < than.find.cost*0.8 || p.sure && !than.sure
}

func isASCII(text []byte) bool {
	for len(text) >= 8 {
		if (text[0]|text[1]|text[2]|text[3]|text[4]|text[5]|text[6]|text[7])&0x80 != 0 {
			return false
		}
		text = text[8:]
	}
	for _, c := range text {
		if c >= 0x80 {
			return false
		}
	}
	return true
}

// Next returns the first line at or after a place that matches. The place is the
// beginning of a line: 0, or the Next of the line before.
func (s *Search) Next(from int) (Line, bool) {
	if s.plan.find == nil {
		return s.nextByLine(from)
	}
	for at := from; at < len(s.text); {
		start, end := s.plan.find.next(s.text, at)
		if start < 0 {
			break
		}
		line := s.lineAt(at, start)
		if s.plan.sure && end <= line.End || s.m.re.Match(s.text[line.Start:line.End]) {
			return line, true
		}
		at = line.Next
	}
	return Line{}, false
}

func (s *Search) nextByLine(from int) (Line, bool) {
	for at := from; at < len(s.text); {
		line := s.lineAt(at, at)
		if s.m.re.Match(s.text[line.Start:line.End]) {
			return line, true
		}
		at = line.Next
	}
	return Line{}, false
}

// lineAt returns the line of a place; from is the beginning of that line or of
// one before it.
func (s *Search) lineAt(from, place int) Line {
	var l Line
	l.Start = from + bytes.LastIndexByte(s.text[from:place], '\n') + 1
	l.Next, l.End = len(s.text), len(s.text)
	if k := bytes.IndexByte(s.text[place:], '\n'); k >= 0 {
		l.End = place + k
		l.Next = l.End + 1
	}
	if !s.m.keepCR && l.End > l.Start && s.text[l.End-1] == '\r' {
		l.End--
	}
	return l
}

// Find returns where in a line the expression matches.
func (m *Matcher) Find(line []byte) (start, end int, ok bool) {
	loc := m.re.FindIndex(line)
	if loc == nil {
		return 0, 0, false
	}
	return loc[0], loc[1], true
}

// Package glob matches slash-separated paths against patterns as people write
// them in shells and in .gitignore files:
//
//	?        one character but a slash
//	*        any run of characters without one
//	[a-z]    one character of a class, never a slash; [!a-z] and [^a-z] are the others
//	{a,b}    one of the alternatives, which may be patterns and nest
//	\x       x itself
//	a/**/b   a/b with any folders between them, or none
//	**/b     b anywhere, also at the root
//	a/**     everything below a, at any depth
//
// Two stars that are not a whole part of a path are one, and three are two.
// Everything else stands for itself.
//
//	g, err := glob.Compile("src/**/*.{go,mod}", nil)
//	g.Match("src/main.go") // true
//
// A pattern that cannot mean anything is an error that says why. Matching takes
// time bounded by the product of the lengths of pattern and path, whatever they
// hold.
package glob

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Options change what a pattern may hold; nil is the syntax above.
type Options struct {
	// PlainBraces makes { and } stand for themselves, as git has it.
	PlainBraces bool
}

// A Glob is a compiled pattern. It is immutable and safe for concurrent use.
type Glob struct {
	pattern string
	ways    []way // one for each choice of alternatives
}

// A way is a pattern without alternatives.
type way struct {
	tokens []token
	suffix string // what every path that matches ends with
	plain  bool   // suffix is all there is
}

type kind uint8

const (
	literal kind = iota
	one          // ?
	class        // [a-z]
	run          // *
	folders      // **/ at the beginning of a part
	rest         // ** at the end
)

type token struct {
	kind kind
	text string // of a literal: one character
	set  *set
}

// Bounds of a pattern, so that no match takes long.
const (
	maxPattern = 1000  // bytes
	maxTokens  = 10000 // of all alternatives
)

// Compile reads a pattern.
func Compile(pattern string, opts *Options) (*Glob, error) {
	if opts == nil {
		opts = &Options{}
	}
	if len(pattern) > maxPattern {
		return nil, &Error{Pattern: pattern[:20] + "...", Reason: fmt.Sprintf("it has %d bytes, and %d is the most", len(pattern), maxPattern)}
	}
	choices := []string{pattern}
	if !opts.PlainBraces {
		var err error
		if choices, err = expand(pattern); err != nil {
			return nil, err
		}
	}
	g := &Glob{pattern: pattern}
	tokens := 0
	for _, c := range choices {
		w, err := parse(c)
		if err != nil {
			return nil, &Error{Pattern: pattern, Reason: err.Error()}
		}
		if tokens += len(w.tokens); tokens > maxTokens {
			return nil, &Error{Pattern: pattern, Reason: "its alternatives are too long together; ask for them one after the other"}
		}
		g.ways = append(g.ways, w)
	}
	return g, nil
}

// String returns the pattern.
func (g *Glob) String() string { return g.pattern }

// Match reports whether the pattern matches the whole of a clean path.
func (g *Glob) Match(path string) bool {
	for i := range g.ways {
		if g.ways[i].match(path) {
			return true
		}
	}
	return false
}

func (w *way) match(path string) bool {
	switch {
	case w.plain:
		return path == w.suffix
	case !strings.HasSuffix(path, w.suffix):
		return false
	case len(w.tokens) > 0 && w.tokens[0].kind == folders && w.onlyName():
		return matchTokens(w.tokens[1:], path[strings.LastIndexByte(path, '/')+1:])
	}
	return matchTokens(w.tokens, path)
}

// onlyName tells that what follows "**/" at the front is about one name.
func (w *way) onlyName() bool {
	for _, t := range w.tokens[1:] {
		if t.kind == folders || t.kind == rest || t.text == "/" {
			return false
		}
	}
	return true
}

// matchTokens follows all the ways through the tokens at once, one character of
// the path after another, so that nothing is tried again.
func matchTokens(tokens []token, path string) bool {
	var room [2][64]bool
	now, next := room[0][:], room[1][:]
	if len(tokens) >= len(now) {
		now, next = make([]bool, len(tokens)+1), make([]bool, len(tokens)+1)
	}
	now, next = now[:len(tokens)+1], next[:len(tokens)+1]
	enter(now, tokens, 0)
	boundary := true // at the beginning of a part
	for len(path) > 0 {
		r, size := utf8.DecodeRuneInString(path)
		c := path[:size]
		path = path[size:]
		clear(next)
		alive := false
		for i := range tokens {
			if now[i] && step(next, tokens, i, r, c, boundary) {
				alive = true
			}
		}
		if !alive {
			return false
		}
		now, next = next, now
		boundary = c == "/"
	}
	return now[len(tokens)]
}

// step notes in next where a character leads to from a token, and reports
// whether it leads anywhere.
func step(next []bool, tokens []token, i int, r rune, c string, boundary bool) bool {
	switch t := &tokens[i]; t.kind {
	case literal:
		if t.text != c {
			return false
		}
		enter(next, tokens, i+1)
	case one:
		if c == "/" {
			return false
		}
		enter(next, tokens, i+1)
	case class:
		if c == "/" || !t.set.has(r) {
			return false
		}
		enter(next, tokens, i+1)
	case run:
		if c == "/" {
			return false
		}
		enter(next, tokens, i)
	case folders:
		// Inside of a folder's name the only way on is through its slash.
		if c == "/" && !boundary {
			enter(next, tokens, i)
		} else {
			next[i] = true
		}
	case rest:
		next[i] = true
		next[len(tokens)] = true
	}
	return true
}

// enter notes a token, and those that can follow it without a character.
func enter(marks []bool, tokens []token, i int) {
	for {
		marks[i] = true
		if i == len(tokens) || tokens[i].kind != run && tokens[i].kind != folders {
			return
		}
		i++
	}
}

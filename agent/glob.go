package agent

import (
	"strings"
	"unicode/utf8"
)

// A pattern is matched by following all the ways through it at once, one
// character of the key after another. The time is bounded by the product of their
// lengths whatever they hold: nothing is tried again.

// How a position in the pattern was reached.
const (
	entered = 1 << iota // from what comes before it
	held                // by a star that took one more character
)

// star tells which star is at a position: 1 is *, 2 is **, 3 is a ** that stands
// for directories, "**/" at the beginning of a part; 0 is none.
func star(pattern string, i int) int {
	switch {
	case i >= len(pattern) || pattern[i] != '*':
		return 0
	case i+1 == len(pattern) || pattern[i+1] != '*':
		return 1
	case i+2 < len(pattern) && pattern[i+2] == '/' && (i == 0 || pattern[i-1] == '/'):
		return 3
	}
	return 2
}

// glob reports whether a pattern matches a whole key: * is any run of characters
// without a slash, ** any run at all, ? one character but a slash, everything else
// itself. "**/" at the beginning of a part may also match nothing, so that "**/x"
// matches "x".
func glob(pattern, key string) bool {
	if !isGlob(pattern) {
		return pattern == key
	}
	var room [2][128]byte
	now, next := room[0][:], room[1][:]
	if len(pattern) >= len(room[0]) {
		now, next = make([]byte, len(pattern)+1), make([]byte, len(pattern)+1)
	}
	now, next = now[:len(pattern)+1], next[:len(pattern)+1]
	enter(now, pattern, 0)
	for len(key) > 0 {
		_, size := utf8.DecodeRuneInString(key)
		c := key[:size]
		key = key[size:]
		clear(next)
		alive := false
		for i := range pattern {
			if now[i] != 0 && follow(next, pattern, i, c) {
				alive = true
			}
		}
		if !alive {
			return false
		}
		now, next = next, now
	}
	return now[len(pattern)] != 0
}

func isGlob(pattern string) bool { return strings.ContainsAny(pattern, "*?") }

// follow notes in next what a character leads to from a position. It reports
// whether there is anything.
func follow(next []byte, pattern string, i int, c string) bool {
	switch star(pattern, i) {
	case 0:
		_, size := utf8.DecodeRuneInString(pattern[i:])
		if pattern[i:i+size] != c && (pattern[i] != '?' || c == "/") {
			return false
		}
		enter(next, pattern, i+size)
		return true
	case 1:
		if c == "/" {
			return false
		}
		next[i] |= held
		enter(next, pattern, i+1)
	default:
		next[i] |= held
		enter(next, pattern, i+2)
	}
	return true
}

// enter notes a position, and those that follow it without a character.
func enter(marks []byte, pattern string, i int) {
	for marks[i]&entered == 0 {
		marks[i] |= entered
		switch star(pattern, i) {
		case 0:
			return
		case 1:
			i++
		case 2:
			i += 2
		case 3:
			marks[i+2] |= entered // the slash behind it
			i += 3
		}
	}
}

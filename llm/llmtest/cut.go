package llmtest

import (
	"iter"
	"math/rand/v2"
	"strings"
	"unicode/utf8"
)

// A Cut says in which pieces a body goes over the wire: it returns the offsets,
// rising and inside of the body, at which one piece ends and the next begins. A
// parser must read the same from any pieces.
type Cut func(body []byte) []int

// CutEvery makes pieces of n bytes; CutEvery(1) sends every byte alone.
func CutEvery(n int) Cut {
	return func(body []byte) []int {
		var at []int
		for i := max(1, n); i < len(body); i += max(1, n) {
			at = append(at, i)
		}
		return at
	}
}

// CutLines ends a piece after each line feed.
func CutLines(body []byte) []int {
	return where(body, func(i int) bool { return body[i-1] == '\n' })
}

// CutEvents ends a piece after each blank line, where an event of a stream ends.
func CutEvents(body []byte) []int {
	return where(body, func(i int) bool {
		text := string(body[max(0, i-4):i])
		return strings.HasSuffix(text, "\n\n") || text == "\r\n\r\n" || strings.HasSuffix(text, "\r\r")
	})
}

// CutCRLF cuts between every carriage return and its line feed.
func CutCRLF(body []byte) []int {
	return where(body, func(i int) bool { return body[i-1] == '\r' && body[i] == '\n' })
}

// CutRunes cuts inside of every character that has several bytes, after its first.
func CutRunes(body []byte) []int {
	return where(body, func(i int) bool {
		return body[i-1] >= utf8.RuneSelf && utf8.RuneStart(body[i-1]) && !utf8.RuneStart(body[i])
	})
}

// CutAt cuts at these offsets. Those outside of the body are left out.
func CutAt(offsets ...int) Cut {
	return func(body []byte) []int {
		wanted := map[int]bool{}
		for _, o := range offsets {
			wanted[o] = true
		}
		return where(body, func(i int) bool { return wanted[i] })
	}
}

// CutRandom cuts at a tenth of all places, the same ones for the same seed.
func CutRandom(seed uint64) Cut {
	return func(body []byte) []int {
		r := rand.New(rand.NewPCG(seed, 1))
		return where(body, func(int) bool { return r.IntN(10) == 0 })
	}
}

// Cuts are the ways to cut that have broken parsers, by name, for a test to go
// through.
func Cuts() iter.Seq2[string, Cut] {
	return func(yield func(string, Cut) bool) {
		_ = yield("whole", CutAt()) &&
			yield("every byte alone", CutEvery(1)) &&
			yield("seven bytes", CutEvery(7)) &&
			yield("lines", CutLines) &&
			yield("events", CutEvents) &&
			yield("between CR and LF", CutCRLF) &&
			yield("inside characters", CutRunes) &&
			yield("at random", CutRandom(1))
	}
}

func where(body []byte, cut func(i int) bool) []int {
	var at []int
	for i := 1; i < len(body); i++ {
		if cut(i) {
			at = append(at, i)
		}
	}
	return at
}

// LineEnds returns a body whose lines end in end ("\r\n", "\r") and not in a line
// feed.
func LineEnds(body, end string) string { return strings.ReplaceAll(body, "\n", end) }

package cli

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"github.com/helios-go/helios/helioai/wording"
)

// mostClipped is how long a text may be that is shown on one line of the
// activity, in characters.
const mostClipped = 120

// printable drops control characters and writes every blank as one that a
// terminal knows: what comes from a file, a program or a model must not steer
// the terminal. Lines and tabs stay.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t' || unicode.IsPrint(r):
			return r
		case unicode.IsSpace(r):
			return ' '
		}
		return -1
	}, s)
}

// oneLine is printable for what must not begin a line of its own, where it could
// pass for one of the program's.
func oneLine(s string) string { return strings.Join(strings.Fields(printable(s)), " ") }

func clip(s string) string { return wording.Line(printable(s), mostClipped) }

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// grouped writes a count with commas between the thousands.
func grouped(n int64) string {
	digits := strconv.FormatInt(n, 10)
	for i := len(digits) - 3; i > 0 && digits[i-1] != '-'; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

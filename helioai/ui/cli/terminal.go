package cli

import (
	"io"
	"os"

	"charm.land/lipgloss/v2"
	"golang.org/x/term"
)

// textWidth is the longest line that reads well, in columns.
const textWidth = 100

// isTerminal reports whether w is a terminal that understands cursor movement.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && os.Getenv("TERM") != "dumb" && term.IsTerminal(int(f.Fd()))
}

// terminalWidth is the width of the terminal that w is, in columns; 80 when it
// cannot be known.
func terminalWidth(w io.Writer) int {
	if f, ok := w.(*os.File); ok {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil && width > 20 {
			return width
		}
	}
	return 80
}

// wrap breaks long lines at blanks on a terminal; a file gets them whole, so
// that a script finds them.
func wrap(w io.Writer, s string) string {
	if !isTerminal(w) {
		return s
	}
	return lipgloss.Wrap(s, min(textWidth, terminalWidth(w)), " ")
}

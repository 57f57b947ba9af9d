package cli

import "charm.land/lipgloss/v2"

// The house style. Colour is decoration only: every line reads the same
// without it, and it is dropped where the output is not a terminal.
var (
	strong  = lipgloss.NewStyle().Bold(true)
	faint   = lipgloss.NewStyle().Faint(true)
	good    = lipgloss.NewStyle().Foreground(lipgloss.Green)
	bad     = lipgloss.NewStyle().Foreground(lipgloss.Red)
	caution = lipgloss.NewStyle().Foreground(lipgloss.Yellow)
	path    = lipgloss.NewStyle().Foreground(lipgloss.Cyan)
)

// displayWidth is how many columns a text takes, without its styles.
func displayWidth(s string) int { return lipgloss.Width(s) }

// cutTo shortens a plain text to at most width columns.
func cutTo(s string, width int) string {
	if displayWidth(s) <= width {
		return s
	}
	runes := []rune(s)
	for len(runes) > 0 && displayWidth(string(runes)) >= width {
		runes = runes[:len(runes)-1]
	}
	return string(runes) + "…"
}

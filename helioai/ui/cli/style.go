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

func displayWidth(s string) int { return lipgloss.Width(s) }

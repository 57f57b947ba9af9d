package cli

import (
	"fmt"
	"time"

	"charm.land/lipgloss/v2"
)

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

// cadenceText writes a sampling interval as people do: 16 s, 1 min, 1 h.
func cadenceText(d time.Duration) string {
	switch {
	case d <= 0:
		return ""
	case d < time.Second:
		return fmt.Sprintf("%.4g ms", float64(d)/1e6)
	case d < time.Minute, d < 10*time.Minute && d%time.Minute != 0:
		return fmt.Sprintf("%.4g s", d.Seconds())
	case d < time.Hour:
		return fmt.Sprintf("%.4g min", d.Minutes())
	case d < 48*time.Hour:
		return fmt.Sprintf("%.4g h", d.Hours())
	}
	return fmt.Sprintf("%.4g d", d.Hours()/24)
}

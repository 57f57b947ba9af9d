package cli

import (
	"fmt"
	"io"
	"strings"

	"charm.land/lipgloss/v2"

	"github.com/helios-go/helios/helioai"
	"github.com/helios-go/helios/helioai/check"
	"github.com/helios-go/helios/llm"
)

// showAnswer prints the answer, the verdict on each of its numbers, and where
// figure and notebook are.
func showAnswer(w io.Writer, a *helioai.Answer) error {
	if a.Text == "" && a.Usage == (llm.Usage{}) && a.Notebook == "" && len(a.Figures) == 0 {
		return nil // nothing was done, and why is said elsewhere
	}
	var b strings.Builder
	b.WriteByte('\n')
	if a.Text != "" {
		b.WriteString(wrap(w, printable(a.Text)))
		b.WriteString("\n")
	}
	if !a.Unanswered {
		// A refusal states no result: its numbers are dates and examples.
		writeVerdict(&b, a.Verdict)
	}
	writeFiles(&b, a)
	if a.Skipped != "" {
		fmt.Fprintf(&b, "\n%s\n", caution.Render(wrap(w, printable(a.Skipped))))
	}
	fmt.Fprintf(&b, "\n%s\n", faint.Render(footer(a)))
	_, err := lipgloss.Fprint(w, b.String())
	return err
}

// footer names the session and the model, and says what the answer took.
func footer(a *helioai.Answer) string {
	parts := []string{"session " + a.Session}
	if a.Model != "" {
		parts = append(parts, oneLine(a.Model))
	}
	if in := a.Usage.Input + a.Usage.CacheRead + a.Usage.CacheWrite; in+a.Usage.Output > 0 {
		tokens := fmt.Sprintf("%s tokens in", grouped(in))
		if a.Usage.CacheRead > 0 {
			tokens += fmt.Sprintf(" (%s cached)", grouped(a.Usage.CacheRead))
		}
		parts = append(parts, tokens+fmt.Sprintf(", %s out", grouped(a.Usage.Output)))
		if a.Priced {
			parts = append(parts, cost(a.Cost))
		} else {
			parts = append(parts, "price unknown")
		}
	}
	return strings.Join(parts, " · ")
}

// cost is an amount to a hundredth of a cent, the next one up: never shown as less
// than it is.
func cost(m llm.Micros) string {
	const step = llm.Cent / 100
	return ((m + step - 1) / step * step).String()
}

func writeVerdict(b *strings.Builder, v *check.Verdict) {
	if v == nil || len(v.Claims)+len(v.Numbers) == 0 {
		return
	}
	fmt.Fprintf(b, "\n%s %s\n", strong.Render("Numbers:"), oneLine(v.Summary()))
	var rows [][]string
	seen := map[string]bool{}
	for _, lines := range [][]check.Line{v.Claims, v.Numbers} {
		for _, line := range lines {
			if row := verdictRow(line); !seen[strings.Join(row, "\x00")] {
				seen[strings.Join(row, "\x00")] = true
				rows = append(rows, row)
			}
		}
	}
	writeColumns(b, rows)
}

func verdictRow(line check.Line) []string {
	value := line.Value
	if value == "" {
		value = line.Text
	} else if line.Units != "" {
		value += " " + line.Units
	}
	return []string{statusMark(line.Status), oneLine(value), oneLine(line.Name), faint.Render(oneLine(origin(line)))}
}

// origin says where a number comes from: the ledger entry, where the claim has
// another name, the script, and what is to be said about the comparison.
func origin(line check.Line) string {
	var parts []string
	if line.Entry != "" && line.Entry != line.Name {
		parts = append(parts, line.Entry)
	}
	if line.Code != "" {
		parts = append(parts, "from "+line.Code)
	}
	if line.Note != "" {
		parts = append(parts, "("+line.Note+")")
	}
	return strings.Join(parts, " ")
}

func statusMark(s check.Status) string {
	switch s {
	case check.Matched:
		return good.Render("✓ matched")
	case check.Contradicted:
		return bad.Render("✗ contradicted")
	case check.Unsourced:
		return caution.Render("? unsourced")
	}
	return "· " + string(s)
}

func writeFiles(b *strings.Builder, a *helioai.Answer) {
	if len(a.Figures) == 0 && a.Notebook == "" {
		return
	}
	var rows [][]string
	for i, f := range a.Figures {
		rows = append(rows, []string{label("Figure", i), path.Render(shortPath(f))})
	}
	if a.Notebook != "" {
		rows = append(rows, []string{"Notebook", path.Render(shortPath(a.Notebook))})
	}
	b.WriteByte('\n')
	writeColumns(b, rows)
}

func label(name string, i int) string {
	if i > 0 {
		return ""
	}
	return name
}

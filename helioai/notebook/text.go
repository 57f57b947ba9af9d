package notebook

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/helios-go/helios/helioai/check"
	"github.com/helios-go/helios/helioai/python"
	"github.com/helios-go/helios/helioai/tools"
	"github.com/helios-go/helios/helioai/wording"
)

// header says what was asked and found, and what to do with the notebook.
func (f *folded) header() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n", f.title())
	if n := len(f.Turns); n > 0 { // the conversation below has the earlier ones
		t := f.Turns[n-1]
		fmt.Fprintf(&b, "**Question.** %s\n\n", paragraph(t.Question))
		if t.Answer != "" {
			fmt.Fprintf(&b, "**Answer.** %s\n\n", paragraph(t.Answer))
		}
		b.WriteString(verdictTable(t.Verdict))
	}
	if f.synthetic() {
		b.WriteString("**The data are synthetic: computed, not measured.**\n\n")
	}
	var facts []string
	if !f.Generated.IsZero() {
		facts = append(facts, "generated "+f.Generated.UTC().Format(time.RFC3339))
	}
	for what, text := range map[string]string{"session": f.Session, "by": f.Program, "model": f.Model} {
		if text != "" {
			facts = append(facts, what+" "+text)
		}
	}
	slices.Sort(facts)
	if len(facts) > 0 {
		fmt.Fprintf(&b, "%s.\n\n", capital(strings.Join(facts, "; ")))
	}
	b.WriteString("Run all cells to compute everything again from the files in `data`; the last cell compares the results with the recorded values. " +
		"Nothing else is needed: Python with numpy" + f.needs() + ".\n")
	return b.String()
}

func (f *folded) title() string {
	title := f.Title
	if title == "" && len(f.Turns) > 0 {
		title = f.Turns[0].Question
	}
	return cmp.Or(wording.Line(title, 100), "HelioAI session")
}

// needs names the libraries besides numpy, and the versions that were used.
func (f *folded) needs() string {
	var b strings.Builder
	if len(f.scripts()) > 0 {
		b.WriteString(" and matplotlib")
	}
	if len(scipyModules(f.scripts())) > 0 {
		b.WriteString(" and scipy")
	}
	versions := f.versions()
	if len(versions) > 0 {
		var used []string
		for _, name := range slices.Sorted(maps.Keys(versions)) {
			used = append(used, name+" "+versions[name])
		}
		fmt.Fprintf(&b, " (when it was recorded: %s)", strings.Join(used, ", "))
	}
	return b.String()
}

func (f *folded) synthetic() bool {
	return slices.ContainsFunc(f.datasets, func(d *tools.Dataset) bool { return d.Synthetic })
}

// verdictTable says of each number of an answer what the check found.
func verdictTable(v *check.Verdict) string {
	if v == nil || len(v.Claims)+len(v.Numbers) == 0 {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "**Verdict.** %s.\n\n| stated | verdict | recorded as | recorded value |\n|---|---|---|---|\n", strings.TrimSuffix(v.Summary(), "."))
	for _, lines := range [][]check.Line{v.Claims, v.Numbers} {
		for _, line := range lines {
			stated := line.Value + " " + line.Units
			if line.Name != "" {
				stated = line.Name + ": " + stated
			}
			source := line.Entry
			if line.Code != "" && source != "" {
				source += " (" + line.Code + ")"
			}
			status := string(line.Status)
			if line.Note != "" {
				status += ": " + line.Note
			}
			fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", tableText(stated), tableText(status), tableText(source), tableText(line.Ledger+" "+line.LedgerUnits))
		}
	}
	b.WriteByte('\n')
	return b.String()
}

// methods lists recipes, formulas, data and acknowledgements.
func (f *folded) methods() string {
	var b strings.Builder
	b.WriteString("## Methods, data and acknowledgements\n\n")
	seen := map[string]bool{}
	once := func(line string) {
		if !seen[line] {
			seen[line] = true
			b.WriteString(line)
		}
	}
	for _, s := range f.steps {
		switch {
		case s.data.Script != nil && s.data.Script.Recipe != nil && s.data.Script.OK:
			r := s.data.Script.Recipe
			once(fmt.Sprintf("- Recipe **%s** %s: %s.\n", r.Name, r.Version, strings.TrimSuffix(r.Reference, ".")))
		case s.data.Formula != nil:
			q := s.data.Formula
			once(fmt.Sprintf("- Formula **%s**: `%s`; %s (%s; constants %s).\n", q.Name, q.Expression, q.Convention, q.Source, q.Constants))
		}
	}
	for _, d := range f.datasets {
		fmt.Fprintf(&b, "- Data **%s**: %s%s.\n", d.Key, dataLine(d), acknowledgement(d))
	}
	return b.String()
}

func dataLine(d *tools.Dataset) string {
	parts := []string{"`" + d.ParamID + "`"}
	if d.Description != "" && d.Description != d.Name {
		parts = append(parts, plain(d.Description))
	}
	if d.Title != "" {
		parts = append(parts, plain(d.Title))
	}
	parts = append(parts, fmt.Sprintf("%s to %s", d.Start, d.Stop))
	if d.Source != "" {
		parts = append(parts, "from `"+d.Source+"`")
	}
	if d.Synthetic {
		parts = append(parts, "synthetic, not measured")
	}
	if d.DOI != "" {
		parts = append(parts, "doi "+plain(d.DOI))
	}
	return strings.Join(parts, ", ")
}

func acknowledgement(d *tools.Dataset) string {
	if d.Acknowledgement == "" {
		return ""
	}
	return ". Acknowledgement: " + strings.TrimSuffix(plain(d.Acknowledgement), ".")
}

func (f *folded) conversation() string {
	var b strings.Builder
	b.WriteString("## Conversation\n\n")
	for _, t := range f.Turns {
		fmt.Fprintf(&b, "**You:** %s\n\n**HelioAI:** %s\n\n", paragraph(t.Question), paragraph(cmp.Or(t.Answer, "(no answer)")))
	}
	return b.String()
}

// failedAttempt shows a script that failed. It is told, because it was part of
// the way, and not run.
func failedAttempt(d *tools.Data) string {
	fence := "```"
	for strings.Contains(d.Script.Code, fence) {
		fence += "`"
	}
	return fmt.Sprintf("### %s (failed, not run here)\n\n%s\n\n%spython\n%s\n%s\n", d.Script.Name, plain(d.Error), fence, strings.TrimRight(d.Script.Code, "\n"), fence)
}

// origin is ORIGIN.md: where each file of the folder data comes from.
func (f *folded) origin() string {
	var b strings.Builder
	b.WriteString("# Where these data come from\n\n")
	if f.synthetic() {
		b.WriteString("Some of the data are synthetic: computed, not measured.\n\n")
	}
	for _, d := range f.datasets {
		fmt.Fprintf(&b, "## data/%s\n\n", d.File)
		rows := [][2]string{
			{"Parameter", d.ParamID}, {"Description", d.Description}, {"Dataset", d.Title}, {"Mission", d.Mission},
			{"Instrument", d.Instrument}, {"Frame", d.Frame}, {"Units", d.Units}, {"Columns", strings.Join(d.Columns, ", ")},
			{"First and last record", d.Start.String() + " to " + d.Stop.String()},
			{"Window asked for", window(d)},
			{"Shape", fmt.Sprint(d.Shape)},
			{"Missing", strconv.FormatFloat(d.MissingPct, 'f', 1, 64) + " %, as NaN"},
			{"Read from", d.Source}, {"SHA-256 of that file", d.SourceSHA256}, {"SHA-256 of this file", d.SHA256},
			{"Synthetic", map[bool]string{true: "yes: computed, not measured"}[d.Synthetic]},
			{"DOI", d.DOI}, {"Acknowledgement", d.Acknowledgement},
		}
		for _, row := range rows {
			if row[1] != "" {
				fmt.Fprintf(&b, "- %s: %s\n", row[0], plain(row[1]))
			}
		}
		b.WriteByte('\n')
	}
	b.WriteString("Arrays in each file: `time` (datetime64[ns], UTC), `tt2000` (int64, nanoseconds since J2000 with leap seconds), `values`, `columns`. " +
		"Values that the source marks as fill are NaN; nothing else was changed.\n\n" +
		"To check the files: `sha256sum -c SHA256SUMS` (a notebook that was run and saved no longer has its sum). " +
		"To run the notebook: `jupyter nbconvert --to notebook --execute NAME.ipynb`, or open it in Jupyter.\n")
	return b.String()
}

func window(d *tools.Dataset) string {
	start, stop := "the beginning", "the end"
	if d.AskedStart != nil {
		start = d.AskedStart.String()
	}
	if d.AskedStop != nil {
		stop = "before " + d.AskedStop.String()
	}
	return start + " to " + stop
}

// arguments writes the arguments of a formula by name.
func arguments(inputs map[string]any) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(inputs)) {
		switch v := inputs[name].(type) {
		case float64:
			parts = append(parts, name+"="+strconv.FormatFloat(v, 'g', -1, 64))
		case bool:
			parts = append(parts, name+"="+map[bool]string{true: "True", false: "False"}[v])
		case string:
			parts = append(parts, name+"="+python.Quote(v))
		}
	}
	return strings.Join(parts, ", ")
}

// plain puts any text on one line.
func plain(text string) string { return strings.Join(strings.Fields(text), " ") }

// paragraph keeps the paragraphs of a text and nothing that would start a
// heading in the middle of the notebook.
func paragraph(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for i, line := range lines {
		if strings.HasPrefix(strings.TrimSpace(line), "#") {
			lines[i] = "\\" + strings.TrimSpace(line)
		}
	}
	return strings.Join(lines, "\n")
}

func tableText(text string) string {
	return strings.ReplaceAll(strings.TrimSpace(plain(text)), "|", "\\|")
}

func capital(text string) string {
	r, size := utf8.DecodeRuneInString(text)
	return strings.ToUpper(string(r)) + text[size:]
}

package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/spf13/cobra"

	"github.com/helios-go/helios/helio/archive"
	"github.com/helios-go/helios/helio/tt"
	"github.com/helios-go/helios/helioai/demo"
	"github.com/helios-go/helios/helioai/wording"
)

const dataFlagHelp = "CDF or CSV file, or a folder of them (may be repeated); default: the synthetic demo data"

func newData(stdout, stderr io.Writer) *cobra.Command {
	d := &listing{stdout: stdout, stderr: stderr}
	cmd := &cobra.Command{
		Use:   "data [ARCHIVE[/DATASET]] [--data FILE|DIR]...",
		Short: "List what data there are: archives, datasets, parameters, units, coverage, cadence",
		Long: `List the data of local files, or what an archive on the network has.

Without a word it lists the files of --data, or the synthetic demo data. With the
name of an archive it lists its datasets, with ARCHIVE/DATASET one dataset with its
parameters, coverage, and how to cite it. --archives lists the archives; an entry of
the same form in archives.json in the data directory adds one or takes the place of
one.`,
		Example: `  helioai data
  helioai data --data ~/cdf --json
  helioai data --archives
  helioai data cda --filter "wind mfi"
  helioai data cda/AC_H0_MFI`,
		Args: d.args,
		RunE: func(cmd *cobra.Command, _ []string) error { return d.run(cmd.Context()) },
	}
	d.from.flags(cmd)
	cmd.Flags().BoolVar(&d.json, "json", false, "print JSON")
	cmd.Flags().BoolVar(&d.all, "all", false, "list support data too (positions, quality flags)")
	cmd.Flags().BoolVar(&d.archives, "archives", false, "list the archives on the network")
	cmd.Flags().StringVar(&d.filter, "filter", "", "list only datasets with all of these `words` in their ids or titles")
	return cmd
}

// listing is one call of helioai data.
type listing struct {
	from
	stdout, stderr      io.Writer
	json, all, archives bool
	filter              string
	what                string // ARCHIVE or ARCHIVE/DATASET
}

func (d *listing) args(cmd *cobra.Command, args []string) error {
	if len(args) > 1 {
		return &usageError{fmt.Errorf("%s takes one archive or dataset, and got %s; see %s --help", cmd.CommandPath(), plural(len(args), "word"), cmd.CommandPath())}
	}
	if len(args) == 1 {
		if _, err := os.Stat(args[0]); err == nil || strings.HasSuffix(args[0], ".cdf") || strings.HasSuffix(args[0], ".csv") {
			return &usageError{fmt.Errorf("%s takes an archive, and %q is a file or folder; write --data %s", cmd.CommandPath(), args[0], args[0])}
		}
		if d.what = args[0]; d.archives {
			return &usageError{errors.New("--archives lists all archives; leave the word or the flag away")}
		}
	}
	return nil
}

func (d *listing) run(ctx context.Context) error {
	if d.archives {
		return d.listArchives()
	}
	if d.what != "" && d.what != archive.Provider {
		return d.browse(ctx)
	}
	arch, err := openArchive(d.paths)
	if err != nil {
		return err
	}
	datasets, err := arch.Inventory(ctx)
	if err != nil {
		return err
	}
	datasets = filtered(datasets, d.filter)
	if d.json {
		return writeInventoryJSON(d.stdout, datasets, skipped(arch))
	}
	return writeInventory(d.stdout, datasets, skipped(arch), d.all)
}

// openArchive opens the files and folders, or the demo data when there are none.
func openArchive(paths []string) (archive.Archive, error) {
	if len(paths) == 0 {
		return demo.Archive()
	}
	if slices.Contains(paths, "") {
		return nil, errNoPath
	}
	return archive.OpenLocal(paths)
}

// errNoPath refuses --data "", as a shell makes it of a variable that is not
// set. It would be the current folder.
var errNoPath = &usageError{errors.New("--data is empty; name a file or a folder")}

// skipped says of each file in a folder that could not be read why it was left
// out of the last inventory.
func skipped(arch archive.Archive) []string {
	out := []string{}
	if local, ok := arch.(*archive.Local); ok {
		for _, err := range local.Skipped() {
			out = append(out, oneLine(err.Error()))
		}
	}
	return out
}

// tellSkipped lists the data and tells what had to be left out.
func tellSkipped(ctx context.Context, arch archive.Archive, tell func(string)) {
	if _, err := arch.Inventory(ctx); err != nil {
		return // whoever needs the list will say so
	}
	const most = 3
	left := skipped(arch)
	for i, why := range left {
		if i == most {
			tell(fmt.Sprintf("left out: %d more files; helioai data names them", len(left)-most))
			return
		}
		tell("left out: " + why)
	}
}

func writeInventory(w io.Writer, datasets []archive.Dataset, skipped []string, all bool) error {
	var b strings.Builder
	for i, d := range datasets {
		if i > 0 {
			b.WriteByte('\n')
		}
		writeDataset(&b, d, all)
	}
	for i, why := range skipped {
		if i == 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "%s\n", caution.Render("left out: "+why))
	}
	_, err := lipgloss.Fprint(w, b.String())
	return err
}

func writeDataset(b *strings.Builder, d archive.Dataset, all bool) {
	fmt.Fprintf(b, "%s\n", strong.Render(oneLine(d.ID)))
	if d.Title != "" && d.Title != d.ID {
		fmt.Fprintf(b, "  %s\n", oneLine(d.Title))
	}
	if d.Synthetic {
		fmt.Fprintf(b, "  %s\n", caution.Render("synthetic data, not measured"))
	}
	if len(d.Parameters) == 0 {
		fmt.Fprintf(b, "  %s\n", caution.Render("no variable with a time axis"))
		return
	}
	fmt.Fprintf(b, "  %s\n", coverageText(d.Start, d.Stop, d.Records, wording.Interval(d.Cadence)))

	var rows [][]string
	hidden := 0
	for _, p := range d.Parameters {
		if p.Role != "data" && !all {
			hidden++
			continue
		}
		row := []string{p.Name, unitsText(p.Units), shapeText(p), describe(p, d)}
		for i, cell := range row {
			row[i] = oneLine(cell) // names and texts are the file's
		}
		rows = append(rows, row)
	}
	writeColumns(b, rows)
	if hidden > 0 {
		fmt.Fprintf(b, "  %s\n", faint.Render(fmt.Sprintf("and %d of support data (--all lists them)", hidden)))
	}
}

func coverageText(start, stop tt.Time, records int, cadence string) string {
	if start == tt.Fill || records == 0 {
		return "no records"
	}
	text := fmt.Sprintf("%v to %v, %d records", start, stop, records)
	if cadence != "" {
		text += ", every " + cadence
	}
	return text
}

func unitsText(units string) string {
	if units = strings.TrimSpace(units); units == "" {
		return "-"
	}
	return units
}

func shapeText(p archive.Parameter) string {
	switch {
	case len(p.Dims) == 0:
		return "scalar"
	case len(p.Columns) > 0 && len(p.Columns) <= 4:
		return "[" + strings.Join(p.Columns, ", ") + "]"
	}
	parts := make([]string, len(p.Dims))
	for i, n := range p.Dims {
		parts[i] = fmt.Sprint(n)
	}
	return "[" + strings.Join(parts, "×") + "]"
}

// describe says what a parameter is, and where it differs from its dataset.
func describe(p archive.Parameter, d archive.Dataset) string {
	text := p.Description
	if text == p.Name {
		text = ""
	}
	switch {
	case p.Records == 0:
		text += " (no records)"
	case p.Cadence != d.Cadence && p.Cadence > 0:
		text += " (every " + wording.Interval(p.Cadence) + ")"
	}
	return strings.TrimSpace(text)
}

// writeColumns prints rows in aligned columns, without blanks at the ends of
// lines.
func writeColumns(b *strings.Builder, rows [][]string) {
	var width []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(width) {
				width = append(width, 0)
			}
			width[i] = max(width[i], displayWidth(cell))
		}
	}
	for _, row := range rows {
		line, blanks := "", "  "
		for i, cell := range row {
			if displayWidth(cell) > 0 { // styles alone are none
				line += blanks + cell
				blanks = ""
			}
			blanks += strings.Repeat(" ", width[i]-displayWidth(cell)+2)
		}
		b.WriteString(line + "\n")
	}
}

// The JSON form of the inventory.
type (
	datasetJSON struct {
		ID         string  `json:"id"`
		Title      string  `json:"title,omitempty"`
		Source     string  `json:"source"`
		Mission    string  `json:"mission,omitempty"`
		Instrument string  `json:"instrument,omitempty"`
		Start      *string `json:"start"` // null: no record
		Stop       *string `json:"stop"`
		CadenceS   float64 `json:"cadence_s,omitempty"`
		Records    int     `json:"records"`
		Synthetic  bool    `json:"synthetic,omitempty"`
		Region     string  `json:"region,omitempty"`
		Type       string  `json:"type,omitempty"`
		Modified   string  `json:"modified,omitempty"`
		Credits
		// Partial: the parameters are listed by helioai data ARCHIVE/DATASET.
		Partial    bool            `json:"partial,omitempty"`
		Parameters []parameterJSON `json:"parameters"`
	}
	parameterJSON struct {
		ID          string   `json:"id"`
		Name        string   `json:"name"`
		Description string   `json:"description,omitempty"`
		Units       string   `json:"units"`
		Columns     []string `json:"columns,omitempty"`
		Dims        []int    `json:"dims,omitempty"`
		Frame       string   `json:"frame,omitempty"`
		Role        string   `json:"role"`
		Start       *string  `json:"start"`
		Stop        *string  `json:"stop"`
		CadenceS    float64  `json:"cadence_s,omitempty"`
		Records     int      `json:"records"`
	}
)

func writeInventoryJSON(w io.Writer, datasets []archive.Dataset, skipped []string) error {
	out := make([]datasetJSON, 0, len(datasets))
	for _, d := range datasets {
		dj := datasetJSON{
			ID: d.ID, Title: d.Title, Source: d.Source, Mission: d.Mission, Instrument: d.Instrument,
			Start: timeJSON(d.Start), Stop: timeJSON(d.Stop), CadenceS: d.Cadence.Seconds(),
			Records: d.Records, Synthetic: d.Synthetic, Region: d.Region, Type: d.Type, Modified: d.Modified,
			Credits: Credits{DOI: d.DOI, SPASE: d.SPASE, Citation: d.Citation, Acknowledgement: d.Acknowledgement, License: d.License, URL: d.ResourceURL},
			Partial: d.Partial, Parameters: []parameterJSON{},
		}
		for _, p := range d.Parameters {
			dj.Parameters = append(dj.Parameters, parameterJSON{
				ID: p.ID, Name: p.Name, Description: p.Description, Units: p.Units, Columns: p.Columns,
				Dims: p.Dims, Frame: p.Frame, Role: p.Role, Start: timeJSON(p.Start), Stop: timeJSON(p.Stop),
				CadenceS: p.Cadence.Seconds(), Records: p.Records,
			})
		}
		out = append(out, dj)
	}
	return writeJSON(w, map[string]any{"datasets": out, "left_out": skipped})
}

func timeJSON(t tt.Time) *string {
	if t == tt.Fill {
		return nil
	}
	s := t.String()
	return &s
}

func writeJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	"charm.land/lipgloss/v2"

	"github.com/helios-go/helios/helio/archive"
	"github.com/helios-go/helios/helio/tt"
	"github.com/helios-go/helios/helioai/archives"
	"github.com/helios-go/helios/helioai/places"
	"github.com/helios-go/helios/helioai/wording"
)

// listArchives lists the table of archives.
func (d *listing) listArchives() error {
	home, err := places.Open("")
	if err != nil {
		return err
	}
	table, err := archives.Table(home)
	if err != nil {
		return err
	}
	if d.json {
		return writeJSON(d.stdout, map[string]any{"archives": table})
	}
	var rows [][]string
	for _, s := range table {
		name := oneLine(s.Name)
		if s.Developing {
			name += faint.Render(" (in development)")
		}
		rows = append(rows, []string{strong.Render(s.ID), name, faint.Render(oneLine(s.Base))})
	}
	var b strings.Builder
	writeColumns(&b, rows)
	_, err = lipgloss.Fprint(d.stdout, b.String())
	return err
}

// browse lists the datasets of an archive, or describes one.
func (d *listing) browse(ctx context.Context) error {
	all, err := d.open()
	if err != nil {
		return err
	}
	provider, _, one := strings.Cut(d.what, "/")
	a, ok := all.Archive(provider)
	if !ok {
		return fmt.Errorf("there is no archive %q; helioai data --archives lists them", provider)
	}
	show := newFetching(d.stderr, "asking "+clip(a.Name()))
	defer show.close()
	ctx = archive.WithProgress(ctx, show.told)
	if one {
		dataset, err := all.Set.Describe(ctx, d.what)
		if err != nil {
			return err
		}
		show.close()
		return d.writeOne(dataset)
	}
	datasets, err := a.Inventory(ctx)
	if err != nil {
		return err
	}
	show.close()
	return d.writeList(provider, filtered(datasets, d.filter))
}

// filtered keeps the datasets that have all words in their ids or titles.
func filtered(datasets []archive.Dataset, words string) []archive.Dataset {
	wanted := strings.Fields(strings.ToLower(words))
	if len(wanted) == 0 {
		return datasets
	}
	var out []archive.Dataset
	for _, d := range datasets {
		text := strings.ToLower(d.ID + " " + d.Title + " " + d.Mission + " " + d.Instrument)
		all := true
		for _, w := range wanted {
			all = all && strings.Contains(text, w)
		}
		if all {
			out = append(out, d)
		}
	}
	return out
}

func (d *listing) writeList(provider string, datasets []archive.Dataset) error {
	if d.json {
		return writeInventoryJSON(d.stdout, datasets, []string{})
	}
	var rows [][]string
	for _, s := range datasets {
		rows = append(rows, []string{strong.Render(oneLine(archive.JoinDatasetID(provider, s.ID))), faint.Render(spanText(s.Start, s.Stop)), clip(s.Title)})
	}
	var b strings.Builder
	writeColumns(&b, rows)
	fmt.Fprintf(&b, "%s\n", faint.Render(plural(len(rows), "dataset")))
	_, err := lipgloss.Fprint(d.stdout, b.String())
	return err
}

// spanText is a coverage by its days.
func spanText(start, stop tt.Time) string {
	day := func(t tt.Time) string {
		if t == tt.Fill {
			return "?"
		}
		text, _, _ := strings.Cut(t.String(), "T")
		return text
	}
	if start == tt.Fill && stop == tt.Fill {
		return ""
	}
	return day(start) + " to " + day(stop)
}

func (d *listing) writeOne(s *archive.Dataset) error {
	if d.json {
		return writeInventoryJSON(d.stdout, []archive.Dataset{*s}, []string{})
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", strong.Render(oneLine(archive.JoinDatasetID(s.Provider, s.ID))))
	if s.Title != "" && s.Title != s.ID {
		fmt.Fprintf(&b, "  %s\n", oneLine(s.Title))
	}
	fmt.Fprintf(&b, "  %s\n", remoteCoverage(s.Start, s.Stop, s.Cadence))
	for _, line := range creditsOf(s).lines() {
		fmt.Fprintf(&b, "  %s\n", line)
	}
	var rows [][]string
	hidden := 0
	for _, p := range s.Parameters {
		if p.Role != "data" && !d.all {
			hidden++
			continue
		}
		row := []string{p.ID, unitsText(p.Units), shapeText(p), clip(p.Description)}
		for i, cell := range row {
			row[i] = oneLine(cell)
		}
		rows = append(rows, row)
	}
	writeColumns(&b, rows)
	if hidden > 0 {
		fmt.Fprintf(&b, "  %s\n", faint.Render(fmt.Sprintf("and %d of support data (--all lists them)", hidden)))
	}
	_, err := lipgloss.Fprint(d.stdout, b.String())
	return err
}

func remoteCoverage(start, stop tt.Time, cadence time.Duration) string {
	if start == tt.Fill && stop == tt.Fill {
		return "coverage unknown"
	}
	text := fmt.Sprintf("%v to %v", start, stop)
	if c := wording.Interval(cadence); c != "" {
		text += ", every " + c
	}
	return text
}

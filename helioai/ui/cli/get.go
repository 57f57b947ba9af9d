package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"time"

	"charm.land/lipgloss/v2"
	"github.com/spf13/cobra"

	"github.com/helios-go/helios/helio/archive"
	"github.com/helios-go/helios/helio/series"
	"github.com/helios-go/helios/helio/tt"
	"github.com/helios-go/helios/helioai/archives"
	"github.com/helios-go/helios/helioai/places"
	"github.com/helios-go/helios/helioai/wording"
)

// from is where data come from, as the flags of several commands say it.
type from struct {
	paths   []string
	offline bool
	noCache bool
}

func (f *from) flags(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&f.paths, "data", nil, dataFlagHelp)
	cmd.Flags().BoolVar(&f.offline, "offline", false, "ask no archive on the network: only the cache and local files")
	cmd.Flags().BoolVar(&f.noCache, "no-cache", false, "neither use nor keep what archives have answered")
}

// open opens all archives. It asks nobody.
func (f *from) open() (*archives.Archives, error) {
	if slices.Contains(f.paths, "") {
		return nil, errNoPath
	}
	if f.offline && f.noCache {
		return nil, &usageError{errors.New("--offline works from the cache, which --no-cache leaves aside; give one of the two")}
	}
	home, err := places.Open("")
	if err != nil {
		return nil, err
	}
	return archives.Open(home, &archives.Options{Local: f.paths, Offline: f.offline, NoCache: f.noCache})
}

func newGet(stdout, stderr io.Writer) *cobra.Command {
	var g getting
	cmd := &cobra.Command{
		Use:   "get ID START STOP [-o FILE]",
		Short: "Fetch one parameter from an archive or a file, and write it as npz, CSV, HAPI JSON or VOTable",
		Long: `Fetch one parameter in the window from START to before STOP.

ID is provider/dataset/parameter, as helioai data lists them. Times are UTC, as in
2023-01-02T03:41:01 or cut from the right (2023-01-02). The ending of FILE says the
form: .npz (numpy), .csv, .json (HAPI) or .vot (VOTable); without -o it is CSV on
standard output. Fill values are NaN. What is known of the data goes to standard
error, or with --json to standard output.

What was fetched is kept in the cache: the same window again costs nothing, and a
fetch that was interrupted goes on where it was.`,
		Example: `  helioai get cda/AC_H0_MFI/BGSEc 2023-01-02 2023-01-03 -o field.npz
  helioai get amda/imf 2015-03-17 2015-03-18 > imf.csv
  helioai get --data ~/cdf local/ac_h0_mfi_20230102_v07/Magnitude 2023-01-02T03 2023-01-02T04`,
		Args: g.args,
		RunE: func(cmd *cobra.Command, _ []string) error { return g.run(cmd.Context(), stdout, stderr) },
	}
	g.from.flags(cmd)
	cmd.Flags().StringVarP(&g.out, "output", "o", "", "write to this `file`, in the form that its ending says")
	cmd.Flags().BoolVar(&g.json, "json", false, "print JSON about the data")
	return cmd
}

// getting is one call of helioai get.
type getting struct {
	from
	id          string
	start, stop tt.Time
	out         string
	json        bool
}

func (g *getting) args(cmd *cobra.Command, args []string) error {
	if len(args) != 3 {
		return &usageError{fmt.Errorf("%s wants an id, a start and a stop, and got %s; see %s --help", cmd.CommandPath(), plural(len(args), "word"), cmd.CommandPath())}
	}
	g.id = args[0]
	var err error
	if g.start, err = tt.Parse(args[1]); err != nil {
		return &usageError{fmt.Errorf("the start: %w", err)}
	}
	if g.stop, err = tt.Parse(args[2]); err != nil {
		return &usageError{fmt.Errorf("the stop: %w", err)}
	}
	if g.stop <= g.start {
		return &usageError{fmt.Errorf("the window starts at %v and stops at %v, which is not later", g.start, g.stop)}
	}
	if g.out != "" {
		if _, err := series.FormatOf(g.out); err != nil {
			return &usageError{err}
		}
	} else if g.json {
		return &usageError{errors.New("with --json the data need a file: give -o FILE")}
	}
	return nil
}

func (g *getting) run(ctx context.Context, stdout, stderr io.Writer) error {
	all, err := g.open()
	if err != nil {
		return err
	}
	s, err := g.fetch(ctx, all.Set, stderr)
	if err != nil {
		return err
	}
	if s.Len() == 0 {
		return fmt.Errorf("read %s: it has no records", g.id)
	}
	if g.out == "" {
		if err := series.Write(stdout, "csv", s); err != nil {
			return err
		}
	} else if err := series.WriteFile(g.out, s); err != nil {
		return err
	}
	about := g.about(s)
	if g.json {
		return writeJSON(stdout, about)
	}
	_, err = lipgloss.Fprint(stderr, about.text())
	return err
}

func (g *getting) fetch(ctx context.Context, from archive.Archive, stderr io.Writer) (*series.Series, error) {
	show := newFetching(stderr, "fetching "+clip(g.id))
	defer show.close()
	s, err := from.Fetch(archive.WithProgress(ctx, show.told), g.id, g.start, g.stop)
	if err != nil && ctx.Err() != nil && show.last.Total > 0 && !g.noCache {
		return nil, fmt.Errorf("interrupted; %d of %s are in the cache, and the same command goes on from there", show.last.Done, plural(show.last.Total, "piece"))
	}
	return s, err
}

// A gotten says what was fetched; its JSON form is what --json prints.
type gotten struct {
	ID          string   `json:"id"`
	Name        string   `json:"name"`
	Description string   `json:"description,omitempty"`
	Units       string   `json:"units"`
	Columns     []string `json:"columns"`
	Frame       string   `json:"frame,omitempty"`
	Records     int      `json:"records"`
	Start       string   `json:"start"` // of the first record
	Stop        string   `json:"stop"`  // of the last record
	Asked       []string `json:"asked"`
	CadenceS    float64  `json:"cadence_s,omitempty"`
	// WindowNote says that less came than was asked for.
	WindowNote string      `json:"window_note,omitempty"`
	Quality    qualityJSON `json:"quality"`
	File       string      `json:"file,omitempty"`
	Bytes      int64       `json:"bytes,omitempty"`

	Credits
	Synthetic bool `json:"synthetic,omitempty"`

	cadence time.Duration
}

type qualityJSON struct {
	MissingPct float64   `json:"missing_pct"`
	Gaps       []gapJSON `json:"gaps,omitempty"`
	NGaps      int       `json:"n_gaps"`
	Outliers   int       `json:"outliers_5sigma"`
	Notable    bool      `json:"notable"`
}

type gapJSON struct {
	Start  string  `json:"start"`
	DurH   float64 `json:"dur_h"`
	length time.Duration
}

func (g *getting) about(s *series.Series) *gotten {
	q := s.Quality()
	first, last := s.Time[0], s.Time[0]
	for _, t := range s.Time {
		first, last = min(first, t), max(last, t)
	}
	a := &gotten{
		ID: s.ID, Name: s.Name, Description: s.Description, Units: s.Units, Columns: s.Columns, Frame: s.Meta.Frame,
		Records: s.Len(), Start: first.String(), Stop: last.String(), Asked: []string{g.start.String(), g.stop.String()},
		cadence: s.Cadence(), File: g.out,
		Quality:   qualityJSON{MissingPct: math.Round(q.MissingPct*10) / 10, NGaps: q.NGaps, Outliers: q.Outliers, Notable: q.Notable},
		Credits:   Credits{DOI: s.Meta.DOI, SPASE: s.Meta.SPASE, Citation: s.Meta.Citation, Acknowledgement: s.Meta.Acknowledgement, License: s.Meta.License, URL: s.Meta.ResourceURL},
		Synthetic: s.Meta.Synthetic,
	}
	a.CadenceS = a.cadence.Seconds()
	for _, gap := range q.Gaps {
		a.Quality.Gaps = append(a.Quality.Gaps, gapJSON{gap.Start.String(), math.Round(gap.Duration.Hours()*1000) / 1000, gap.Duration})
	}
	a.WindowNote = windowNote(g.start, g.stop, first, last, a.cadence)
	if info, err := os.Stat(g.out); err == nil {
		a.Bytes = info.Size()
	}
	return a
}

// windowNote says that what came is shorter than what was asked for, by more than a
// minute and a twentieth of the window; a step at the end is none.
func windowNote(start, stop, first, last tt.Time, cadence time.Duration) string {
	missing := first.Sub(start) + max(0, stop.Sub(last)-cadence)
	if missing <= time.Minute || missing <= stop.Sub(start)/20 {
		return ""
	}
	return fmt.Sprintf("obtained %v to %v (asked %v to %v)", first, last, start, stop)
}

func (a *gotten) text() string {
	var b strings.Builder
	what := grouped(int64(a.Records)) + " records"
	if a.cadence > 0 {
		what += ", every " + wording.Interval(a.cadence)
	}
	if a.Units != "" {
		what += ", " + oneLine(a.Units)
	}
	fmt.Fprintf(&b, "%s  %s\n", strong.Render(oneLine(a.ID)), what)
	fmt.Fprintf(&b, "  %s to %s\n", a.Start, a.Stop)
	if a.Synthetic {
		fmt.Fprintf(&b, "  %s\n", caution.Render("synthetic data, not measured"))
	}
	if a.WindowNote != "" {
		fmt.Fprintf(&b, "  %s\n", caution.Render(a.WindowNote))
	}
	if text := a.Quality.text(); text != "" {
		fmt.Fprintf(&b, "  %s\n", caution.Render(text))
	}
	for _, line := range a.lines() {
		fmt.Fprintf(&b, "  %s\n", line)
	}
	if a.File != "" {
		fmt.Fprintf(&b, "  %s  %s\n", path.Render(a.File), sizeText(a.Bytes))
	}
	return b.String()
}

func (q *qualityJSON) text() string {
	var parts []string
	if q.MissingPct > 0 {
		parts = append(parts, fmt.Sprintf("%.1f %% missing", q.MissingPct))
	}
	if q.NGaps > 0 {
		longest, which := q.Gaps[0], "the longest"
		for _, g := range q.Gaps {
			if g.length > longest.length {
				longest = g
			}
		}
		if q.NGaps > len(q.Gaps) { // only the first are listed
			longest, which = q.Gaps[0], "the first"
		}
		parts = append(parts, fmt.Sprintf("%s, %s of %s from %s", plural(q.NGaps, "gap"), which, wording.Interval(longest.length), longest.Start))
	}
	if q.Outliers > 0 {
		parts = append(parts, fmt.Sprintf("%s beyond 5 sigma", plural(q.Outliers, "value")))
	}
	return strings.Join(parts, "; ")
}

func firstText(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}

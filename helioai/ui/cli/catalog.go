package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/spf13/cobra"

	"github.com/helios-go/helios/helio/catalog"
	"github.com/helios-go/helios/helio/tt"
	"github.com/helios-go/helios/helioai/archives"
	"github.com/helios-go/helios/helioai/places"
)

// cataloguing is one call of helioai catalog.
type cataloguing struct {
	stdout, stderr io.Writer
	offline, json  bool

	id                string // "" lists
	text, out         string
	start, stop       string
	where             []string
	query             catalog.Query
	columns           []string
	name, description string // of what is saved
	file              string
}

func newCatalog(stdout, stderr io.Writer) *cobra.Command {
	c := &cataloguing{stdout: stdout, stderr: stderr}
	cmd := &cobra.Command{
		Use:   "catalog [ID]",
		Short: "List event catalogues and timetables, show, select, save and convert them",
		Long: `List event catalogues and timetables, or show the events of one.

--start and --stop choose events by their start, --where by a column ("speed gt 500",
with eq, ne, gt, gte, lt, lte or contains). With -o the events that were chosen are
written to a file: .vot (which speasy and tscat open), .csv or .json.`,
		Example: `  helioai catalog
  helioai catalog helio4cast/icmecat --start 2015-03-01 --stop 2015-04-01
  helioai catalog helio4cast/icmecat --where "mo_bmax gt 30" --sort mo_bmax --descending -o strong.vot
  helioai catalog save shocks shocks.csv`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return &usageError{fmt.Errorf("%s takes one id, and got %s; see %s --help", cmd.CommandPath(), plural(len(args), "word"), cmd.CommandPath())}
			}
			if len(args) == 1 {
				c.id = args[0]
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return c.run(cmd.Context()) },
	}
	f := cmd.Flags()
	f.StringVar(&c.start, "start", "", "only events that start at this `time` or later")
	f.StringVar(&c.stop, "stop", "", "only events that start before this `time`")
	f.StringArrayVar(&c.where, "where", nil, "only events with this `condition`, as in \"speed gt 500\" (may be repeated)")
	f.StringVar(&c.query.Sort, "sort", "", "sort by this `column`")
	f.BoolVar(&c.query.Descending, "descending", false, "largest first")
	f.StringSliceVar(&c.columns, "columns", nil, "show these `columns`, separated by commas; * is all")
	f.IntVar(&c.query.Limit, "limit", 20, "show at most so many events; 0 is all")
	f.IntVar(&c.query.Offset, "offset", 0, "leave out so many events at the beginning")
	f.StringVar(&c.text, "filter", "", "list only catalogues with this `text` in their ids, names or descriptions")
	f.StringVarP(&c.out, "output", "o", "", "write the chosen events to this `file`")
	f.BoolVar(&c.offline, "offline", false, "ask nobody on the network")
	f.BoolVar(&c.json, "json", false, "print JSON")
	cmd.AddCommand(c.newSave(), c.newDelete())
	return cmd
}

func (c *cataloguing) open() (*archives.Catalogs, error) {
	home, err := places.Open("")
	if err != nil {
		return nil, err
	}
	opts := &archives.Options{Offline: c.offline}
	all, err := archives.Open(home, opts)
	if err != nil {
		return nil, err
	}
	return archives.OpenCatalogs(home, all, opts), nil
}

func (c *cataloguing) run(ctx context.Context) error {
	if err := c.read(); err != nil {
		return &usageError{err}
	}
	catalogs, err := c.open()
	if err != nil {
		return err
	}
	if c.id == "" {
		return c.list(ctx, catalogs)
	}
	show := newFetching(c.stderr, "reading "+clip(c.id))
	defer show.close()
	one, err := catalogs.Get(ctx, c.id)
	if err != nil {
		return err
	}
	show.close()
	if c.out != "" {
		return c.write(one)
	}
	return c.show(one)
}

// read makes a query of the flags.
func (c *cataloguing) read() error {
	if c.start != "" || c.stop != "" {
		w := &catalog.Window{Start: tt.Fill, Stop: tt.Fill}
		for _, side := range []struct {
			to   *tt.Time
			from string
		}{{&w.Start, c.start}, {&w.Stop, c.stop}} {
			if side.from == "" {
				continue
			}
			var err error
			if *side.to, err = tt.Parse(side.from); err != nil {
				return err
			}
		}
		c.query.Window = w
	}
	for _, text := range c.where {
		part := strings.Fields(text)
		if len(part) < 3 || !slices.Contains(catalog.Ops(), catalog.Op(part[1])) {
			return fmt.Errorf("the condition %q is not of the form \"column op value\", with op one of eq, ne, gt, gte, lt, lte, contains", text)
		}
		c.query.Where = append(c.query.Where, catalog.Condition{Column: part[0], Op: catalog.Op(part[1]), Value: strings.Join(part[2:], " ")})
	}
	if c.query.Columns = c.columns; c.query.Limit < 0 || c.query.Offset < 0 {
		return errors.New("--limit and --offset must not be negative")
	}
	if c.out != "" {
		_, err := catalog.FormatOf(c.out)
		return err
	}
	return nil
}

func (c *cataloguing) list(ctx context.Context, catalogs *archives.Catalogs) error {
	show := newFetching(c.stderr, "asking for catalogues")
	defer show.close()
	all, failed, err := catalogs.List(ctx)
	if err != nil {
		return err
	}
	all = catalog.Find(all, "", c.text)
	show.close()
	leftOut := []string{}
	for _, err := range failed {
		leftOut = append(leftOut, oneLine(err.Error()))
	}
	if c.json {
		list := make([]map[string]any, len(all))
		for i, s := range all {
			list[i] = map[string]any{"id": s.ID, "name": s.Name, "type": s.Kind, "nb_events": s.Events, "description": s.Description}
			if s.Survey != nil {
				list[i]["survey_start"], list[i]["survey_stop"] = timeJSON(s.Survey.Start), timeJSON(s.Survey.Stop)
			}
		}
		return writeJSON(c.stdout, map[string]any{"catalogs": list, "left_out": leftOut})
	}
	var rows [][]string
	for _, s := range all {
		events := "?"
		if s.Events >= 0 {
			events = grouped(int64(s.Events))
		}
		rows = append(rows, []string{strong.Render(oneLine(s.ID)), string(s.Kind), events + " events", clip(firstText(s.Name, s.Description))})
	}
	var b strings.Builder
	writeColumns(&b, rows)
	for _, why := range leftOut {
		fmt.Fprintf(&b, "%s\n", caution.Render("left out: "+why))
	}
	if len(rows) == 0 {
		fmt.Fprintf(&b, "no catalogue; helioai catalog save NAME FILE makes one\n")
	}
	_, err = lipgloss.Fprint(c.stdout, b.String())
	return err
}

func (c *cataloguing) show(one *catalog.Catalog) error {
	page, err := one.Select(c.query)
	if err != nil {
		return err
	}
	if c.json {
		return writeJSON(c.stdout, pageJSON(one, page))
	}
	head := []string{"start", "stop"}
	for _, col := range page.Columns {
		name := oneLine(col.Name)
		if col.Units != "" {
			name += " (" + oneLine(col.Units) + ")"
		}
		head = append(head, name)
	}
	for i := range head {
		head[i] = faint.Render(head[i])
	}
	rows := [][]string{head}
	for _, e := range page.Events {
		row := []string{e.Start.String(), e.Stop.String()}
		for _, v := range e.Values {
			row = append(row, clip(v))
		}
		rows = append(rows, row)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s  %s\n", strong.Render(oneLine(one.ID)), oneLine(one.Name))
	writeColumns(&b, rows)
	fmt.Fprintf(&b, "%s\n", faint.Render(fmt.Sprintf("%d of %d events, of %d in the catalogue", len(page.Events), page.Filtered, page.Total)))
	if one.Citation != "" {
		fmt.Fprintf(&b, "%s %s\n", faint.Render("cite:"), oneLine(one.Citation))
	}
	for _, note := range one.Notes {
		fmt.Fprintf(&b, "%s\n", caution.Render(oneLine(note)))
	}
	_, err = lipgloss.Fprint(c.stdout, b.String())
	return err
}

func pageJSON(one *catalog.Catalog, page *catalog.Page) map[string]any {
	columns := []string{}
	for _, col := range page.Columns {
		columns = append(columns, col.Name)
	}
	sample := []map[string]any{}
	for _, e := range page.Events {
		row := map[string]any{"start": timeJSON(e.Start), "stop": timeJSON(e.Stop)}
		for i, v := range e.Values {
			row[columns[i]] = v
		}
		sample = append(sample, row)
	}
	return map[string]any{
		"catalog_id": one.ID, "name": one.Name, "type": one.KindOf(), "nb_events_total": page.Total, "nb_events_filtered": page.Filtered,
		"offset": page.Offset, "returned": len(sample), "columns": columns, "sample": sample, "citation": one.Citation, "notes": one.Notes,
	}
}

// write writes the chosen events, all of them.
func (c *cataloguing) write(one *catalog.Catalog) error {
	query := c.query
	query.Limit, query.Columns = 0, nil
	chosen, err := one.Filter(query)
	if err != nil {
		return err
	}
	if err := chosen.WriteFile(c.out); err != nil {
		return err
	}
	if c.json {
		return writeJSON(c.stdout, map[string]any{"file": c.out, "nb_events": len(chosen.Events)})
	}
	_, err = lipgloss.Fprintf(c.stderr, "%s  %s\n", path.Render(c.out), plural(len(chosen.Events), "event"))
	return err
}

func (c *cataloguing) newSave() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "save NAME FILE",
		Short: "Keep a VOTable, CSV or JSON file of events as local/NAME",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 2 {
				return &usageError{fmt.Errorf("%s wants a name and a file; see %s --help", cmd.CommandPath(), cmd.CommandPath())}
			}
			c.name, c.file = args[0], args[1]
			return nil
		},
		RunE: func(*cobra.Command, []string) error {
			one, err := catalog.ReadFile(c.file)
			if err != nil {
				return err
			}
			if c.description != "" {
				one.Description = c.description
			}
			catalogs, err := c.open()
			if err != nil {
				return err
			}
			saved, err := catalogs.Own.Save(c.name, one)
			if err != nil {
				return err
			}
			if c.json {
				return writeJSON(c.stdout, map[string]any{"catalog_id": saved.ID, "file": saved.Path, "nb_events": saved.Events, "overwritten": saved.Overwritten})
			}
			_, err = lipgloss.Fprintf(c.stdout, "%s  %s  %s\n", strong.Render(saved.ID), plural(saved.Events, "event"), path.Render(saved.Path))
			return err
		},
	}
	cmd.Flags().StringVar(&c.description, "description", "", "what it is, in place of the file's own `text`")
	cmd.Flags().BoolVar(&c.json, "json", false, "print JSON")
	return cmd
}

func (c *cataloguing) newDelete() *cobra.Command {
	return &cobra.Command{
		Use:   "delete NAME",
		Short: "Remove a catalogue of your own",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return &usageError{fmt.Errorf("%s wants one name; see %s --help", cmd.CommandPath(), cmd.CommandPath())}
			}
			c.name = args[0]
			return nil
		},
		RunE: func(*cobra.Command, []string) error {
			catalogs, err := c.open()
			if err != nil {
				return err
			}
			return catalogs.Own.Delete(c.name)
		},
	}
}

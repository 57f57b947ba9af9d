package cli

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"charm.land/lipgloss/v2"
	"github.com/spf13/cobra"

	"github.com/helios-go/helios/helioai/agents"
	"github.com/helios-go/helios/helioai/models"
)

func newModels(stdout, stderr io.Writer) *cobra.Command {
	var only string
	var all, asJSON bool
	cmd := &cobra.Command{
		Use:   "models [--provider P]",
		Short: "List the language models that can be asked from here, and what they cost",
		Long: `List the providers that are set up on this machine and whether they answer,
with the models of each: context window, longest answer, and price.

A provider is set up by environment variables: its key, and its address where
that is not the usual one. An Ollama on this machine is found by itself. Keys are
never printed. Prices are those of the date that is shown; a model of which
nothing is known can be asked all the same, by its name.

  HELIOAI_PROVIDER, HELIOAI_MODEL   who answers unless --provider and --model say so
  HELIOAI_MODEL_LEAD                a model of its own for the lead, as PROVIDER/MODEL
  HELIOAI_BASE_URL, HELIOAI_API_KEY any other server that speaks chat completions`,
		Example: `  helioai models
  helioai models --provider anthropic --all`,
		Args: takesNoWords,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return listModels(cmd.Context(), strings.TrimSpace(only), all, asJSON, stdout, stderr)
		},
	}
	cmd.Flags().StringVar(&only, "provider", "", "only the provider of this `name`")
	cmd.Flags().BoolVar(&all, "all", false, "list all that a server has, and models of providers that are not set up")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	completeProviders(cmd)
	return cmd
}

func listModels(ctx context.Context, only string, all, asJSON bool, stdout, stderr io.Writer) error {
	var c models.Config
	chosen, err := c.Choose(agents.RoleLead, nil)
	if err != nil {
		return usage(err)
	}
	if only == models.Offline {
		_, err := lipgloss.Fprintln(stdout, strong.Render("offline")+"  the built-in planner: no model, no network, no key, no cost")
		return err
	}
	live := newLive(stderr)
	live.show("asking the providers", time.Now())
	found, err := c.Survey(ctx, only, func(s *models.Status) { live.progress(s.Title + " has answered") })
	live.close()
	if err != nil {
		return usage(err)
	}
	if asJSON {
		err = writeModelsJSON(stdout, chosen, found)
	} else {
		var b strings.Builder
		if only == "" {
			fmt.Fprintf(&b, "%s\n", chosenText(chosen))
		}
		writeProviders(stdout, &b, found, all, only != "")
		_, err = lipgloss.Fprint(stdout, b.String())
	}
	if err != nil || only == "" {
		return err
	}
	switch s := found[0]; { // asked for by name: that it does not answer is an error
	case s.Err != nil:
		err = s.Err
	case !s.Set:
		err = fmt.Errorf("%s is not set up; %s", s.Title, s.Missing)
	}
	if err != nil && asJSON {
		return &printedError{err}
	}
	return err
}

func chosenText(c models.Choice) string {
	if c.Provider == models.Offline {
		return "helioai ask answers " + strong.Render("offline") + ", with its built-in planner; choose a model with --provider, or HELIOAI_PROVIDER"
	}
	if p, err := models.Lookup(c.Provider); err == nil && c.Model == "" {
		c.Model = p.Model
	}
	return "helioai ask asks " + strong.Render(oneLine(c.String())) + " unless --provider says otherwise"
}

// writeProviders lists those that are set up, each with its models, and then what
// to set for the others.
func writeProviders(w io.Writer, b *strings.Builder, found []*models.Status, all, one bool) {
	var missing [][]string
	for _, s := range found {
		if !s.Set && !all && !one {
			missing = append(missing, []string{s.Name, s.Title, oneLine(s.Missing)})
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(b, "%s\n", wrap(w, strong.Render(s.Name)+"  "+state(s)))
		if s.Err == nil || all || one {
			writeTable(b, s, all)
		}
	}
	if len(missing) > 0 {
		fmt.Fprintf(b, "\n%s\n", strong.Render("Not set up"))
		writeColumns(b, missing)
	}
}

// state says in one line how it stands with a provider.
func state(s *models.Status) string {
	switch {
	case !s.Set:
		return caution.Render("not set up") + faint.Render(": "+oneLine(s.Missing))
	case s.Err != nil:
		return bad.Render("✗") + " " + oneLine(s.Err.Error())
	}
	from := ""
	if s.KeyVar != "" {
		from = ", key from " + s.KeyVar
	}
	return good.Render("✓ answers") + faint.Render(fmt.Sprintf(" at %s in %s%s", oneLine(s.Address), took(s.Took), from))
}

func took(d time.Duration) string {
	if d < time.Second {
		return fmt.Sprintf("%d ms", d.Milliseconds())
	}
	return fmt.Sprintf("%.1f s", d.Seconds())
}

// shownLocal is how many models of a server without a catalogue are listed unless
// all are asked for.
const shownLocal = 12

// rowsOf are the models to show of a provider, and how many more it has.
func rowsOf(s *models.Status, all bool) (rows []modelRow, more int) {
	catalogue := s.Catalogue()
	for i := range catalogue.Models {
		rows = append(rows, modelRow{Info: catalogue.Models[i]})
	}
	known := len(rows)
	for i := range s.Listed {
		if _, ok := catalogue.Find(s.Listed[i].ID); !ok {
			rows = append(rows, modelRow{Info: s.Listed[i], listed: true})
		}
	}
	for i := range rows {
		rows[i].chosen = rows[i].ID == s.Default
	}
	slices.SortStableFunc(rows[known:], func(a, b modelRow) int { return strings.Compare(a.ID, b.ID) })
	most := known
	if known == 0 {
		most = shownLocal
	}
	if all || len(rows) <= most {
		return rows, 0
	}
	return rows[:most], len(rows) - most
}

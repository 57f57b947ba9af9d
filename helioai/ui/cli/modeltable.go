package cli

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/helios-go/helios/helioai/models"
	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/provider"
)

// A modelRow is a model as it is listed.
type modelRow struct {
	provider.Info
	listed bool // the server says that it has it, and nothing else is known of it
	chosen bool // it is the provider's default
}

// free reports whether asking the model costs nothing.
func (r *modelRow) free(s *models.Status) bool { return s.Free && r.listed && len(r.Prices) == 0 }

// writeTable lists the models of a provider: windows in tokens, prices in dollars
// per million tokens.
func writeTable(b *strings.Builder, s *models.Status, all bool) {
	rows, more := rowsOf(s, all)
	if len(rows) == 0 {
		return
	}
	cells := [][]string{{"model", "context", "output", "in", "cached", "write", "out"}}
	priced := false
	for _, r := range rows {
		name := oneLine(r.ID)
		if r.chosen {
			name += " *"
		}
		line := []string{name, window(r.Size.Context), window(r.Size.MaxOutput)}
		if len(r.Prices) == 0 {
			price := priceUnknown
			if r.free(s) {
				price = "free"
			}
			cells = append(cells, append(line, price))
			continue
		}
		priced = true
		for i, t := range r.Prices {
			if i > 0 {
				line = []string{"  above " + window(t.Above) + " tokens", "", ""}
			}
			cells = append(cells, append(line, dollars(t.Input), dollars(t.CacheRead), dollars(t.CacheWrite), dollars(t.Output)))
		}
	}
	writeNumbers(b, cells)
	if notes := tableNotes(s, rows, priced, more); notes != "" {
		fmt.Fprintf(b, "  %s\n", faint.Render(notes))
	}
}

const priceUnknown = "price unknown"

// tableNotes says what the table leaves open.
func tableNotes(s *models.Status, rows []modelRow, priced bool, more int) string {
	var notes []string
	if priced {
		note := "US dollars per million tokens"
		if asOf := s.Catalogue().AsOf; asOf != "" {
			note += " as of " + asOf
		}
		notes = append(notes, note)
	}
	for _, r := range rows {
		if r.chosen {
			notes = append(notes, "* is asked by default")
			break
		}
	}
	if more > 0 {
		notes = append(notes, fmt.Sprintf("%d more: --all", more))
	}
	return strings.Join(notes, "; ")
}

// writeNumbers prints a table: the first column to the left, numbers to the right.
// A row with fewer cells ends in a text.
func writeNumbers(b *strings.Builder, rows [][]string) {
	width := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			if len(row) == len(width) || i < len(row)-1 {
				width[i] = max(width[i], displayWidth(cell))
			}
		}
	}
	for n, row := range rows {
		var line strings.Builder
		for i, cell := range row {
			blanks := strings.Repeat(" ", max(0, width[i]-displayWidth(cell)))
			switch {
			case i == 0:
				line.WriteString(cell + blanks)
			case len(row) < len(width) && i == len(row)-1:
				line.WriteString("  " + cell)
			default:
				line.WriteString("  " + blanks + cell)
			}
		}
		text := "  " + strings.TrimRight(line.String(), " ")
		if n == 0 {
			text = faint.Render(text)
		}
		b.WriteString(text + "\n")
	}
}

// window is a count of tokens as models are advertised: 128k, 1M, 1.05M.
func window(tokens int64) string {
	switch {
	case tokens == 0:
		return "?"
	case tokens >= 1_000_000:
		return decimal(float64(tokens)/1e6) + "M"
	case tokens >= 1000:
		return strconv.FormatInt(tokens/1000, 10) + "k"
	}
	return strconv.FormatInt(tokens, 10)
}

func decimal(v float64) string {
	return strings.TrimSuffix(strings.TrimRight(strconv.FormatFloat(v, 'f', 2, 64), "0"), ".")
}

// dollars is a price without its sign; nothing where a class has none of its own
// and costs what the input does.
func dollars(m llm.Micros) string {
	if m == 0 {
		return ""
	}
	return strings.TrimPrefix(m.String(), "$")
}

// The JSON form of the list.
type (
	providerJSON struct {
		Name     string      `json:"name"`
		Title    string      `json:"title"`
		Address  string      `json:"address,omitempty"`
		Set      bool        `json:"set_up"`
		Missing  string      `json:"missing,omitempty"`
		KeyVar   string      `json:"key_variable,omitempty"`
		Answers  bool        `json:"answers"`
		Millis   int64       `json:"milliseconds,omitempty"`
		Error    string      `json:"error,omitempty"`
		Default  string      `json:"default_model,omitempty"`
		PricesOf string      `json:"prices_as_of,omitempty"`
		Models   []modelJSON `json:"models"`
	}
	modelJSON struct {
		ID        string      `json:"id"`
		Context   int64       `json:"context,omitempty"`
		MaxOutput int64       `json:"max_output,omitempty"`
		Prices    []priceJSON `json:"prices"`         // micro-dollars per million tokens; empty: unknown
		Free      bool        `json:"free,omitempty"` // or free
	}
	priceJSON struct {
		Above      int64      `json:"above_tokens"`
		Input      llm.Micros `json:"input_micros"`
		CacheRead  llm.Micros `json:"cache_read_micros,omitempty"`
		CacheWrite llm.Micros `json:"cache_write_micros,omitempty"`
		Output     llm.Micros `json:"output_micros"`
	}
)

func writeModelsJSON(w io.Writer, chosen models.Choice, found []*models.Status) error {
	out := make([]providerJSON, 0, len(found))
	for _, s := range found {
		p := providerJSON{
			Name: s.Name, Title: s.Title, Address: s.Address, Set: s.Set, Missing: s.Missing, KeyVar: s.KeyVar,
			Answers: s.Asked && s.Err == nil, Millis: s.Took.Milliseconds(), Default: s.Default, PricesOf: s.Catalogue().AsOf,
			Models: []modelJSON{},
		}
		if s.Set && s.Err != nil {
			p.Error = oneLine(s.Err.Error())
		}
		rows, _ := rowsOf(s, true)
		for _, r := range rows {
			m := modelJSON{ID: r.ID, Context: r.Size.Context, MaxOutput: r.Size.MaxOutput, Prices: []priceJSON{}, Free: r.free(s)}
			for _, t := range r.Prices {
				m.Prices = append(m.Prices, priceJSON{t.Above, t.Input, t.CacheRead, t.CacheWrite, t.Output})
			}
			p.Models = append(p.Models, m)
		}
		out = append(out, p)
	}
	return writeJSON(w, map[string]any{"chosen": map[string]string{"provider": chosen.Provider, "model": chosen.Model}, "providers": out})
}

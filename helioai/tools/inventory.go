package tools

import (
	"context"
	"strings"

	"github.com/helios-go/helios/helio/archive"
	"github.com/helios-go/helios/helio/tt"
	"github.com/helios-go/helios/helioai/ledger"
)

// holdings is what the archive itself says about the datasets that an answer
// names: coverage, cadence and record counts as entries of origin "inventory",
// and the titles and descriptions, whose numbers an answer may repeat. An
// archive that cannot be listed says nothing.
func (e *Env) holdings(ctx context.Context, answer string) (entries []ledger.Entry, texts []string) {
	if e.Archive == nil {
		return nil, nil
	}
	datasets, err := e.Archive.Inventory(ctx)
	if err != nil {
		return nil, nil // the check then finds fewer sources, and says so
	}
	for i := range datasets {
		d := &datasets[i]
		if !strings.Contains(answer, d.ID) {
			continue
		}
		texts = append(texts, d.Title)
		entries = append(entries, holding(d.ID, d.Provider, d.Start, d.Stop, d.Cadence.Seconds(), d.Records)...)
		for j := range d.Parameters {
			p := &d.Parameters[j]
			texts = append(texts, p.Description)
			if p.Start != d.Start || p.Stop != d.Stop || p.Cadence != d.Cadence || p.Records != d.Records {
				entries = append(entries, holding(d.ID+"_"+p.Name, d.Provider, p.Start, p.Stop, p.Cadence.Seconds(), p.Records)...)
			}
		}
	}
	return entries, texts
}

func holding(name, provider string, start, stop tt.Time, cadence float64, records int) []ledger.Entry {
	origin := ledger.Origin{Tool: "inventory", Inputs: []ledger.Input{{ID: archive.JoinID(provider, name, "*"), Start: tt.Fill, Stop: tt.Fill}}}
	entries := []ledger.Entry{ledger.NewCount(name+"_records", int64(records), "", origin)}
	if records == 0 || start == tt.Fill {
		return entries
	}
	entries = append(entries,
		ledger.NewTime(name+"_first_record", start, 0, origin),
		ledger.NewTime(name+"_last_record", stop, 0, origin))
	if cadence > 0 {
		entries = append(entries, ledger.NewNumber(name+"_cadence", cadence, "s", origin))
	}
	return entries
}

package tools

import (
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/helios-go/helios/helio/series"
	"github.com/helios-go/helios/helio/tt"
	"github.com/helios-go/helios/helioai/ledger"
)

// ColumnStat is the statistics of one column, as the model sees them. What
// does not exist, because no value is valid, is null.
type ColumnStat struct {
	Column   string   `json:"column"`
	Key      string   `json:"key"` // ledger names are key_mean, key_max_time ...
	N        int      `json:"n"`
	NValid   int      `json:"n_valid"`
	NMissing int      `json:"n_missing"`
	Mean     *float64 `json:"mean"`
	Median   *float64 `json:"median"`
	Std      *float64 `json:"std"`
	Min      *float64 `json:"min"`
	MinTime  *tt.Time `json:"min_time"`
	Max      *float64 `json:"max"`
	MaxTime  *tt.Time `json:"max_time"`
}

// statistics computes what the result and the ledger say of each column.
func statistics(s *series.Series, d *Dataset) ([]ColumnStat, []ledger.Entry) {
	stats := []ColumnStat{}
	var values []ledger.Entry
	for i, key := range d.Keys {
		st := s.Stats(i)
		c := ColumnStat{Column: d.Columns[i], Key: key, N: st.N, NValid: st.Valid, NMissing: st.Missing}
		// Counts have no unit: an answer may call them samples, records or hours.
		values = append(values,
			ledger.NewCount(key+"_n_samples", int64(st.N), "", ledger.Origin{}),
			ledger.NewCount(key+"_n_missing", int64(st.Missing), "", ledger.Origin{}))
		if st.Valid > 0 {
			number := func(name string, v float64) *float64 {
				values = append(values, ledger.NewNumber(key+"_"+name, v, ledgerUnits(d.Units), ledger.Origin{}))
				return shown(v)
			}
			c.Mean, c.Median, c.Std = number("mean", st.Mean), number("median", st.Median), number("std", st.Std)
			c.Min, c.Max = number("min", st.Min), number("max", st.Max)
			c.MinTime, c.MaxTime = &st.MinTime, &st.MaxTime
			values = append(values,
				ledger.NewTime(key+"_min_time", st.MinTime, d.Cadence(), ledger.Origin{}),
				ledger.NewTime(key+"_max_time", st.MaxTime, d.Cadence(), ledger.Origin{}))
		}
		stats = append(stats, c)
	}
	return stats, values
}

// ledgerUnits leaves out what is no unit but an explanation, as some files put
// in its place.
func ledgerUnits(units string) string {
	if len(units) > ledger.MaxUnits || strings.ContainsFunc(units, func(r rune) bool { return !unicode.IsPrint(r) || r == utf8.RuneError }) {
		return ""
	}
	return units
}

// Quality is a [series.Quality] as the model sees it.
type Quality struct {
	MissingPct float64 `json:"missing_pct"`
	Gaps       []Gap   `json:"gaps,omitempty"`
	NGaps      int     `json:"n_gaps"`
	Outliers   int     `json:"outliers_5sigma"`
	Notable    bool    `json:"notable"`
}

// A Gap is a stretch without data.
type Gap struct {
	Start tt.Time `json:"start"` // the last record before it
	Hours float64 `json:"dur_h"`
}

func describeQuality(q series.Quality) *Quality {
	out := &Quality{MissingPct: round(q.MissingPct, 1), NGaps: q.NGaps, Outliers: q.Outliers, Notable: q.Notable}
	for _, g := range q.Gaps {
		out.Gaps = append(out.Gaps, Gap{g.Start, round(g.Duration.Hours(), 3)})
	}
	return out
}

// preview writes the first records as text.
func preview(s *series.Series) string {
	var b strings.Builder
	width := min(s.Width(), previewColumns)
	for i := range min(s.Len(), previewRows) {
		b.WriteString(s.Time[i].String())
		for _, v := range s.Row(i)[:width] {
			b.WriteByte(' ')
			b.WriteString(strconv.FormatFloat(v, 'g', 6, 64))
		}
		if width < s.Width() {
			b.WriteString(" ...")
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// shown rounds to eight digits, which is more than any instrument has: files
// hold float32, and the ninth digit of 5.261000156402588 is noise.
func shown(v float64) *float64 {
	r, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 8, 64), 64)
	if err != nil {
		r = v
	}
	return &r
}

func round(v float64, decimals int) float64 {
	scale := math.Pow(10, float64(decimals))
	return math.Round(v*scale) / scale
}

// cut shortens a text to at most n bytes, at the start of a rune.
func cut(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n] + "…"
}

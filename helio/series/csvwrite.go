package series

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/helios-go/helios/helio/tt"
)

// WriteCSV writes series that share a time axis, see [Join], as one table:
// comments that say what the data are, where they are from and how to cite
// them, a header line with units, and a line for each record with its time in
// ISO 8601. Missing values are NaN.
//
// Numbers are as short as they can be without losing anything, and a comment
// "# series: {...}" for each series holds what columns cannot say, so that
// [ReadCSV] gives back equal series. Bins that vary with time are columns of
// their own. Equal series give equal bytes.
func WriteCSV(w io.Writer, all ...*Series) error {
	sh, err := newSheet(all)
	if err != nil {
		return fmt.Errorf("write as CSV: %w", err)
	}
	b := bufio.NewWriterSize(w, 1<<16)
	if err := sh.csvHeader(b); err != nil {
		return fmt.Errorf("write as CSV: %w", err)
	}
	err = sh.rows(b, func(row []byte, r int) []byte {
		row = sh.times[r].AppendFormat(row, sh.digits)
		for i := range sh.blocks {
			for _, v := range sh.blocks[i].row(r) {
				row = appendNumber(append(row, ','), v, "NaN")
			}
		}
		return append(row, '\n')
	})
	if err != nil {
		return fmt.Errorf("write as CSV: %w", err)
	}
	return nil
}

// rows writes what line appends for each record, and flushes.
func (sh *sheet) rows(b *bufio.Writer, line func(row []byte, r int) []byte) error {
	var row []byte
	for r := range sh.times {
		row = line(row[:0], r)
		if _, err := b.Write(row); err != nil {
			return err
		}
	}
	return b.Flush()
}

func (b *block) row(r int) []float64 { return b.values[r*b.width : (r+1)*b.width] }

// appendNumber appends the shortest text that reads back as v, and missing
// where v is not finite.
func appendNumber(b []byte, v float64, missing string) []byte {
	if !finite(v) {
		return append(b, missing...)
	}
	if v == math.Trunc(v) && math.Abs(v) < 1e15 && (v != 0 || !math.Signbit(v)) {
		return strconv.AppendInt(b, int64(v), 10)
	}
	return strconv.AppendFloat(b, v, 'g', -1, 64)
}

// csvHeader writes the comments and the line with the columns' names.
func (sh *sheet) csvHeader(b *bufio.Writer) error {
	comment := func(key, value string) {
		if value != "" {
			_, _ = fmt.Fprintf(b, "# %s: %s\n", key, oneLine(value)) // a bufio.Writer keeps its first error for Flush
		}
	}
	for _, c := range []struct {
		key string
		of  func(*Series) string
	}{
		{"title", func(s *Series) string { return s.Meta.DatasetTitle }},
		{"mission", func(s *Series) string { return s.Meta.Mission }},
		{"instrument", func(s *Series) string { return s.Meta.Instrument }},
		{"frame", func(s *Series) string { return s.Meta.Frame }},
		{"source", func(s *Series) string { return s.Meta.Source }},
		{"doi", func(s *Series) string { return s.Meta.DOI }},
		{"citation", func(s *Series) string { return s.Meta.Citation }},
		{"license", func(s *Series) string { return s.Meta.License }},
		{"acknowledgement", func(s *Series) string { return s.Meta.Acknowledgement }},
		{"times", func(s *Series) string { return s.Meta.TimeStampLocation }},
	} {
		comment(c.key, sh.common(c.of))
	}
	if synthetic := func(s *Series) string { return strconv.FormatBool(s.Meta.Synthetic) }; sh.common(synthetic) == "true" {
		comment("synthetic", "true")
	}
	if step := Cadence(sh.times); step > 0 {
		comment("cadence", tt.FormatDuration(step))
	}
	var notes []string
	for _, bl := range sh.blocks {
		for _, note := range bl.of.Meta.Notes {
			if !slices.Contains(notes, note) {
				notes = append(notes, note)
				comment("note", note)
			}
		}
	}
	for i := range sh.blocks {
		if sh.blocks[i].bins {
			continue
		}
		note, err := json.Marshal(noteOf(&sh.blocks[i]))
		if err != nil {
			return err
		}
		_, _ = fmt.Fprintf(b, "# series: %s\n", note)
	}
	_, _ = b.WriteString("time")
	for _, name := range sh.columnNames(true) {
		_ = b.WriteByte(',')
		_, _ = b.WriteString(quoted(name))
	}
	return b.WriteByte('\n')
}

// oneLine keeps a comment or a name on its line.
func oneLine(text string) string {
	return strings.Join(strings.Fields(strings.ToValidUTF8(text, "?")), " ")
}

// quoted puts a field in quotes where it needs them.
func quoted(field string) string {
	if !strings.ContainsAny(field, ",;\t\"") {
		return field
	}
	return `"` + strings.ReplaceAll(field, `"`, `""`) + `"`
}

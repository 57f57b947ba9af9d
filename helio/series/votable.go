package series

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/helios-go/helios/helio/votable"
)

// WriteVOTable writes series that share a time axis, see [Join], as a VOTable
// with one table: a field for the time, in ISO 8601, and one for each column.
// Missing values are NaN. Fixed bins are in the descriptions of the fields,
// bins that vary with time are fields of their own. Equal series give equal
// bytes.
func WriteVOTable(w io.Writer, all ...*Series) error {
	sh, err := newSheet(all)
	if err != nil {
		return fmt.Errorf("write as VOTable: %w", err)
	}
	// The document around the rows, which are too many to be texts in memory.
	var doc bytes.Buffer
	if err := sh.votable().Write(&doc); err != nil {
		return fmt.Errorf("write as VOTable: %w", err)
	}
	head, tail, ok := bytes.Cut(doc.Bytes(), []byte("</TABLEDATA>"))
	if !ok {
		return errors.New("write as VOTable: the document has no place for the rows")
	}
	b := bufio.NewWriterSize(w, 1<<16)
	_, _ = b.Write(bytes.TrimRight(head, " ")) // a bufio.Writer keeps its first error for Flush
	err = sh.rows(b, func(row []byte, r int) []byte {
		row = append(row, "<TR><TD>"...)
		row = append(sh.times[r].AppendFormat(row, sh.digits), "</TD>"...)
		for i := range sh.blocks {
			for _, v := range sh.blocks[i].row(r) {
				row = append(appendNumber(append(row, "<TD>"...), v, "NaN"), "</TD>"...)
			}
		}
		return append(row, "</TR>\n"...)
	})
	if err == nil {
		_, _ = b.WriteString("</TABLEDATA>")
		_, _ = b.Write(tail)
		err = b.Flush()
	}
	if err != nil {
		return fmt.Errorf("write as VOTable: %w", err)
	}
	return nil
}

// votable is the document without rows.
func (sh *sheet) votable() *votable.File {
	t := votable.Table{Name: sh.common(func(s *Series) string { return s.Meta.Dataset })}
	info := func(name string, of func(*Series) string) {
		if v := sh.common(of); v != "" {
			t.Infos = append(t.Infos, votable.Info{Name: name, Value: v})
		}
	}
	info("title", func(s *Series) string { return s.Meta.DatasetTitle })
	info("mission", func(s *Series) string { return s.Meta.Mission })
	info("instrument", func(s *Series) string { return s.Meta.Instrument })
	info("doi", func(s *Series) string { return s.Meta.DOI })
	info("citation", func(s *Series) string { return s.Meta.Citation })
	info("license", func(s *Series) string { return s.Meta.License })
	info("acknowledgement", func(s *Series) string { return s.Meta.Acknowledgement })
	info("timeStampLocation", func(s *Series) string { return s.Meta.TimeStampLocation })
	t.Fields = []votable.Field{{ID: "time", Name: "time", Datatype: "char", Arraysize: "*", XType: "timestamp", UCD: "time.epoch"}}
	names := sh.columnNames(false)
	for i := range sh.blocks {
		b := &sh.blocks[i]
		for c := range b.labels {
			f := votable.Field{ID: "c" + strconv.Itoa(len(t.Fields)), Name: names[0], Datatype: "double", Unit: b.units}
			if !b.bins {
				f.Description = b.describe(c)
			}
			names = names[1:]
			t.Fields = append(t.Fields, f)
		}
	}
	return &votable.File{Tables: []votable.Table{t}}
}

// describe is the series' description, with the bins of one of its columns.
func (b *block) describe(column int) string {
	text := b.of.Description
	inner := b.width
	for d, n := range b.dims {
		inner /= n
		if d >= len(b.axes) || b.axes[d].Varying || !b.axes[d].Binned() {
			continue
		}
		a, i := b.axes[d], column/inner%n
		if text != "" {
			text += "; "
		}
		text += orElse(a.Name, "bin")
		if i < len(a.Centers) {
			text += " " + strconv.FormatFloat(a.Centers[i], 'g', -1, 64)
		}
		if 2*i+1 < len(a.Ranges) {
			text += " from " + strconv.FormatFloat(a.Ranges[2*i], 'g', -1, 64) + " to " + strconv.FormatFloat(a.Ranges[2*i+1], 'g', -1, 64)
		}
		if a.Units != "" {
			text += " " + a.Units
		}
	}
	return text
}

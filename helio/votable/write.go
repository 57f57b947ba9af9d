package votable

import (
	"bufio"
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Write writes a document of version 1.4. Equal documents give equal bytes.
// Characters that XML cannot hold are replaced. The error is the writer's, or says
// that a row does not fit its fields.
func (f *File) Write(w io.Writer) error {
	b := &writer{Writer: bufio.NewWriterSize(w, 1<<16)}
	b.line(0, `<?xml version="1.0" encoding="UTF-8"?>`)
	b.line(0, `<VOTABLE version="1.4" xmlns="http://www.ivoa.net/xml/VOTable/v1.3">`)
	b.description(1, f.Description)
	b.line(1, `<RESOURCE type="results">`)
	for _, in := range f.Infos {
		b.info(2, in)
	}
	for _, p := range f.Params {
		b.field(2, "PARAM", p.Field, &p.Value)
	}
	for i := range f.Tables {
		if err := b.table(&f.Tables[i]); err != nil {
			return err
		}
	}
	b.line(1, `</RESOURCE>`)
	b.line(0, `</VOTABLE>`)
	return b.Flush()
}

type writer struct{ *bufio.Writer }

func (b *writer) line(depth int, text string) {
	for range depth {
		_, _ = b.WriteString("  ") // the first error of a bufio.Writer comes back from Flush
	}
	_, _ = b.WriteString(text)
	_ = b.WriteByte('\n')
}

func (b *writer) table(t *Table) error {
	b.line(2, "<TABLE"+attribute("ID", t.ID)+attribute("name", t.Name)+">")
	b.description(3, t.Description)
	for _, in := range t.Infos {
		b.info(3, in)
	}
	for _, p := range t.Params {
		b.field(3, "PARAM", p.Field, &p.Value)
	}
	for _, f := range t.Fields {
		b.field(3, "FIELD", f, nil)
	}
	b.line(3, "<DATA><TABLEDATA>")
	for i, row := range t.Rows {
		if len(row) != len(t.Fields) {
			return fmt.Errorf("write a VOTable: row %d has %d cells for %d fields", i+1, len(row), len(t.Fields))
		}
		_, _ = b.WriteString("<TR>")
		for c, cell := range row {
			if cell == "" {
				cell = t.Fields[c].Null
			}
			if cell == "" {
				_, _ = b.WriteString("<TD/>")
				continue
			}
			_, _ = b.WriteString("<TD>")
			escape(b, cell)
			_, _ = b.WriteString("</TD>")
		}
		_, _ = b.WriteString("</TR>\n")
	}
	b.line(3, "</TABLEDATA></DATA>")
	b.line(2, "</TABLE>")
	return nil
}

func (b *writer) description(depth int, text string) {
	if text == "" {
		return
	}
	b.line(depth, "<DESCRIPTION>"+escaped(text)+"</DESCRIPTION>")
}

func (b *writer) info(depth int, in Info) {
	b.line(depth, "<INFO"+attribute("name", in.Name)+` value="`+escaped(in.Value)+`">`+escaped(in.Text)+"</INFO>")
}

func (b *writer) field(depth int, element string, f Field, value *string) {
	text := "<" + element + attribute("ID", f.ID) + ` name="` + escaped(f.Name) + `"` + attribute("datatype", f.Datatype) + attribute("arraysize", f.Arraysize) +
		attribute("unit", f.Unit) + attribute("ucd", f.UCD) + attribute("utype", f.Utype) + attribute("xtype", f.XType)
	if value != nil {
		text += ` value="` + escaped(*value) + `"`
	}
	if f.Null == "" && f.Description == "" {
		b.line(depth, text+"/>")
		return
	}
	b.line(depth, text+">")
	b.description(depth+1, f.Description)
	if f.Null != "" {
		b.line(depth+1, "<VALUES"+attribute("null", f.Null)+"/>")
	}
	b.line(depth, "</"+element+">")
}

// attribute is " name=value", or nothing for an empty value.
func attribute(name, value string) string {
	if value == "" {
		return ""
	}
	return " " + name + `="` + escaped(value) + `"`
}

func escaped(text string) string {
	var b strings.Builder
	escape(&b, text)
	return b.String()
}

func escape(w io.Writer, text string) {
	if !utf8.ValidString(text) {
		text = strings.ToValidUTF8(text, "\uFFFD")
	}
	_ = xml.EscapeText(w, []byte(text)) // of a buffer that keeps its first error
}

package votable

import (
	"bufio"
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"
)

// Write writes a document of version 1.4. Equal documents give equal bytes.
// Characters that XML cannot hold are replaced; a data type that VOTable does not
// have becomes text, and an id that XML does not allow or that was used before is
// left out, so that what is written is valid. Tables that follow each other and are
// of one resource share one. The error is the writer's, or says that a row does not
// fit its fields.
func (f *File) Write(w io.Writer) error {
	b := &writer{Writer: bufio.NewWriterSize(w, 1<<16), ids: map[string]bool{}}
	b.line(0, `<?xml version="1.0" encoding="UTF-8"?>`)
	b.line(0, `<VOTABLE version="1.4" xmlns="http://www.ivoa.net/xml/VOTable/v1.3">`)
	b.description(1, f.Description)
	b.line(1, `<RESOURCE type="results">`)
	if len(f.Tables) > 0 {
		b.description(2, f.Tables[0].Resource)
	}
	for _, in := range f.Infos {
		b.info(2, in)
	}
	for _, p := range f.Params {
		b.field(2, "PARAM", p.Field, &p.Value)
	}
	for i := range f.Tables {
		if i > 0 && f.Tables[i].Resource != f.Tables[i-1].Resource {
			b.line(1, `</RESOURCE>`)
			b.line(1, `<RESOURCE type="results">`)
			b.description(2, f.Tables[i].Resource)
		}
		if err := b.table(&f.Tables[i]); err != nil {
			return err
		}
	}
	b.line(1, `</RESOURCE>`)
	b.line(0, `</VOTABLE>`)
	return b.Flush()
}

type writer struct {
	*bufio.Writer
	ids map[string]bool // that were used
}

// id is the attribute ID where it is a valid one.
func (b *writer) id(id string) string {
	if b.ids[id] || !isID(id) {
		return ""
	}
	b.ids[id] = true
	return attribute("ID", id)
}

// isID reports whether XML allows a text as an id.
func isID(id string) bool {
	for i, c := range id {
		letter := c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
		if !letter && (i == 0 || c != '-' && c != '.' && (c < '0' || c > '9')) {
			return false
		}
	}
	return id != ""
}

var datatypes = []string{
	"boolean", "bit", "unsignedByte", "short", "int", "long", "char", "unicodeChar",
	"float", "double", "floatComplex", "doubleComplex",
}

func (b *writer) line(depth int, text string) {
	for range depth {
		_, _ = b.WriteString("  ") // the first error of a bufio.Writer comes back from Flush
	}
	_, _ = b.WriteString(text)
	_ = b.WriteByte('\n')
}

func (b *writer) table(t *Table) error {
	b.line(2, "<TABLE"+b.id(t.ID)+attribute("name", t.Name)+">")
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
	if in.Name == "" {
		in.Name = "info"
	}
	b.line(depth, `<INFO name="`+escaped(in.Name)+`" value="`+escaped(in.Value)+`">`+escaped(in.Text)+"</INFO>")
}

func (b *writer) field(depth int, element string, f Field, value *string) {
	if !slices.Contains(datatypes, f.Datatype) {
		f.Datatype, f.Arraysize = "unicodeChar", "*"
	}
	text := "<" + element + b.id(f.ID) + ` name="` + escaped(f.Name) + `"` + attribute("datatype", f.Datatype) + attribute("arraysize", f.Arraysize) +
		attribute("unit", f.Unit) + attribute("ucd", f.UCD)
	if f.XType == "dateTime" {
		text += ` utype="` + escaped(f.Utype) + `"` // tscat knows a time by a utype that is there, and empty
	} else {
		text += attribute("utype", f.Utype)
	}
	text += attribute("xtype", f.XType)
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

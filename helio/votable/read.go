package votable

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Limits of a document, far above what is of use and below what hurts.
const (
	maxFields = 10_000
	maxCells  = 50_000_000
	maxDepth  = 64
	maxText   = 16 << 20
	maxFilled = 4_000_000 // cells that a document leaves out
)

// Read reads a document. The error is a [*SyntaxError], or a [*QueryError] when the
// service says that it could not answer; a document that was cut off is the former.
// A row with fewer cells than there are fields is filled up with empty ones; one
// with more is an error. Blanks around a cell are no part of it. Documents in UTF-8,
// Latin-1 and ASCII are understood, with the entities of HTML.
//
// Rows are read one after the other, so no more than the result is in memory; what
// is beyond any use (50 million cells, a text of 16 MB) is refused.
func Read(r io.Reader) (*File, error) {
	p := newReader(r)
	if err := p.document(); err != nil {
		if query, ok := errors.AsType[*QueryError](err); ok {
			return nil, query
		}
		return nil, p.wrap(err)
	}
	return p.file, nil
}

type reader struct {
	dec      *xml.Decoder
	in       *meter
	file     *File
	resource string // description of the resource that is being read
	depth    int
	cells    int
	filled   int
}

func newReader(r io.Reader) *reader {
	in := &meter{r: r}
	dec := xml.NewDecoder(in)
	dec.Entity = xml.HTMLEntity
	dec.CharsetReader = charset
	return &reader{dec: dec, in: in, file: &File{}}
}

func (p *reader) token() (xml.Token, error) {
	p.in.n = 0
	return p.dec.Token()
}

func (p *reader) wrap(err error) error {
	if syntax, ok := errors.AsType[*SyntaxError](err); ok {
		return syntax
	}
	line, _ := p.dec.InputPos()
	reason := err.Error()
	if bad, ok := errors.AsType[*xml.SyntaxError](err); ok {
		line, reason = bad.Line, bad.Msg
	}
	if errors.Is(err, io.EOF) {
		err, reason = io.ErrUnexpectedEOF, "it ends too early"
	}
	return &SyntaxError{Line: line, Reason: reason, Err: err}
}

func (p *reader) bad(format string, args ...any) error {
	line, _ := p.dec.InputPos()
	return &SyntaxError{Line: line, Reason: fmt.Sprintf(format, args...)}
}

func (p *reader) document() error {
	root, err := p.root()
	if err != nil {
		return err
	}
	if root.Name.Local != "VOTABLE" {
		return p.bad("it begins with <%s>, and a VOTable with <VOTABLE>", root.Name.Local)
	}
	if err := p.children(func(e xml.StartElement) error {
		switch e.Name.Local {
		case "RESOURCE":
			return p.readResource()
		case "DESCRIPTION":
			return p.text(&p.file.Description)
		case "INFO":
			return p.info(e, &p.file.Infos)
		case "PARAM":
			return p.param(e, &p.file.Params)
		}
		return p.skip()
	}); err != nil {
		return err
	}
	return p.trailer()
}

// root finds the first element.
func (p *reader) root() (xml.StartElement, error) {
	for {
		tok, err := p.token()
		if err != nil {
			return xml.StartElement{}, err
		}
		if e, ok := tok.(xml.StartElement); ok {
			return e, nil
		}
	}
}

// trailer allows nothing but comments and blanks behind the document.
func (p *reader) trailer() error {
	for {
		switch tok, err := p.token(); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		default:
			if e, ok := tok.(xml.StartElement); ok {
				return p.bad("<%s> follows the end of the table", e.Name.Local)
			}
		}
	}
}

// children hands the elements inside the present one to each, which reads them to
// their ends.
func (p *reader) children(each func(xml.StartElement) error) error {
	if p.depth++; p.depth > maxDepth {
		return p.bad("its elements are nested more than %d deep", maxDepth)
	}
	defer func() { p.depth-- }()
	for {
		tok, err := p.token()
		if err != nil {
			return err
		}
		switch e := tok.(type) {
		case xml.StartElement:
			if err := each(e); err != nil {
				return err
			}
		case xml.EndElement:
			return nil
		}
	}
}

// skip reads the present element to its end.
func (p *reader) skip() error {
	return p.children(func(xml.StartElement) error { return p.skip() })
}

// text reads the text of the present element, elements inside left out.
func (p *reader) text(to *string) error {
	var b strings.Builder
	for {
		tok, err := p.token()
		if err != nil {
			return err
		}
		switch e := tok.(type) {
		case xml.CharData:
			if b.Len()+len(e) > maxText {
				return p.bad("a text is longer than %d bytes", maxText)
			}
			b.Write(e)
		case xml.StartElement:
			if err := p.skip(); err != nil {
				return err
			}
		case xml.EndElement:
			*to = strings.TrimSpace(b.String())
			return nil
		}
	}
}

func (p *reader) readResource() error {
	outer := p.resource
	defer func() { p.resource = outer }()
	return p.children(func(e xml.StartElement) error {
		switch e.Name.Local {
		case "RESOURCE":
			return p.readResource()
		case "TABLE":
			return p.table(e)
		case "DESCRIPTION":
			return p.text(&p.resource)
		case "INFO":
			return p.info(e, &p.file.Infos)
		case "PARAM":
			return p.param(e, &p.file.Params)
		}
		return p.skip()
	})
}

func (p *reader) info(e xml.StartElement, to *[]Info) error {
	in := Info{Name: attr(e, "name"), Value: attr(e, "value")}
	if err := p.text(&in.Text); err != nil {
		return err
	}
	if strings.EqualFold(in.Name, "QUERY_STATUS") && strings.EqualFold(in.Value, "ERROR") {
		return &QueryError{Message: strings.Join(strings.Fields(in.Text), " ")}
	}
	*to = append(*to, in)
	return nil
}

func (p *reader) param(e xml.StartElement, to *[]Param) error {
	param := Param{Value: attr(e, "value")}
	var err error
	if param.Field, err = p.field(e); err == nil {
		*to = append(*to, param)
	}
	return err
}

func (p *reader) field(e xml.StartElement) (Field, error) {
	f := Field{
		ID: attr(e, "ID"), Name: attr(e, "name"), Datatype: attr(e, "datatype"), Arraysize: attr(e, "arraysize"),
		Unit: attr(e, "unit"), UCD: attr(e, "ucd"), Utype: attr(e, "utype"), XType: attr(e, "xtype"),
	}
	err := p.children(func(e xml.StartElement) error {
		switch e.Name.Local {
		case "DESCRIPTION":
			return p.text(&f.Description)
		case "VALUES":
			f.Null = attr(e, "null")
		}
		return p.skip()
	})
	return f, err
}

func (p *reader) table(e xml.StartElement) error {
	t := Table{ID: attr(e, "ID"), Name: attr(e, "name"), Resource: p.resource}
	err := p.children(func(e xml.StartElement) error {
		switch e.Name.Local {
		case "DESCRIPTION":
			return p.text(&t.Description)
		case "INFO":
			return p.info(e, &t.Infos)
		case "PARAM":
			return p.param(e, &t.Params)
		case "FIELD":
			f, err := p.field(e)
			if t.Fields = append(t.Fields, f); err == nil && len(t.Fields) > maxFields {
				err = p.bad("it has more than %d fields", maxFields)
			}
			return err
		case "DATA":
			return p.data(&t)
		}
		return p.skip()
	})
	p.file.Tables = append(p.file.Tables, t)
	return err
}

func (p *reader) data(t *Table) error {
	return p.children(func(e xml.StartElement) error {
		switch e.Name.Local {
		case "TABLEDATA":
			return p.rows(t)
		case "BINARY", "BINARY2", "FITS":
			return p.bad("its data are in the form %s, and only TABLEDATA can be read; ask the service for that, or for csv", e.Name.Local)
		}
		return p.skip()
	})
}

func (p *reader) rows(t *Table) error {
	return p.children(func(e xml.StartElement) error {
		if e.Name.Local != "TR" {
			return p.skip()
		}
		row, err := p.row(t)
		if err != nil {
			return err
		}
		p.cells += max(len(row), 1)
		p.filled += len(t.Fields) - len(row)
		switch {
		case p.cells > maxCells:
			return p.bad("it has more than %d cells", maxCells)
		case p.filled > maxFilled:
			return p.bad("its rows lack more than %d cells", maxFilled)
		}
		t.Rows = append(t.Rows, append(row, make([]string, len(t.Fields)-len(row))...))
		return nil
	})
}

// row reads the cells that are there.
func (p *reader) row(t *Table) ([]string, error) {
	row := make([]string, 0, min(len(t.Fields), 64))
	err := p.children(func(e xml.StartElement) error {
		switch {
		case e.Name.Local != "TD":
			return p.skip()
		case len(row) == len(t.Fields):
			return p.bad("row %d has more than the %d cells of the fields", len(t.Rows)+1, len(t.Fields))
		case attr(e, "encoding") != "":
			return p.bad("a cell of row %d is encoded in %s, and only plain cells can be read; ask the service for csv", len(t.Rows)+1, attr(e, "encoding"))
		}
		var cell string
		if err := p.text(&cell); err != nil {
			return err
		}
		if null := t.Fields[len(row)].Null; null != "" && cell == null {
			cell = ""
		}
		row = append(row, cell)
		return nil
	})
	return row, err
}

func attr(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name && a.Name.Space == "" {
			return a.Value
		}
	}
	return ""
}

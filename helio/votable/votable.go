// Package votable reads and writes VOTables, the XML tables of the Virtual
// Observatory, in which AMDA keeps its catalogues and many archives answer.
//
//	f, err := votable.Read(r)
//	if err != nil {
//		return err
//	}
//	table := f.Tables[0]
//	start, _ := table.Column("start")
//	fmt.Println(table.Rows[0][start])
//
// Cells are read as the texts that they are: what they mean is said by the fields.
// TABLEDATA is read, the form that people and most services use; the binary forms
// and FITS are refused by name. Versions 1.0 to 1.5 differ in nothing that matters
// here.
//
// The format is that of the IVOA's recommendation, VOTable 1.4.
package votable

import (
	"fmt"
	"slices"
	"strings"
)

// A File is a VOTable document.
type File struct {
	Description string // of the document; that of a resource is with its tables
	Infos       []Info
	Params      []Param
	Tables      []Table // of all resources, in the order of the document
}

// Info is a remark of the service, such as QUERY_STATUS.
type Info struct {
	Name, Value string
	Text        string // what stands inside the element
}

// Param is a value that holds for the whole table or document.
type Param struct {
	Field
	Value string
}

// A Table has a field for each column, and rows of as many cells.
type Table struct {
	ID, Name    string
	Description string
	Resource    string // description of the resource that it is in
	Infos       []Info
	Params      []Param
	Fields      []Field
	Rows        [][]string
}

// A Field describes a column.
type Field struct {
	ID, Name    string
	Datatype    string // as in "double", "char", "unicodeChar", "int"
	Arraysize   string // as in "*", "3", "2x3*"; "" for one value
	Unit        string
	UCD         string
	Utype       string
	XType       string // as in "timestamp"
	Null        string // what stands for no value; "" where only nothing does
	Description string
}

// Overflow reports whether the service says that it cut the answer off: a
// QUERY_STATUS of OVERFLOW.
func (f *File) Overflow() bool {
	cut := func(in Info) bool {
		return strings.EqualFold(in.Name, "QUERY_STATUS") && strings.EqualFold(in.Value, "OVERFLOW")
	}
	return slices.ContainsFunc(f.Infos, cut) ||
		slices.ContainsFunc(f.Tables, func(t Table) bool { return slices.ContainsFunc(t.Infos, cut) })
}

// Column returns the place of the field of that name or id, names first and without
// regard to case; false when there is none.
func (t *Table) Column(name string) (int, bool) {
	for _, same := range []func(f *Field) bool{
		func(f *Field) bool { return f.Name == name },
		func(f *Field) bool { return f.ID == name },
		func(f *Field) bool { return strings.EqualFold(f.Name, name) || strings.EqualFold(f.ID, name) },
	} {
		for i := range t.Fields {
			if same(&t.Fields[i]) {
				return i, true
			}
		}
	}
	return 0, false
}

// QueryError is what a service says in place of an answer: a QUERY_STATUS of ERROR.
type QueryError struct{ Message string }

func (e *QueryError) Error() string {
	if e.Message == "" {
		return "the service could not answer the query, and does not say why"
	}
	return "the service could not answer the query: " + e.Message
}

// SyntaxError says that a document is no VOTable that can be read.
type SyntaxError struct {
	Line   int // from 1; 0 where it is not known
	Reason string
	Err    error
}

func (e *SyntaxError) Error() string {
	if e.Line == 0 {
		return "read a VOTable: " + e.Reason
	}
	return fmt.Sprintf("read a VOTable: line %d: %s", e.Line, e.Reason)
}

// Unwrap returns the cause.
func (e *SyntaxError) Unwrap() error { return e.Err }

// Package cdftest writes small CDFs in every layout that package cdf reads, so
// that tests need no files of others and generators of demonstration data can
// make files as archives do.
//
//	b, err := cdftest.File{
//		Globals: []cdftest.Attribute{{Name: "TITLE", Values: []any{"A test"}}},
//		Variables: []cdftest.Variable{{
//			Name: "Epoch", Type: cdf.TT2000, Values: times,
//		}, {
//			Name: "B", Type: cdf.Real4, Dims: []int{3}, Values: field,
//			Compression: cdf.GZIP,
//			Attributes: []cdftest.Attribute{
//				{Name: "DEPEND_0", Values: []any{"Epoch"}},
//				{Name: "FILLVAL", Values: []any{float32(-1e31)}},
//			},
//		}},
//	}.Bytes()
//
// The same File gives the same bytes every time. The whole file is made in
// memory. It is not a writer for archives: nothing checks that what it is told
// to write makes sense.
package cdftest

import "github.com/helios-go/helios/helio/cdf"

// File is a CDF to be written. The zero value is an empty, little-endian,
// row-major file of the newest version.
type File struct {
	// Version is the format's, such as "2.4.6", "2.7.2" or "3.9.0", which is
	// what an empty one means. It decides the layout: widths, gaps, magic words.
	Version string
	// Encoding decides the byte order of values; 0 means cdf.IBMPC.
	Encoding    cdf.Encoding
	ColumnMajor bool
	Compression cdf.Compression // of the file as a whole
	Checksum    bool            // append an MD5 sum
	LeapTable   int             // date of the newest leap second known, YYYYMMDD
	Dims        []int           // sizes of the dimensions of all r variables
	Globals     []Attribute
	Variables   []Variable
}

// Attribute is a global attribute with its entries, or one of a variable, of
// which only the first entry counts. An entry is
//
//	string, []string                         text; several strings in one entry
//	int, int8 ... int64, uint8 ... uint32    a number of the type of that size, int as INT4
//	float32, float64                         REAL4, REAL8
//	tt.Time                                  TT2000
//	a slice of those numbers                 several elements
//	Typed                                    anything else
//	nil                                      no entry of that number
type Attribute struct {
	Name   string
	Values []any
}

// Typed is an entry of a chosen type: Values is what [Variable.Values] may be.
type Typed struct {
	Type   cdf.Type
	Values any
}

// Variable is a variable to be written.
type Variable struct {
	Name string
	Type cdf.Type
	R    bool // an r variable: its dimensions are those of the file
	// NumElems is the width of the strings of a text variable; 0 means the
	// longest one, and 1 for other types.
	NumElems int
	Dims     []int
	// Varies says which dimensions vary; nil means all.
	Varies           []bool
	NoRecordVariance bool
	Compression      cdf.Compression
	Sparse           cdf.Sparse
	Pad              any // the pad value, a single one; nil stores none
	// Values are all values, record after record, each in row-major order: a
	// slice of any integer or float type, []string for text, []tt.Time for the
	// three time types, [][2]float64 for EPOCH16. nil means no records.
	Values any
	// Records are the numbers of the records in Values, rising; nil means 0, 1,
	// 2 and so on. Only a sparse variable can leave some out.
	Records []int

	// How the records are laid out:
	BlockRecords int // records in a block; 0 means all that follow each other
	Reserve      int // records that the last block has room for beyond its own
	IndexEntries int // entries of an index record; 0 means all
	IndexLevels  int // levels of index records; 0 means 1, a chain

	Attributes []Attribute
}

// Bytes returns the file.
func (f File) Bytes() ([]byte, error) {
	w, err := newWriter(f)
	if err != nil {
		return nil, err
	}
	return w.file()
}

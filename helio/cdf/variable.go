package cdf

import (
	"fmt"
	"math"
	"slices"
	"sync"
)

// Variable is a variable of a file. Its exported fields describe it and must not
// be changed. Its values are read when they are asked for, anew each time; all
// methods are safe for concurrent use.
type Variable struct {
	Name string
	Type Type
	// NumElems is the width in bytes of each string of a text variable, and 1
	// for every other type.
	NumElems int
	// Dims are the sizes of the dimensions that vary, in the order of the file's
	// definition: the shape of one record, nil for a scalar.
	Dims []int
	// Records is how many records there are, those that a sparse variable leaves
	// out included. A variable that does not vary by record has 1 or 0.
	Records       int
	RecordVarying bool
	Compression   Compression
	Z             bool   // a z variable, which has dimensions of its own
	Num           int    // its number among the variables of its kind
	Sparse        Sparse // what stands for records that are left out
	Pad           Value  // the stored pad value; nothing where the type's default counts

	file       *File
	attributes []Attribute
	described  int   // how many attributes it has
	perRecord  int   // values in a record
	recordSize int64 // bytes in a record
	vxr        int64

	indexed  sync.Once // see index
	blocks   []block
	indexErr error
}

// Sparse is what stands for the records that a variable leaves out.
type Sparse int

// The kinds of sparseness.
const (
	NotSparse      Sparse = 0
	SparsePad      Sparse = 1 // the pad value
	SparsePrevious Sparse = 2 // the record before; the pad value at the beginning
)

const (
	flagRecordVariance = 1
	flagPad            = 2
	flagCompressed     = 4

	// leastVariable is the size of the smallest record that describes one.
	leastVariable = 124
)

// PerRecord returns the number of values in a record, the product of Dims.
func (v *Variable) PerRecord() int { return v.perRecord }

// readVariables reads count variables of a kind and returns them by their
// numbers, by which attributes refer to them.
func (f *File) readVariables(w *walker, offset int64, count, kind int) ([]*Variable, error) {
	first := len(f.variables)
	if int64(count) > w.size/leastVariable {
		return nil, damaged("%d variables cannot be in %d bytes", count, w.size)
	}
	list := make([]Variable, count)
	f.variables = slices.Grow(f.variables, count)
	for i := range list {
		if offset == 0 {
			return nil, damaged("the list of variables ends after %d of %d", i, count)
		}
		d, err := w.record(offset, kind)
		if err != nil {
			return nil, fmt.Errorf("variable %d: %w", i, err)
		}
		offset = d.offset()
		v := &list[i]
		v.Z = kind == recordZVDR
		if err := f.readVariable(v, &d, w); err != nil {
			return nil, fmt.Errorf("variable %d: %w", i, err)
		}
		f.variables = append(f.variables, v)
	}
	return byNumber(f.variables[first:])
}

// byNumber puts variables in the order of their numbers, where they nearly
// always are.
func byNumber(list []*Variable) ([]*Variable, error) {
	inOrder := true
	for i, v := range list {
		inOrder = inOrder && v.Num == i
	}
	if inOrder {
		return list, nil
	}
	ordered := make([]*Variable, len(list))
	for _, v := range list {
		if v.Num < 0 || v.Num >= len(ordered) || ordered[v.Num] != nil {
			return nil, damaged("variable %q has the number %d, which is taken or too high", v.Name, v.Num)
		}
		ordered[v.Num] = v
	}
	return ordered, nil
}

func (f *File) readVariable(v *Variable, d *fields, w *walker) error {
	v.file, v.Type = f, Type(d.int())
	last := d.int()
	v.vxr = d.offset()
	d.offset()
	flags := d.int()
	v.Sparse = Sparse(d.int())
	d.skip(3 * 4)
	if w.old {
		d.skip(128)
	}
	v.NumElems, v.Num = d.int(), d.int()
	cpr := d.offset()
	d.skip(4)
	v.Name = text(w.keep(d.name()))
	if err := f.readDims(v, d); err != nil {
		return err
	}
	if err := v.measure(); err != nil {
		return fmt.Errorf("%q: %w", v.Name, err)
	}
	if flags&flagPad != 0 {
		pad := d.take(v.NumElems * v.Type.Size())
		if err := d.err(); err != nil {
			return fmt.Errorf("%q: pad value: %w", v.Name, err)
		}
		v.Pad = Value{Type: v.Type, Num: v.Num, raw: w.keep(pad), big: f.big}
	}
	v.RecordVarying = flags&flagRecordVariance != 0
	if last < -1 || last == math.MaxInt32 {
		return damaged("%q has %d as its last record", v.Name, last)
	}
	v.Records = last + 1
	if !v.RecordVarying {
		v.Records = min(v.Records, 1)
	}
	if v.Sparse < NotSparse || v.Sparse > SparsePrevious {
		return damaged("%q has %d as its kind of sparse records", v.Name, v.Sparse)
	}
	if flags&flagCompressed != 0 {
		var err error
		if v.Compression, _, err = w.compression(cpr); err != nil {
			return fmt.Errorf("%q: %w", v.Name, err)
		}
	}
	return nil
}

// readDims reads the sizes of a z variable's dimensions, and of both kinds which
// ones vary.
func (f *File) readDims(v *Variable, d *fields) error {
	var own [maxDims]int
	sizes := f.rDims
	if v.Z {
		n := d.int()
		if err := d.err(); err != nil {
			return err
		}
		if n < 0 || n > maxDims {
			return damaged("%q has %d dimensions", v.Name, n)
		}
		sizes = own[:n]
		for i := range sizes {
			sizes[i] = d.int()
		}
	}
	for _, size := range sizes {
		if vary := d.int(); vary != 0 {
			v.Dims = append(v.Dims, size)
		}
	}
	return d.err()
}

// measure checks type and shape, and computes the size of a record.
func (v *Variable) measure() error {
	size := v.Type.Size()
	if size == 0 {
		return damaged("type %d does not exist", int(v.Type))
	}
	if v.NumElems < 1 || !v.Type.IsText() && v.NumElems != 1 {
		return damaged("%d elements of %s in one value", v.NumElems, v.Type)
	}
	v.perRecord, v.recordSize = 1, int64(size)*int64(v.NumElems)
	for _, n := range v.Dims {
		if n < 1 || v.recordSize > math.MaxInt32/int64(n) {
			return damaged("a record of shape %v is impossible", v.Dims)
		}
		v.perRecord *= n
		v.recordSize *= int64(n)
	}
	return nil
}

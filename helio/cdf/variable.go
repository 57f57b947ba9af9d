package cdf

import (
	"fmt"
	"math"
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
	perRecord  int   // values in a record
	recordSize int64 // bytes in a record
	vxr        int64
	index      func() ([]block, error)
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
)

// PerRecord returns the number of values in a record, the product of Dims.
func (v *Variable) PerRecord() int { return v.perRecord }

// readVariables reads count variables of a kind and returns them by their
// numbers, by which attributes refer to them.
func (f *File) readVariables(w *walker, offset int64, count, kind int) ([]*Variable, error) {
	first := len(f.variables)
	for i := range count {
		if offset == 0 {
			return nil, damaged("the list of variables ends after %d of %d", i, count)
		}
		d, err := w.record(offset, kind)
		if err != nil {
			return nil, fmt.Errorf("variable %d: %w", i, err)
		}
		offset = d.offset()
		v, err := f.readVariable(&d, kind == recordZVDR, w)
		if err != nil {
			return nil, fmt.Errorf("variable %d: %w", i, err)
		}
		f.variables = append(f.variables, v)
		if _, twice := f.byName[v.Name]; !twice {
			f.byName[v.Name] = v
		}
	}
	byNumber := make([]*Variable, len(f.variables)-first)
	for _, v := range f.variables[first:] {
		if v.Num < 0 || v.Num >= len(byNumber) || byNumber[v.Num] != nil {
			return nil, damaged("variable %q has the number %d, which is taken or too high", v.Name, v.Num)
		}
		byNumber[v.Num] = v
	}
	return byNumber, nil
}

func (f *File) readVariable(d *fields, z bool, w *walker) (*Variable, error) {
	v := &Variable{Z: z, file: f, Type: Type(d.int())}
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
	v.Name = d.name()
	sizes := f.rDims
	if z {
		n := d.int()
		if err := d.err(); err != nil {
			return nil, err
		}
		if n < 0 || n > maxDims {
			return nil, damaged("%q has %d dimensions", v.Name, n)
		}
		sizes = make([]int, n)
		for i := range sizes {
			sizes[i] = d.int()
		}
	}
	for _, size := range sizes {
		if vary := d.int(); vary != 0 {
			v.Dims = append(v.Dims, size)
		}
	}
	if err := d.err(); err != nil {
		return nil, err
	}
	if err := v.measure(); err != nil {
		return nil, fmt.Errorf("%q: %w", v.Name, err)
	}
	if flags&flagPad != 0 {
		pad := d.take(v.NumElems * v.Type.Size())
		if err := d.err(); err != nil {
			return nil, fmt.Errorf("%q: pad value: %w", v.Name, err)
		}
		v.Pad = Value{Type: v.Type, Num: v.Num, raw: w.keep(pad), big: f.big}
	}
	v.RecordVarying = flags&flagRecordVariance != 0
	if last < -1 || last == math.MaxInt32 {
		return nil, damaged("%q has %d as its last record", v.Name, last)
	}
	v.Records = last + 1
	if !v.RecordVarying {
		v.Records = min(v.Records, 1)
	}
	if v.Sparse < NotSparse || v.Sparse > SparsePrevious {
		return nil, damaged("%q has %d as its kind of sparse records", v.Name, v.Sparse)
	}
	if flags&flagCompressed != 0 {
		var err error
		if v.Compression, _, err = w.compression(cpr); err != nil {
			return nil, fmt.Errorf("%q: %w", v.Name, err)
		}
	}
	v.index = sync.OnceValues(v.readIndex)
	return v, nil
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

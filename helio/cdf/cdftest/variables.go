package cdftest

import (
	"fmt"
	"reflect"

	"github.com/helios-go/helios/helio/cdf"
)

// shape returns the sizes of the dimensions that vary.
func shape(v Variable, fileDims []int) []int {
	dims := v.Dims
	if v.R {
		dims = fileDims
	}
	var out []int
	for i, n := range dims {
		if v.Varies == nil || v.Varies[i] {
			out = append(out, n)
		}
	}
	return out
}

func product(dims []int) int {
	n := 1
	for _, d := range dims {
		n *= d
	}
	return n
}

// recordCount returns the number of the last record, plus one.
func recordCount(v Variable, fileDims []int) int {
	if n := len(v.Records); n > 0 {
		return v.Records[n-1] + 1
	}
	if v.Values == nil {
		return 0
	}
	return reflect.ValueOf(v.Values).Len() / product(shape(v, fileDims))
}

func (w *writer) variables(head, kind int, list []Variable) error {
	for i, v := range list {
		w.patch(head, len(w.b))
		var err error
		if head, err = w.variable(kind, i, v); err != nil {
			return fmt.Errorf("variable %q: %w", v.Name, err)
		}
	}
	return nil
}

// variable writes the description of a variable, its index and its values, and
// returns where the place of the next description goes.
func (w *writer) variable(kind, num int, v Variable) (next int, err error) {
	if v.NumElems == 0 {
		v.NumElems = 1
		if v.Type.IsText() {
			v.NumElems = longest(v.Values)
		}
	}
	start := w.begin(kind)
	next = w.offset(0)
	w.ints(int(v.Type), recordCount(v, w.f.Dims)-1)
	indexHead, indexTail := w.offset(0), w.offset(0)
	flags := 0
	if !v.NoRecordVariance {
		flags |= 1
	}
	if v.Pad != nil {
		flags |= 2
	}
	if v.Compression != cdf.None {
		flags |= 4
	}
	w.ints(flags, int(v.Sparse), 0, -1, -1)
	if w.old() {
		w.padded("", 128)
	}
	w.ints(v.NumElems, num)
	cpr := w.offset(-1)
	w.ints(v.BlockRecords)
	if err := w.name(v.Name); err != nil {
		return 0, err
	}
	dims := w.f.Dims
	if !v.R {
		dims = v.Dims
		w.ints(len(dims))
		w.ints(dims...)
	}
	for i := range dims {
		if v.Varies == nil || v.Varies[i] {
			w.ints(-1)
		} else {
			w.ints(0)
		}
	}
	if v.Pad != nil {
		one := reflect.MakeSlice(reflect.SliceOf(reflect.TypeOf(v.Pad)), 1, 1)
		one.Index(0).Set(reflect.ValueOf(v.Pad))
		pad, err := encode(v.Type, one.Interface(), v.NumElems, w.order)
		if err != nil {
			return 0, err
		}
		w.b = append(w.b, pad...)
	}
	w.end(start)
	if v.Compression != cdf.None {
		w.patch(cpr, len(w.b))
		w.cpr(v.Compression)
	}
	return next, w.values(v, indexHead, indexTail)
}

// A run is a block of values and the records that its index entry names.
type run struct{ first, last, offset int }

// values writes the blocks of a variable and the index that leads to them.
func (w *writer) values(v Variable, head, tail int) error {
	b, err := encode(v.Type, v.Values, v.NumElems, w.order)
	if err != nil || len(b) == 0 {
		return err
	}
	dims := shape(v, w.f.Dims)
	element := v.Type.Size() * v.NumElems
	size := product(dims) * element
	if len(b)%size != 0 || v.Records != nil && len(b)/size != len(v.Records) {
		return fmt.Errorf("%d bytes of values make no whole records of %d", len(b), size)
	}
	if w.f.ColumnMajor {
		b = columnMajor(b, dims, element)
	}
	numbers := v.Records
	for i := 0; v.Records == nil && i < len(b)/size; i++ {
		numbers = append(numbers, i)
	}
	var runs []run
	for len(numbers) > 0 {
		n := 1
		for n < len(numbers) && numbers[n] == numbers[0]+n && n != v.BlockRecords {
			n++
		}
		reserve := 0
		if n == len(numbers) {
			reserve = v.Reserve
		}
		runs = append(runs, run{numbers[0], numbers[n-1] + reserve, len(w.b)})
		block := make([]byte, (n+reserve)*size)
		copy(block, b[:n*size])
		if err := w.block(v.Compression, block); err != nil {
			return err
		}
		numbers, b = numbers[n:], b[n*size:]
	}
	for range max(v.IndexLevels, 1) - 1 {
		runs = w.indexLevel(v, runs)
	}
	w.patch(head, len(w.b))
	last := w.indexChain(v, runs)
	w.patch(tail, last)
	return nil
}

func (w *writer) block(c cdf.Compression, b []byte) error {
	packed, err := compress(c, b)
	if err != nil {
		return err
	}
	if c == cdf.None || len(packed) >= len(b) && c != cdf.Huffman && c != cdf.AdaptiveHuffman {
		start := w.begin(recordVVR)
		w.b = append(w.b, b...)
		w.end(start)
		return nil
	}
	start := w.begin(recordCVVR)
	w.ints(0)
	w.offset(len(packed))
	w.b = append(w.b, packed...)
	w.end(start)
	return nil
}

// indexChain writes index records that lead to the runs, each to the next, and
// returns where the last one is.
func (w *writer) indexChain(v Variable, runs []run) (last int) {
	n := v.IndexEntries
	if n == 0 {
		n = len(runs)
	}
	for hole := -1; len(runs) > 0; {
		k := min(n, len(runs))
		if hole >= 0 {
			w.patch(hole, len(w.b))
		}
		last = len(w.b)
		hole = w.indexRecord(runs[:k], n)
		runs = runs[k:]
	}
	return last
}

// indexLevel writes separate index records for the runs and returns what a
// higher level points to.
func (w *writer) indexLevel(v Variable, runs []run) (upper []run) {
	n := v.IndexEntries
	if n == 0 {
		n = 2
	}
	for len(runs) > 0 {
		k := min(n, len(runs))
		upper = append(upper, run{runs[0].first, runs[k-1].last, len(w.b)})
		w.indexRecord(runs[:k], n)
		runs = runs[k:]
	}
	return upper
}

// indexRecord writes an index record with room for n runs; entries that are not
// used hold -1.
func (w *writer) indexRecord(runs []run, n int) (next int) {
	start := w.begin(recordVXR)
	next = w.offset(0)
	w.ints(n, len(runs))
	for i := range n {
		if i < len(runs) {
			w.ints(runs[i].first)
		} else {
			w.ints(-1)
		}
	}
	for i := range n {
		if i < len(runs) {
			w.ints(runs[i].last)
		} else {
			w.ints(-1)
		}
	}
	for i := range n {
		if i < len(runs) {
			w.offset(runs[i].offset)
		} else {
			w.offset(-1)
		}
	}
	w.end(start)
	return next
}

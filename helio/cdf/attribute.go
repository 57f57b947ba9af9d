package cdf

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// Attribute is a named property, of the file or of a variable.
type Attribute struct {
	Name string
	// Entries are the values, in the order of their numbers: any number of them
	// for the file, one for a variable.
	Entries []Value
}

// attributes is all that a file has, as they are read: each with its entries for
// all variables. handOut leaves those of the file as a whole.
type attributes struct {
	all   []Attribute
	lists []lists
	r, z  []*Variable // by number, by which entries refer to them
}

// lists is where the entries of an attribute are, and how many there are.
type lists struct {
	rHead, zHead int64
	nr, nz       int
	global       bool
}

const (
	// leastAttribute and leastEntry are the sizes of the smallest records of their
	// kinds. They bound what a file can make us allocate.
	leastAttribute = 116
	leastEntry     = 48
)

// readAttributes reads that number of attributes. All lists are parts of a few
// pieces of memory, as a file may have thousands of entries.
func (f *File) readAttributes(w *walker, offset int64, number int) error {
	if int64(number) > w.size/leastAttribute {
		return damaged("%d attributes cannot be in %d bytes", number, w.size)
	}
	a := &f.attributes
	a.all, a.lists = make([]Attribute, number), make([]lists, number)
	n, err := a.readLists(w, offset)
	if err != nil {
		return err
	}
	values := make([]Value, n)
	for i, l := range a.lists {
		n := l.nr + l.nz
		entries := values[:n:n]
		values = values[n:]
		err := f.readEntries(w, entries[:l.nr], l.rHead, recordAGR)
		if err == nil {
			err = f.readEntries(w, entries[l.nr:], l.zHead, recordAZ)
		}
		if err != nil {
			return fmt.Errorf("attribute %q: %w", a.all[i].Name, err)
		}
		a.all[i].Entries = entries
	}
	return nil
}

// readLists reads the records of the attributes: their names and where their
// entries are. It returns how many entries they have together, which the file is
// large enough to hold.
func (a *attributes) readLists(w *walker, offset int64) (entries int, err error) {
	for i := range a.lists {
		if offset == 0 {
			return 0, damaged("the list of attributes ends after %d of %d", i, len(a.lists))
		}
		d, err := w.record(offset, recordADR)
		if err != nil {
			return 0, fmt.Errorf("attribute %d: %w", i, err)
		}
		offset = d.offset()
		l := &a.lists[i]
		l.rHead = d.offset()
		scope := d.int()
		l.global = scope == 1 || scope == 3
		d.skip(4)
		l.nr = d.int()
		d.skip(8)
		l.zHead, l.nz = d.offset(), d.int()
		d.skip(8)
		name := text(w.keep(d.name()))
		if err := d.err(); err != nil {
			return 0, fmt.Errorf("attribute %d: %w", i, err)
		}
		most := int(min(w.size/leastEntry, math.MaxInt32)) - entries
		if l.nr < 0 || l.nz < 0 || l.nr > most || l.nz > most-l.nr {
			return 0, damaged("attribute %q has %d and %d entries, which cannot be in %d bytes", name, l.nr, l.nz, w.size)
		}
		a.all[i].Name = name
		entries += l.nr + l.nz
	}
	return entries, nil
}

// readEntries reads as many entries as there is room for.
func (f *File) readEntries(w *walker, to []Value, offset int64, kind int) error {
	for i := range to {
		if offset == 0 {
			return damaged("its entries end after %d of %d", i, len(to))
		}
		e, err := w.record(offset, kind)
		if err != nil {
			return err
		}
		offset = e.offset()
		e.skip(4)
		v := &to[i]
		v.Type, v.Num, v.big = Type(e.int()), e.int(), f.big
		elems := e.int()
		e.skip(5 * 4)
		if err := e.err(); err != nil {
			return err
		}
		size := v.Type.Size()
		if size == 0 || elems < 0 || elems > len(e.rest())/size {
			return damaged("entry %d has %d elements of %s in %d bytes", v.Num, elems, v.Type, len(e.rest()))
		}
		v.raw = w.keep(e.take(elems * size))
	}
	return nil
}

// handOut gives the file its attributes, and the variables theirs, each in the
// order of the file. It is done once, when the first of them is asked for.
func (f *File) handOut() { f.handed.Do(f.attributes.handOut) }

func (a *attributes) handOut() {
	for i, l := range a.lists {
		if !l.global {
			count(a.all[i].Entries[:l.nr], a.r)
			count(a.all[i].Entries[l.nr:], a.z)
		}
	}
	allot(a.r)
	allot(a.z)
	global := a.all[:0] // in place, as the others are not needed any more
	for i, l := range a.lists {
		b := a.all[i]
		if l.global {
			slices.SortStableFunc(b.Entries, func(x, y Value) int { return x.Num - y.Num })
			global = append(global, b)
			continue
		}
		give(b.Name, b.Entries[:l.nr], a.r)
		give(b.Name, b.Entries[l.nr:], a.z)
	}
	clear(a.all[len(global):])
	*a = attributes{all: global}
}

// count adds to how many attributes the variables have.
func count(entries []Value, variables []*Variable) {
	for i := range entries {
		if v := owner(variables, entries[i].Num); v != nil {
			v.described++
		}
	}
}

// allot gives the variables room for their attributes.
func allot(variables []*Variable) {
	n := 0
	for _, v := range variables {
		n += v.described
	}
	slab := make([]Attribute, n)
	for _, v := range variables {
		v.attributes, slab = slab[:0:v.described], slab[v.described:]
	}
}

// give gives the variables an attribute of that name.
func give(name string, entries []Value, variables []*Variable) {
	for i := range entries {
		if v := owner(variables, entries[i].Num); v != nil {
			v.attributes = append(v.attributes, Attribute{name, entries[i : i+1 : i+1]})
		}
	}
}

// owner returns the variable of that number. There may be none, as some files
// have entries for variables that were deleted.
func owner(variables []*Variable, num int) *Variable {
	if num >= 0 && num < len(variables) {
		return variables[num]
	}
	return nil
}

// Attribute returns the value of the variable's attribute of that name. Where no
// name agrees exactly, case is ignored, as writers are not consistent.
func (v *Variable) Attribute(name string) (Value, bool) {
	v.file.handOut()
	for _, a := range v.attributes {
		if a.Name == name {
			return a.Entries[0], true
		}
	}
	for _, a := range v.attributes {
		if strings.EqualFold(a.Name, name) {
			return a.Entries[0], true
		}
	}
	return Value{}, false
}

// AttributeString returns the text of that attribute, numbers in their shortest
// form; empty where there is none.
func (v *Variable) AttributeString(name string) string {
	a, ok := v.Attribute(name)
	if !ok {
		return ""
	}
	return a.String()
}

// Attributes returns the variable's attributes in the order of the file.
func (v *Variable) Attributes() []Attribute {
	v.file.handOut()
	return v.attributes
}

// GlobalString returns the text of the file's attribute of that name, entries
// joined by a blank as long descriptions are cut into lines; empty where there
// is none.
func (f *File) GlobalString(name string) string {
	for _, a := range f.Global() {
		if strings.EqualFold(a.Name, name) {
			parts := make([]string, len(a.Entries))
			for i, e := range a.Entries {
				parts[i] = e.String()
			}
			return strings.Join(parts, " ")
		}
	}
	return ""
}

package cdf

import (
	"fmt"
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

// readAttributes reads count attributes and hands their entries to the file and
// to the variables, which are given by their numbers.
func (f *File) readAttributes(w *walker, offset int64, count int, r, z []*Variable) error {
	for i := range count {
		if offset == 0 {
			return damaged("the list of attributes ends after %d of %d", i, count)
		}
		a, err := w.record(offset, recordADR)
		if err != nil {
			return fmt.Errorf("attribute %d: %w", i, err)
		}
		offset = a.offset()
		rHead, scope := a.offset(), a.int()
		a.skip(4)
		nr := a.int()
		a.skip(8)
		zHead, nz := a.offset(), a.int()
		a.skip(8)
		name := a.name()
		if err := a.err(); err != nil {
			return fmt.Errorf("attribute %d: %w", i, err)
		}
		to := entries{name: name, global: scope == 1 || scope == 3}
		to.variables = r
		err = f.readEntries(w, rHead, nr, recordAGR, &to)
		if err == nil {
			to.variables = z
			err = f.readEntries(w, zHead, nz, recordAZ, &to)
		}
		if err != nil {
			return fmt.Errorf("attribute %q: %w", name, err)
		}
		if to.global {
			slices.SortStableFunc(to.list, func(a, b Value) int { return a.Num - b.Num })
			f.global = append(f.global, Attribute{name, to.list})
		}
	}
	return nil
}

// entries is where those of one attribute go.
type entries struct {
	name      string
	global    bool
	list      []Value     // of a global attribute
	variables []*Variable // by number, of the others
}

func (e *entries) add(w *walker, v Value) {
	switch {
	case e.global:
		e.list = append(e.list, v)
	case v.Num >= 0 && v.Num < len(e.variables):
		owner := e.variables[v.Num]
		if owner.attributes == nil {
			owner.attributes = make([]Attribute, 0, 12)
		}
		owner.attributes = append(owner.attributes, Attribute{e.name, w.keepValue(v)})
	}
}

func (f *File) readEntries(w *walker, offset int64, count, kind int, to *entries) error {
	for i := range count {
		if offset == 0 {
			return damaged("its entries end after %d of %d", i, count)
		}
		e, err := w.record(offset, kind)
		if err != nil {
			return err
		}
		offset = e.offset()
		e.skip(4)
		v := Value{Type: Type(e.int()), Num: e.int(), big: f.big}
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
		to.add(w, v)
	}
	return nil
}

// Attribute returns the value of the variable's attribute of that name. Where no
// name agrees exactly, case is ignored, as writers are not consistent.
func (v *Variable) Attribute(name string) (Value, bool) {
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
func (v *Variable) Attributes() []Attribute { return v.attributes }

// GlobalString returns the text of the file's attribute of that name, entries
// joined by a blank as long descriptions are cut into lines; empty where there
// is none.
func (f *File) GlobalString(name string) string {
	for _, a := range f.global {
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

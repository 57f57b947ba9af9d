package cdftest

import "fmt"

// attributeNames returns the names of the variables' attributes, each once, in
// the order in which they first occur.
func (w *writer) attributeNames(lists ...[]Variable) (names []string) {
	seen := make(map[string]bool)
	for _, list := range lists {
		for _, v := range list {
			for _, a := range v.Attributes {
				if !seen[a.Name] {
					seen[a.Name] = true
					names = append(names, a.Name)
				}
			}
		}
	}
	return names
}

// attributes writes the global attributes, then those of variables.
func (w *writer) attributes(head int, names []string, r, z []Variable) error {
	num := 0
	for _, a := range w.f.Globals {
		w.patch(head, len(w.b))
		var err error
		if head, err = w.attribute(num, a.Name, 1, a.Values, nil); err != nil {
			return fmt.Errorf("attribute %q: %w", a.Name, err)
		}
		num++
	}
	for _, name := range names {
		w.patch(head, len(w.b))
		var err error
		if head, err = w.attribute(num, name, 2, entriesOf(r, name), entriesOf(z, name)); err != nil {
			return fmt.Errorf("attribute %q: %w", name, err)
		}
		num++
	}
	return nil
}

// entriesOf returns the entry of each variable for an attribute, nil for none.
func entriesOf(list []Variable, name string) []any {
	entries := make([]any, len(list))
	for i, v := range list {
		for _, a := range v.Attributes {
			if a.Name == name && len(a.Values) > 0 {
				entries[i] = a.Values[0]
			}
		}
	}
	return entries
}

// attribute writes an attribute with its entries and returns where the place of
// the next attribute goes.
func (w *writer) attribute(num int, name string, scope int, gr, z []any) (next int, err error) {
	start := w.begin(recordADR)
	next = w.offset(0)
	grHead := w.offset(0)
	w.ints(scope, num, count(gr), len(gr)-1, 0)
	zHead := w.offset(0)
	w.ints(count(z), len(z)-1, -1)
	if err := w.name(name); err != nil {
		return 0, err
	}
	w.end(start)
	if err := w.entries(grHead, recordAGR, num, gr); err != nil {
		return 0, err
	}
	return next, w.entries(zHead, recordAZ, num, z)
}

func count(entries []any) int {
	n := 0
	for _, e := range entries {
		if e != nil {
			n++
		}
	}
	return n
}

func (w *writer) entries(head, kind, attribute int, entries []any) error {
	for i, e := range entries {
		if e == nil {
			continue
		}
		t, b, elems, strings, err := entry(e, w.order)
		if err != nil {
			return fmt.Errorf("entry %d: %w", i, err)
		}
		w.patch(head, len(w.b))
		start := w.begin(kind)
		head = w.offset(0)
		if !w.wide {
			strings = 0
		}
		w.ints(attribute, int(t), i, elems, strings, 0, 0, -1, -1)
		w.b = append(w.b, b...)
		w.end(start)
	}
	return nil
}

package adapt

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// maxBases is how many parts of a schema may have names of their own.
const maxBases = 50

// An index is a schema and where in it references lead.
type index struct {
	root    *object
	objects int
	anchors map[string][]*object
	bases   []*object // the root, and parts that have an $id
	id      string    // the root's
	found   map[string]*object
}

func newIndex(root *object) *index {
	x := &index{root: root, bases: []*object{root}, id: strings.TrimSuffix(root.text("$id"), "#"), anchors: map[string][]*object{}, found: map[string]*object{}}
	x.add(root)
	return x
}

func (x *index) add(v any) {
	switch v := v.(type) {
	case *object:
		x.objects++
		for _, key := range []string{"$anchor", "$dynamicAnchor"} {
			if name := v.text(key); name != "" {
				x.anchors[name] = append(x.anchors[name], v)
			}
		}
		if id := v.text("$id"); strings.HasPrefix(id, "#") {
			x.anchors[id[1:]] = append(x.anchors[id[1:]], v) // as drafts before 2019 wrote it
		} else if id != "" && v != x.root {
			x.bases = append(x.bases, v)
		}
		for _, k := range v.keys {
			x.add(v.m[k])
		}
	case []any:
		for i := range v {
			x.add(v[i])
		}
	}
}

// find is the schema that a reference leads to, nil where it leads nowhere: away
// from this schema, to what is none, or to several places.
func (x *index) find(ref string) *object {
	target, known := x.found[ref]
	if !known {
		target = x.look(ref)
		x.found[ref] = target
	}
	return target
}

func (x *index) look(ref string) *object {
	file, pointer, _ := strings.Cut(ref, "#")
	if file != "" && file != x.id || len(x.bases) > maxBases {
		return nil
	}
	if pointer != "" && pointer[0] != '/' {
		if all := x.anchors[pointer]; len(all) == 1 {
			return all[0]
		}
		return nil
	}
	var target *object
	for _, base := range x.bases {
		switch at := follow(base, pointer); {
		case at == nil:
		case target != nil: // which one depends on where the reference stands
			return nil
		default:
			target = at
		}
	}
	return target
}

func follow(root *object, pointer string) *object {
	if pointer == "" {
		return root
	}
	var at any = root
	for step := range strings.SplitSeq(pointer[1:], "/") {
		if text, err := url.PathUnescape(step); err == nil {
			step = text
		}
		step = strings.ReplaceAll(strings.ReplaceAll(step, "~1", "/"), "~0", "~")
		switch v := at.(type) {
		case *object:
			at = v.m[step]
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil || i < 0 || i >= len(v) {
				return nil
			}
			at = v[i]
		default:
			return nil
		}
	}
	target, _ := at.(*object)
	return target
}

// ref adapts a schema that has a reference, together with what stands beside it.
func (a *adapter) ref(s *object, ref string) *object {
	rest, target := without(s, "$ref"), a.find(ref)
	switch {
	case target == nil: // what stands beside is all that is known
		a.possible = false
		return a.keywords(rest)
	case a.d.All:
		out := newObject(2)
		out.set("$ref", a.keep(ref, target))
		beside := a.keywords(rest)
		for _, key := range beside.keys {
			out.set(key, beside.m[key])
		}
		return out
	case a.d.Refs && !says(rest):
		out := newObject(1)
		out.set("$ref", a.keep(ref, target))
		return out
	case a.enter(target):
		defer a.leave()
		return a.schema(a.merged(target, rest))
	case !a.d.Refs:
		return a.cut(a.merged(target, rest), "as above")
	}
	inner, out := newObject(1), newObject(2)
	inner.set("$ref", a.keep(ref, target))
	out.set("anyOf", []any{inner})
	if text := rest.text("description"); text != "" {
		out.set("description", text)
	}
	if v, ok := rest.m["default"]; ok {
		tell(out, []string{"default " + string(encode(v))})
	}
	if says(without(without(rest, "description"), "default")) {
		a.possible = false
	}
	return out
}

// says reports whether a schema says anything of values or to the reader.
func says(s *object) bool {
	for _, key := range s.keys {
		switch key {
		case "$defs", "definitions", "$schema", "$id", "id", "$comment", "$anchor", "$dynamicAnchor", "title", "examples", "deprecated", "readOnly", "writeOnly":
		default:
			return true
		}
	}
	return false
}

// enter reports whether a reference may be followed into its target once more. If
// so, leave has to follow.
func (a *adapter) enter(target *object) bool {
	n := 0
	for _, t := range a.stack {
		if t == target {
			n++
		}
	}
	if a.d.Refs {
		name, kept := a.names[target]
		if n > 0 || target == a.root || kept && a.defs.m[name] == nil {
			return false
		}
	}
	if n >= a.same || len(a.stack) >= a.refs {
		return false
	}
	a.stack = append(a.stack, target)
	return true
}

func (a *adapter) leave() { a.stack = a.stack[:len(a.stack)-1] }

// keep is a reference to a copy of the target among the definitions.
func (a *adapter) keep(ref string, target *object) string {
	if target == a.root && !a.odd {
		return "#"
	}
	name, kept := a.names[target]
	if !kept {
		if a.defs == nil {
			a.defs, a.names = newObject(1), map[*object]string{}
		}
		if name = defName(ref); a.defs.has(name) {
			name += "_" + hash(ref, 8)
		}
		for salt := ref; a.defs.has(name); { // which takes somebody who means it
			salt += "'"
			name = defName(ref) + "_" + hash(salt, 8)
		}
		a.names[target] = name
		a.defs.set(name, nil) // while it is being made
		level := a.level
		a.level = 0
		a.defs.set(name, a.schema(target))
		a.level = level
	}
	return defsPrefix + name
}

const defsPrefix = "#/$defs/"

// defName is a name for what a reference leads to: its last step, and a hash where
// it does not lead to a definition.
func defName(ref string) string {
	for _, place := range []string{defsPrefix, "#/definitions/"} {
		if name, ok := strings.CutPrefix(ref, place); ok && name != "" && !strings.Contains(name, "/") {
			return plain(name)
		}
	}
	if ref == "#" {
		return "root"
	}
	return strings.Trim(plain(ref[strings.LastIndexByte(ref, '/')+1:]), "_") + "_" + hash(ref, 8)
}

// opened is a schema without the reference that it may begin with, whose target is
// entered until the schema that it is part of is done with.
func (a *adapter) opened(s *object) *object {
	ref, ok := s.m["$ref"].(string)
	if !ok {
		return s
	}
	target := a.find(ref)
	s = without(s, "$ref")
	if target == nil || !a.enter(target) {
		a.possible = false
		return s
	}
	return a.opened(a.merged(target, s))
}

// resolved is a schema without the reference that it may begin with.
func (a *adapter) resolved(s *object) *object {
	var seen []*object
	for range 10 {
		ref, ok := s.m["$ref"].(string)
		if !ok {
			return s
		}
		target := a.find(ref)
		s = without(s, "$ref")
		if target == nil || target == a.root || slices.Contains(seen, target) {
			return s
		}
		seen = append(seen, target)
		s = a.merged(target, s)
	}
	return without(s, "$ref")
}

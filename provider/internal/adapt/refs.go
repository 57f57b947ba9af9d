package adapt

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// sameRef is how often a recursive reference is followed into itself where
// references are not taken.
const sameRef = 2

// ref is a schema with a reference, and what stands beside it. Nil is one whose
// target there is not: then what stands beside it is all that is known.
func (a *adapter) ref(s *object, ref string) *object {
	target := a.find(ref)
	if target == nil {
		a.possible = false
		return nil
	}
	if a.d.Refs {
		return a.keep(s, ref, target)
	}
	depth := 0
	for _, r := range a.stack {
		if r == ref {
			depth++
		}
	}
	if depth >= sameRef {
		a.possible = false
		out := newObject(2)
		if types := typesOf(target); len(types) == 1 {
			out.set("type", types[0])
			if types[0] == "array" {
				out.set("items", newObject(0))
			}
		}
		tell(out, []string{"as above"})
		return out
	}
	a.stack = append(a.stack, ref)
	defer func() { a.stack = a.stack[:len(a.stack)-1] }()
	return a.schema(a.merged(target, without(s, "$ref")))
}

// resolved is a schema without the reference that it may begin with.
func (a *adapter) resolved(s *object) *object {
	for range 10 {
		ref, ok := s.m["$ref"].(string)
		if !ok {
			return s
		}
		target := a.find(ref)
		s = without(s, "$ref")
		if target == nil || target == a.root {
			return s
		}
		s = a.merged(target, s)
	}
	return without(s, "$ref")
}

// keep refers to a copy of the target among the definitions.
func (a *adapter) keep(s *object, ref string, target *object) *object {
	out := newObject(2)
	if target == a.root {
		out.set("$ref", "#")
	} else {
		if a.defs == nil {
			a.defs = newObject(1)
		}
		name := defName(ref)
		if !a.defs.has(name) {
			a.defs.set(name, nil) // while it is being made
			a.defs.set(name, a.schema(target))
		}
		out.set("$ref", "#/$defs/"+strings.ReplaceAll(strings.ReplaceAll(name, "~", "~0"), "/", "~1"))
	}
	if text := s.text("description"); text != "" && a.d.All {
		out.set("description", text)
	}
	return out
}

// defName is a name for what a reference leads to: its last step, or all of it
// where it does not lead to a definition.
func defName(ref string) string {
	for _, place := range []string{"#/$defs/", "#/definitions/"} {
		if name, ok := strings.CutPrefix(ref, place); ok && !strings.Contains(name, "/") {
			return name
		}
	}
	return strings.Trim(plain(ref), "_") + "_" + hash(ref, 6)
}

// find is the schema that a reference leads to, nil where it leads nowhere: away
// from this schema, or to what is none.
func (a *adapter) find(ref string) *object {
	pointer, ok := strings.CutPrefix(ref, "#")
	if !ok {
		return nil
	}
	if pointer == "" {
		return a.root
	}
	if pointer[0] != '/' {
		return anchored(a.root, pointer, 0)
	}
	var at any = a.root
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

// anchored finds the schema of a name.
func anchored(v any, name string, depth int) *object {
	switch v := v.(type) {
	case *object:
		if v.m["$anchor"] == name || v.m["$dynamicAnchor"] == name {
			return v
		}
		for _, k := range v.keys {
			if found := anchored(v.m[k], name, depth+1); found != nil {
				return found
			}
		}
	case []any:
		for i := range v {
			if found := anchored(v[i], name, depth+1); found != nil {
				return found
			}
		}
	}
	return nil
}

// joined is a schema without allOf: all of it in one.
func (a *adapter) joined(s *object) *object {
	for range 20 { // what is joined may bring more
		if a.err != nil {
			break
		}
		all, ok := s.m["allOf"].([]any)
		if !ok {
			return s
		}
		s = without(s, "allOf")
		for i := range all {
			if sub, ok := all[i].(*object); ok && a.err == nil {
				s = a.merged(s, a.resolved(sub))
			}
		}
	}
	return without(s, "allOf")
}

// merged is a schema that allows at least what both allow. Of annotations the
// second's count.
func (a *adapter) merged(s, t *object) *object {
	if !a.room() {
		return s
	}
	if len(t.keys) == 0 {
		return s
	}
	out := s.clone()
	for _, key := range t.keys {
		v := t.m[key]
		mine, both := s.m[key]
		if !both {
			if key != "additionalProperties" {
				out.set(key, v)
			}
			continue
		}
		switch key {
		case "description", "title", "default":
			out.set(key, v)
		case "properties":
			out.set(key, a.mergedProperties(s.object(key), t.object(key)))
		case "required":
			out.set(key, texts(append(slices.Clone(s.list(key)), t.list(key)...)))
		case "items":
			if m, ok := mine.(*object); ok {
				if n, ok := v.(*object); ok {
					out.set(key, a.merged(m, n))
				}
			}
		case "type":
			if types := common2(typesOf(s), typesOf(t)); len(types) > 0 {
				out.set(key, types)
			}
		case "allOf":
			out.set(key, append(slices.Clone(s.list(key)), t.list(key)...))
		case "enum":
			var values []any
			for _, x := range s.list(key) {
				if slices.ContainsFunc(t.list(key), func(y any) bool { return equal(x, y) }) {
					values = append(values, x)
				}
			}
			if len(values) > 0 {
				out.set(key, values)
			}
		}
	}
	a.mergedRest(out, s, t)
	return out
}

// mergedRest closes what is merged only if no part of it is open: a part that is
// closed knows nothing of the other's properties.
func (a *adapter) mergedRest(out, s, t *object) {
	const key = "additionalProperties"
	mine, yours := s.m[key], t.m[key]
	switch {
	case !t.has("properties") && !t.has(key):
	case !s.has("properties") && !s.has(key):
		if t.has(key) {
			out.set(key, yours)
		}
	case mine == false && yours == false:
		out.set(key, false)
	default:
		out.drop(key)
	}
}

func (a *adapter) mergedProperties(s, t *object) *object {
	if s == nil || t == nil {
		if s == nil {
			return t
		}
		return s
	}
	out := s.clone()
	for _, name := range t.keys {
		mine, ok := out.m[name].(*object)
		yours, ok2 := t.m[name].(*object)
		switch {
		case ok && ok2:
			out.set(name, a.mergedRefs(mine, yours))
		case !ok:
			out.set(name, t.m[name])
		}
	}
	return out
}

// mergedRefs merges two schemas that may be references.
func (a *adapter) mergedRefs(s, t *object) *object {
	if s.has("$ref") && t.has("$ref") {
		if s.m["$ref"] == t.m["$ref"] {
			return s
		}
		return a.merged(a.resolved(s), a.resolved(t))
	}
	return a.merged(s, t)
}

// common2 are the types of both; integers are numbers.
func common2(s, t []string) []any {
	var out []any
	for _, x := range s {
		switch {
		case slices.Contains(t, x):
			out = append(out, x)
		case x == "integer" && slices.Contains(t, "number"):
			out = append(out, x)
		case x == "number" && slices.Contains(t, "integer"):
			out = append(out, "integer")
		}
	}
	return out
}

// united is a schema of which one of several alternatives holds, without them: an
// object that has the properties of all, and must have those that all want.
func (a *adapter) united(s *object, key string, alternatives []any) *object {
	a.possible = false
	s = without(s, key)
	var all *object
	var required []any
	closed := true
	for i := range alternatives {
		sub, ok := alternatives[i].(*object)
		if !ok {
			return s
		}
		sub = a.joined(a.resolved(sub))
		if types := typesOf(sub); len(types) > 0 && !slices.Contains(types, "object") {
			continue // arguments are objects
		}
		if sub.has("anyOf") || sub.has("oneOf") || sub.has("patternProperties") {
			return s
		}
		closed = closed && sub.m["additionalProperties"] == false
		names := texts(sub.m["required"])
		if all == nil {
			all, required = newObject(4), names
		} else {
			required = slices.DeleteFunc(required, func(n any) bool { return !slices.Contains(names, n) })
		}
		props := sub.object("properties")
		if props == nil {
			continue
		}
		for _, name := range props.keys {
			mine, there := all.m[name]
			switch {
			case !there:
				all.set(name, props.m[name])
			case !equal(mine, props.m[name]):
				all.set(name, either(mine, props.m[name]))
			}
		}
	}
	if all == nil {
		return s
	}
	union := newObject(4)
	union.set("properties", all)
	if len(required) > 0 {
		union.set("required", required)
	}
	if closed && !s.has("properties") {
		union.set("additionalProperties", false)
	}
	return a.merged(s, union)
}

func either(s, t any) *object {
	out := newObject(1)
	if o, ok := s.(*object); ok && len(o.keys) == 1 && o.has("anyOf") {
		out.set("anyOf", append(slices.Clone(o.list("anyOf")), t))
		return out
	}
	out.set("anyOf", []any{s, t})
	return out
}

package adapt

import "slices"

// maxMerging is how many levels of two schemas are merged into one.
const maxMerging = 16

// joined is a schema without allOf: all of it in one.
func (a *adapter) joined(s *object) *object {
	for range 20 { // what is joined may bring more
		all, ok := s.m["allOf"].([]any)
		if !ok || a.over {
			break
		}
		s = without(s, "allOf")
		for i := range all {
			if sub, ok := all[i].(*object); ok && !a.over {
				s = a.both(s, sub)
			}
		}
	}
	return without(s, "allOf")
}

// both merges two schemas of which one or both may be references.
func (a *adapter) both(s, t *object) *object {
	if !t.has("$ref") || !says(s) || s.m["$ref"] == t.m["$ref"] {
		return a.merged(s, t)
	}
	return a.merged(a.resolved(s), a.resolved(t))
}

// merged is a schema that allows at least what both allow. Of annotations the
// second's count.
func (a *adapter) merged(s, t *object) *object {
	if len(t.keys) == 0 || a.merging >= maxMerging || !a.spend(0, len(s.keys)+len(t.keys)) {
		return s
	}
	a.merging++
	defer func() { a.merging-- }()
	out := s.clone()
	for _, key := range t.keys {
		if v, both := t.m[key], s.has(key); both {
			a.mergedKeyword(s, t, out, key)
		} else if key != "additionalProperties" {
			out.set(key, v)
		}
	}
	closedness(out, s, t)
	return out
}

func (a *adapter) mergedKeyword(s, t, out *object, key string) {
	switch mine, v := s.m[key], t.m[key]; key {
	case "description", "title", "default":
		out.set(key, v)
	case "properties":
		out.set(key, a.mergedProperties(s.object(key), t.object(key)))
	case "required":
		a.spend(0, len(s.list(key))+len(t.list(key)))
		out.set(key, texts(slices.Concat(s.list(key), t.list(key))))
	case "items":
		m, ok := mine.(*object)
		n, too := v.(*object)
		if ok && too && !s.has("prefixItems") && !t.has("prefixItems") {
			out.set(key, a.both(m, n))
		}
	case "type":
		if types := shared(explicit(s), explicit(t)); len(types) > 0 {
			out.set(key, types)
		}
	case "allOf":
		out.set(key, slices.Concat(s.list(key), t.list(key)))
	case "enum":
		theirs := map[string]bool{}
		for _, x := range t.list(key) {
			text := encode(x)
			theirs[string(text)] = a.spend(0, len(text))
		}
		var values []any
		for _, x := range s.list(key) {
			if text := encode(x); a.spend(0, len(text)) && theirs[string(text)] {
				values = append(values, x)
			}
		}
		if len(values) > 0 { // else nothing is both, and to say so helps nobody
			out.set(key, values)
		}
	}
}

// closedness closes what is merged only if no part of it is open: a part that is
// closed knows nothing of the other's properties.
func closedness(out, s, t *object) {
	const key = "additionalProperties"
	about := func(o *object) bool { return o.has("properties") || o.has("patternProperties") || o.has(key) }
	switch {
	case !about(t):
	case !about(s):
		if t.has(key) {
			out.set(key, t.m[key])
		}
	case s.m[key] == false && t.m[key] == false:
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
	if !a.spend(0, len(s.keys)+len(t.keys)) {
		return s
	}
	out := s.clone()
	for _, name := range t.keys {
		mine, ok := out.m[name].(*object)
		yours, too := t.m[name].(*object)
		switch {
		case ok && too:
			out.set(name, a.both(mine, yours))
		case !ok && out.m[name] != false:
			out.set(name, t.m[name])
		}
	}
	return out
}

// shared are the types of both; integers are numbers.
func shared(s, t []string) []any {
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

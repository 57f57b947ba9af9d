package adapt

import "slices"

// maxMerging is how many references are followed, one in another, to merge what two
// of them lead to.
const maxMerging = 3

// joined is a schema without allOf: all of it in one.
func (a *adapter) joined(s *object) *object {
	all, ok := s.m["allOf"].([]any)
	if !ok {
		return without(s, "allOf")
	}
	j := joiner{a: a, out: own(without(s, "allOf"))}
	j.join(all, 0)
	return j.out
}

// A joiner merges what allOf lists, and what that lists.
type joiner struct {
	a    *adapter
	out  *object   // which is its own
	seen []*object // references that are in it
}

func (j *joiner) join(all []any, depth int) {
	for i := range all {
		if sub, ok := all[i].(*object); ok && !j.a.over {
			j.add(sub, depth)
		}
	}
}

func (j *joiner) add(sub *object, depth int) {
	const deep = 50
	if ref, ok := sub.m["$ref"].(string); ok {
		target := j.a.find(ref)
		switch {
		case slices.Contains(j.seen, target): // once is enough
		case target != nil && depth < deep && j.a.enter(target): // until the schema is done with
			j.seen = append(j.seen, target)
			j.add(target, depth+1)
		default:
			j.a.possible = false
		}
		sub = without(sub, "$ref")
	}
	j.a.merge(j.out, without(sub, "allOf"))
	if all := sub.list("allOf"); all != nil && depth < deep {
		j.join(all, depth+1)
	}
}

// own is a copy that may be merged into.
func own(s *object) *object {
	out := s.clone()
	if props := s.object("properties"); props != nil {
		out.set("properties", props.clone())
	}
	return out
}

// both merges two schemas of which one or both may be references.
func (a *adapter) both(s, t *object) *object {
	switch {
	case s.text("$ref") == t.text("$ref"), !says(s), !says(t):
		return a.merged(s, t)
	case a.merging >= maxMerging:
		return s // which is less than both, and enough
	}
	a.merging++
	defer func() { a.merging-- }()
	return a.merged(a.resolved(s), a.resolved(t))
}

// merged is a schema that allows at least what both allow. Of annotations the
// second's count.
func (a *adapter) merged(s, t *object) *object {
	if len(t.keys) == 0 {
		return s
	}
	if !a.spend(0, len(s.keys)+s.size("properties")) {
		return s
	}
	out := own(s)
	a.merge(out, t)
	return out
}

// merge makes a schema, which is the caller's own, allow no more than another does,
// as far as can be said.
func (a *adapter) merge(out, t *object) {
	if !a.spend(0, len(t.keys)+t.size("properties")+t.size("required")+t.size("allOf")+t.size("enum")) {
		return
	}
	open := closedness(out, t)
	for _, key := range t.keys {
		switch v := t.m[key]; {
		case key == "additionalProperties":
		case out.has(key):
			a.mergeKeyword(out, t, key)
		case key == "properties" && t.object(key) != nil:
			out.set(key, t.object(key).clone())
		default:
			out.set(key, v)
		}
	}
	if open == nil {
		out.drop("additionalProperties")
	} else {
		out.set("additionalProperties", open)
	}
}

// size is how many things a member holds.
func (o *object) size(key string) int {
	switch v := o.m[key].(type) {
	case []any:
		return len(v)
	case *object:
		return len(v.keys)
	}
	return 0
}

// closedness is what the other properties are when two schemas are merged. They are
// closed only if no part is open: a part that is closed knows nothing of the
// other's properties.
func closedness(s, t *object) any {
	const key = "additionalProperties"
	about := func(o *object) bool { return o.has("properties") || o.has("patternProperties") || o.has(key) }
	switch {
	case !about(t):
		return s.m[key]
	case !about(s):
		return t.m[key]
	case s.m[key] == false && t.m[key] == false:
		return false
	}
	return nil
}

func (a *adapter) mergeKeyword(out, t *object, key string) {
	switch mine, v := out.m[key], t.m[key]; key {
	case "description", "title", "default":
		out.set(key, v)
	case "properties":
		if props := out.object(key); props == nil {
			if t.object(key) != nil {
				out.set(key, t.object(key).clone())
			}
		} else if t.object(key) != nil {
			a.mergeProperties(props, t.object(key))
		}
	case "required":
		a.spend(0, out.size(key))
		out.set(key, texts(slices.Concat(out.list(key), t.list(key))))
	case "items":
		m, ok := mine.(*object)
		n, too := v.(*object)
		if ok && too && !out.has("prefixItems") && !t.has("prefixItems") {
			out.set(key, a.both(m, n))
		}
	case "type":
		if types := shared(explicit(out), explicit(t)); len(types) > 0 {
			out.set(key, types)
		}
	case "allOf":
		out.set(key, slices.Concat(out.list(key), t.list(key)))
		a.spend(0, out.size(key))
	case "enum":
		if values := a.common(out.list(key), t.list(key)); len(values) > 0 { // else nothing is both, and to say so helps nobody
			out.set(key, values)
		}
	}
}

func (a *adapter) common(s, t []any) []any {
	theirs := make(map[string]bool, len(t))
	for _, x := range t {
		text := encode(x)
		theirs[string(text)] = a.spend(0, len(text))
	}
	var values []any
	for _, x := range s {
		if text := encode(x); a.spend(0, len(text)) && theirs[string(text)] {
			values = append(values, x)
		}
	}
	return values
}

func (a *adapter) mergeProperties(out, t *object) {
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

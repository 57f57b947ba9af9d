package adapt

import (
	"slices"
	"strings"
)

// listed is a schema whose alternatives are single values, each perhaps with a
// description, with these values listed: which every provider takes.
func (a *adapter) listed(s *object, told *[]string) *object {
	for _, key := range []string{"anyOf", "oneOf"} {
		list := s.list(key)
		if len(list) < 2 || s.has("enum") || s.has("const") {
			continue
		}
		var values []any
		var words []string
		for i := range list {
			sub, ok := list[i].(*object)
			if !ok {
				return s
			}
			for _, k := range sub.keys {
				if !slices.Contains([]string{"const", "enum", "type", "title", "description"}, k) {
					return s
				}
			}
			own := fitting(sub)
			if sub.text("type") == "null" {
				own = []any{nil}
			}
			if len(own) == 0 {
				return s
			}
			values = append(values, own...)
			if text := sub.text("description"); text != "" {
				words = append(words, strings.Trim(string(encode(own)), "[]")+": "+text)
			}
		}
		s = instead(s, key, "enum", values)
		*told = append(*told, words...)
	}
	return s
}

// demanded is a schema without alternatives that only tell what has to be given.
func (a *adapter) demanded(s *object, told *[]string) *object {
	for _, key := range []string{"anyOf", "oneOf"} {
		list := s.list(key)
		if len(list) == 0 {
			continue
		}
		var needs [][]any
		for i := range list {
			sub, ok := list[i].(*object)
			if !ok || !sub.has("required") || len(sub.keys) > 1 && (len(sub.keys) > 2 || sub.text("type") != "object") {
				return s
			}
			needs = append(needs, texts(sub.m["required"]))
		}
		s = without(s, key)
		*told = append(*told, needed(needs)...)
	}
	return s
}

// needed tells which properties have to be given, of several sets one.
func needed(sets [][]any) []string {
	const most = 12
	var words []string
	for _, set := range sets {
		names := make([]string, len(set))
		for i := range set {
			names[i], _ = set[i].(string)
		}
		if text := strings.Join(names, " and "); text == "" || len(words) == most {
			return nil
		} else if !slices.Contains(words, text) {
			words = append(words, text)
		}
	}
	if len(words) < 2 {
		return nil
	}
	return []string{"needs " + strings.Join(words, ", or ")}
}

// beside parts a schema with alternatives: into what stays where it is, and what
// holds for each alternative. Not all providers mind both at once.
func (a *adapter) beside(s *object) (stays, rest *object) {
	key := "anyOf"
	if s.list(key) == nil {
		if key = "oneOf"; s.list(key) == nil {
			return s, nil
		}
	}
	if a.same < 2 {
		s = a.united(s, key) // there is no room for alternatives
		if !s.has(key) {
			return s, nil
		}
	}
	stays, rest = newObject(2), newObject(len(s.keys))
	for _, k := range s.keys {
		switch k {
		case key, "title", "description", "default", "examples", "deprecated", "nullable":
			stays.set(k, s.m[k])
		case "anyOf", "oneOf", "$comment": // one of them is as much as can be said
		default:
			rest.set(k, s.m[k])
		}
	}
	switch {
	case len(rest.keys) == 0:
		return stays, nil
	case len(rest.keys) == 1 && rest.has("type"):
		types := explicit(rest)
		if !slices.ContainsFunc(s.list(key), func(v any) bool { return !a.within(v, types) }) {
			return stays, nil // said by the alternatives already
		}
	}
	return stays, rest
}

// within reports whether a schema says that it is of some of the types.
func (a *adapter) within(v any, types []string) bool {
	s, ok := v.(*object)
	if !ok {
		return v == false
	}
	own := typesOf(a.resolved(s))
	return len(own) > 0 && !slices.ContainsFunc(own, func(t string) bool { return !slices.Contains(types, t) })
}

// alternatives adapts them, each with what holds for all of them.
func (a *adapter) alternatives(s, rest, out *object, list []any) {
	kinds := make([]any, 0, len(list)+1)
	seen := map[string]bool{}
	add := func(kind any) {
		if text := encode(kind); !seen[string(text)] && a.spend(0, len(text)) {
			seen[string(text)] = true
			kinds = append(kinds, kind)
		}
	}
	for i := range list {
		if list[i] != false { // which nothing is
			add(a.alternative(rest, list[i]))
		}
	}
	if s.m["nullable"] == true && !slices.ContainsFunc(kinds, func(v any) bool { o, ok := v.(*object); return ok && slices.Contains(typesOf(o), "null") }) {
		null := newObject(1)
		null.set("type", "null")
		add(null)
	}
	if len(kinds) > 0 {
		out.set("anyOf", kinds)
	}
}

func (a *adapter) alternative(rest *object, v any) any {
	sub, ok := v.(*object)
	switch {
	case rest == nil:
		return a.any(v)
	case !ok:
		return a.schema(rest)
	}
	ref, _ := sub.m["$ref"].(string)
	if target := a.find(ref); ref != "" && target != nil {
		if !a.enter(target) {
			a.possible = false
			return a.schema(sub)
		}
		defer a.leave()
		sub = a.merged(target, without(sub, "$ref"))
	}
	return a.schema(a.both(rest, sub))
}

// maxUniting is how many levels of alternatives become one.
const maxUniting = 10

// united is a schema of which one of several alternatives holds, without them: an
// object that has the properties of all, and must have those that all want.
func (a *adapter) united(s *object, key string) *object {
	list := s.list(key)
	if !s.has(key) || a.uniting >= maxUniting {
		return without(s, key)
	}
	a.uniting++
	defer func() { a.uniting-- }()
	whole := s
	s = without(s, key)
	props, kinds := newObject(4), map[string]map[string]bool{}
	var needs [][]any
	closed := true
	for i := range list {
		sub, ok := list[i].(*object)
		if !ok {
			return s
		}
		sub = a.joined(a.opened(sub))
		if types := typesOf(sub); len(types) > 0 && !slices.Contains(types, "object") {
			if s.text("type") != "object" && a.level > 0 {
				return whole // it need not be an object
			}
			continue // arguments are objects
		}
		for _, k := range []string{"anyOf", "oneOf"} {
			sub = a.united(sub, k)
		}
		if sub.m["additionalProperties"] != false || sub.has("patternProperties") {
			closed = false
		}
		needs = append(needs, texts(sub.m["required"]))
		own := sub.object("properties")
		if own == nil {
			continue
		}
		for _, name := range own.keys {
			text := encode(own.m[name])
			if !a.spend(0, len(text)) {
				return s
			}
			if kinds[name] == nil {
				kinds[name] = map[string]bool{}
			}
			if !kinds[name][string(text)] {
				kinds[name][string(text)] = true
				before, _ := props.m[name].([]any)
				props.set(name, append(before, own.m[name]))
			}
		}
	}
	if len(needs) == 0 {
		return s
	}
	return a.merged(s, a.union(s, props, needs, closed))
}

// union is an object with properties that are of one of several kinds each.
func (a *adapter) union(s, props *object, needs [][]any, closed bool) *object {
	union := newObject(4)
	for _, name := range props.keys {
		kinds, _ := props.m[name].([]any)
		if len(kinds) == 1 {
			props.m[name] = kinds[0]
			continue
		}
		either := newObject(1)
		either.set("anyOf", kinds)
		props.m[name] = either
	}
	if len(props.keys) > 0 {
		union.set("properties", props)
		if closed && !s.has("properties") && !s.has("patternProperties") {
			union.set("additionalProperties", false)
		}
	}
	required := inAll(needs)
	if len(required) > 0 {
		union.set("required", required)
	}
	said := make(map[any]bool, len(required))
	for _, name := range required {
		said[name] = true
	}
	for i := range needs {
		needs[i] = slices.DeleteFunc(needs[i], func(v any) bool { return said[v] })
	}
	if told := needed(needs); told != nil {
		union.set("description", s.text("description"))
		tell(union, told)
	}
	return union
}

// inAll are the texts that are in each list.
func inAll(lists [][]any) []any {
	count := map[any]int{}
	for _, list := range lists {
		for _, v := range list { // each once
			count[v]++
		}
	}
	return slices.DeleteFunc(slices.Clone(lists[0]), func(v any) bool { return count[v] < len(lists) })
}

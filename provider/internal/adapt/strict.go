package adapt

import "slices"

// What OpenAI's strict mode allows.
const (
	strictProperties = 5000
	strictLevels     = 10
	strictValues     = 1000
	strictText       = 120_000 // bytes of names and of values that are listed
)

// A strict makes every property of a schema required.
type strict struct {
	defs                     *object
	refs                     map[string]*nulls // of definitions
	properties, values, text int
	deep                     bool
}

func (s *strict) possible() bool {
	return !s.deep && s.properties <= strictProperties && s.values <= strictValues && s.text <= strictText
}

// nulls says where a null only means that an optional property is not given.
type nulls struct {
	schema   *object         // as it is sent
	optional map[string]bool // by name
	in       map[string]*nulls
	items    *nulls
	any      []*nulls // of which one holds
}

func (s *strict) top(o *object) (*object, *nulls) {
	root := &nulls{}
	s.refs["#"] = root
	if s.defs != nil {
		for _, name := range s.defs.keys {
			s.refs[defsPrefix+name] = &nulls{}
			s.text += len(name)
		}
		for _, name := range s.defs.keys {
			if def, ok := s.defs.m[name].(*object); ok {
				s.defs.set(name, s.schema(def, s.refs[defsPrefix+name], 1))
			}
		}
	}
	return s.schema(o, root, 1), root
}

func (s *strict) schema(o *object, n *nulls, level int) *object {
	n.schema = o
	if level > strictLevels {
		s.deep = true
		return o
	}
	if ref := o.text("$ref"); ref != "" {
		if target := s.refs[ref]; target != nil {
			n.any = append(n.any, target)
		}
		return o
	}
	values := o.list("enum")
	s.values += len(values)
	for _, v := range values {
		s.text += len(encode(v))
	}
	if kinds := o.list("anyOf"); kinds != nil {
		for i := range kinds {
			if kind, ok := kinds[i].(*object); ok {
				sub := &nulls{}
				n.any = append(n.any, sub)
				kinds[i] = s.schema(kind, sub, level)
			}
		}
		o.set("anyOf", once(kinds))
		return sole(o)
	}
	if items, ok := o.m["items"].(*object); ok {
		n.items = &nulls{}
		o.set("items", s.schema(items, n.items, level+1))
	}
	if slices.Contains(typesOf(o), "object") {
		s.object(o, n, level)
	}
	return o
}

func (s *strict) object(o *object, n *nulls, level int) {
	props := o.object("properties")
	if props == nil {
		props = newObject(0)
		o.set("properties", props)
	}
	s.properties += len(props.keys)
	required := map[any]bool{}
	for _, name := range o.list("required") {
		required[name] = true
	}
	names := make([]any, len(props.keys))
	n.in, n.optional = make(map[string]*nulls, len(props.keys)), map[string]bool{}
	for i, name := range props.keys {
		names[i] = name
		s.text += len(name)
		sub := &nulls{}
		n.in[name] = sub
		prop, ok := props.m[name].(*object)
		if !ok {
			continue
		}
		prop = s.schema(prop, sub, level+1)
		if !required[name] && !s.nullable(prop, 0) {
			n.optional[name] = true
			prop = orNull(prop)
		}
		props.set(name, prop)
	}
	o.drop("required") // so that they stand last, whatever came
	o.drop("additionalProperties")
	o.set("required", names)
	o.set("additionalProperties", false)
}

// nullable reports whether a schema allows null.
func (s *strict) nullable(o *object, depth int) bool {
	if slices.Contains(typesOf(o), "null") {
		return true
	}
	for _, kind := range o.list("anyOf") {
		if k, ok := kind.(*object); ok && depth < strictLevels && s.nullable(k, depth+1) {
			return true
		}
	}
	return false
}

// orNull is a schema that allows null too.
func orNull(o *object) *object {
	null := newObject(1)
	null.set("type", "null")
	types := typesOf(o)
	switch {
	case o.has("anyOf"):
		o.set("anyOf", append(slices.Clone(o.list("anyOf")), null))
		return o
	case o.has("$ref"), len(types) == 0:
		out := newObject(1)
		out.set("anyOf", []any{o, null})
		return out
	}
	o.set("type", list(append(types, "null")))
	if values := o.list("enum"); values != nil {
		o.set("enum", append(slices.Clone(values), nil))
	}
	return o
}

// closeObjects closes every object of a schema, those that are open by default.
func closeObjects(v any) {
	switch v := v.(type) {
	case *object:
		if slices.Contains(typesOf(v), "object") && v.m["additionalProperties"] != false {
			v.set("additionalProperties", false)
		}
		for _, k := range v.keys {
			switch k {
			case "properties", "$defs":
				if props := v.object(k); props != nil {
					for _, name := range props.keys {
						closeObjects(props.m[name])
					}
				}
			case "items", "anyOf":
				closeObjects(v.m[k])
				if k == "anyOf" {
					v.set(k, once(v.list(k)))
					*v = *sole(v)
				}
			}
		}
	case []any:
		for i := range v {
			closeObjects(v[i])
		}
	}
}

// counts are what there is of things that some dialects take few of.
type counts struct{ optional, unions int }

func count(v any) (c counts) {
	o, ok := v.(*object)
	if !ok {
		return c
	}
	add := func(v any) {
		sub := count(v)
		c.optional, c.unions = c.optional+sub.optional, c.unions+sub.unions
	}
	if kinds := o.list("anyOf"); kinds != nil || len(o.list("type")) > 1 {
		c.unions++
		for i := range kinds {
			add(kinds[i])
		}
	}
	if props := o.object("properties"); props != nil {
		c.optional += max(0, len(props.keys)-len(o.list("required")))
		for _, name := range props.keys {
			add(props.m[name])
		}
	}
	add(o.m["items"])
	return c
}

// once are values, none of them twice: objects that are closed may have become the same.
func once(values []any) []any {
	seen := make(map[string]bool, len(values))
	out := make([]any, 0, len(values))
	for _, v := range values {
		if text := string(encode(v)); !seen[text] {
			seen[text] = true
			out = append(out, v)
		}
	}
	return out
}

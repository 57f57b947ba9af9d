package adapt

import (
	"encoding/json"
	"slices"
)

// What OpenAI's strict mode allows.
const (
	strictProperties = 5000
	strictLevels     = 10
	strictValues     = 1000
)

// A strict makes every property of a schema required.
type strict struct {
	defs               *object
	refs               map[string]*nulls // of definitions
	properties, values int
	deep               bool
}

func (s *strict) possible() bool {
	return !s.deep && s.properties <= strictProperties && s.values <= strictValues
}

// nulls says where a null only means that an optional property is not given.
type nulls struct {
	optional map[string]bool // by name
	in       map[string]*nulls
	items    *nulls
	any      []*nulls
}

func (s *strict) top(o *object) (*object, *nulls) {
	root := &nulls{}
	s.refs["#"] = root
	if s.defs != nil {
		for _, name := range s.defs.keys {
			s.refs["#/$defs/"+name] = &nulls{}
		}
		for _, name := range s.defs.keys {
			if def, ok := s.defs.m[name].(*object); ok {
				s.defs.set(name, s.schema(def, s.refs["#/$defs/"+name], 1))
			}
		}
	}
	return s.schema(o, root, 1), root
}

func (s *strict) schema(o *object, n *nulls, level int) *object {
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
	s.values += len(o.list("enum"))
	if kinds := o.list("anyOf"); kinds != nil {
		list := make([]any, len(kinds))
		for i := range kinds {
			list[i] = kinds[i]
			if kind, ok := kinds[i].(*object); ok {
				sub := &nulls{}
				n.any = append(n.any, sub)
				list[i] = s.schema(kind, sub, level)
			}
		}
		o.set("anyOf", list)
	}
	if items, ok := o.m["items"].(*object); ok {
		n.items = &nulls{}
		o.set("items", s.schema(items, n.items, level+1))
	}
	if !slices.Contains(typesOf(o), "object") {
		return o
	}
	props := o.object("properties")
	if props == nil {
		props = newObject(0)
		o.set("properties", props)
	}
	s.properties += len(props.keys)
	required := o.list("required")
	names := make([]any, len(props.keys))
	n.in, n.optional = make(map[string]*nulls, len(props.keys)), map[string]bool{}
	for i, name := range props.keys {
		names[i] = name
		sub := &nulls{}
		n.in[name] = sub
		prop, ok := props.m[name].(*object)
		if !ok {
			continue
		}
		prop = s.schema(prop, sub, level+1)
		if !slices.Contains(required, any(name)) && !s.nullable(prop, 0) {
			n.optional[name] = true
			prop = orNull(prop)
		}
		props.set(name, prop)
	}
	o.set("required", names)
	o.set("additionalProperties", false)
	return o
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
	switch {
	case o.has("$ref"):
		out := newObject(1)
		out.set("anyOf", []any{o, null})
		return out
	case o.has("anyOf"):
		o.set("anyOf", append(o.list("anyOf"), null))
		return o
	}
	types := typesOf(o)
	list := make([]any, 0, len(types)+1)
	for _, t := range types {
		list = append(list, t)
	}
	o.set("type", append(list, "null"))
	if one, ok := o.m["const"]; ok {
		o.drop("const")
		o.set("enum", []any{one, nil})
	} else if values := o.list("enum"); values != nil {
		o.set("enum", append(slices.Clip(values), nil))
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
			}
		}
	case []any:
		for i := range v {
			closeObjects(v[i])
		}
	}
}

// Back is a value that a model made to the adapted schema, as the schema itself
// wants it: without the nulls that stand for optional properties that are not
// given. A value without any comes back as it is, byte for byte.
func (a *Adapted) Back(value json.RawMessage) json.RawMessage {
	if a.nulls == nil || !containsNull(value) {
		return value
	}
	tree, err := decode(value)
	if err != nil {
		return value
	}
	if steps := maxNodes; !a.nulls.take(tree, &steps) {
		return value
	}
	return encode(tree)
}

func containsNull(value []byte) bool {
	for i := 0; i+4 <= len(value); i++ {
		if value[i] == 'n' && string(value[i:i+4]) == "null" {
			return true
		}
	}
	return false
}

// take removes the nulls of optional properties, and reports whether there were
// any.
func (n *nulls) take(v any, steps *int) (taken bool) {
	if *steps--; n == nil || *steps < 0 { // alternatives that refer to themselves have no end
		return false
	}
	for _, sub := range n.any {
		taken = sub.take(v, steps) || taken
	}
	switch v := v.(type) {
	case *object:
		for _, name := range slices.Clone(v.keys) {
			if v.m[name] == nil && n.optional[name] {
				v.drop(name)
				taken = true
			} else if sub := n.in[name]; sub != nil {
				taken = sub.take(v.m[name], steps) || taken
			}
		}
	case []any:
		for i := range v {
			taken = n.items.take(v[i], steps) || taken
		}
	}
	return taken
}

package adapt

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/helios-go/helios/llm"
)

// What a schema may be, and may become.
const (
	maxSize  = 1 << 20 // bytes
	maxDepth = 200     // levels of JSON that it comes with
	maxNodes = 20_000  // subschemas
	maxWork  = 1 << 20 // members and bytes looked at in merging
	maxLevel = 40      // levels of subschemas that it goes out with
	growth   = 2_000   // subschemas that following references may add
)

// An Adapted is a schema in a dialect. It is read only, and safe for concurrent
// use.
type Adapted struct {
	JSON json.RawMessage
	// Strict says that Closed or Strict could be had. Where it could not, JSON is
	// of the dialect in all else.
	Strict bool

	nulls   *nulls            // nil: no null to take back
	renamed map[string]string // arguments by what they are called in JSON
}

// Schema says a schema in a dialect. What the dialect cannot express is left out,
// or told in the description: the schema gets weaker and never stronger, since
// whoever gets the value checks it anyway. There are these exceptions:
//
//   - Closed and Strict close objects that were open by default, and in Strict null
//     stands for an optional property that is not given.
//   - A schema with properties is taken to mean objects, one with items arrays.
//   - Where there are alternatives for the whole, a property that only one of them
//     names is what that one says.
//
// References that lead back to themselves are kept where the dialect takes any, and
// followed a few times where not. It is an error if a schema is no JSON object, or
// too large. The result is of type object, as arguments and outputs are.
func Schema(data json.RawMessage, d *Dialect) (*Adapted, error) {
	if len(data) == 0 {
		data = json.RawMessage(`{"type":"object","properties":{},"additionalProperties":false}`)
	}
	if len(data) > maxSize {
		return nil, fmt.Errorf("the schema has %d bytes; at most %d can be sent to a model", len(data), maxSize)
	}
	if llm.Deeper(data, maxDepth) {
		return nil, fmt.Errorf("the schema nests more than %d levels deep", maxDepth)
	}
	tree, err := decode(data)
	if err != nil {
		return nil, fmt.Errorf("the schema is not JSON: %w", err)
	}
	root, ok := tree.(*object)
	if tree == true {
		root, ok = newObject(0), true
	}
	if !ok {
		return nil, errors.New("the schema is not an object")
	}
	x := newIndex(root)
	for _, l := range []limits{{2, maxLevel}, {1, 10}, {1, 4}, {1, 2}, {1, 1}} {
		a := &adapter{d: d, index: x, limits: l, nodes: min(maxNodes, x.objects+growth), work: maxWork, possible: d.Closed || d.Strict}
		if adapted := a.adapt(); adapted != nil {
			return adapted, nil
		}
	}
	return nil, errors.New("the schema is too large once its parts are put together: it has to say less, or repeat less")
}

// limits say how far references are followed where they are not taken. They are
// tightened until the schema has a size that a model can be shown.
type limits struct {
	same int // how often into the same
	refs int // how many, one in another
}

// An adapter says one schema in its dialect.
type adapter struct {
	d *Dialect
	*index
	limits
	nodes, work int                // how much more there may be
	over        bool               // it was not enough
	level       int                // of subschemas
	merging     int                // references that are being followed to merge
	uniting     int                // levels of alternatives that are being united
	stack       []*object          // targets of references that are being followed
	names       map[*object]string // targets of references that are kept
	defs        *object            // by name
	odd         bool               // some names of arguments cannot be sent
	possible    bool               // Closed or Strict can be had
}

// adapt is nil where the schema grows beyond the limits.
func (a *adapter) adapt() *Adapted {
	out := a.top()
	if a.over {
		return nil
	}
	adapted := &Adapted{Strict: a.possible}
	switch {
	case !a.possible:
	case a.d.Strict:
		s := &strict{defs: out.object("$defs"), refs: map[string]*nulls{}}
		out, adapted.nulls = s.top(out)
		if !s.possible() {
			adapted.Strict, adapted.nulls = false, nil
			b := &adapter{d: a.d, index: a.index, limits: a.limits, nodes: maxNodes, work: maxWork}
			if out = b.top(); b.over {
				return nil
			}
		}
	default:
		if c := count(out); a.d.Optional > 0 && c.optional > a.d.Optional || a.d.Unions > 0 && c.unions > a.d.Unions {
			adapted.Strict = false
		} else {
			closeObjects(out)
		}
	}
	if a.odd {
		adapted.renamed = rename(out)
	}
	adapted.JSON = encode(out)
	return adapted
}

// top adapts the whole schema, which has to be an object's.
func (a *adapter) top() *object {
	whole := a.joined(a.opened(a.root))
	for _, key := range []string{"anyOf", "oneOf"} {
		whole = a.united(whole, key)
	}
	for _, key := range []string{"not", "if", "then", "else"} { // refused at the top, as alternatives are
		whole = without(whole, key)
	}
	a.odd = a.d.Names && odd(whole.object("properties"))
	out := a.schema(whole)
	out.set("type", "object")
	if !out.has("properties") {
		out.set("properties", newObject(0))
	}
	if a.defs != nil {
		out.set("$defs", a.defs)
	}
	return front(out, "type")
}

// spend reports whether there may be so much more.
func (a *adapter) spend(nodes, work int) bool {
	a.nodes, a.work = a.nodes-nodes, a.work-work
	if a.nodes < 0 || a.work < 0 {
		a.over = true
	}
	return !a.over
}

// any adapts a subschema.
func (a *adapter) any(v any) any {
	switch v := v.(type) {
	case *object:
		return a.schema(v)
	case bool:
		if a.d.All {
			return v
		}
	}
	a.possible = false // true, false, and what is no schema: anything
	return newObject(0)
}

func (a *adapter) schema(s *object) *object {
	if !a.spend(1, len(s.keys)) {
		return newObject(0)
	}
	if a.level++; a.level > maxLevel {
		a.level--
		return a.cut(s, "details left out")
	}
	defer func() { a.level-- }()
	if ref, ok := s.m["$ref"].(string); ok {
		return a.ref(s, ref)
	}
	return a.keywords(s)
}

// cut is what a schema is without its parts.
func (a *adapter) cut(s *object, why string) *object {
	a.possible = false
	out := newObject(3)
	if types := typesOf(s); len(types) == 1 {
		out.set("type", types[0])
		if types[0] == "array" {
			out.set("items", newObject(0))
		}
	}
	if text := s.text("description"); text != "" {
		out.set("description", text)
	}
	tell(out, []string{why})
	return out
}

// front is an object with a key before all others.
func front(o *object, key string) *object {
	if o.keys[0] == key {
		return o
	}
	c := newObject(len(o.keys))
	c.set(key, o.m[key])
	for _, k := range o.keys {
		c.set(k, o.m[k])
	}
	return c
}

func without(o *object, key string) *object {
	if !o.has(key) {
		return o
	}
	o = o.clone()
	o.drop(key)
	return o
}

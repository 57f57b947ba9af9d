package adapt

import (
	"encoding/json"
	"math/big"
	"slices"

	"github.com/helios-go/helios/llm"
)

// maxSteps is how many values are looked at to find out which alternatives hold.
const maxSteps = 100_000

// Back is a value that a model made to the adapted schema, as the schema itself
// wants it: without the nulls that stand for optional properties that are not
// given, and with the names that arguments had. All else stays as it is, byte for
// byte, and so does what is no JSON.
func (a *Adapted) Back(value json.RawMessage) json.RawMessage {
	if a.renamed == nil && (a.nulls == nil || !containsNull(value)) {
		return value
	}
	root := read(value)
	if root == nil {
		return value
	}
	changed := false
	for i := range root.members {
		if name, ok := a.renamed[root.members[i].name]; ok {
			root.members[i].rename, changed = &name, true
		}
	}
	if a.nulls != nil {
		t := taker{steps: maxSteps}
		changed = t.take(a.nulls, root) || changed
	}
	if !changed {
		return value
	}
	return root.write(make([]byte, 0, len(value)), value)
}

// Out is a value from before, such as a call in a history, with the names that
// arguments have in JSON. It is what Back undoes.
func (a *Adapted) Out(value json.RawMessage) json.RawMessage {
	if a.renamed == nil {
		return value
	}
	root := read(value)
	if root == nil {
		return value
	}
	changed := false
	for wire, name := range a.renamed {
		for i := range root.members {
			if root.members[i].name == name {
				root.members[i].rename, changed = &wire, true
			}
		}
	}
	if !changed {
		return value
	}
	return root.write(make([]byte, 0, len(value)), value)
}

// Renames reports whether some arguments have other names in JSON.
func (a *Adapted) Renames() bool { return a.renamed != nil }

func containsNull(value []byte) bool {
	for i := 0; i+4 <= len(value); i++ {
		if value[i] == 'n' && string(value[i:i+4]) == "null" {
			return true
		}
	}
	return false
}

// A node is a JSON value and where in a text it stands.
type node struct {
	kind       byte // what it begins with; '0' for a number
	start, end int
	members    []member // of an object
	items      []*node  // of an array
	text       string   // of a string, or a number as it is written
}

type member struct {
	name   string
	start  int // of the name
	colon  int // behind the name
	value  *node
	rename *string
	gone   bool
}

// read reads a JSON value, nil if it is none or too deep.
func read(data []byte) *node {
	if !json.Valid(data) || llm.Deeper(data, llm.MaxDepth) {
		return nil
	}
	r := reader{data: data}
	return r.value()
}

// A reader reads what is known to be JSON.
type reader struct {
	data []byte
	at   int
}

// next is the next character past white space, and of those given.
func (r *reader) next() byte {
	for {
		switch c := r.data[r.at]; c {
		case ' ', '\t', '\n', '\r', ',', ':':
			r.at++
		default:
			return c
		}
	}
}

func (r *reader) value() *node {
	n := &node{kind: r.next(), start: r.at}
	switch n.kind {
	case '{':
		for r.at++; r.next() != '}'; {
			m := member{start: r.at}
			m.name = r.string()
			m.colon = r.at
			m.value = r.value()
			n.members = append(n.members, m)
		}
		r.at++
	case '[':
		for r.at++; r.next() != ']'; {
			n.items = append(n.items, r.value())
		}
		r.at++
	case '"':
		n.text = r.string()
	case 't', 'n':
		r.at += len("true")
	case 'f':
		r.at += len("false")
	default:
		for r.at < len(r.data) && (r.data[r.at]|0x20 == 'e' || r.data[r.at] >= '+' && r.data[r.at] <= '9' && r.data[r.at] != ',') {
			r.at++
		}
		n.kind, n.text = '0', string(r.data[n.start:r.at])
	}
	n.end = r.at
	return n
}

// string reads a text.
func (r *reader) string() string {
	start, plain := r.at, true
	for r.at++; r.data[r.at] != '"'; r.at++ {
		if r.data[r.at] == '\\' {
			plain = false
			r.at++
		} else if r.data[r.at] >= 0x80 {
			plain = false
		}
	}
	r.at++
	if plain {
		return string(r.data[start+1 : r.at-1])
	}
	var text string
	if json.Unmarshal(r.data[start:r.at], &text) != nil {
		return string(r.data[start+1 : r.at-1])
	}
	return text
}

// write writes the value with its changes.
func (n *node) write(b, data []byte) []byte {
	switch {
	case n.kind == '{' && len(n.members) > 0:
		b = append(b, data[n.start:n.members[0].start]...)
		first := true
		for i := range n.members {
			m := &n.members[i]
			if m.gone {
				continue
			}
			if !first {
				b = append(b, data[n.members[i-1].value.end:m.start]...)
			}
			first = false
			if m.rename != nil {
				b = write(b, *m.rename)
			} else {
				b = append(b, data[m.start:m.colon]...)
			}
			b = append(b, data[m.colon:m.value.start]...)
			b = m.value.write(b, data)
		}
		return append(b, data[n.members[len(n.members)-1].value.end:n.end]...)
	case n.kind == '[' && len(n.items) > 0:
		at := n.start
		for _, item := range n.items {
			b = append(b, data[at:item.start]...)
			b = item.write(b, data)
			at = item.end
		}
		return append(b, data[at:n.end]...)
	}
	return append(b, data[n.start:n.end]...)
}

// A taker marks the nulls of optional properties.
type taker struct{ steps int }

// take reports whether there were any.
func (t *taker) take(n *nulls, v *node) (taken bool) {
	if t.steps--; n == nil || t.steps < 0 {
		return false
	}
	if len(n.any) > 0 {
		for _, sub := range n.any {
			if t.fits(sub, v) {
				return t.take(sub, v)
			}
		}
		for _, sub := range n.any { // the model did not keep to it
			taken = t.take(sub, v) || taken
		}
		return taken
	}
	for i := range v.members {
		m := &v.members[i]
		if m.value.kind == 'n' && n.optional[m.name] {
			m.gone, taken = true, true
		} else if sub := n.in[m.name]; sub != nil {
			taken = t.take(sub, m.value) || taken
		}
	}
	for _, item := range v.items {
		taken = t.take(n.items, item) || taken
	}
	return taken
}

// fits reports whether a value is what a strict schema wants, as far as tells one
// alternative from another.
func (t *taker) fits(n *nulls, v *node) bool {
	if t.steps--; t.steps < 0 || n.schema == nil {
		return false
	}
	if len(n.any) > 0 {
		return slices.ContainsFunc(n.any, func(sub *nulls) bool { return t.fits(sub, v) })
	}
	types := typesOf(n.schema)
	if !slices.ContainsFunc(types, func(name string) bool { return v.is(name) }) {
		return false
	}
	if values := n.schema.list("enum"); values != nil && !slices.ContainsFunc(values, v.equals) {
		return false
	}
	if v.kind == '{' {
		given := map[string]bool{}
		for i := range v.members {
			m := &v.members[i]
			given[m.name] = true
			sub := n.in[m.name]
			if sub == nil || (m.value.kind != 'n' || !n.optional[m.name]) && !t.fits(sub, m.value) {
				return false
			}
		}
		return len(given) == len(n.in)
	}
	for _, item := range v.items {
		if n.items == nil || !t.fits(n.items, item) {
			return false
		}
	}
	return true
}

func (n *node) is(name string) bool {
	switch name {
	case "object":
		return n.kind == '{'
	case "array":
		return n.kind == '['
	case "string":
		return n.kind == '"'
	case "number":
		return n.kind == '0'
	case "integer":
		return n.kind == '0' && integral(n.text)
	case "boolean":
		return n.kind == 't' || n.kind == 'f'
	}
	return n.kind == 'n'
}

// integral reports whether a number is whole, however it is written.
func integral(text string) bool {
	if len(text) > 30 { // not worth the work
		return true
	}
	r, ok := rational(text)
	return ok && r.IsInt()
}

// rational is a number, if it is of a size that it can be computed with.
func rational(text string) (*big.Rat, bool) {
	f, _, err := big.ParseFloat(text, 10, 64, big.ToNearestEven)
	if err != nil || f.IsInf() || f.Sign() != 0 && (f.MantExp(nil) > 2000 || f.MantExp(nil) < -2000) {
		return nil, false
	}
	return new(big.Rat).SetString(text)
}

// equals reports whether it is a value that a schema lists.
func (n *node) equals(v any) bool {
	switch v := v.(type) {
	case nil:
		return n.kind == 'n'
	case bool:
		return n.kind == 't' && v || n.kind == 'f' && !v
	case string:
		return n.kind == '"' && n.text == v
	case json.Number:
		if n.kind != '0' || n.text == string(v) {
			return n.kind == '0'
		}
		x, ok := rational(n.text)
		y, too := rational(string(v))
		return ok && too && x.Cmp(y) == 0
	}
	return false
}

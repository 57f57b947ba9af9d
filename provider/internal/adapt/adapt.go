// Package adapt makes what an agent sends acceptable to a provider, and maps what
// comes back: names of tools, ids of calls, arguments, and JSON Schemas.
//
//	names := adapt.NewNames(req.Tools, req.Messages, 64)
//	names.Out("admin.tools.list") // "admin_tools_list"
//	names.Back("admin_tools_list") // "admin.tools.list"
//
//	schema, err := cache.Schema(spec.Input, adapt.OpenAIStrict)
//	schema.JSON                       // goes to the provider
//	schema.Back(call.Args)            // what the model wrote, as the tool wants it
//	schema.Out(adapt.Args(earlier))   // a call of the history, as the provider knows it
//
// What is acceptable already is sent as it is. What is not is changed in the same
// way each time, so that the beginning of a conversation stays the same from turn
// to turn and a provider's prompt cache holds.
package adapt

import (
	"crypto/sha256"
	"encoding/base32"
	"iter"
	"strings"

	"github.com/helios-go/helios/llm"
)

// MaxName is how long a tool's name may be for every provider that we know of.
const MaxName = 64

// shortest is the least room that a name is given: for something of it and a hash.
const shortest = 16

// Names maps the names of tools to those that a provider takes, and back. It is
// for one request, and read only once made.
type Names struct {
	out, back map[string]string // nil: all are fine as they are
	limit     int
}

// NewNames maps the names of a request's tools, and of those that its history
// calls: to letters, digits, _ and -, at most limit of them (0: [MaxName]; never
// less than 16), and not a digit or a dash in front. Two names never become one.
//
// A tool's name depends on the other tools only where two would be called the
// same, and never on their order or on the history. A tool that is not there any
// more gets its old name as long as no other has it.
func NewNames(specs []llm.ToolSpec, history []llm.Message, limit int) *Names {
	if limit <= 0 {
		limit = MaxName
	}
	n := &Names{limit: max(limit, shortest)}
	if n.fine(specs, history) {
		return n
	}
	n.out, n.back = map[string]string{}, map[string]string{}
	wished := map[string]int{}
	for i := range specs {
		if name := specs[i].Name; n.out[name] == "" {
			n.out[name] = wish(name, n.limit)
			wished[n.out[name]]++
		}
	}
	for name, wire := range n.out { // whose name is fine keeps it
		if name == wire {
			n.back[wire] = name
		}
	}
	for i := range specs {
		name := specs[i].Name
		wire := n.out[name]
		switch {
		case name == wire:
		case wished[wire] > 1:
			n.give(name, hashed(name, n.limit))
		default:
			n.give(name, wire)
		}
	}
	for name := range called(history) {
		if _, known := n.out[name]; !known {
			n.give(name, wish(name, n.limit))
		}
	}
	return n
}

// fine reports whether nothing needs to be changed.
func (n *Names) fine(specs []llm.ToolSpec, history []llm.Message) bool {
	for i := range specs {
		if !fine(specs[i].Name, n.limit) {
			return false
		}
	}
	for name := range called(history) {
		if !fine(name, n.limit) {
			return false
		}
	}
	return true
}

// called are the names of the tools in a history, as often as they occur.
func called(history []llm.Message) iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := range history {
			for j := range history[i].Parts {
				p := &history[i].Parts[j]
				if p.Call != nil && !yield(p.Call.Name) || p.Result != nil && !yield(p.Result.Name) {
					return
				}
			}
		}
	}
}

// give names a tool, differently if another tool has that name.
func (n *Names) give(name, wire string) {
	for salt := name; ; salt += "'" {
		if by, taken := n.back[wire]; !taken || by == name {
			n.out[name], n.back[wire] = wire, name
			return
		}
		wire = salted(name, salt, n.limit)
	}
}

// Out is the name that the provider knows a tool by.
func (n *Names) Out(name string) string {
	if wire, known := n.out[name]; known {
		return wire
	}
	return wish(name, n.limit)
}

// Back is the tool that a provider's name means. A name that was not changed comes
// back as it is, one that no tool has too.
func (n *Names) Back(wire string) string {
	if name, known := n.back[wire]; known {
		return name
	}
	return wire
}

// wish is what a tool is called if no other tool is called so.
func wish(name string, limit int) string {
	if wire := plain(name); len(wire) <= limit {
		return wire
	}
	return hashed(name, limit)
}

// fine reports whether every provider takes a name as it is.
func fine(name string, limit int) bool {
	if name == "" || len(name) > limit || !letter(name[0]) && name[0] != '_' {
		return false
	}
	for i := range len(name) {
		if c := name[i]; !letter(c) && !digit(c) && c != '_' && c != '-' {
			return false
		}
	}
	return true
}

// plain is a name with an underscore for every character that not all take.
func plain(name string) string {
	out := strings.Map(func(r rune) rune {
		if r < 0x80 && (letter(byte(r)) || digit(byte(r)) || r == '_' || r == '-') {
			return r
		}
		return '_'
	}, name)
	if out == "" || !letter(out[0]) && out[0] != '_' {
		out = "_" + out
	}
	return out
}

func letter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }
func digit(c byte) bool  { return '0' <= c && c <= '9' }

// hashed is as much of a name as there is room for, and a hash of all of it.
func hashed(name string, limit int) string { return salted(name, name, limit) }

// salted is hashed with the hash of another text.
func salted(name, salt string, limit int) string {
	const length = 8
	wire := plain(name)
	return wire[:min(len(wire), limit-length-1)] + "_" + hash(salt, length)
}

// hash is so many letters and digits that stand for a text.
func hash(text string, length int) string {
	sum := sha256.Sum256([]byte(text))
	return strings.ToLower(base32.StdEncoding.EncodeToString(sum[:]))[:length]
}

// Package adapt makes what an agent sends acceptable to a provider, and maps what
// comes back: names of tools, ids of calls, arguments, and JSON Schemas.
//
//	names := adapt.NewNames(req.Tools, req.Messages, 64)
//	names.Out("admin.tools.list") // "admin_tools_list"
//	names.Back("admin_tools_list") // "admin.tools.list"
//
// What is acceptable already is sent as it is. What is not is changed in the same
// way each time, so that the beginning of a conversation stays the same from turn
// to turn and a provider's prompt cache holds.
package adapt

import (
	"crypto/sha256"
	"encoding/base32"
	"strings"

	"github.com/helios-go/helios/llm"
)

// MaxName is how long a tool's name may be for every provider that we know of.
const MaxName = 64

// Names maps the names of tools to those that a provider takes, and back. It is
// for one request, and read only once made.
type Names struct {
	out, back map[string]string // only what was changed
}

// NewNames maps the names of a request's tools, and of those that its history
// calls: to letters, digits, _ and -, at most limit of them (0: [MaxName]), and not
// a digit or a dash in front. Two names never become one.
func NewNames(specs []llm.ToolSpec, history []llm.Message, limit int) *Names {
	if limit <= 0 {
		limit = MaxName
	}
	n := &Names{}
	taken := make(map[string]bool, len(specs))
	for i := range specs { // what needs no change keeps its name
		taken[specs[i].Name] = true
	}
	for i := range specs {
		n.add(specs[i].Name, limit, taken)
	}
	for i := range history {
		for j := range history[i].Parts {
			switch p := &history[i].Parts[j]; {
			case p.Call != nil:
				n.add(p.Call.Name, limit, taken)
			case p.Result != nil:
				n.add(p.Result.Name, limit, taken)
			}
		}
	}
	return n
}

func (n *Names) add(name string, limit int, taken map[string]bool) {
	if _, known := n.out[name]; known || fine(name, limit) {
		return
	}
	wire := plain(name)
	if len(wire) > limit || taken[wire] {
		wire = hashed(name, limit)
	}
	for salt := name; taken[wire]; { // by a tool that is called so on purpose
		salt += "'"
		wire = hashed(salt, limit)
	}
	if n.out == nil {
		n.out, n.back = map[string]string{}, map[string]string{}
	}
	n.out[name], n.back[wire] = wire, name
	taken[wire] = true
}

// Out is the name that the provider knows a tool by.
func (n *Names) Out(name string) string {
	if wire, changed := n.out[name]; changed {
		return wire
	}
	return name
}

// Back is the tool that a provider's name means. A name that was not changed comes
// back as it is, one that no tool has too.
func (n *Names) Back(wire string) string {
	if name, changed := n.back[wire]; changed {
		return name
	}
	return wire
}

// fine reports whether every provider takes a name as it is.
func fine(name string, limit int) bool {
	return name != "" && len(name) <= limit && plain(name) == name
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
func hashed(name string, limit int) string {
	const length = 8
	wire := plain(name)
	return wire[:min(len(wire), limit-length-1)] + "_" + hash(name, length)
}

// hash is so many letters and digits that stand for a text.
func hash(text string, length int) string {
	sum := sha256.Sum256([]byte(text))
	return strings.ToLower(base32.StdEncoding.EncodeToString(sum[:]))[:length]
}

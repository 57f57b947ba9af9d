package adapt

import (
	"iter"

	"github.com/helios-go/helios/llm"
)

// An IDRule says which ids of calls a provider takes.
type IDRule struct {
	Min, Max int  // how long; 0 is no limit
	Dashes   bool // - and _ beside letters and digits
	Any      bool // any character
}

// The rules of providers.
var (
	AnthropicIDs = IDRule{Min: 1, Max: 64, Dashes: true}
	OpenAIIDs    = IDRule{Min: 1, Max: 64, Any: true}
	MistralIDs   = IDRule{Min: 9, Max: 9} // exactly 9 letters and digits
	AnyIDs       = IDRule{Min: 1, Any: true}
)

// IDs maps the ids of the calls in a history to those that a provider takes. Ids
// are the model's and not ours, so nothing is mapped back: a call and its result
// only have to agree. It is for one request, and read only once made.
type IDs struct {
	out  map[string]string // nil: all are fine as they are
	rule IDRule
}

// NewIDs maps the ids of all calls and results. The same id becomes the same in
// every request, however long the history has grown.
func NewIDs(rule IDRule, history []llm.Message) *IDs {
	ids := &IDs{rule: rule}
	if ids.fine(history) {
		return ids
	}
	ids.out = map[string]string{}
	taken := map[string]bool{}
	for id := range answered(history) {
		if _, known := ids.out[id]; known {
			continue
		}
		wire := ids.wish(id)
		for salt := id + "'"; taken[wire]; salt += "'" {
			wire = rule.made(salt) // the first one in a history keeps its id
		}
		ids.out[id], taken[wire] = wire, true
	}
	return ids
}

// fine reports whether nothing needs to be changed.
func (ids *IDs) fine(history []llm.Message) bool {
	for id := range answered(history) {
		if !ids.rule.takes(id) {
			return false
		}
	}
	return true
}

// answered are the ids of the calls and results in a history, as often as they
// occur.
func answered(history []llm.Message) iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := range history {
			for j := range history[i].Parts {
				p := &history[i].Parts[j]
				if p.Call != nil && !yield(p.Call.ID) || p.Result != nil && !yield(p.Result.ID) {
					return
				}
			}
		}
	}
}

// Out is the id that the provider is given.
func (ids *IDs) Out(id string) string {
	if wire, known := ids.out[id]; known {
		return wire
	}
	return ids.wish(id)
}

// wish is what an id becomes if no other did.
func (ids *IDs) wish(id string) string {
	if ids.rule.takes(id) {
		return id
	}
	return ids.rule.made(id)
}

func (r *IDRule) takes(id string) bool {
	if len(id) < r.Min || r.Max > 0 && len(id) > r.Max {
		return false
	}
	if r.Any {
		for i := range len(id) {
			if id[i] < ' ' || id[i] >= 0x7f { // no wire was made for these
				return false
			}
		}
		return true
	}
	for i := range len(id) {
		if c := id[i]; !letter(c) && !digit(c) && (!r.Dashes || c != '-' && c != '_') {
			return false
		}
	}
	return true
}

// made is an id that the rule takes and that stands for another.
func (r *IDRule) made(id string) string {
	const length = 24
	if r.Max > 0 {
		return hash(id, min(length, r.Max))
	}
	return hash(id, length)
}

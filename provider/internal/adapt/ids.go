package adapt

import "github.com/helios-go/helios/llm"

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
	out map[string]string // only what was changed
}

// NewIDs maps the ids of all calls and results. The same id becomes the same in
// every request, however long the history has grown.
func NewIDs(rule IDRule, history []llm.Message) *IDs {
	ids := &IDs{}
	var taken map[string]string // by whom
	for i := range history {
		for j := range history[i].Parts {
			var id string
			switch p := &history[i].Parts[j]; {
			case p.Call != nil:
				id = p.Call.ID
			case p.Result != nil:
				id = p.Result.ID
			default:
				continue
			}
			if rule.takes(id) {
				continue
			}
			if _, known := ids.out[id]; known {
				continue
			}
			if ids.out == nil {
				ids.out, taken = map[string]string{}, map[string]string{}
			}
			wire := rule.made(id)
			for salt := id; taken[wire] != ""; {
				salt += "'"
				wire = rule.made(salt)
			}
			ids.out[id], taken[wire] = wire, "x"
		}
	}
	return ids
}

// Out is the id that the provider is given.
func (ids *IDs) Out(id string) string {
	if wire, changed := ids.out[id]; changed {
		return wire
	}
	return id
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

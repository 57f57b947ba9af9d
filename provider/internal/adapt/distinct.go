package adapt

import (
	"slices"
	"strconv"

	"github.com/helios-go/helios/llm"
)

// Distinct is a request in whose history no two calls have the same id. Servers
// that count their calls from 0 in every answer repeat them ("call_0"), and what
// comes from one of those is refused by others, which tell calls apart by their ids
// ("tool_use ids must be unique"). The first call keeps its id, and the others get
// the same ones in every request. The request that was given is left as it is.
func Distinct(req *llm.Request) *llm.Request {
	history := distinct(req.Messages)
	if len(history) == 0 || &history[0] == &req.Messages[0] {
		return req
	}
	changed := *req
	changed.Messages = history
	return &changed
}

func distinct(history []llm.Message) []llm.Message {
	var seen map[string]int   // how often
	var now map[string]string // what an id stands for since its last call, where that is another
	shared := true
	for i := range history {
		for j := range history[i].Parts {
			p := &history[i].Parts[j]
			var id string
			switch {
			case p.Call != nil:
				if seen == nil {
					seen = map[string]int{}
				}
				id = unseen(p.Call.ID, seen)
				if id == p.Call.ID {
					delete(now, id)
					continue
				}
				if now == nil {
					now = map[string]string{}
				}
				now[p.Call.ID] = id
			case p.Result != nil:
				var known bool
				if id, known = now[p.Result.ID]; !known {
					continue
				}
			default:
				continue
			}
			if shared {
				history, shared = slices.Clone(history), false
			}
			history[i].Parts = renamed(history[i].Parts, j, id)
		}
	}
	return history
}

// unseen is the id, with a number behind it that makes it new.
func unseen(id string, seen map[string]int) string {
	fresh := id
	for seen[fresh] > 0 {
		seen[id]++
		fresh = id + "_" + strconv.Itoa(seen[id])
	}
	seen[fresh]++
	return fresh
}

// renamed is a copy of parts in which the call or result at j has another id.
func renamed(parts []llm.Part, j int, id string) []llm.Part {
	parts = slices.Clone(parts)
	if c := parts[j].Call; c != nil {
		call := *c
		call.ID = id
		parts[j].Call = &call
		return parts
	}
	result := *parts[j].Result
	result.ID = id
	parts[j].Result = &result
	return parts
}

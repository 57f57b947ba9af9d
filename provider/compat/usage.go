package compat

import (
	"encoding/json"

	"github.com/helios-go/helios/llm"
)

// count reads the tokens of the answer. All servers count what was read from a
// cache among the prompt's; some leave thoughts out of the completion's, but not
// out of the total.
func (d *decoder) count() {
	s := &d.s
	if !s.enter('{') {
		s.skip() // null in all events but one
		return
	}
	var prompt, completion, total, read, written int64
	for s.more('}') {
		switch string(s.key()) {
		case "prompt_tokens":
			prompt, _ = s.int()
		case "completion_tokens":
			completion, _ = s.int()
		case "total_tokens":
			total, _ = s.int()
		case "cached_tokens", "prompt_cache_hit_tokens": // Moonshot, DeepSeek
			if n, ok := s.int(); ok {
				read = max(read, n)
			}
		case "prompt_tokens_details":
			if !s.enter('{') {
				s.skip()
				continue
			}
			for s.more('}') {
				switch string(s.key()) {
				case "cached_tokens":
					n, _ := s.int()
					read = max(read, n)
				case "cache_write_tokens", "cache_creation_tokens":
					written, _ = s.int()
				default:
					s.skip()
				}
			}
		case "cost":
			if raw := s.raw(); len(raw) > 0 && json.Valid(raw) && (raw[0] >= '0' && raw[0] <= '9') {
				d.meta.Cost = json.Number(raw)
			}
		default:
			s.skip()
		}
	}
	if s.bad || prompt == 0 && completion == 0 && total == 0 {
		return // Azure sends zeros before it has counted
	}
	prompt, completion = max(0, prompt), max(0, completion)
	if total > prompt && total-prompt > completion {
		completion = total - prompt
	}
	read = min(max(0, read), prompt)
	written = min(max(0, written), prompt-read)
	d.usage = llm.Usage{Input: prompt - read - written, CacheRead: read, CacheWrite: written, Output: completion}
	d.counted = true
}

// groq reads what Groq says of an answer in x_groq, and returns its error, nil
// without one.
func (d *decoder) groq() (problem json.RawMessage) {
	s := &d.s
	if !s.enter('{') {
		s.skip()
		return nil
	}
	for s.more('}') {
		switch string(s.key()) {
		case "usage":
			d.count()
		case "error":
			if raw := s.raw(); len(raw) > 2 && string(raw) != "null" { // "" and {} say nothing
				problem = raw
			}
		default:
			s.skip()
		}
	}
	return problem
}

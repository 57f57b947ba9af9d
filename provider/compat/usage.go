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
	if !s.Enter('{') {
		s.Skip() // null in all events but one
		return
	}
	var prompt, completion, total, read, written int64
	for s.More('}') {
		switch string(s.Key()) {
		case "prompt_tokens":
			prompt, _ = s.Int()
		case "completion_tokens":
			completion, _ = s.Int()
		case "total_tokens":
			total, _ = s.Int()
		case "cached_tokens", "prompt_cache_hit_tokens": // Moonshot, DeepSeek
			if n, ok := s.Int(); ok {
				read = max(read, n)
			}
		case "prompt_tokens_details":
			if !s.Enter('{') {
				s.Skip()
				continue
			}
			for s.More('}') {
				switch string(s.Key()) {
				case "cached_tokens":
					n, _ := s.Int()
					read = max(read, n)
				case "cache_write_tokens", "cache_creation_tokens":
					written, _ = s.Int()
				default:
					s.Skip()
				}
			}
		case "cost":
			if raw := s.Raw(); len(raw) > 0 && json.Valid(raw) && (raw[0] >= '0' && raw[0] <= '9') {
				d.meta.Cost = json.Number(raw)
			}
		default:
			s.Skip()
		}
	}
	if s.Bad() || prompt == 0 && completion == 0 && total == 0 {
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
	usage := d.usage
	d.out = append(d.out, llm.Chunk{Kind: llm.ChunkUsage, Usage: &usage})
}

// groq reads what Groq says of an answer in x_groq, and returns its error, nil
// without one.
func (d *decoder) groq() (problem json.RawMessage) {
	s := &d.s
	if !s.Enter('{') {
		s.Skip()
		return nil
	}
	for s.More('}') {
		switch string(s.Key()) {
		case "usage":
			d.count()
		case "error":
			if raw := s.Raw(); says(raw) {
				problem = raw
			}
		default:
			s.Skip()
		}
	}
	return problem
}

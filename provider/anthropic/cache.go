package anthropic

import "slices"

// A CachePolicy says how long Anthropic keeps the beginning of a prompt, so that
// the next request with the same beginning costs less. Writing costs more than
// reading afresh: 1.25 times for five minutes, twice for an hour.
type CachePolicy uint8

// The cache policies.
const (
	CacheFiveMinutes CachePolicy = iota
	CacheHour
	CacheNone // also leaves the marks of parts out
)

// String is the policy's name.
func (p CachePolicy) String() string {
	switch p {
	case CacheFiveMinutes:
		return "5m"
	case CacheHour:
		return "1h"
	case CacheNone:
		return "none"
	}
	return "unknown"
}

type cacheControl struct {
	Type string `json:"type"`
	TTL  string `json:"ttl,omitempty"`
}

// maxMarks is how many marks a request may have.
const maxMarks = 4

// mark sets the marks up to which a prompt is kept: behind what the caller has
// marked, the system prompt, the tools, and the last two messages. The last but
// one is there because the API looks for what it has only twenty blocks back.
func (e *encoder) mark() {
	if e.model.opts.Cache == CacheNone {
		return
	}
	var marked []*block
	for _, b := range e.request.System {
		if b.Cache = nil; b.marked { // the marks of an earlier segment
			marked = append(marked, b)
		}
	}
	for _, t := range e.request.Tools {
		t.Cache = nil
	}
	marked = append(marked, e.marked...)
	control := &cacheControl{Type: "ephemeral"}
	if e.model.opts.Cache == CacheHour {
		control.TTL = "1h"
	}
	marks := maxMarks
	set := func(at **cacheControl) {
		if at != nil && *at == nil && marks > 0 {
			*at = control
			marks--
		}
	}
	for _, b := range slices.Backward(marked) { // the last ones hold the most
		set(&b.Cache)
	}
	messages := e.request.Messages
	if n := len(messages); n > 0 {
		set(markable(messages[n-1].Content))
	}
	if n := len(e.request.System); n > 0 {
		set(&e.request.System[n-1].Cache)
	}
	if e.clientTools > 0 {
		set(&e.request.Tools[e.clientTools-1].Cache)
	}
	if n := len(messages); n > 1 {
		set(markable(messages[n-2].Content))
	}
}

// markable is where the last block that may have a mark has it.
func markable(blocks []*block) **cacheControl {
	for _, b := range slices.Backward(blocks) {
		if b.raw == nil && b.Type != "thinking" {
			return &b.Cache
		}
	}
	return nil
}

package openai

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/provider/internal/wire"
)

type usage struct {
	Input   int64 `json:"input_tokens"`
	Details struct {
		Cached  int64 `json:"cached_tokens"`
		Written int64 `json:"cache_write_tokens"`
	} `json:"input_tokens_details"`
	Output    int64 `json:"output_tokens"`
	Generated struct {
		Reasoning int64 `json:"reasoning_tokens"`
	} `json:"output_tokens_details"`
}

// classes are the tokens in classes that have none in common: the server's input
// has those of the cache in it.
func (u *usage) classes() *llm.Usage {
	read := max(0, min(u.Details.Cached, u.Input))
	written := max(0, min(u.Details.Written, u.Input-read))
	return &llm.Usage{Input: max(0, u.Input-read-written), CacheRead: read, CacheWrite: written, Output: max(0, u.Output)}
}

// meta is what is kept of an answer as a whole.
type meta struct {
	ID              string `json:"id,omitempty"`
	Model           string `json:"model,omitempty"`
	Status          string `json:"status,omitempty"`
	Reason          string `json:"reason,omitempty"`
	ServiceTier     string `json:"service_tier,omitempty"`
	ReasoningTokens int64  `json:"reasoning_tokens,omitempty"`
}

// end takes the terminal event.
func (d *decoder) end(kind string, raw []byte) error {
	f := members(raw)
	if f == nil {
		return errUnreadable
	}
	status := f.text("status")
	switch {
	case kind == "response.failed" || status == "failed":
		why := members(f["error"])
		p := wire.Problem{Code: why.text("code"), Message: why.text("message")}
		if p == (wire.Problem{}) {
			p.Code = "response_failed"
		}
		return d.report(&p)
	case kind == "response.cancelled" || status == "cancelled":
		return d.fail(0, &wire.Problem{Code: "response_cancelled", Message: "the answer was cancelled at the server"})
	case kind == "" && status != "completed" && status != "incomplete":
		return d.fail(0, &wire.Problem{Message: "the server answered with a response that is " + status + " instead of a stream"})
	}
	if id := f.text("id"); id != "" {
		d.response = id
	}
	if err := d.rest(f["output"]); err != nil {
		return err
	}
	return d.finish(kind, f)
}

// rest takes the items that no event has finished, from the answer as a whole,
// where they are again, or as far as they came.
func (d *decoder) rest(output []byte) error {
	if !d.whole(output) {
		i := 0
		for raw := range elements(output) {
			if !d.has(i, head(raw)) {
				if err := d.ended(i, raw); err != nil {
					return err
				}
			}
			i++
		}
	}
	for _, it := range d.items {
		if !it.ended && it.kind == "function_call" {
			it.ended = true
			d.followed(it.id)
			d.called(it, nil)
		}
	}
	d.followed("")
	return nil
}

// whole reports whether there are items, no fewer than in the answer as a whole, and
// all are finished.
func (d *decoder) whole(output []byte) bool {
	all := 0
	for range elements(output) {
		if all++; all > len(d.items) {
			return false
		}
	}
	for _, it := range d.items {
		if !it.ended {
			return false
		}
	}
	return len(d.items) > 0
}

// has reports whether the item at a place of the output is finished.
func (d *decoder) has(index int, id string) bool {
	for _, it := range d.items {
		if it.ended && (it.index == index || id != "" && it.id == id) {
			return true
		}
	}
	return false
}

// finish emits the terminal chunk.
func (d *decoder) finish(kind string, f fields) error {
	m := meta{
		ID: f.text("id"), Model: f.text("model"), Status: f.text("status"), ServiceTier: f.text("service_tier"),
		Reason: members(f["incomplete_details"]).text("reason"),
	}
	done := llm.Chunk{Kind: llm.ChunkDone, Finish: llm.FinishStop}
	switch {
	case kind == "response.incomplete" || m.Status == "incomplete":
		done.Finish = llm.FinishLength
		if m.Reason == "content_filter" {
			done.Finish = llm.FinishContentFilter
		}
	case d.calls > 0:
		done.Finish = llm.FinishToolCalls
	case d.refused:
		done.Finish = llm.FinishRefusal
	}
	if raw := f["usage"]; len(raw) > 0 && string(raw) != "null" {
		var u usage
		if json.Unmarshal(raw, &u) != nil {
			return errUnreadable
		}
		done.Usage = u.classes()
		m.ReasoningTokens = u.Generated.Reasoning
	}
	if data, err := json.Marshal(&m); err == nil && m != (meta{}) {
		done.Meta = data
	}
	d.emit(done)
	d.done = true
	return nil
}

// failed is the error of an event that is one.
func (d *decoder) failed(data []byte) error {
	p := wire.ParseProblem(data)
	if p.Type == "error" { // of the event
		p.Type = ""
	}
	return d.report(&p)
}

// report is an error of the stream. How long to wait stands in a header otherwise;
// here only the message tells.
func (d *decoder) report(p *wire.Problem) error {
	e := d.fail(0, p)
	if e.Kind != llm.KindTransient {
		return e
	}
	_, wait, _ := strings.Cut(p.Message, "try again in ")
	wait, _, _ = strings.Cut(wait, " ")
	if d, err := time.ParseDuration(strings.TrimRight(wait, ".,;")); err == nil && d > 0 && d < time.Hour {
		e.RetryAfter = d
	}
	return e
}

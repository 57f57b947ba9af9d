package openai

import (
	"encoding/json"

	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/provider/internal/wire"
)

// A final is what the last event says of the whole answer.
type final struct {
	ID          string `json:"id"`
	Model       string `json:"model"`
	Status      string `json:"status"`
	ServiceTier string `json:"service_tier"`
	Incomplete  *struct {
		Reason string `json:"reason"`
	} `json:"incomplete_details"`
	Error *struct {
		Code    string `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
	Usage *usage `json:"usage"`
}

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
	var f final
	if json.Unmarshal(raw, &f) != nil {
		return errUnreadable
	}
	switch {
	case kind == "response.failed" || f.Status == "failed":
		p := wire.Problem{Code: "response_failed"}
		if f.Error != nil {
			p = wire.Problem{Code: f.Error.Code, Message: f.Error.Message}
		}
		return d.fail(0, &p)
	case kind == "response.cancelled" || f.Status == "cancelled":
		return d.fail(0, &wire.Problem{Code: "response_cancelled", Message: "the answer was cancelled at the server"})
	case kind == "" && f.Status != "completed" && f.Status != "incomplete":
		return d.fail(0, &wire.Problem{Message: "the server answered with a response that is " + f.Status + " instead of a stream"})
	}
	if f.ID != "" {
		d.response = f.ID
	}
	if err := d.rest(raw); err != nil {
		return err
	}
	d.finish(kind, &f)
	return nil
}

// rest takes the items that no event has finished, from the answer as a whole,
// where they are again, or as far as they came.
func (d *decoder) rest(response []byte) error {
	if !d.whole() {
		var in struct {
			Output []json.RawMessage `json:"output"`
		}
		if json.Unmarshal(response, &in) != nil {
			return errUnreadable
		}
		for i, raw := range in.Output {
			if d.has(i, head(raw)) {
				continue
			}
			if err := d.ended(i, raw); err != nil {
				return err
			}
		}
	}
	for _, it := range d.items {
		if it.kind == "function_call" && !it.ended {
			it.ended = true
			d.followed(it.id)
			d.called(it, nil)
		}
	}
	d.followed("")
	return nil
}

// whole reports whether there are items and all are finished.
func (d *decoder) whole() bool {
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
func (d *decoder) finish(kind string, f *final) {
	m := meta{ID: f.ID, Model: f.Model, Status: f.Status, ServiceTier: f.ServiceTier}
	done := llm.Chunk{Kind: llm.ChunkDone, Finish: llm.FinishStop}
	if f.Incomplete != nil {
		m.Reason = f.Incomplete.Reason
	}
	switch {
	case kind == "response.incomplete" || f.Status == "incomplete":
		done.Finish = llm.FinishLength
		if m.Reason == "content_filter" {
			done.Finish = llm.FinishContentFilter
		}
	case d.calls > 0:
		done.Finish = llm.FinishToolCalls
	case d.refused:
		done.Finish = llm.FinishRefusal
	}
	if f.Usage != nil {
		done.Usage = f.Usage.classes()
		m.ReasoningTokens = f.Usage.Generated.Reasoning
	}
	if data, err := json.Marshal(&m); err == nil && m != (meta{}) {
		done.Meta = data
	}
	d.emit(done)
	d.done = true
}

package compat

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/provider/internal/scan"
	"github.com/helios-go/helios/provider/internal/wire"
)

// errCut is a stream that ended before its finish_reason.
var errCut = errors.New("the stream ended before a finish_reason")

// end makes the last chunks, once nothing more comes. The answer is whole when its
// finish_reason was there; a finish_reason that is a failure of the server's is a
// problem.
func (d *decoder) end() (*wire.Problem, error) {
	d.out = d.out[:0]
	if !d.whole {
		return nil, errCut
	}
	finish, problem := reason(d.finish)
	if problem != nil {
		return problem, nil
	}
	d.close()
	d.finishDetails()
	calls := d.finishCalls()
	d.finishExtra()
	switch {
	case finish == llm.FinishLength, finish == llm.FinishContentFilter:
	case calls > 0:
		finish = llm.FinishToolCalls // whatever the server calls it
	case d.refused:
		finish = llm.FinishRefusal
	default:
		finish = llm.FinishStop
	}
	done := llm.Chunk{Kind: llm.ChunkDone, Finish: finish, Meta: d.meta.json(d.finish)}
	if d.counted {
		done.Usage = &d.usage
	}
	d.out = append(d.out, done)
	return nil, nil
}

// reason sorts a finish_reason. Calls are not decided by it: servers say stop beside
// calls and tool_calls without one.
func reason(said []byte) (llm.FinishReason, *wire.Problem) {
	switch string(said) {
	case "length", "max_tokens", "model_length", "MAX_TOKENS":
		return llm.FinishLength, nil
	case "content_filter", "safety", "SAFETY", "sensitive", "recitation":
		return llm.FinishContentFilter, nil
	case "error", "abort", "network_error", "insufficient_system_resource": // OpenRouter, vLLM, GLM, DeepSeek
		return "", &wire.Problem{Code: string(said), Message: fmt.Sprintf("the server gave up on the answer (finish_reason %s)", said)}
	}
	return llm.FinishStop, nil
}

// finishDetails hangs reasoning_details on the thought that they are of. One that
// cannot be read, being encrypted, is a thought without words.
func (d *decoder) finishDetails() {
	data := d.details.json()
	if data == nil {
		return
	}
	p, at := d.held, d.heldAt
	if p == nil {
		p, at = &llm.Part{Kind: llm.PartThinking, Model: d.model}, d.parts
		d.parts++
	}
	p.Opaque = d.opaque("reasoning_details", data)
	d.part(at, p)
}

// finishExtra keeps what the provider said of the message as a whole.
func (d *decoder) finishExtra() {
	if d.extra == nil {
		return
	}
	d.part(d.parts, &llm.Part{Kind: llm.PartThinking, Model: d.model, Opaque: d.opaque("extra_content", d.extra)})
	d.parts++
}

// finishCalls makes the parts of the calls, or the answer that was given as one,
// and says how many calls there are to run.
func (d *decoder) finishCalls() (n int) {
	var answer []byte
	submitted := false
	for i := range d.calls {
		switch c := &d.calls[i]; {
		case c.name == "":
		case d.submit != "" && c.name == d.submit:
			answer, submitted = c.args, true
		default:
			n++
			d.part(c.part, c.whole(d))
		}
	}
	switch {
	case d.submit == "":
	case submitted && n == 0:
		d.text(answer)
	case len(d.prose) > 0: // the model answered without the tool, or spoke beside a call
		d.text(d.prose)
	}
	return n
}

// text is a text that was held back, as one part.
func (d *decoder) text(text []byte) {
	if len(text) == 0 {
		text = []byte("{}")
	}
	d.out = append(d.out, llm.Chunk{Kind: llm.ChunkText, Index: d.parts, Text: string(text)})
	d.parts++
}

// meta is what is told of an answer beside the answer.
type meta struct {
	ID          string      `json:"id,omitempty"`
	Model       string      `json:"model,omitempty"`
	Provider    string      `json:"provider,omitempty"` // who answered, of those that OpenRouter asks
	Finish      string      `json:"finish_reason,omitempty"`
	Native      string      `json:"native_finish_reason,omitempty"`
	Fingerprint string      `json:"system_fingerprint,omitempty"`
	Tier        string      `json:"service_tier,omitempty"`
	Cost        json.Number `json:"cost,omitempty"` // in dollars, as OpenRouter says it
}

// set keeps the first text that a member has.
func (m *meta) set(to *string, s *scan.Scanner) {
	if *to != "" {
		s.Skip()
		return
	}
	*to = s.Text()
}

func (m *meta) json(finish []byte) json.RawMessage {
	m.Finish = string(finish)
	data, err := wire.Marshal(m)
	if err != nil {
		return nil
	}
	return data
}

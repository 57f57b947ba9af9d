package gemini

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"strings"

	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/provider/internal/adapt"
	"github.com/helios-go/helios/provider/internal/wire"
)

// maxResumed is how often an answer is gone on with that the server cuts at its
// limit of tokens a request.
const maxResumed = 8

// Stream asks the model. A request that it cannot have is an error before anything
// is sent.
func (m *Model) Stream(ctx context.Context, req *llm.Request) iter.Seq2[llm.Chunk, error] {
	if err := m.Err(); err != nil {
		return wire.Dead(err)
	}
	return func(yield func(llm.Chunk, error) bool) {
		c, err := m.call(adapt.Distinct(req))
		if err != nil {
			yield(llm.Chunk{}, err)
			return
		}
		d := &decoder{model: m.Name(), names: c.names, args: c.args, keep: m.o.Continuation, history: c.history}
		s := &stream{m: m, ctx: ctx, call: c, d: d, yield: yield}
		s.run()
	}
}

// A stream is one answer on its way, in one or more requests.
type stream struct {
	m     *Model
	ctx   context.Context //nolint:containedctx // of one call of Stream
	call  *call
	d     *decoder
	yield func(llm.Chunk, error) bool
}

func (s *stream) run() {
	body := s.call.body
	for resumed := 0; ; resumed++ {
		resp, err := s.post(&body) //nolint:bodyclose // read closes it
		if err != nil {
			s.yield(llm.Chunk{}, err)
			return
		}
		s.d.begin()
		if !s.read(resp) {
			return
		}
		token := s.d.token
		if s.d.status != statusContinuation || token == "" || token == body.Token || resumed == maxResumed {
			break
		}
		body.Token = token
		if s.m.o.Continuation && s.d.id != "" { // the server has what was asked
			body.Previous, body.Input = s.d.id, nil
		}
	}
	done, err := s.done()
	s.yield(done, err)
}

// post sends a request. One that leans on what the server no longer has is sent
// once more with everything: nothing has been answered, and it could never succeed.
func (s *stream) post(b *body) (*http.Response, error) {
	resp, err := s.send(b)
	if err == nil || b.Previous == "" || b.Token != "" || !forgotten(err) {
		return resp, err
	}
	b.Previous, b.Input = "", s.call.steps
	return s.send(b)
}

func (s *stream) send(b *body) (*http.Response, error) {
	data, err := s.m.conn.Body(b, s.call.extra)
	if err != nil {
		return nil, err
	}
	resp, err := s.m.conn.Post(s.ctx, "/interactions", s.m.o.header(), data)
	return resp, refine(err)
}

// forgotten reports whether the server may have lost the conversation.
func forgotten(err error) bool {
	e, ok := errors.AsType[*llm.Error](err)
	if !ok {
		return false
	}
	switch e.Status {
	case http.StatusNotFound, http.StatusGone:
		return true
	case http.StatusBadRequest, http.StatusForbidden:
		return strings.Contains(strings.ToLower(e.Error()), "interaction")
	}
	return false
}

// read reads one stream to its end. It is false when there is nothing more to do.
func (s *stream) read(resp *http.Response) bool {
	for e, err := range s.m.conn.Events(resp) {
		if err == nil {
			if err = s.d.event(e.Name, e.Data); err != nil {
				err = s.m.conn.Garbled(e.Cut, err)
			}
		}
		if err != nil {
			s.yield(llm.Chunk{}, err)
			return false
		}
		for _, c := range s.d.chunks {
			if !s.yield(c, nil) {
				return false
			}
		}
		if s.d.ended {
			break
		}
	}
	if !s.d.finished() || s.d.cut() {
		s.yield(llm.Chunk{}, s.m.conn.Cut())
		return false
	}
	return true
}

// meta is what a response's Meta holds.
type meta struct {
	ID      string `json:"id,omitempty"` // of the interaction, when the server keeps it
	Model   string `json:"model"`
	Status  string `json:"status"`
	Version string `json:"api_version,omitempty"`
}

// done is how the answer ended.
func (s *stream) done() (llm.Chunk, error) {
	finish, err := s.finish()
	if err != nil {
		return llm.Chunk{}, err
	}
	about := meta{Model: s.m.id, Status: s.d.status, Version: s.m.version()}
	if s.m.o.Continuation {
		about.ID = s.d.id
	}
	data, err := json.Marshal(about)
	if err != nil {
		return llm.Chunk{}, fmt.Errorf("write the metadata: %w", err)
	}
	total := s.d.earlier.Add(s.d.usage)
	return llm.Chunk{Kind: llm.ChunkDone, Finish: finish, Usage: &total, Meta: data}, nil
}

func (s *stream) finish() (llm.FinishReason, error) {
	status := s.d.status
	switch {
	case status == statusFailed, status == statusBudget, status == statusCancelled:
		return "", s.failed(status)
	case s.d.problem != nil: // of a step
		err := s.failed(status)
		if errors.Is(err, llm.ErrRefused) {
			return llm.FinishContentFilter, nil
		}
		return "", err
	case status == statusIncomplete, status == statusContinuation: // a call may be cut
		return llm.FinishLength, nil
	case s.d.calls > 0:
		return llm.FinishToolCalls, nil
	}
	return llm.FinishStop, nil
}

// failed is the error of an interaction that the server gave up.
func (s *stream) failed(status string) error {
	var p wire.Problem
	if s.d.problem != nil {
		p = wire.ParseProblem(s.d.problem)
		p.Code = code(p.Code)
	}
	if p.Message == "" && p.Code == "" {
		switch status {
		case statusBudget:
			p.Message = "the server stopped the answer: the budget of the key's project is used up; raise it in AI Studio"
		case statusCancelled:
			p.Message = "the answer was cancelled on the server"
		default:
			p.Message = "the server gave the answer up and did not say why"
		}
	}
	return refine(s.m.conn.Fail(0, &p))
}

// code is the name in a code, which may be a URI.
func code(c string) string {
	c = c[strings.LastIndexAny(c, "/#:")+1:]
	return strings.ReplaceAll(strings.ToLower(c), "-", "_")
}

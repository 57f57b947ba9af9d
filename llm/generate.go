package llm

import (
	"context"
	"io"
)

// Generate runs one request and returns the whole answer. On an error the
// response is not nil: it holds what had arrived (text, usage), without any
// tool calls. A stream that ends without its terminal chunk is an error that
// matches [ErrTransient] and [io.ErrUnexpectedEOF].
//
// A request that cannot be sent (see [Request.Validate]) is an error before the
// model is asked. A refusal is not an error here: see [Response.Finish].
func Generate(ctx context.Context, m Model, req *Request) (*Response, error) {
	var acc Accumulator
	if err := req.Validate(); err != nil {
		return acc.Response(), err
	}
	for c, err := range m.Stream(ctx, req) {
		if err != nil {
			return acc.Response(), err
		}
		acc.Add(c)
		if acc.Done() {
			break
		}
	}
	if !acc.Done() {
		return acc.Response(), Incomplete(ctx, m)
	}
	return acc.Response(), nil
}

// Incomplete is the error of a stream that ended before its terminal chunk: the
// context's cause if that is why, else a transient [*Error].
func Incomplete(ctx context.Context, m Model) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	return &Error{Kind: KindTransient, Provider: m.Name(), Err: io.ErrUnexpectedEOF}
}

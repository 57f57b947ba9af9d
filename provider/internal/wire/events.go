package wire

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"mime"
	"net/http"

	"github.com/helios-go/helios/internal/sse"
	"github.com/helios-go/helios/llm"
)

// Ask posts a request and reads the events of its answer: [Conn.Post], then
// [Conn.Events].
func (c *Conn) Ask(ctx context.Context, path string, header http.Header, body []byte) iter.Seq2[sse.Event, error] {
	return func(yield func(sse.Event, error) bool) {
		resp, err := c.Post(ctx, path, header, body)
		if err != nil {
			yield(sse.Event{}, err)
			return
		}
		defer resp.Body.Close()
		c.Events(resp)(yield)
	}
}

// Events reads the events of an answer and closes its body. The end of the stream
// ends the sequence: whether it was the end of the answer is for the caller to
// know. An error is the last value. The data of an event are valid until the next.
// A character that was cut in two, for two events, comes whole with the second.
//
// A server that does not stream and answers with one JSON text gives one event.
func (c *Conn) Events(resp *http.Response) iter.Seq2[sse.Event, error] {
	return func(yield func(sse.Event, error) bool) {
		defer resp.Body.Close()
		switch kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type")); kind {
		case "text/html":
			yield(sse.Event{}, c.fail(llm.KindInvalidRequest, "check Options.BaseURL", "the server answered with a web page"))
			return
		case "application/json":
			yield(c.whole(resp))
			return
		}
		events := sse.NewReader(resp.Body, c.s.MaxEvent)
		var halves halves
		for {
			e, err := events.Next()
			e.Data = halves.join(e.Data)
			switch {
			case errors.Is(err, io.EOF):
				return
			case errors.Is(err, sse.ErrTooLong):
				err = c.fail(llm.KindOther, "raise Options.MaxEvent", "%w", err)
			case err != nil:
				err = c.broken(resp.Request.Context(), err, false)
			}
			if !yield(e, err) || err != nil {
				return
			}
		}
	}
}

func (c *Conn) whole(resp *http.Response) (sse.Event, error) {
	limit := int64(c.s.MaxEvent)
	if limit <= 0 {
		limit = sse.MaxEvent
	}
	data, err := io.ReadAll(io.LimitReader(resp.Body, limit+1))
	switch {
	case err != nil:
		return sse.Event{}, c.broken(resp.Request.Context(), err, false)
	case int64(len(data)) > limit:
		return sse.Event{}, c.fail(llm.KindOther, "raise Options.MaxEvent", "%w: more than %d bytes", sse.ErrTooLong, limit)
	}
	return sse.Event{Data: data, Cut: true}, nil
}

// Marshal is v as JSON in which <, > and & stay as they are.
func Marshal(v any) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n")), nil
}

// Body is a request as JSON, with the fields of extra, a JSON object or nothing,
// in the place of its own of the same name.
func (c *Conn) Body(v any, extra json.RawMessage) ([]byte, error) {
	body, err := Marshal(v)
	if err != nil {
		return nil, c.fail(llm.KindInvalidRequest, "", "make the request: %w", err)
	}
	if len(extra) == 0 {
		return body, nil
	}
	var over map[string]json.RawMessage
	if err := json.Unmarshal(extra, &over); err != nil {
		return nil, c.fail(llm.KindInvalidRequest, "", "Options.Provider[%q] is not a JSON object", c.s.Provider)
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(body, &fields); err != nil {
		return nil, fmt.Errorf("make the request: %w", err)
	}
	maps.Copy(fields, over)
	return Marshal(fields)
}

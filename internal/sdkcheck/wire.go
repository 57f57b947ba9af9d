package sdkcheck

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/llm/llmtest"
)

// A Wire is one way to speak to a model, with both clients for it.
type Wire struct {
	Name  string
	Model func(at Place) llm.Model // ours

	// The official client: it drains a stream, and sends a request of its own
	// parameters.
	Stream func(ctx context.Context, at Place) *Answer
	Send   func(ctx context.Context, at Place, params any) error

	Exchanges func() []Exchange
	// Same brings two forms of a request that the server takes as one into one.
	Same func(body map[string]any)
	// Headers are what of a request's headers is compared.
	Headers []string
}

// A Place is where a client finds its server.
type Place struct {
	Base string // URL
	HTTP *http.Client
}

// Decode drains a stream with our provider.
func (w *Wire) Decode(ctx context.Context, at Place) *Answer {
	response, err := llm.Generate(ctx, w.Model(at), withTools(ask("hi")))
	answer := &Answer{Err: err, Usage: response.Usage, Stop: response.Finish}
	for i := range response.Message.Parts {
		answer.Parts = append(answer.Parts, ourPart(&response.Message.Parts[i]))
	}
	return answer
}

func ourPart(p *llm.Part) Part {
	out := Part{Text: p.Text, Signature: p.Signature}
	if p.Opaque != nil {
		out.Extra = string(p.Opaque.Data)
	}
	switch p.Kind {
	case llm.PartText:
		out.Kind = "text"
	case llm.PartThinking:
		out.Kind = "thinking"
	case llm.PartCall:
		out.Kind, out.ID, out.Name, out.Args = "call", p.Call.ID, p.Call.Name, string(p.Call.Args)
	case llm.PartOpaque:
		out.Kind, out.Block, out.Extra = "block", out.Extra, ""
	case llm.PartMedia:
		kind, _, _ := strings.Cut(p.Media.MIME, "/")
		out.Kind, out.Block = "block", written(map[string]any{"type": kind, "mime_type": p.Media.MIME, "data": p.Media.Data})
	default:
		out.Kind = string(p.Kind)
	}
	return out
}

// Compare plays one stream to both clients and returns in what they differ, and
// our answer.
func (w *Wire) Compare(ctx context.Context, server *Server, s Stream, v Variant) ([]Difference, *Answer, error) {
	play := func(decode func(context.Context, Place) *Answer) (*Answer, error) {
		replies := make([]llmtest.Reply, len(s.Bodies))
		for i, body := range s.Bodies {
			replies[i] = v.Reply(body)
		}
		at, wire := server.Play(replies...)
		answer := decode(ctx, at)
		if len(wire.Requests()) == 0 {
			return nil, fmt.Errorf("no request came: %w", answer.Err)
		}
		return answer, nil
	}
	ours, err := play(w.Decode)
	if err != nil {
		return nil, nil, err
	}
	theirs, err := play(w.Stream)
	if err != nil {
		return nil, nil, err
	}
	failed := ours.Err != nil || theirs.Err != nil
	name := s.Name
	if v.Name != "" {
		name += " (" + v.Name + ")"
	}
	return differ(name, ours.Fields(failed, s.words()), theirs.Fields(failed, s.words())), ours, nil
}

// differ lists the fields in which two answers or requests differ.
func differ(name string, ours, theirs []Field) []Difference {
	const none = "(none)"
	left, right := fieldMap(ours), fieldMap(theirs)
	names := map[string]bool{}
	for _, f := range slices.Concat(ours, theirs) {
		names[f.Name] = true
	}
	var differences []Difference
	for _, field := range slices.Sorted(maps.Keys(names)) {
		a, inOurs := left[field]
		b, inTheirs := right[field]
		if !inOurs {
			a = none
		}
		if !inTheirs {
			b = none
		}
		if a != b {
			differences = append(differences, Difference{Case: name, Field: field, Ours: cell(a), Theirs: cell(b)})
		}
	}
	return differences
}

func fieldMap(fields []Field) map[string]string {
	m := map[string]string{}
	for _, f := range fields {
		m[f.Name] = f.Value
	}
	return m
}

// CompareRequests sends a conversation with both clients and returns in what their
// requests differ.
func (w *Wire) CompareRequests(ctx context.Context, server *Server, x Exchange) ([]Difference, error) {
	body, err := testdata.ReadFile("testdata/" + w.Name + "/text.sse")
	if err != nil {
		return nil, err
	}
	model := w.Model
	if x.Model != nil {
		model = x.Model
	}
	at, wire := server.Play(llmtest.SSE(string(body)))
	if _, err := llm.Generate(ctx, model(at), x.Ours); err != nil {
		return nil, fmt.Errorf("ours: %w", err)
	}
	ours, err := w.requestFields(wire)
	if err != nil {
		return nil, fmt.Errorf("ours: %w", err)
	}
	at, wire = server.Play(llmtest.SSE(string(body)))
	if err := w.Send(ctx, at, x.Theirs); err != nil {
		return nil, fmt.Errorf("theirs: %w", err)
	}
	theirs, err := w.requestFields(wire)
	if err != nil {
		return nil, fmt.Errorf("theirs: %w", err)
	}
	return differ(x.Name, ours, theirs), nil
}

func (w *Wire) requestFields(wire *llmtest.Wire) ([]Field, error) {
	requests := wire.Requests()
	if len(requests) != 1 {
		return nil, fmt.Errorf("%d requests, want 1", len(requests))
	}
	r := requests[0]
	fields := []Field{{"path", r.Method + " " + r.Path}}
	for _, name := range w.Headers {
		if value := r.Header.Get(name); value != "" {
			fields = append(fields, Field{"header " + name, value})
		}
	}
	var body map[string]any
	d := json.NewDecoder(strings.NewReader(string(r.Body)))
	d.UseNumber()
	if err := d.Decode(&body); err != nil {
		return nil, fmt.Errorf("the body: %w", err)
	}
	if w.Same != nil {
		w.Same(body)
	}
	return flatten("", body, fields), nil
}

// flatten lists the leaves of a JSON value by their places: messages[0].role.
func flatten(place string, value any, fields []Field) []Field {
	switch v := value.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			value := v[name]
			if place != "" {
				name = place + "." + name
			}
			fields = flatten(name, value, fields)
		}
		if len(v) == 0 {
			fields = append(fields, Field{place, "{}"})
		}
	case []any:
		for i := range v {
			fields = flatten(place+"["+strconv.Itoa(i)+"]", v[i], fields)
		}
		if len(v) == 0 {
			fields = append(fields, Field{place, "[]"})
		}
	case string:
		fields = append(fields, Field{place, strconv.Quote(v)})
	default:
		fields = append(fields, Field{place, fmt.Sprint(v)})
	}
	return fields
}

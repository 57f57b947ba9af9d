// Package otel exports the spans of package trace to OpenTelemetry, by its
// conventions for generative AI.
//
//	exp := otel.New(provider, nil)                // a trace.TracerProvider of yours
//	err := trace.Follow(ctx, session, 0, exp)     // live: each run when it has ended
//	err = exp.Export(ctx, fold.Runs())            // or any spans, any time later
//
// Nothing is global: the provider, its sampler and its exporters are the caller's.
// A run becomes an invoke_agent span, a model call a chat span with the retries
// below it, a tool call an execute_tool span; turns, questions and compactions are
// internal spans between them. A sub-agent's run stands below the tool call that
// made it, and an attempt at a call that was cut by a crash is linked to the one
// before it. Times are those of the log.
//
// Of what users, models and tools have said nothing is exported, errors included,
// unless Options.Content opts in.
//
// The attributes are those of the conventions' own repository at its version 0.1,
// which are still in development; what they have no name for begins with "helios.".
package otel

import (
	"context"
	"sync"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	oteltrace "go.opentelemetry.io/otel/trace"

	"github.com/helios-go/helios/agent"
	"github.com/helios-go/helios/trace"
)

// scope names this package to whoever looks at the spans.
const scope = "github.com/helios-go/helios/trace/otel"

// Options tune an Exporter. Nil and the zero value are the defaults.
type Options struct {
	// Content exports what was said too: messages, arguments, results, comments and
	// the text of errors.
	Content bool
}

// An Exporter makes OpenTelemetry spans. It is safe for concurrent use.
type Exporter struct {
	tracer  oteltrace.Tracer
	content bool

	mu   sync.Mutex
	fold trace.Fold
	subs map[string]bool // sessions of sub-agents
}

// New returns an Exporter that makes its spans with a tracer of the provider.
func New(p oteltrace.TracerProvider, opts *Options) *Exporter {
	x := &Exporter{tracer: p.Tracer(scope), subs: make(map[string]bool)}
	if opts != nil {
		x.content = opts.Content
	}
	return x
}

// Put implements [trace.Sink]: it exports a run, with what was put of its
// sub-agents, when its end comes. Runs of sub-agents are not exported by
// themselves. Annotations that come later are not exported; fold the log again and
// call Export for that.
func (x *Exporter) Put(session string, e agent.Event) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if err := x.fold.Put(session, e); err != nil {
		return err
	}
	switch d := e.Data.(type) {
	case *agent.SessionOpened:
		if d.Parent != nil {
			x.subs[session] = true
		}
	case *agent.ChildStarted:
		x.subs[d.Session] = true
	case *agent.RunEnded:
		if x.subs[session] {
			break
		}
		for _, run := range x.fold.Runs() {
			if run.Session == session && run.Run == e.Run {
				x.export(context.Background(), run)
				for _, s := range run.All() {
					delete(x.subs, s.Session)
				}
			}
		}
		x.fold.Forget(session)
	}
	return nil
}

// Export exports runs that have ended, below the span that ctx carries, if it
// carries one. Open runs are left out, since a span that was exported is final.
func (x *Exporter) Export(ctx context.Context, runs []*trace.Span) error {
	for _, run := range runs {
		if err := ctx.Err(); err != nil {
			return err
		}
		if !run.IsOpen() {
			x.export(ctx, run)
		}
	}
	return nil
}

func (x *Exporter) export(ctx context.Context, run *trace.Span) {
	x.span(context.WithValue(ctx, rootKey{}, run.ID+run.Session+run.Run), run, run.Name, nil)
}

// span makes a span and those below it. It returns its context, for links.
func (x *Exporter) span(ctx context.Context, s *trace.Span, agentName string, links []oteltrace.Link) oteltrace.SpanContext {
	if s.Kind == trace.KindRun {
		agentName = s.Name
	}
	name, kind := nameOf(s)
	ctx, span := x.tracer.Start(context.WithValue(ctx, spanKey{}, s.ID), name,
		oteltrace.WithTimestamp(s.Start), oteltrace.WithSpanKind(kind), oteltrace.WithLinks(links...),
		oteltrace.WithAttributes(x.attributes(s, agentName)...))
	if s.Failed() {
		text := string(s.Outcome)
		if x.content && s.Err != "" {
			text = s.Err
		}
		span.SetStatus(codes.Error, text)
	}
	x.events(span, s)
	var last *oteltrace.SpanContext // of the attempt before
	for _, c := range s.Children {
		var links []oteltrace.Link
		if c.Kind == trace.KindAttempt && last != nil {
			links = []oteltrace.Link{{SpanContext: *last, Attributes: []attribute.KeyValue{attribute.String("helios.link", "retry of")}}}
		}
		sc := x.span(ctx, c, agentName, links)
		if c.Kind == trace.KindAttempt {
			last = &sc
		}
	}
	span.End(oteltrace.WithTimestamp(s.End))
	return span.SpanContext()
}

func nameOf(s *trace.Span) (string, oteltrace.SpanKind) {
	switch s.Kind {
	case trace.KindRun:
		return join("invoke_agent", s.Name), oteltrace.SpanKindInternal
	case trace.KindModel:
		_, model := splitModel(s.Model)
		return join("chat", model), oteltrace.SpanKindClient
	case trace.KindTool:
		return join("execute_tool", s.Name), oteltrace.SpanKindInternal
	case trace.KindQuestion:
		return join("question", s.Name), oteltrace.SpanKindInternal
	}
	return s.Name, oteltrace.SpanKindInternal // turns, attempts, compactions
}

func join(operation, of string) string {
	if of == "" {
		return operation
	}
	return operation + " " + of
}

// events adds notes and annotations. Times may lie outside the span's.
func (x *Exporter) events(span oteltrace.Span, s *trace.Span) {
	for _, n := range s.Notes {
		attrs := make([]attribute.KeyValue, 0, len(n.Attrs))
		for _, k := range sorted(n.Attrs) {
			attrs = append(attrs, attribute.String("helios."+k, n.Attrs[k]))
		}
		span.AddEvent("helios."+n.Name, oteltrace.WithTimestamp(n.Time), oteltrace.WithAttributes(attrs...))
	}
	for _, a := range s.Annotations {
		name := a.Facet
		if name == "" {
			name = a.Label
		}
		attrs := []attribute.KeyValue{
			attribute.String("gen_ai.evaluation.name", name),
			attribute.String("gen_ai.evaluation.score.label", a.Label),
			attribute.String("helios.author", string(a.Author)),
		}
		if a.Rating != nil {
			attrs = append(attrs, attribute.Float64("gen_ai.evaluation.score.value", *a.Rating))
		}
		if x.content && a.Comment != "" {
			attrs = append(attrs, attribute.String("gen_ai.evaluation.explanation", a.Comment))
		}
		span.AddEvent("gen_ai.evaluation.result", oteltrace.WithTimestamp(a.Updated), oteltrace.WithAttributes(attrs...))
	}
}

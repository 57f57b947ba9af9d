package otel

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"

	oteltrace "go.opentelemetry.io/otel/trace"
)

type (
	rootKey struct{} // of a context: names the run that a trace is of
	spanKey struct{} // of a context: the id of the span to be made
)

// IDs is a generator of ids for the SDK's tracer provider, which makes those of
// an Exporter's spans the same each time that a log is exported, so that a
// backend sees one run once:
//
//	sdktrace.NewTracerProvider(sdktrace.WithIDGenerator(otel.IDs{}), ...)
//
// A span keeps its [trace.Span] ID. Other spans get random ids. Without it ids are
// what the provider makes them.
type IDs struct{}

// NewIDs returns the ids of a new trace and its first span.
func (IDs) NewIDs(ctx context.Context) (oteltrace.TraceID, oteltrace.SpanID) {
	var id oteltrace.TraceID
	if root, ok := ctx.Value(rootKey{}).(string); ok {
		sum := sha256.Sum256([]byte(root))
		copy(id[:], sum[:])
	} else {
		_, _ = rand.Read(id[:]) // it never fails
	}
	return id, IDs{}.NewSpanID(ctx, id)
}

// NewSpanID returns the id of a new span of a trace.
func (IDs) NewSpanID(ctx context.Context, _ oteltrace.TraceID) oteltrace.SpanID {
	var id oteltrace.SpanID
	text, _ := ctx.Value(spanKey{}).(string)
	if n, err := hex.Decode(id[:], []byte(text)[:min(len(text), 2*len(id))]); err == nil && n == len(id) && id.IsValid() {
		return id
	}
	_, _ = rand.Read(id[:])
	return id
}

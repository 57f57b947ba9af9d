package secret

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strconv"
)

// NewHandler returns a handler that passes records on to next with the secrets
// of the registry redacted: in the message, in keys, and in values, whether
// strings, numbers, errors, bytes, groups or structs. Secrets registered later
// count from then on; attributes given to With are redacted there and then. A
// nil registry redacts nothing. It is as safe for concurrent use as next.
func NewHandler(next slog.Handler, secrets *Registry) slog.Handler {
	return &handler{next, secrets}
}

type handler struct {
	next    slog.Handler
	secrets *Registry
}

// Enabled asks next.
func (h *handler) Enabled(ctx context.Context, level slog.Level) bool {
	return h.next.Enabled(ctx, level)
}

// Handle passes a redacted copy of the record on.
func (h *handler) Handle(ctx context.Context, rec slog.Record) error {
	r := h.secrets.Redactor()
	message, _ := r.Text(rec.Message)
	clean := slog.NewRecord(rec.Time, rec.Level, message, rec.PC)
	rec.Attrs(func(a slog.Attr) bool {
		clean.AddAttrs(r.attr(a))
		return true
	})
	return h.next.Handle(ctx, clean)
}

// WithAttrs redacts the attributes before next sees them.
func (h *handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &handler{h.next.WithAttrs(h.secrets.Redactor().attrs(attrs)), h.secrets}
}

// WithGroup redacts the name.
func (h *handler) WithGroup(name string) slog.Handler {
	name, _ = h.secrets.Redactor().Text(name)
	return &handler{h.next.WithGroup(name), h.secrets}
}

func (r *Redactor) attrs(attrs []slog.Attr) []slog.Attr {
	clean := make([]slog.Attr, len(attrs))
	for i, a := range attrs {
		clean[i] = r.attr(a)
	}
	return clean
}

func (r *Redactor) attr(a slog.Attr) slog.Attr {
	key, _ := r.Text(a.Key)
	return slog.Attr{Key: key, Value: r.logged(a.Value.Resolve())}
}

// logged returns v, or when a handler would show a secret of it, what is left.
func (r *Redactor) logged(v slog.Value) slog.Value {
	switch v.Kind() {
	case slog.KindGroup:
		return slog.GroupValue(r.attrs(v.Group())...)
	case slog.KindAny:
		return r.loggedAny(v)
	case slog.KindBool, slog.KindTime, slog.KindDuration:
		return v
	case slog.KindFloat64: // JSON and fmt write it differently
		if text, counts := r.Text(strconv.FormatFloat(v.Float64(), 'f', -1, 64)); counts != nil {
			return slog.StringValue(text)
		}
	}
	if text, counts := r.Text(v.String()); counts != nil {
		return slog.StringValue(text)
	}
	return v
}

// loggedAny asks both ways in which handlers write a value of any type: as JSON
// and as fmt prints it. They need not show the same fields.
func (r *Redactor) loggedAny(v slog.Value) (shown slog.Value) {
	defer func() {
		if p := recover(); p != nil { // a value's own method, which a log line must survive
			shown = slog.StringValue(fmt.Sprintf("!PANIC in the methods of a %T", v.Any()))
		}
	}()
	switch x := v.Any().(type) {
	case nil:
		return v
	case error:
		text, counts := r.Text(x.Error())
		if counts != nil {
			return slog.StringValue(text)
		}
	case []byte:
		if text, counts := r.Text(string(x)); counts != nil {
			return slog.StringValue(text)
		}
		return v
	}
	encoded, err := json.Marshal(v.Any())
	if err == nil {
		if clean, counts := r.JSON(encoded); counts != nil {
			return slog.AnyValue(clean)
		}
	}
	if text, counts := r.Text(fmt.Sprintf("%+v", v.Any())); counts != nil {
		return slog.StringValue(text)
	}
	return v
}

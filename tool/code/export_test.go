package code

import (
	"context"
	"encoding/json"
	"time"
)

// CallFunction calls a function as a cell's call does.
func CallFunction(ctx context.Context, f Function, args json.RawMessage) (json.RawMessage, error) {
	f.Timeout = time.Minute
	return (&Code{}).callFunction(ctx, &f, args)
}

// TextOf is what the model reads of a report.
func TextOf(r Report, note string, limit int) string {
	r.note = note
	return r.text(limit)
}

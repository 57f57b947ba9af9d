// Package tool turns Go functions into tools that a model can call.
//
//	weather := tool.New("weather", "Weather in a city now",
//		func(ctx context.Context, in struct{ City string }) (string, error) {
//			return "22 C in " + in.City, nil
//		}, tool.WithEffect(tool.ReadOnly))
//
// The argument schema is inferred once from the input type. A tool declares its
// [Effect] once; parallelism, retry, resume and the default permission follow
// from it. An ordinary error goes to the model as an error result; only an
// error made by [Abort] ends the run. A tool marked [Final], called alone, ends
// the run well with its result.
//
// A Tool is a value, safe for concurrent use if its function is.
package tool

import (
	"context"
	"encoding/json"
	"time"

	"github.com/helios-go/helios/llm"
)

// Effect is what running a tool does to the world.
type Effect uint8

// The effects.
const (
	Unknown    Effect = iota // serial, never retried, asks
	ReadOnly                 // parallel, replayable, allowed by default
	Idempotent               // serial, repeated with the same key after a crash
	Mutating                 // serial, never repeated
)

// Kind is what permission modes and concurrency limits speak of.
type Kind uint8

// The kinds. KindDefault is Read for ReadOnly tools and Execute otherwise.
const (
	KindDefault Kind = iota
	KindRead
	KindSearch
	KindWrite
	KindExecute
	KindNetwork
	KindControl
	KindDelegate
)

// A Result is what a tool gives back: Parts go to the model, Data (JSON) stays
// for programs and is kept in the log.
type Result struct {
	Parts   []llm.Part
	Data    json.RawMessage
	IsError bool
}

// An Option changes a tool at construction.
type Option func(*Tool)

// A Tool is a named function with a schema and an effect.
type Tool struct {
	Spec    llm.ToolSpec
	Effect  Effect
	Kind    Kind
	IsFinal bool
	Timeout time.Duration // 0: the agent's default

	key func(json.RawMessage) (string, error)
	run func(context.Context, json.RawMessage) (Result, error)
}

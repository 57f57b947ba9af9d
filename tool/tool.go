// Package tool turns Go functions into tools that a model can call.
//
//	weather := tool.New("weather", "Weather in a city now",
//		func(ctx context.Context, in struct{ City string }) (string, error) {
//			return "22 C in " + in.City, nil
//		}, tool.WithEffect(tool.ReadOnly))
//
// The argument schema is inferred once from the input type (see
// [llm.SchemaFor] for its tags). A tool declares its [Effect] once;
// parallelism, retry, resume and the default permission follow from it. An
// ordinary error goes to the model as an error result, and so does a panic;
// only an error made by [Abort] ends the run. A tool marked [Final], called
// alone, ends the run well with its result.
//
// Inside the function [CallFrom] tells which call this is, reports progress and
// asks the user. Arguments that are not valid JSON, that miss a required name or
// hold an unknown one never reach the function: the model is told what is wrong.
//
// A Tool is a value, safe for concurrent use if its function is.
package tool

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"time"
	"unicode/utf8"

	"github.com/helios-go/helios/llm"
)

// Effect is what running a tool does to the world. An agent makes calls one after
// the other, except for ReadOnly ones that stand next to each other; it repeats
// after a failure (see agent.Agent.Faults) or a crash only what is ReadOnly or
// Idempotent; and without a policy it asks about all that is not ReadOnly.
type Effect uint8

// The effects.
const (
	Unknown    Effect = iota // serial, never retried, asks
	ReadOnly                 // parallel, replayable, allowed by default
	Idempotent               // serial, repeated with the same key after a crash
	Mutating                 // serial, never repeated
)

var effectNames = [...]string{"unknown", "read_only", "idempotent", "mutating"}

// String names the effect as the log does.
func (e Effect) String() string { return name(effectNames[:], int(e)) }

// MarshalText writes the name.
func (e Effect) MarshalText() ([]byte, error) { return []byte(e.String()), nil }

// UnmarshalText reads a name; one that it does not know is Unknown.
func (e *Effect) UnmarshalText(text []byte) error {
	*e = Effect(index(effectNames[:], string(text)))
	return nil
}

// Repeatable reports whether a call that may or may not have happened can
// simply be made again.
func (e Effect) Repeatable() bool { return e == ReadOnly || e == Idempotent }

// Kind is what permissions speak of: the modes of agent.Permissions, and the default
// policy, which allows KindDelegate. It changes nothing else.
type Kind uint8

// The kinds. KindDefault is KindRead for ReadOnly tools and KindExecute
// otherwise.
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

var kindNames = [...]string{"default", "read", "search", "write", "execute", "network", "control", "delegate"}

// String names the kind as the log does.
func (k Kind) String() string { return name(kindNames[:], int(k)) }

// MarshalText writes the name.
func (k Kind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText reads a name; one that it does not know is KindDefault.
func (k *Kind) UnmarshalText(text []byte) error {
	*k = Kind(index(kindNames[:], string(text)))
	return nil
}

func name(names []string, i int) string {
	if i < len(names) {
		return names[i]
	}
	return fmt.Sprintf("%s(%d)", names[0], i)
}

func index(names []string, text string) int {
	for i, n := range names {
		if n == text {
			return i
		}
	}
	return 0
}

// A Result is what a tool gives back: Parts go to the model, Data (JSON) stays
// for programs and is kept in the log.
type Result struct {
	Parts   []llm.Part
	Data    json.RawMessage
	IsError bool // the call failed; Parts say how
}

// Text joins the text parts.
func (r Result) Text() string { return llm.ToolResult{Parts: r.Parts}.Text() }

// Text returns a result of one text part.
func Text(s string) Result { return Result{Parts: []llm.Part{llm.Text(s)}} }

// A Tool is a named function with a schema and an effect. Make one with [New]
// or [Raw].
type Tool struct {
	Spec    llm.ToolSpec
	Effect  Effect
	Kind    Kind
	IsFinal bool
	Timeout time.Duration // 0: the agent's default; negative: none

	err    error
	schema *llm.Schema
	keys   func(json.RawMessage) ([]string, error)
	run    func(context.Context, json.RawMessage) (Result, error)
}

// Err tells why the tool cannot be used: its type has no JSON Schema, its name
// is not one that every provider takes, or it has no function. [New] and [Raw]
// do not fail themselves, so that a tool can be written where it is used; an
// agent refuses to open with such a tool.
func (t Tool) Err() error {
	if t.err == nil && t.run == nil {
		return errors.New("tool: the zero Tool has no function; make one with tool.New")
	}
	return t.err
}

var nameOK = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// Check validates the arguments of a call and returns them in the form that
// [Tool.Run] takes: none at all, or null, become {}, and bytes that are not UTF-8
// the replacement character. What nests deeper than [llm.MaxDepth] is refused. An
// error is worded for the model.
func (t Tool) Check(args json.RawMessage) (json.RawMessage, error) {
	if err := t.Err(); err != nil {
		return nil, err
	}
	switch {
	case isBlank(args):
		args = json.RawMessage("{}")
	case !utf8.Valid(args):
		args = bytes.ToValidUTF8(args, []byte("\uFFFD"))
	}
	if llm.Deeper(args, llm.MaxDepth) {
		return nil, fmt.Errorf("invalid arguments for %s: they nest deeper than %d levels", t.Spec.Name, llm.MaxDepth)
	}
	if err := t.schema.Validate(args); err != nil {
		return nil, fmt.Errorf("invalid arguments for %s: %w", t.Spec.Name, err)
	}
	return args, nil
}

// HasKey reports whether calls of the tool have permission keys: [WithKey] or
// [WithKeys] was given.
func (t Tool) HasKey() bool { return t.keys != nil }

// Key returns the canonical permission key of checked arguments, the first one
// if there are several: what the option [WithKey] computes, or "" without one.
func (t Tool) Key(args json.RawMessage) (string, error) {
	keys, err := t.Keys(args)
	if err != nil || len(keys) == 0 {
		return "", err
	}
	return keys[0], nil
}

// Keys returns all permission keys of checked arguments, at least one; nil for a
// tool without.
func (t Tool) Keys(args json.RawMessage) ([]string, error) {
	if t.keys == nil {
		return nil, nil
	}
	keys, err := t.keys(args)
	if err == nil && len(keys) == 0 {
		err = errors.New("there is none")
	}
	if err != nil {
		return nil, err
	}
	return keys, nil
}

// Run calls the function with arguments that [Tool.Check] has returned. It does
// not recover panics; an agent does.
func (t Tool) Run(ctx context.Context, args json.RawMessage) (Result, error) {
	if err := t.Err(); err != nil {
		return Result{}, err
	}
	return t.run(ctx, args)
}

func isBlank(data []byte) bool {
	data = bytes.TrimSpace(data)
	return len(data) == 0 || string(data) == "null"
}

package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/helios-go/helios/agent"
	"github.com/helios-go/helios/llm"
)

// An Event is what the model is asked for: its schema goes along with the request.
type Event struct {
	Kind string `json:"kind" enum:"flare,shock,storm"`
	Date string `json:"date" jsonschema:"the day it began, as 2015-03-17"`
}

// A Line is what is printed for a file.
type Line struct {
	File  string     `json:"file"`
	Event *Event     `json:"event,omitempty"`
	Error string     `json:"error,omitempty"` // the model found no event
	Cost  llm.Micros `json:"cost_micros"`

	err error // there is no line, so that the file can be read another time
}

func read(ctx context.Context, a agent.Agent, file string) Line {
	text, err := os.ReadFile(file)
	if err != nil {
		return Line{err: err}
	}
	event, res, err := agent.RunAs[Event](ctx, a, string(text), nil)
	line := Line{File: filepath.Base(file), Cost: res.Cost}
	if unfit, ok := errors.AsType[*llm.OutputError](err); ok {
		line.Error = unfit.Error()
	} else if err != nil {
		line.err = err
	} else {
		line.Event = &event
	}
	return line
}

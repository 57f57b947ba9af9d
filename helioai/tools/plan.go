package tools

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/helios-go/helios/tool"
)

const maxSteps = 30

type planInput struct {
	Title string `json:"title" jsonschema:"what the plan is for, in a few words"`
	Steps []Step `json:"steps" jsonschema:"the steps in order"`
}

func presentPlan() tool.Tool {
	return tool.New("present_plan", "Show the user the plan of a longer piece of work, once, and go on without waiting.",
		func(_ context.Context, in planInput) (tool.Result, error) {
			switch {
			case strings.TrimSpace(in.Title) == "":
				return tool.Result{}, errors.New("title is empty")
			case len(in.Steps) == 0:
				return tool.Result{}, errors.New("steps is empty; say at least one")
			case len(in.Steps) > maxSteps:
				return tool.Result{}, fmt.Errorf("a plan of %d steps; sum it up in at most %d", len(in.Steps), maxSteps)
			}
			plan := &Plan{Title: in.Title, Steps: in.Steps}
			return reply(map[string]any{"status": "presented", "title": in.Title, "steps": in.Steps}, &Data{Tool: "present_plan", Plan: plan})
		}, tool.WithEffect(tool.ReadOnly), tool.WithKind(tool.KindControl))
}

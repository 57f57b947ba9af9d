package preset

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/helios-go/helios/agent"
	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/tool/code"
)

// predict has a sub-agent answer, so that each call is a session in the log with a
// link to the run, and the run pays for it.
func predict(sub agent.Agent, calls int) *code.Predict {
	if sub.Name == "" {
		sub.Name = "predict"
	}
	ask := func(ctx context.Context, instructions, input string) (string, llm.Usage, error) {
		var used llm.Usage
		a := sub
		a.Instructions = paragraphs(sub.Instructions, instructions)
		a.Hooks = append(slices.Clip(a.Hooks), agent.Hook{
			Name: "usage",
			AfterModel: func(_ context.Context, _ agent.Moment, resp *llm.Response) (agent.ModelVerdict, error) {
				used = used.Add(resp.Usage)
				return agent.ModelVerdict{}, nil
			},
		})
		task, err := json.Marshal(map[string]string{"task": input})
		if err != nil {
			return "", used, fmt.Errorf("ask the sub-model: %w", err)
		}
		res, err := a.Tool(sub.Name, "Answers predict").Run(ctx, task)
		return res.Text(), used, err
	}
	return &code.Predict{Ask: ask, MaxCalls: calls}
}

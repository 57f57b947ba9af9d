package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/helios-go/helios/agent"
	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/llm/llmtest"
	"github.com/helios-go/helios/tool"
)

// work goes on with the sessions that were answered, and shows the rest again.
func work(ctx context.Context, store agent.Store) error {
	report, err := agent.ResumeAll(ctx, store, func(agent.SessionInfo) (agent.Agent, *agent.OpenOptions, bool) {
		return deployer(), &agent.OpenOptions{Approver: agent.Later}, true
	}, nil)
	for _, res := range report.Results {
		show(res)
	}
	for session, why := range report.Failed {
		err = errors.Join(err, fmt.Errorf("session %s: %w", session, why))
	}
	return err
}

// deployer may not do what its one tool does unless it is allowed to.
func deployer() agent.Agent {
	deploy := tool.New("deploy", "Put a version online", func(_ context.Context, in struct{ Version string }) (string, error) {
		fmt.Println("deploying", in.Version)
		return in.Version + " is online", nil
	}, tool.WithEffect(tool.Mutating))
	return agent.Agent{
		Model: model(), Tools: []tool.Tool{deploy},
		Limits: agent.Limits{Answer: 7 * 24 * time.Hour}, // after a week the answer is no
	}
}

// model is a stand-in that deploys once and says how that went. Any llm.Model
// stands here.
func model() llm.Model {
	return llmtest.Func(func(req *llm.Request) llmtest.Turn {
		last := req.Messages[len(req.Messages)-1]
		if last.Role == llm.RoleTool {
			return llmtest.Text("The outcome: " + last.Parts[0].Result.Text())
		}
		return llmtest.Text("Let me put it online.").And("deploy", `{"Version":"1.2"}`)
	})
}

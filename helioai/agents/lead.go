// Package agents holds HelioAI's agents: plain [agent.Agent] values over the
// tools of helioai/tools. There is one loop, the framework's.
//
//	env := &tools.Env{Dir: dir, Archive: archive, Ledger: ledger, Sandbox: box}
//	lead := agents.Lead(model, tools.All(env))
//	session, err := lead.Open(ctx, &agent.OpenOptions{Store: store, SessionID: id})
package agents

import (
	_ "embed"

	"github.com/helios-go/helios/agent"
	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/tool"
)

//go:embed lead.md
var leadInstructions string

// leadTurns is how many model calls one question may take. A whole answer over
// several parameters needs a search, a few downloads, an analysis or two and
// the closing call.
const leadTurns = 16

// Lead returns the agent that talks to the scientist. It may run every tool it
// is given without asking: what runs code runs it in the sandbox, and what
// writes writes into the session's own workspace.
func Lead(model llm.Model, tools []tool.Tool) agent.Agent {
	return agent.Agent{
		Name:         "lead",
		Instructions: leadInstructions,
		Model:        model,
		Tools:        tools,
		Policy:       agent.AllowAll(),
		Limits:       agent.Limits{Turns: leadTurns},
	}
}

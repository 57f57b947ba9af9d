// Package agents holds HelioAI's agents: plain [agent.Agent] values over the
// tools of helioai/tools. There is one loop, the framework's.
//
//	env := &tools.Env{Dir: dir, Archive: archive, Ledger: ledger, Sandbox: box}
//	lead := agents.Lead(model, tools.All(env))
//	session, err := lead.Open(ctx, &agent.OpenOptions{Store: store, SessionID: id})
package agents

import (
	_ "embed"
	"time"

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

// leadIdle is how long the lead's model may be silent: one that thinks and does not
// show it says nothing for minutes.
const leadIdle = 5 * time.Minute

// RoleLead is the role of the agent that [Lead] returns.
const RoleLead = "lead"

// Roles are the agents that may each ask a model of their own.
func Roles() []string { return []string{RoleLead} }

// Lead returns the agent that talks to the scientist. It may run every tool it
// is given without asking: what runs code runs it in the sandbox, and what
// writes writes into the session's own workspace.
func Lead(model llm.Model, tools []tool.Tool) agent.Agent {
	return agent.Agent{
		Name:         RoleLead,
		Instructions: leadInstructions,
		Model:        model,
		Tools:        tools,
		Policy:       agent.AllowAll(),
		Limits:       agent.Limits{Turns: leadTurns, Idle: leadIdle},
	}
}

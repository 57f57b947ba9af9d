package agent_test

import (
	"testing"

	"github.com/helios-go/helios/agent"
	"github.com/helios-go/helios/agent/agenttest"
)

func TestMemoryStore(t *testing.T) {
	t.Parallel()
	agenttest.TestStore(t, func(*testing.T) agent.Store { return agent.NewMemoryStore() })
}

package preset_test

import (
	"testing"
	"time"

	"github.com/helios-go/helios/agent"
	"github.com/helios-go/helios/llm/llmtest"
	"github.com/helios-go/helios/preset"
	"github.com/helios-go/helios/sandbox/repl"
)

// A cell that submits ends the run, whatever becomes of the rest of it.
func TestASubmissionEndsTheRunOfACellThatFails(t *testing.T) {
	t.Parallel()
	inEach(t, func(t *testing.T, rt repl.Runtime) {
		cells := []string{"submit({min: -1, n: 1}); nothing.at.all", "submit({min: -1, n: 1}); for (;;);"}
		if rt.Name() == "python" {
			cells = []string{"submit({'min': -1, 'n': 1}); nothing.at.all", "submit({'min': -1, 'n': 1})\nwhile True: pass"}
		}
		for _, text := range cells {
			model := llmtest.New(llmtest.Call("Execute", cell(text)))
			c := preset.CodeAct[readings, extreme]{Agent: agent.Agent{Model: model}, Task: "Go.", Sub: &agent.Agent{Model: llmtest.New()}, Runtime: rt}
			c.Code.Timeout = 300 * time.Millisecond
			if got, _, err := c.Run(t.Context(), day); err != nil || got != (extreme{-1, 1}) {
				t.Errorf("%s: got %+v, %v", text, got, err)
			}
		}
	})
}

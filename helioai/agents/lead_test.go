package agents_test

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"slices"
	"testing"

	"github.com/helios-go/helios/helioai/agents"
	"github.com/helios-go/helios/helioai/demo"
	"github.com/helios-go/helios/helioai/offline"
	"github.com/helios-go/helios/helioai/tools"
	"github.com/helios-go/helios/llm/llmtest"
	"github.com/helios-go/helios/sandbox"
)

// What the instructions tell the model to call is there.
func TestInstructionsNameOnlyToolsThatExist(t *testing.T) {
	t.Parallel()
	env := &tools.Env{Dir: t.TempDir(), Sandbox: new(sandbox.Sandbox)}
	lead := agents.Lead(llmtest.New(), tools.All(env))
	var offered []string
	for _, tl := range lead.Tools {
		offered = append(offered, tl.Spec.Name)
	}
	named := regexp.MustCompile("`([a-z]+(?:_[a-z]+)+)`").FindAllStringSubmatch(lead.Instructions, -1)
	if len(named) < 6 {
		t.Fatalf("only %d tools in the instructions", len(named))
	}
	inResults := []string{"coverage_note"} // a member of get_timeseries's result
	for _, m := range named {
		if !slices.Contains(offered, m[1]) && !slices.Contains(inResults, m[1]) {
			t.Errorf("the instructions name %s, which is no tool", m[1])
		}
	}
}

func TestALeadThatOnlyCallsToolsIsStopped(t *testing.T) {
	t.Parallel()
	turns := make([]llmtest.Turn, 100)
	for i := range turns {
		turns[i] = llmtest.Call("list_recipes", `{}`)
	}
	lead := agents.Lead(llmtest.New(turns...), tools.All(&tools.Env{Dir: t.TempDir()}))
	result, err := lead.Run(t.Context(), "go on for ever")
	if err == nil || result == nil || result.Turns > 16 {
		t.Errorf("result %+v, error %v; want it stopped after 16 turns", result, err)
	}
}

func ExampleLead() {
	dir, err := os.MkdirTemp("", "session-*")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = os.RemoveAll(dir) }()
	data, err := demo.Archive()
	if err != nil {
		fmt.Println(err)
		return
	}
	lead := agents.Lead(offline.New(data), tools.All(&tools.Env{Dir: dir, Archive: data}))
	result, err := lead.Run(context.Background(), "Alfven speed for 5 nT and 5 cm^-3")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(result.Text)
	// Output: The Alfven speed is 48.773 km/s for B = 5 nT, n = 5 cm^-3. Convention: mass density n m_p: protons only. Answered by the offline planner, a fixed grammar without a language model.
}

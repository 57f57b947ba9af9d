package offline_test

import (
	"context"
	"fmt"

	"github.com/helios-go/helios/helioai/demo"
	"github.com/helios-go/helios/helioai/offline"
	"github.com/helios-go/helios/llm"
)

// Asked a question, the planner calls a data tool like any model.
func ExampleNew() {
	arch, err := demo.Archive()
	if err != nil {
		fmt.Println(err)
		return
	}
	model := offline.New(arch)
	resp, err := llm.Generate(context.Background(), model, &llm.Request{
		Messages: []llm.Message{llm.User("What was the lowest Bz in GSM between 06:00 and 12:00?")},
		Tools:    []llm.ToolSpec{{Name: "get_timeseries"}, {Name: "run_python"}, {Name: "final_answer"}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, call := range resp.Message.Calls() {
		fmt.Println(call.Name, string(call.Args))
	}
	// Output:
	// get_timeseries {"param_id":"local/demo_mfi_20230615_v01/BGSM","start":"2023-06-15T06:00:00Z","stop":"2023-06-15T12:00:00Z"}
}

// A question that the grammar cannot follow is refused, not guessed at.
func ExampleNew_refusal() {
	arch, err := demo.Archive()
	if err != nil {
		fmt.Println(err)
		return
	}
	resp, err := llm.Generate(context.Background(), offline.New(arch), &llm.Request{
		Messages: []llm.Message{llm.User("Does the density correlate with the field?")},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(resp.Text())
	// Output:
	// The offline planner does not follow this question: "correlate" asks for a relation between quantities, which it cannot do. This needs a language model; helioai models lists those that can be asked from here. Answered by the offline planner, a fixed grammar without a language model.
}

// Command team has a lead give work to two sub-agents, shows what each is doing
// while they work side by side, and what all of them together have used.
//
//	go run ./examples/team
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"

	"github.com/helios-go/helios/agent"
	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/tool"
)

func main() {
	if err := run(context.Background(), os.Stdout); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, out io.Writer) error {
	search := tool.New("search", "Search the archive", func(_ context.Context, in struct{ Words string }) (string, error) {
		return "three pages about " + in.Words, nil
	}, tool.WithEffect(tool.ReadOnly))
	model := model()
	prices := llm.Prices{model.Name(): {Input: 3 * llm.Dollar, Output: 15 * llm.Dollar}}
	helper := agent.Agent{Model: model, Prices: prices, Tools: []tool.Tool{search}}
	historian, physicist := helper, helper
	historian.Name, physicist.Name = "historian", "physicist"
	lead := agent.Agent{Name: "lead", Model: model, Prices: prices, Tools: []tool.Tool{
		historian.Tool("historian", "Knows what people saw and wrote"),
		physicist.Tool("physicist", "Knows what instruments measured"),
	}}
	lead.Hooks = []agent.Hook{{Name: "show", Event: func(_ context.Context, _ agent.Moment, e agent.Event) {
		show(out, lead.Name, e)
	}}}
	res, err := lead.Run(ctx, "What was the storm of 1859?")
	fmt.Fprintf(out, "%s\n%d tokens, %s\n", res.Text, res.Usage.Total(), res.Cost)
	return err
}

// show prints what an agent does, and what those do that work for it.
func show(out io.Writer, name string, e agent.Event) {
	switch d := e.Data.(type) {
	case *agent.ChildEvent:
		show(out, d.Agent, d.Event)
	case *agent.ToolStarted:
		fmt.Fprintf(out, "%s: %s %s\n", name, d.Call.Name, d.Call.Args)
	case *agent.RunEnded:
		fmt.Fprintf(out, "%s: %s, %s\n", name, d.Result.Stop, d.Result.Cost)
	}
}

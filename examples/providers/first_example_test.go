package main

import (
	"context"
	"fmt"

	"github.com/helios-go/helios/agent"
	"github.com/helios-go/helios/provider/anthropic"
	"github.com/helios-go/helios/tool"
)

// The first program with a real model. It needs a key, so it is compiled and not run.
func Example() { //nolint:testableexamples // it needs a key
	ctx := context.Background()
	weather := tool.New("weather", "Weather in a city now", func(_ context.Context, in struct{ City string }) (string, error) {
		return "22 C in " + in.City, nil
	}, tool.WithEffect(tool.ReadOnly))
	a := agent.Agent{Model: anthropic.New("claude-sonnet-5", nil), Tools: []tool.Tool{weather}}
	res, err := a.Run(ctx, "Is it warm in Toulouse?")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(res.Text, res.Cost)
}

package js_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/helios-go/helios/sandbox/js"
	"github.com/helios-go/helios/sandbox/repl"
)

// The program's main begins with sandbox.Init(js.Worker).
func Example() {
	ctx := context.Background()
	runtime, err := js.New(ctx, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	kernel, err := runtime.Start(ctx, &repl.Config{
		Inputs:    map[string]json.RawMessage{"orders": json.RawMessage(`[{"id": 1, "n": 2}, {"id": 2, "n": 5}]`)},
		Functions: []repl.Function{{Name: "price", Params: []string{"id"}}},
		Call: func(_ context.Context, _ string, args json.RawMessage) (json.RawMessage, error) {
			var in struct{ ID int }
			if err := json.Unmarshal(args, &in); err != nil {
				return nil, err
			}
			return json.Marshal(in.ID * 10)
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer kernel.Close()
	for _, code := range []string{
		"const total = sum(orders, o => o.n * price(o.id))",
		"({total, mean: total / orders.length})",
		"orders[2].n",
	} {
		out, err := kernel.Execute(ctx, repl.Cell{Code: code})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Print(out.Stdout, out.Stderr)
	}
	// Output:
	// { total: 120, mean: 60 }
	// Uncaught TypeError: Cannot read property 'n' of undefined
	//   cell 3, line 1: orders[2].n
}

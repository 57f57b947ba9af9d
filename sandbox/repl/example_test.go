package repl_test

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/helios-go/helios/sandbox/repl"
	"github.com/helios-go/helios/sandbox/repl/repltest"
)

// A kernel keeps variables from cell to cell. The runtime here is the one for
// tests; those of packages js and py are used in the same way.
func Example() {
	ctx := context.Background()
	runtime := &repltest.Runtime{}
	kernel, err := runtime.Start(ctx, &repl.Config{
		Inputs:    map[string]json.RawMessage{"limit": json.RawMessage("3")},
		Functions: []repl.Function{{Name: "lookup", Params: []string{"id"}}},
		Call: func(_ context.Context, name string, args json.RawMessage) (json.RawMessage, error) {
			return json.RawMessage(`"order ` + name + `"`), nil
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer kernel.Close()

	for _, code := range []string{"set seen 1", "show seen\nshow limit", `call lookup {"id": 7}`} {
		out, err := kernel.Execute(ctx, repl.Cell{Code: code})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Print(out.Stdout)
	}
	// Output:
	// 1
	// 3
	// "order lookup"
}

// A cell that runs too long is interrupted, and its kernel lives on.
func ExampleKernel_Execute_timeout() {
	kernel, err := (&repltest.Runtime{}).Start(context.Background(), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer kernel.Close()
	out, err := kernel.Execute(context.Background(), repl.Cell{Code: "set x 1\nloop", Timeout: 20 * time.Millisecond})
	fmt.Println(out.TimedOut, out.Dead, out.ExitCode, err)
	out, err = kernel.Execute(context.Background(), repl.Cell{Code: "show x"})
	fmt.Print(out.Stdout, err, "\n")
	// Output:
	// true false 1 <nil>
	// 1
	// <nil>
}

package py_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/helios-go/helios/sandbox"
	"github.com/helios-go/helios/sandbox/py"
	"github.com/helios-go/helios/sandbox/repl"
)

// The program's main begins with sandbox.Init().
func Example() {
	ctx := context.Background()
	box, err := sandbox.Open(ctx, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	kernel, err := py.New(box, nil).Start(ctx, &repl.Config{
		Functions: []repl.Function{{Name: "lookup", Params: []string{"id"}}},
		Call: func(_ context.Context, _ string, args json.RawMessage) (json.RawMessage, error) {
			var in struct{ ID int }
			if err := json.Unmarshal(args, &in); err != nil || in.ID > 2 {
				return nil, errors.New("no such row")
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
		"rows = [lookup(i) for i in range(3)]",
		"sum(rows)",
		"try:\n    lookup(7)\nexcept HostError as e:\n    print('caught:', e)",
	} {
		out, err := kernel.Execute(ctx, repl.Cell{Code: code})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Print(out.Stdout, out.Stderr)
	}
	// Output:
	// 30
	// caught: no such row
}

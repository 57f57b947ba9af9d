package prompt_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/helios-go/helios/prompt"
)

// What a registry has not, and what it refuses.
func ExampleUnknownError() {
	ctx := context.Background()
	var prompts prompt.Memory
	if _, err := prompts.Draft(ctx, "guide", "You guide {who}."); err != nil {
		fmt.Println(err)
	}
	_, err := prompts.Resolve(ctx, "guide")
	unknown, ok := errors.AsType[*prompt.UnknownError](err)
	fmt.Println(ok, unknown.Active)
	fmt.Println(err)
	_, err = prompts.Activate(ctx, "guide", 7)
	fmt.Println(err)
	fmt.Println(prompt.Check(" ", "text"))
	// Output:
	// true true
	// prompt "guide" has no active version: register one, or activate a draft
	// prompt "guide" has no version 7
	// register prompt: it has no name
}

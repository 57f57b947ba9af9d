package prompt_test

import (
	"context"
	"fmt"

	"github.com/helios-go/helios/agent"
	"github.com/helios-go/helios/llm/llmtest"
	"github.com/helios-go/helios/prompt"
)

// A new version turns out to be worse, and is rolled back.
func Example() {
	ctx := context.Background()
	var prompts prompt.Memory
	prompts.Register(ctx, "guide", "You guide {who} through {city}.")
	prompts.Register(ctx, "guide", "Show {who} around.")
	prompts.Activate(ctx, "guide", 1)

	p, err := prompts.Resolve(ctx, "guide")
	if err != nil {
		fmt.Println(err)
		return
	}
	text, err := p.RenderStrict(map[string]string{"who": "Ada", "city": "Toulouse"})
	fmt.Println(text, p.Version, err)
	a := agent.Agent{Name: p.Name, Instructions: text, Model: llmtest.New(llmtest.Text("Welcome, Ada."))}
	res, err := a.Run(ctx, "Where do we begin?")
	fmt.Println(res.Text, err)
	// Output:
	// You guide Ada through Toulouse. 1 <nil>
	// Welcome, Ada. <nil>
}

// A draft can be tried by its number while everybody else gets the active
// version.
func ExampleRegistry() {
	ctx := context.Background()
	var prompts prompt.Registry = new(prompt.Memory)
	prompts.Register(ctx, "tone", "Be brief.")
	draft, _ := prompts.Draft(ctx, "tone", "Be brief and kind.")
	active, _ := prompts.Resolve(ctx, "tone")
	fmt.Println(active.Content, draft.Content)

	prompts.Activate(ctx, "tone", draft.Version)
	all, _ := prompts.Versions(ctx, "tone")
	for _, p := range all {
		fmt.Println(p.Version, p.Active, p.Content)
	}
	// Output:
	// Be brief. Be brief and kind.
	// 1 false Be brief.
	// 2 true Be brief and kind.
}

// Values are text: braces in them are no variables.
func ExamplePrompt_Render() {
	p := prompt.Prompt{Content: "{who} asks: {question} ({a-b} is no variable)"}
	fmt.Println(p.Variables())
	fmt.Println(p.Render(map[string]string{"who": "Ada", "question": "what does {who} mean?"}))
	// Output:
	// [who question]
	// Ada asks: what does {who} mean? ({a-b} is no variable)
}

// What has no value stays, and the strict way says so.
func ExamplePrompt_RenderStrict() {
	p := prompt.Prompt{Name: "letter", Version: 1, Content: "Dear {name}, {greeting}"}
	fmt.Println(p.Render(map[string]string{"name": "Ada"}))
	_, err := p.RenderStrict(map[string]string{"name": "Ada"})
	fmt.Println(err)
	// Output:
	// Dear Ada, {greeting}
	// render prompt "letter", version 1: no value for greeting
}

package models_test

import (
	"context"
	"fmt"

	"github.com/helios-go/helios/helioai/models"
)

func ExampleConfig_Choose() {
	c := &models.Config{Env: func(name string) string {
		return map[string]string{"HELIOAI_PROVIDER": "anthropic"}[name]
	}}
	choice, err := c.Choose("lead", &models.Wish{Model: "claude-opus-5-5"})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(choice)
	_, err = c.Open(context.Background(), choice)
	fmt.Println(err)
	// Output:
	// anthropic/claude-opus-5-5
	// Anthropic has no key; set ANTHROPIC_API_KEY, or choose another provider (helioai models lists them)
}

package models

import (
	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/provider"
	"github.com/helios-go/helios/provider/anthropic"
)

// native are the providers that have a wire of their own.
var native = []Provider{
	{
		Name: "anthropic", Title: "Anthropic", Model: "claude-sonnet-5-5",
		Keys: []string{"ANTHROPIC_API_KEY"}, URLs: []string{"ANTHROPIC_BASE_URL"}, Home: "https://api.anthropic.com",
		catalogue: pointer(anthropic.Models),
		open: func(a *access, model string) llm.Model {
			return anthropic.New(model, &anthropic.Options{Key: a.key, BaseURL: a.base, HTTP: a.c.HTTP})
		},
	},
}

func pointer(models func() provider.Catalogue) func() *provider.Catalogue {
	return func() *provider.Catalogue {
		c := models()
		return &c
	}
}

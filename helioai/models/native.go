package models

import (
	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/provider"
	"github.com/helios-go/helios/provider/anthropic"
	"github.com/helios-go/helios/provider/gemini"
	"github.com/helios-go/helios/provider/openai"
)

// native are the providers that have a wire of their own.
var native = []Provider{
	{
		Name: "anthropic", Title: "Anthropic", Model: "claude-sonnet-5-5",
		Keys: []string{"ANTHROPIC_API_KEY"}, URLs: []string{"ANTHROPIC_BASE_URL"}, Home: "https://api.anthropic.com",
		catalogue: pointer(anthropic.Models),
		open: func(a *access, model string) llm.Model {
			return anthropic.New(model, &anthropic.Options{Key: a.key, BaseURL: a.base, HTTP: a.c.HTTP, IdleTimeout: silence})
		},
	},
	{
		Name: "openai", Title: "OpenAI", Model: "gpt-6.1-sol",
		Keys: []string{openAIKey}, URLs: []string{openAIURL}, Home: "https://api.openai.com/v1",
		catalogue: pointer(openai.Models),
		open: func(a *access, model string) llm.Model {
			return openai.New(model, &openai.Options{Key: a.key, BaseURL: a.base, HTTP: a.c.HTTP, IdleTimeout: silence})
		},
	},
	{
		Name: "gemini", Title: "Google Gemini", Model: "gemini-3.8-flash",
		Keys: []string{"GEMINI_API_KEY", "GOOGLE_API_KEY"}, URLs: []string{"GEMINI_BASE_URL"}, Home: "https://generativelanguage.googleapis.com/v1beta",
		catalogue: pointer(gemini.Models),
		open: func(a *access, model string) llm.Model {
			return gemini.New(model, &gemini.Options{Key: a.key, BaseURL: a.base, HTTP: a.c.HTTP, IdleTimeout: silence})
		},
	},
}

func pointer(models func() provider.Catalogue) func() *provider.Catalogue {
	return func() *provider.Catalogue {
		c := models()
		return &c
	}
}

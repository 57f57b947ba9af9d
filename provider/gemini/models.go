package gemini

import (
	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/provider"
)

// Models are the models that this package knows. A model that is not among them
// works all the same.
func Models() provider.Catalogue {
	return provider.Catalogue{AsOf: "2026-11-24", Source: "ai.google.dev/gemini-api/docs/models", Models: models}
}

var models = []provider.Info{
	model("gemini-4-argon"),
	model("gemini-3.8-flash"),
	model("gemini-3.7-flash"),
	model("gemini-3.6-flash"),
	model("gemini-3.5-flash"),
	model("gemini-3.5-flash-lite"),
	model("gemini-3.1-pro-preview"),
	model("gemini-3.1-flash-lite"),
	model("gemini-3-flash-preview"),
	model("gemini-2.5-pro"),
	model("gemini-2.5-flash"),
	model("gemini-2.5-flash-lite"),
}

// model is what the text models have in common.
func model(id string, prices ...provider.Tier) provider.Info {
	return provider.Info{
		ID: id, Size: llm.Size{Context: 1_048_576, MaxOutput: 65_536}, Prices: prices,
		Tools: true, Vision: true, Thinking: true, Output: true,
	}
}

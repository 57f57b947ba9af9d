package gemini

import (
	"strings"

	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/provider"
)

// Models are the models that this package knows. A model that is not among them
// works all the same.
func Models() provider.Catalogue {
	return provider.Catalogue{AsOf: "2026-12-01", Source: "ai.google.dev/gemini-api/docs/pricing", Models: models}
}

// The prices are those of the paid tier, in dollars for a million tokens. Writing to
// the cache, which the server does by itself, has no price of its own.
var models = []provider.Info{
	known("gemini-4-neon", price(3, .15, 15)),
	known("gemini-4-carbon", price(4, .20, 20)),
	known("gemini-4-argon", price(4, .20, 20)),
	known("gemini-4-hydrogen", price(1.50, .075, 7.50)),
	known("gemini-3.8-flash", price(.75, .075, 3.75)), // twice that from 2027-01-01
	known("gemini-3.7-flash", price(.75, .075, 3.75)),
	known("gemini-3.6-flash", price(.75, .075, 3.75)),
	known("gemini-3.5-flash", price(1.50, .15, 9)),
	known("gemini-3.5-flash-lite", price(.30, .03, 2.50)),
	known("gemini-3.1-pro-preview", price(2, .20, 12), long(price(4, .40, 18))),
	known("gemini-3.1-flash-lite", price(.25, .025, 1.50)),
	known("gemini-3-flash-preview", price(.50, .05, 3)),
	known("gemini-2.5-pro", price(1.25, .125, 10), long(price(2.50, .25, 15))),
	known("gemini-2.5-flash", price(.30, .03, 2.50)),
	known("gemini-2.5-flash-lite", price(.10, .01, .40)),
}

// known is a model, with what all of them have in common.
func known(id string, prices ...provider.Tier) provider.Info {
	return provider.Info{
		ID: id, Size: llm.Size{Context: 1_048_576, MaxOutput: 65_536}, Prices: prices,
		Tools: true, Vision: true, Thinking: true, Output: true,
	}
}

// price is what a million tokens cost, in dollars of at most six decimals.
func price(input, cached, output float64) provider.Tier {
	micros := func(dollars float64) llm.Micros { return llm.Micros(dollars*1e6 + .5) }
	return provider.Tier{Price: llm.Price{Input: micros(input), CacheRead: micros(cached), Output: micros(output)}}
}

// long is a price for prompts of more than 200,000 tokens.
func long(t provider.Tier) provider.Tier {
	t.Above = 200_000
	return t
}

// leastThinking is the lowest level of thinking that a model has.
func leastThinking(id string) string {
	for _, family := range []string{"gemini-4-", "gemini-3.8-flash", "gemini-3.1-pro"} {
		if strings.HasPrefix(id, family) {
			return "low"
		}
	}
	return "minimal"
}

// Package provider is what is known of the models that providers offer: how much
// they take, what they can do, and what they cost. The providers themselves are the
// packages below it:
//
//	anthropic  the Messages API
//	openai     the Responses API
//	gemini     the Interactions API, and files
//	compat     chat completions as Groq, Ollama, Azure, OpenRouter, vLLM, llama.cpp,
//	           DeepSeek, Mistral and others speak them
//
// Each has its own [Catalogue], which a program may print or replace. A model that
// is in none works all the same: its price is unknown then, and that is not the
// same as free.
package provider

import (
	"slices"
	"strings"

	"github.com/helios-go/helios/llm"
)

// A Catalogue is what one provider offers, as published at a certain date. It is
// read only once made, and then safe for concurrent use.
type Catalogue struct {
	AsOf   string // the date of the prices, as in "2026-11-24"
	Source string // where they were published
	Models []Info
}

// An Info is what is known of one model. Zero means unknown throughout.
type Info struct {
	ID       string   // as the provider wants it in a request
	Size     llm.Size // in tokens
	Prices   []Tier   // by rising Above; none: the price is unknown
	Tools    bool     // calls tools
	Vision   bool     // reads images
	Thinking bool     // can be told how much to think
	Output   bool     // holds to a JSON Schema by itself
}

// A Tier is what tokens cost in a request whose prompt is longer than Above
// tokens, up to the next tier. The whole request is then paid at these rates.
type Tier struct {
	Above int64
	llm.Price
}

// Find returns what is known of a model. A dated id, such as
// claude-sonnet-4-6-20251114, is of the family whose id it begins with.
func (c *Catalogue) Find(id string) (Info, bool) {
	best := -1
	for i := range c.Models {
		switch known := c.Models[i].ID; {
		case known == id:
			return c.Models[i], true
		case dated(id, known) && (best < 0 || len(known) > len(c.Models[best].ID)):
			best = i
		}
	}
	if best < 0 {
		return Info{}, false
	}
	return c.Models[best], true
}

// dated reports whether an id is a family's with a date behind it: of eight
// digits, or of digits and dashes as in 2026-04-14.
func dated(id, family string) bool {
	rest, ok := strings.CutPrefix(id, family+"-")
	if !ok {
		return false
	}
	digits := strings.ReplaceAll(rest, "-", "")
	return len(digits) == 8 && strings.Trim(digits, "0123456789") == ""
}

// IDs are the ids of all models, sorted.
func (c *Catalogue) IDs() []string {
	ids := make([]string, len(c.Models))
	for i := range c.Models {
		ids[i] = c.Models[i].ID
	}
	slices.Sort(ids)
	return ids
}

// Prices are the lowest tier's prices of all models whose price is known, under
// the names that the models have: the provider's, a slash, and the id.
func (c *Catalogue) Prices(provider string) llm.Prices {
	prices := llm.Prices{}
	for i := range c.Models {
		if tiers := c.Models[i].Prices; len(tiers) > 0 {
			prices[provider+"/"+c.Models[i].ID] = tiers[0].Price
		}
	}
	return prices
}

// Cost is what one request costs, by the tier of its prompt, and whether that is
// known.
func (i *Info) Cost(u llm.Usage) (cost llm.Micros, known bool) {
	if len(i.Prices) == 0 {
		return 0, false
	}
	prompt := llm.Usage{Input: u.Input, CacheRead: u.CacheRead, CacheWrite: u.CacheWrite}.Total()
	tier := i.Prices[0]
	for _, t := range i.Prices[1:] {
		if prompt > t.Above {
			tier = t
		}
	}
	return tier.Cost(u), true
}

package anthropic

import (
	"strings"

	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/provider"
)

// Models is what Anthropic offers, with its list prices. Tokens written to the cache
// are at the rate for five minutes; an hour costs twice the input instead of 1.25
// times, see [Model.Cost].
func Models() provider.Catalogue { return catalogue }

var catalogue = provider.Catalogue{
	AsOf:   "2026-12-01",
	Source: "platform.claude.com/docs/en/about-claude/pricing",
	Models: []provider.Info{
		known("claude-fable-5-2", price(8, 40, 0.20)),
		known("claude-fable-5-1", price(10, 50, 0.25)),
		known("claude-fable-5", price(10, 50, 1)),
		known("claude-opus-5-5", price(4, 20, 0.20)),
		known("claude-opus-5", price(5, 25, 0.50)),
		known("claude-opus-4-8", price(5, 25, 0.50)),
		known("claude-opus-4-7", price(5, 25, 0.50)),
		known("claude-opus-4-6", price(5, 25, 0.50)),
		small("claude-opus-4-5", price(5, 25, 0.50)),
		known("claude-sonnet-5-5", price(2, 10, 0.10)),
		known("claude-sonnet-5", price(2, 10, 0.20)),
		known("claude-sonnet-4-6", price(3, 15, 0.30)),
		small("claude-sonnet-4-5", price(3, 15, 0.30)),
		known("claude-haiku-5-5", price(0.10, 0.50, 0.01), above(100_000, price(0.50, 2.50, 0.05))),
		small("claude-haiku-4-5", price(1, 5, 0.10)),
		known("claude-mythos-5-2"), // for the few who have access, at prices that are not published
		known("claude-mythos-5-1"),
		known("claude-mythos-5"),
	},
}

// known is a model that reads a million tokens and writes 128,000.
func known(id string, prices ...provider.Tier) provider.Info {
	return provider.Info{
		ID: id, Size: llm.Size{Context: 1_000_000, MaxOutput: 128_000}, Prices: prices,
		Tools: true, Vision: true, Thinking: true, Output: true,
	}
}

// small is a model that reads 200,000 tokens and writes 64,000.
func small(id string, prices ...provider.Tier) provider.Info {
	info := known(id, prices...)
	info.Size = llm.Size{Context: 200_000, MaxOutput: 64_000}
	return info
}

// price is what tokens cost in dollars per million. Those that are written to the
// cache for five minutes cost 1.25 times what others do.
func price(input, output, read float64) provider.Tier {
	return provider.Tier{Price: llm.Price{
		Input: dollars(input), Output: dollars(output), CacheRead: dollars(read), CacheWrite: dollars(input) * 5 / 4,
	}}
}

// above is a price for prompts that are longer than so many tokens.
func above(tokens int64, t provider.Tier) provider.Tier {
	t.Above = tokens
	return t
}

func dollars(d float64) llm.Micros { return llm.Micros(d*1e6 + 0.5) }

// hourly is a model whose cache lasts for an hour: writing costs twice the input.
func hourly(info provider.Info) provider.Info {
	prices := make([]provider.Tier, len(info.Prices))
	for i, tier := range info.Prices {
		tier.CacheWrite = 2 * tier.Input
		prices[i] = tier
	}
	info.Prices = prices
	return info
}

// A shape is how a model is told to think.
type shape struct {
	kind thinkingKind
	// shown models keep their thoughts back unless they are asked for a summary.
	shown bool
	// bound models take a thought back only behind what it was thought behind.
	bound bool
	// free models refuse to be forced to call a tool.
	free bool
	// output is how many tokens an answer may have unless the caller says.
	output int64
}

type thinkingKind uint8

const (
	adaptive   thinkingKind = iota // thinks when it is told how much
	adaptiveOn                     // thinks unless it is told not to
	between                        // cannot be told not to think between tool calls
	always                         // thinks whatever it is told
	budgeted                       // thinks up to a number of tokens
)

// shapeOf is the shape of a model or of its family. One that is not known is taken
// for the newest kind that can be told everything.
func shapeOf(id string) shape {
	family := id
	if info, ok := catalogue.Find(id); ok {
		family = info.ID
	}
	s := shape{kind: adaptive, output: 32_000}
	switch strings.TrimPrefix(family, "claude-") {
	case "opus-4-5", "opus-4-6":
		s.kind = budgeted
	case "sonnet-4-5", "sonnet-4-6", "haiku-4-5":
		s.kind, s.output = budgeted, 64_000
	case "opus-5":
		s.kind = adaptiveOn
	case "sonnet-5":
		s.kind, s.output = adaptiveOn, 64_000
	case "sonnet-5-5":
		s.kind, s.output, s.shown, s.bound, s.free = between, 64_000, true, true, true
	case "opus-5-5":
		s.kind, s.shown, s.bound, s.free = always, true, true, true
	case "fable-5", "mythos-5":
		s.kind, s.output = always, 64_000
	case "fable-5-1", "fable-5-2", "mythos-5-1", "mythos-5-2":
		s.kind, s.output, s.bound, s.free = always, 64_000, true, true
	case "haiku-5-5":
		s.kind, s.output, s.bound = adaptiveOn, 64_000, true
	}
	return s
}

func claude(id string) bool { return strings.HasPrefix(id, "claude") }

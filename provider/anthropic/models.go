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
	AsOf:   "2026-11-24",
	Source: "platform.claude.com/docs/en/about-claude/pricing",
	Models: []provider.Info{
		known("claude-fable-5-2", 64_000, 8, 40, 0.20),
		known("claude-fable-5-1", 64_000, 10, 50, 0.25),
		known("claude-fable-5", 64_000, 10, 50, 1),
		known("claude-opus-5-5", 128_000, 4, 20, 0.20),
		known("claude-opus-5", 128_000, 5, 25, 0.50),
		known("claude-opus-4-8", 128_000, 5, 25, 0.50),
		known("claude-opus-4-7", 128_000, 5, 25, 0.50),
		known("claude-opus-4-6", 128_000, 5, 25, 0.50),
		known("claude-opus-4-5", 128_000, 5, 25, 0.50),
		known("claude-sonnet-5-5", 128_000, 2, 10, 0.10),
		known("claude-sonnet-5", 128_000, 2, 10, 0.20),
		known("claude-sonnet-4-6", 128_000, 3, 15, 0.30),
		known("claude-sonnet-4-5", 128_000, 3, 15, 0.30),
		small("claude-haiku-4-5", 1, 5, 0.10),
		unpriced("claude-haiku-5-5"), // tiers that were not published when this was written
	},
}

// known is a model of a million tokens, with its prices in dollars per million.
func known(id string, maxOutput int64, input, output, read float64) provider.Info {
	return provider.Info{
		ID: id, Size: llm.Size{Context: 1_000_000, MaxOutput: maxOutput}, Prices: priced(input, output, read),
		Tools: true, Vision: true, Thinking: true, Output: true,
	}
}

func small(id string, input, output, read float64) provider.Info {
	info := known(id, 64_000, input, output, read)
	info.Size.Context = 200_000
	return info
}

func unpriced(id string) provider.Info {
	info := known(id, 64_000, 0, 0, 0)
	info.Prices = nil
	return info
}

func priced(input, output, read float64) []provider.Tier {
	return []provider.Tier{{Price: llm.Price{
		Input: dollars(input), Output: dollars(output), CacheRead: dollars(read), CacheWrite: dollars(input) * 5 / 4,
	}}}
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
		s.kind, s.output, s.shown, s.free = between, 64_000, true, true
	case "opus-5-5":
		s.kind, s.shown, s.free = always, true, true
	case "fable-5":
		s.kind, s.output = always, 64_000
	case "fable-5-1", "fable-5-2":
		s.kind, s.output, s.free = always, 64_000, true
	case "haiku-5-5":
		s.output = 64_000
	}
	return s
}

func claude(id string) bool { return strings.HasPrefix(id, "claude") }

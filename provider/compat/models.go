package compat

import (
	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/provider"
)

// Models is what is known of the models of a dialect, by its name. It is little on
// purpose: these servers have other models every week, most of them nobody's but
// their owner's, and a price that is wrong is worse than none. What is in no
// catalogue works too, and Options.Info says what is known of it.
func Models(dialect string) *provider.Catalogue {
	if c := catalogues[dialect]; c != nil {
		return c
	}
	return &provider.Catalogue{}
}

const (
	kilo   = int64(1) << 10
	mega   = int64(1) << 20
	tenths = llm.Dollar / 10
)

var catalogues = map[string]*provider.Catalogue{
	// The rates of the peak hours, 01:00 to 04:00 and 06:00 to 10:00 UTC from Monday to
	// Friday: at other times half as much is paid, so that a limit stops a run too
	// early and never too late.
	deepSeek.Name: {
		AsOf: "2026-11-01", Source: "https://api-docs.deepseek.com/quick_start/pricing",
		Models: []provider.Info{
			{
				ID: "deepseek-flash", Size: llm.Size{Context: mega, MaxOutput: 384 * kilo}, Tools: true, Vision: true, Thinking: true,
				Prices: []provider.Tier{{Price: llm.Price{Input: 3 * tenths, CacheRead: 6 * llm.Dollar / 1000, Output: 12 * tenths}}},
			},
			{
				ID: "deepseek-v4-pro", Size: llm.Size{Context: mega, MaxOutput: 384 * kilo}, Tools: true, Thinking: true,
				Prices: []provider.Tier{{Price: llm.Price{Input: 132 * llm.Cent, CacheRead: 44 * llm.Dollar / 1000, Output: 396 * llm.Cent}}},
			},
		},
	},
	groq.Name: {
		AsOf: "2026-11-01", Source: "https://console.groq.com/docs/models",
		Models: []provider.Info{{
			ID: "openai/gpt-oss-120b", Size: llm.Size{Context: 128 * kilo, MaxOutput: 64 * kilo}, Tools: true, Thinking: true,
			Prices: []provider.Tier{{Price: llm.Price{Input: 15 * llm.Cent, Output: 60 * llm.Cent}}},
		}},
	},
}

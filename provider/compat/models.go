package compat

import (
	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/provider"
)

// Models is what is known of the models of a dialect, by its name. It is little on
// purpose: these servers have other models every week, and most are nobody's but
// their owner's. What is in no catalogue works too: [List] asks the server, and
// Options.Info says what is known.
func Models(dialect string) *provider.Catalogue {
	if c := catalogues[dialect]; c != nil {
		return c
	}
	return &provider.Catalogue{}
}

// asOf is the date at which the prices were in force.
const asOf = "2026-12-01"

var catalogues = map[string]*provider.Catalogue{
	groq.Name: {AsOf: asOf, Source: "https://console.groq.com/docs/models", Models: []provider.Info{
		known("openai/gpt-oss-120b", 131_072, 65_536, thinks, 15, 7.5, 60),
		known("openai/gpt-oss-20b", 131_072, 65_536, thinks, 7.5, 3.75, 30),
		known("llama-3.3-70b-versatile", 131_072, 32_768, 0, 59, 0, 79),
		known("llama-3.1-8b-instant", 131_072, 131_072, 0, 5, 0, 8),
		known("qwen/qwen3.8-27b", 131_072, 16_384, sees|thinks, 80, 0, 400),
		known("qwen/qwen3.6-27b", 131_072, 16_384, sees|thinks, 60, 30, 300),
	}},
	// The rates of the peak hours, 01:00 to 04:00 and 06:00 to 10:00 UTC on working
	// days: at other times half as much is paid, so that a limit stops a run too
	// early and never too late.
	deepSeek.Name: {AsOf: asOf, Source: "https://api-docs.deepseek.com/quick_start/pricing", Models: []provider.Info{
		known("deepseek-flash", 1_000_000, 384_000, sees|thinks, 30, 0.6, 120),
		known("deepseek-v4-pro", 1_000_000, 384_000, thinks, 132, 4.4, 396),
		known("deepseek-v4-flash", 1_000_000, 384_000, sees|thinks, 30, 0.6, 120), // the old name of deepseek-flash
	}},
	mistral.Name: {AsOf: asOf, Source: "https://docs.mistral.ai/inference/pricing", Models: []provider.Info{
		known("mistral-large-4", 1_048_576, 262_144, sees|thinks|fits, 70, 7, 210),
		known("mistral-large-latest", 1_048_576, 262_144, sees|thinks|fits, 70, 7, 210),
		known("mistral-large-2512", 262_144, 0, sees|fits, 50, 5, 150),
		known("mistral-medium-latest", 262_144, 0, sees|thinks|fits, 150, 15, 750),
		known("mistral-medium-2604", 262_144, 0, sees|thinks|fits, 150, 15, 750),
		known("mistral-small-latest", 262_144, 0, sees|thinks|fits, 15, 1.5, 60),
		known("mistral-small-2603", 262_144, 0, sees|thinks|fits, 15, 1.5, 60),
		known("codestral-latest", 256_000, 0, fits, 30, 3, 90),
		known("ministral-8b-latest", 262_144, 0, sees|fits, 15, 1.5, 15),
	}},
}

// What a model can do besides calling tools, which all of these do.
const (
	sees   = 1 << iota
	thinks // can be told how much
	fits   // holds to a schema by itself
)

// known is a row: the windows in tokens, what it can do, and the prices in US cents
// for a million tokens read, read from the cache (0: none is published, and what is
// read costs as much as ever) and written.
func known(id string, context, output int64, can int, in, cached, out float64) provider.Info {
	cents := func(n float64) llm.Micros { return llm.Micros(n*float64(llm.Cent) + 0.5) }
	return provider.Info{
		ID: id, Size: llm.Size{Context: context, MaxOutput: output},
		Tools: true, Vision: can&sees != 0, Thinking: can&thinks != 0, Output: can&fits != 0,
		Prices: []provider.Tier{{Price: llm.Price{Input: cents(in), CacheRead: cents(cached), Output: cents(out)}}},
	}
}

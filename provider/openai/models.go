package openai

import (
	"math"
	"slices"
	"strings"

	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/provider"
)

// Models are the models that OpenAI offers through the Responses API. One that is
// not among them works too.
func Models() provider.Catalogue {
	list := make([]provider.Info, len(models))
	for i := range models {
		list[i] = models[i].info()
	}
	return provider.Catalogue{AsOf: "2026-12-01", Source: "developers.openai.com/api/docs/pricing", Models: list}
}

// An entry is what is known of one model.
type entry struct {
	id              string
	context, output int64
	// efforts are the values of reasoning.effort, from the least; "" does not reason.
	efforts string
	quiet   bool // it does not reason unless told to
	prices  []provider.Tier
}

func (e *entry) info() provider.Info {
	return provider.Info{
		ID: e.id, Size: llm.Size{Context: e.context, MaxOutput: e.output}, Prices: e.prices,
		Tools: true, Vision: true, Thinking: e.efforts != "", Output: true,
	}
}

// short is what a million tokens cost in dollars, however long the prompt is: read,
// from the cache, to the cache, written. Older models do not charge for writing to it.
func short(input, cached, write, output float64) []provider.Tier {
	micros := func(dollars float64) llm.Micros { return llm.Micros(math.Round(dollars * 1e6)) }
	return []provider.Tier{{Price: llm.Price{Input: micros(input), CacheRead: micros(cached), CacheWrite: micros(write), Output: micros(output)}}}
}

// long is short for models that charge a prompt of more than 272,000 tokens twice for
// what it reads, and half as much again for the answer.
func long(input, cached, write, output float64) []provider.Tier {
	beyond := short(2*input, 2*cached, 2*write, 1.5*output)[0]
	beyond.Above = 272_000
	return append(short(input, cached, write, output), beyond)
}

// The sets of efforts that models have.
const (
	always   = "low medium high xhigh max"
	full     = "none low medium high xhigh max"
	extended = "none low medium high xhigh"
	upToHigh = "none low medium high"
	standard = "low medium high"
	minimal  = "minimal low medium high"
)

var models = [...]entry{
	{id: "gpt-6.2-astra", context: 1_050_000, output: 128_000, efforts: always, prices: long(8, 0.4, 10, 40)},
	{id: "gpt-6.2-sol", context: 1_050_000, output: 128_000, efforts: always, prices: long(2, 0.1, 2.5, 10)},
	{id: "gpt-6.1-sol", context: 1_050_000, output: 128_000, efforts: always, prices: long(2, 0.1, 2.5, 10)},
	{id: "gpt-6.1-terra", context: 1_050_000, output: 128_000, efforts: full, prices: long(1, 0.05, 1.25, 5)},
	{id: "gpt-6-astra", context: 1_050_000, output: 128_000, efforts: always, prices: long(10, 1, 12.5, 50)},
	{id: "gpt-6-sol", context: 1_050_000, output: 128_000, efforts: full, prices: long(2, 0.2, 2.5, 10)},
	{id: "gpt-6-luna", context: 1_050_000, output: 128_000, efforts: full, prices: long(0.1, 0.01, 0.125, 0.5)},
	{id: "gpt-5.6", context: 1_050_000, output: 128_000, efforts: full},
	{id: "gpt-5.6-sol", context: 1_050_000, output: 128_000, efforts: full, prices: long(4, 0.4, 5, 20)},
	{id: "gpt-5.6-terra", context: 1_050_000, output: 128_000, efforts: full, prices: long(2, 0.2, 2.5, 12)},
	{id: "gpt-5.6-luna", context: 1_050_000, output: 128_000, efforts: full, prices: long(0.2, 0.02, 0.25, 1.2)},
	{id: "gpt-5.5", context: 1_050_000, output: 128_000, efforts: extended, prices: long(5, 0.5, 0, 30)},
	{id: "gpt-5.4", context: 1_050_000, output: 128_000, efforts: "low medium high xhigh", quiet: true, prices: long(2.5, 0.25, 0, 15)},
	{id: "gpt-5.4-mini", context: 400_000, output: 128_000, efforts: standard, quiet: true, prices: short(0.75, 0.075, 0, 4.5)},
	{id: "gpt-5.4-nano", context: 400_000, output: 128_000, efforts: standard, quiet: true, prices: short(0.2, 0.02, 0, 1.25)},
	{id: "gpt-5.2", context: 400_000, output: 128_000, efforts: extended, quiet: true, prices: short(1.75, 0.175, 0, 14)},
	{id: "gpt-5.1", context: 400_000, output: 128_000, efforts: upToHigh, quiet: true, prices: short(1.25, 0.125, 0, 10)},
	{id: "gpt-5", context: 400_000, output: 128_000, efforts: minimal, prices: short(1.25, 0.125, 0, 10)},
	{id: "gpt-5-mini", context: 400_000, output: 128_000, efforts: minimal, prices: short(0.25, 0.025, 0, 2)},
	{id: "gpt-5-nano", context: 400_000, output: 128_000, efforts: minimal, prices: short(0.05, 0.005, 0, 0.4)},
	{id: "gpt-4.1", context: 1_047_576, output: 32_768, prices: short(2, 0.5, 0, 8)},
	{id: "gpt-4.1-mini", context: 1_047_576, output: 32_768, prices: short(0.4, 0.1, 0, 1.6)},
	{id: "gpt-4.1-nano", context: 1_047_576, output: 32_768, prices: short(0.1, 0.025, 0, 0.4)},
	{id: "gpt-4o", context: 128_000, output: 16_384, prices: short(2.5, 1.25, 0, 10)},
	{id: "gpt-4o-mini", context: 128_000, output: 16_384, prices: short(0.15, 0.075, 0, 0.6)},
	{id: "o3", context: 200_000, output: 100_000, efforts: standard, prices: short(2, 0.5, 0, 8)},
	{id: "o4-mini", context: 200_000, output: 100_000, efforts: standard, prices: short(1.1, 0.275, 0, 4.4)},
}

// entry is what is known of the model, nil for nothing.
func (m *Model) entry() *entry {
	for i := range models {
		if m.known && models[i].id == m.info.ID {
			return &models[i]
		}
	}
	return nil
}

// reasons reports whether the model may reason, so that the encrypted form of it can
// be asked for: models that do not reason refuse the question.
func (m *Model) reasons() bool {
	if e := m.entry(); e != nil {
		return e.efforts != ""
	}
	return !strings.HasPrefix(m.id, "gpt-4") && !strings.HasPrefix(m.id, "gpt-3") && !strings.HasSuffix(m.id, "-chat-latest")
}

// thinks reports whether a model reasons with this effort, so that it takes no
// sampling: it was told to, or does so by itself.
func (m *Model) thinks(effort string) bool {
	if effort != "" {
		return effort != levels[llm.ThinkingNone]
	}
	e := m.entry()
	return e != nil && e.efforts != "" && !e.quiet
}

// levels are the names of efforts by [llm.Thinking].
var levels = [...]string{"", "none", "minimal", "low", "medium", "high", "xhigh", "max"}

// effort is the value of reasoning.effort for a level, "" to leave it out. Models
// that are not known are told the level as it is.
func (m *Model) effort(t llm.Thinking) (string, error) {
	if t == llm.ThinkingDefault || int(t) >= len(levels) {
		return "", nil
	}
	e := m.entry()
	if e == nil {
		return levels[t], nil
	}
	efforts := strings.Fields(e.efforts)
	switch {
	case slices.Contains(efforts, levels[t]):
		return levels[t], nil
	case t == llm.ThinkingNone && (len(efforts) == 0 || e.quiet):
		return "", nil
	case t == llm.ThinkingNone:
		return "", m.conn.Invalid("%s always reasons; set Options.Thinking to llm.ThinkingLow or leave it", m.id)
	case len(efforts) == 0:
		return "", m.conn.Invalid("%s does not reason; leave Options.Thinking unset", m.id)
	}
	for down := t - 1; down > llm.ThinkingNone; down-- {
		if slices.Contains(efforts, levels[down]) {
			return levels[down], nil
		}
	}
	least := efforts[0]
	if least == levels[llm.ThinkingNone] {
		least = efforts[1]
	}
	return least, nil
}

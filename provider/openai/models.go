package openai

import (
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
	return provider.Catalogue{Models: list}
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
	{id: "gpt-6.2-astra", context: 1_050_000, output: 128_000, efforts: always},
	{id: "gpt-6.2-sol", context: 1_050_000, output: 128_000, efforts: always},
	{id: "gpt-6.1-sol", context: 1_050_000, output: 128_000, efforts: always},
	{id: "gpt-6.1-terra", context: 1_050_000, output: 128_000, efforts: full},
	{id: "gpt-6-astra", context: 1_050_000, output: 128_000, efforts: always},
	{id: "gpt-6-sol", context: 1_050_000, output: 128_000, efforts: full},
	{id: "gpt-6-luna", context: 1_050_000, output: 128_000, efforts: full},
	{id: "gpt-5.6", context: 1_050_000, output: 128_000, efforts: full},
	{id: "gpt-5.6-sol", context: 1_050_000, output: 128_000, efforts: full},
	{id: "gpt-5.6-terra", context: 1_050_000, output: 128_000, efforts: full},
	{id: "gpt-5.6-luna", context: 1_050_000, output: 128_000, efforts: full},
	{id: "gpt-5.5", context: 1_050_000, output: 128_000, efforts: extended},
	{id: "gpt-5.4", context: 1_050_000, output: 128_000, efforts: "low medium high xhigh", quiet: true},
	{id: "gpt-5.4-mini", context: 400_000, output: 128_000, efforts: standard, quiet: true},
	{id: "gpt-5.4-nano", context: 400_000, output: 128_000, efforts: standard, quiet: true},
	{id: "gpt-5.2", context: 400_000, output: 128_000, efforts: extended},
	{id: "gpt-5.1", context: 400_000, output: 128_000, efforts: upToHigh},
	{id: "gpt-5", context: 400_000, output: 128_000, efforts: minimal},
	{id: "gpt-5-mini", context: 400_000, output: 128_000, efforts: minimal},
	{id: "gpt-5-nano", context: 400_000, output: 128_000, efforts: minimal},
	{id: "gpt-4.1", context: 1_047_576, output: 32_768},
	{id: "gpt-4.1-mini", context: 1_047_576, output: 32_768},
	{id: "gpt-4.1-nano", context: 1_047_576, output: 32_768},
	{id: "gpt-4o", context: 128_000, output: 16_384},
	{id: "gpt-4o-mini", context: 128_000, output: 16_384},
	{id: "o3", context: 200_000, output: 100_000, efforts: standard},
	{id: "o4-mini", context: 200_000, output: 100_000, efforts: standard},
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

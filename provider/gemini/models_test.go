package gemini_test

import (
	"testing"

	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/provider/gemini"
)

func TestModelsKnowTheirPriceAndSize(t *testing.T) {
	t.Parallel()
	million := llm.Usage{Input: 900_000, CacheRead: 100_000, Output: 1_000_000}
	for id, want := range map[string]llm.Micros{
		"gemini-3.8-flash":          675_000 + 7_500 + 3_750_000,
		"gemini-3.1-pro-preview":    3_600_000 + 40_000 + 18_000_000, // the tier of long prompts
		"gemini-2.5-flash-lite":     90_000 + 1_000 + 400_000,
		"gemini-3.8-flash-20261101": 675_000 + 7_500 + 3_750_000,
		"models/gemini-4-neon":      2_700_000 + 15_000 + 15_000_000,
	} {
		m := gemini.New(id, &gemini.Options{Key: testKey})
		if got, known := m.Cost(million); !known || got != want {
			t.Errorf("%s: %v, known %t, want %v", id, got, known, want)
		}
		if m.Size().Context != 1_048_576 || m.Size().MaxOutput != 65_536 {
			t.Errorf("%s: size %+v", id, m.Size())
		}
	}
	m := gemini.New("gemini-9-unknown", &gemini.Options{Key: testKey})
	if _, known := m.Cost(million); known || m.Err() != nil || m.Size() != (llm.Size{}) {
		t.Errorf("an unknown model: price known %t, size %+v, error %v", known, m.Size(), m.Err())
	}
}

package openai_test

import (
	"testing"

	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/provider/openai"
)

func TestALongPromptCostsMoreThroughout(t *testing.T) {
	t.Parallel()
	catalogue := openai.Models()
	info, ok := catalogue.Find("gpt-6.1-sol-2026-09-29")
	if !ok || catalogue.AsOf == "" {
		t.Fatal("a dated id is not of its family, or the prices have no date")
	}
	for _, tc := range []struct {
		usage llm.Usage
		want  llm.Micros
	}{
		{llm.Usage{Input: 100_000, CacheRead: 100_000, CacheWrite: 72_000, Output: 10_000}, 200_000 + 10_000 + 180_000 + 100_000},
		{llm.Usage{Input: 100_001, CacheRead: 100_000, CacheWrite: 72_000, Output: 10_000}, 400_004 + 20_000 + 360_000 + 150_000},
	} {
		if got, known := info.Cost(tc.usage); !known || got != tc.want {
			t.Errorf("Cost(%+v) = %d, %v; want %d", tc.usage, got, known, tc.want)
		}
	}
}

func TestPricesAreInTheRightOrder(t *testing.T) {
	t.Parallel()
	catalogue := openai.Models()
	for _, m := range catalogue.Models {
		for _, tier := range m.Prices {
			if tier.Validate() != nil || tier.Input == 0 || tier.CacheRead == 0 || tier.CacheRead >= tier.Input || tier.Output <= tier.Input {
				t.Errorf("%s: %+v", m.ID, tier)
			}
		}
	}
}

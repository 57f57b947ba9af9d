package provider_test

import (
	"testing"

	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/provider"
)

var catalogue = &provider.Catalogue{AsOf: "2026-11-24", Models: []provider.Info{
	{ID: "big", Prices: []provider.Tier{
		{Price: llm.Price{Input: 2 * llm.Dollar, Output: 12 * llm.Dollar}},
		{Above: 200_000, Price: llm.Price{Input: 4 * llm.Dollar, Output: 18 * llm.Dollar}},
	}},
	{ID: "big-mini", Prices: []provider.Tier{{Price: llm.Price{Input: llm.Dollar, Output: llm.Dollar}}}},
	{ID: "new"},
}}

func TestADatedIDIsOfItsFamily(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]string{
		"big": "big", "big-20251114": "big", "big-2025-11-14": "big", "big-mini-20251114": "big-mini", "big-mini": "big-mini", "new": "new",
		"big-maxi": "", "big-": "", "big-2025": "", "bigger": "", "": "", "big-2025111x": "", "mini": "",
	} {
		info, ok := catalogue.Find(id)
		if info.ID != want || ok != (want != "") {
			t.Errorf("%q is of %q (%t), want %q", id, info.ID, ok, want)
		}
	}
}

func TestALongPromptIsPaidAtItsOwnRates(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		usage llm.Usage
		want  llm.Micros
	}{
		{llm.Usage{Input: 200_000, Output: 1000}, 400_000 + 12_000},
		{llm.Usage{Input: 1, CacheRead: 200_000, Output: 1000}, 4 + 800_000 + 18_000},
		{llm.Usage{}, 0},
	} {
		info, _ := catalogue.Find("big")
		if got, known := info.Cost(tt.usage); got != tt.want || !known {
			t.Errorf("%+v costs %d (known: %t), want %d", tt.usage, got, known, tt.want)
		}
	}
}

func TestAnUnknownPriceIsNotFree(t *testing.T) {
	t.Parallel()
	info, _ := catalogue.Find("new")
	if _, known := info.Cost(llm.Usage{Input: 1}); known {
		t.Error("the price of a model without tiers is known")
	}
	prices := catalogue.Prices("acme")
	if _, known := prices["acme/new"]; known || len(prices) != 2 {
		t.Errorf("the table is %v, want the two models with a price", prices)
	}
	if got := prices["acme/big"].Input; got != 2*llm.Dollar {
		t.Errorf("the price in the table is %s, want the lowest tier's", got)
	}
}

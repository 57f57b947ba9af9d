package adapt_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/helios-go/helios/provider/internal/adapt"
)

const search = `{"type":"object","properties":{"query":{"type":"string","description":"what to look for"},"top":{"type":"integer","minimum":1},"in":{"type":"array","items":{"$ref":"#/$defs/place"}}},"required":["query"],"additionalProperties":false,"$defs":{"place":{"type":"string","enum":["titles","texts"]}}}`

// TestTheSecondTurnAdaptsNothing: the tools of an agent are the same every turn,
// though the bytes that say so may be others.
func TestTheSecondTurnAdaptsNothing(t *testing.T) { //nolint:paralleltest // it counts allocations
	var c adapt.Cache
	first, err := c.Schema(json.RawMessage(search), adapt.OpenAIStrict)
	if err != nil {
		t.Fatal(err)
	}
	again := json.RawMessage(strings.Clone(search))
	if n := testing.AllocsPerRun(100, func() {
		if a, err := c.Schema(again, adapt.OpenAIStrict); err != nil || a != first {
			t.Errorf("adapted again: %p, not %p: %v", a, first, err)
		}
	}); n > 0 {
		t.Errorf("%v allocations for a schema that is known", n)
	}
	if other, err := c.Schema(again, adapt.Gemini); err != nil || other == first {
		t.Errorf("another dialect's: %p, %v", other, err)
	}
}

func TestACacheIsBounded(t *testing.T) {
	t.Parallel()
	var c adapt.Cache
	var wg sync.WaitGroup
	for w := range 4 {
		wg.Go(func() {
			for i := range 3000 { // more than fit
				schema := fmt.Sprintf(`{"type":"object","properties":{"p%d":{"type":"string"}}}`, i+w*100)
				a, err := c.Schema(json.RawMessage(schema), adapt.Chat)
				if err != nil || string(a.JSON) != schema {
					t.Errorf("%s becomes %s: %v", schema, a.JSON, err)
				}
			}
		})
	}
	wg.Wait()
	if n := c.Len(); n > 1024 {
		t.Errorf("%d schemas are kept", n)
	}
}

func TestACacheKeepsNoErrors(t *testing.T) {
	t.Parallel()
	var none *adapt.Cache
	for _, c := range []*adapt.Cache{{}, none} {
		for range 2 {
			if a, err := c.Schema(json.RawMessage(`[]`), adapt.Chat); err == nil || a != nil {
				t.Errorf("no schema: %v, %v", a, err)
			}
		}
	}
}

func BenchmarkSchema(b *testing.B) {
	for name, d := range dialects {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := adapt.Schema(json.RawMessage(search), d); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("cached", func(b *testing.B) {
		var c adapt.Cache
		b.ReportAllocs()
		for b.Loop() {
			if _, err := c.Schema(json.RawMessage(search), adapt.OpenAIStrict); err != nil {
				b.Fatal(err)
			}
		}
	})
}

//go:build !race

package gemini

import "testing"

// It does not run in parallel: it would count the allocations of others.
func TestDeltaAllocatesItsTextOnly(t *testing.T) {
	d := newDecoder()
	d.begin()
	if err := d.event(nil, []byte(`{"event_type":"step.start","index":0,"step":{"type":"model_output"}}`)); err != nil {
		t.Fatal(err)
	}
	data := []byte(`{"event_type":"step.delta","index":0,"delta":{"type":"text","text":"some words of \"text\"\n"},"event_id":"evt_1"}`)
	d.steps[0].text = make([]byte, 0, 1<<20)
	got := testing.AllocsPerRun(1000, func() {
		if err := d.event(nil, data); err != nil {
			t.Fatal(err)
		}
	})
	if got > 1 {
		t.Errorf("%v allocations for a delta, want 1", got)
	}
}

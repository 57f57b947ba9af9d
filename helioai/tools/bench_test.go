package tools_test

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/helios-go/helios/helioai/demo"
	"github.com/helios-go/helios/helioai/ledger"
	"github.com/helios-go/helios/helioai/tools"
)

// A first fetch of a vector with its statistics, its .npz and the ledger.
func BenchmarkGetTimeseries(b *testing.B) {
	arch, err := demo.Archive()
	if err != nil {
		b.Fatal(err)
	}
	raw := json.RawMessage(`{"param_id":"local/demo_mfi_20230615_v01/BGSM"}`)
	b.ReportAllocs()
	for b.Loop() {
		dir := b.TempDir()
		book, err := ledger.Open(filepath.Join(dir, "data", "provenance.json"))
		if err != nil {
			b.Fatal(err)
		}
		for _, t := range tools.All(&tools.Env{Dir: dir, Archive: arch, Ledger: book}) {
			if t.Spec.Name != "get_timeseries" {
				continue
			}
			if r, err := t.Run(b.Context(), raw); err != nil || r.IsError {
				b.Fatal(err)
			}
		}
	}
}

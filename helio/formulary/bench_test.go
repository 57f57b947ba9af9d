package formulary_test

import (
	"testing"

	"github.com/helios-go/helios/helio/formulary"
)

func BenchmarkAlfvenSpeed(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := formulary.AlfvenSpeed(5, 5, nil); err != nil {
			b.Fatal(err)
		}
	}
}

package py

import (
	"testing"

	"github.com/helios-go/helios/sandbox/internal/conformance"
)

func BenchmarkRuntime(b *testing.B) { conformance.Bench(b, runtime(b)) }

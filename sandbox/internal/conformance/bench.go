package conformance

import (
	"context"
	"testing"

	"github.com/helios-go/helios/sandbox/repl"
)

// Bench measures a runtime: its start, a cell, a cell with variables shown, and a
// call of a host function.
func Bench(b *testing.B, rt repl.Runtime) {
	ctx := context.Background()
	b.Run("Start", func(b *testing.B) {
		for b.Loop() {
			k, err := rt.Start(ctx, nil)
			if err != nil {
				b.Fatal(err)
			}
			b.StopTimer()
			_ = k.Close()
			b.StartTimer()
		}
	})
	k, err := rt.Start(ctx, echoConfig())
	if err != nil {
		b.Fatal(err)
	}
	defer k.Close()
	cell := func(c repl.Cell) func(*testing.B) {
		return func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if out, err := k.Execute(ctx, c); err != nil || out.ExitCode != 0 {
					b.Fatal(out, err)
				}
			}
		}
	}
	b.Run("Cell", cell(repl.Cell{Code: "x = 40 + 2; x"}))
	b.Run("CellWithBindings", cell(repl.Cell{Code: "x = 40 + 2; x", Bindings: &repl.BindingLimits{}}))
	b.Run("Call", cell(repl.Cell{Code: "y = give(1)"}))
}

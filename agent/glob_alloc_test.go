//go:build !race

package agent

import (
	"testing"

	"github.com/helios-go/helios/tool"
)

// Not parallel: a neighbour would be counted.
func TestDecidingAllocatesNothing(t *testing.T) {
	p := Permissions{Mode: ModeAcceptEdits, Deny: []Rule{{Tool: "*", Key: "**/secrets.*"}}, Allow: []Rule{{Tool: "read", Key: "src/**"}}}
	c := &tool.Call{Name: "read", Key: "src/a/b/c.go", Kind: tool.KindRead, Effect: tool.ReadOnly}
	if n := testing.AllocsPerRun(100, func() {
		if d, err := p.Decide(t.Context(), c); d != Allow || err != nil {
			t.Fatal(d, err)
		}
	}); n > 0 {
		t.Errorf("a call that is allowed takes %v allocations", n)
	}
}

func BenchmarkPermissions(b *testing.B) {
	p := Permissions{Deny: []Rule{{Tool: "*", Key: "**/secrets.*"}, {Tool: "write", Key: ".git/**"}}, Allow: []Rule{{Tool: "write", Key: "src/**"}}}
	c := &tool.Call{Name: "write", Key: "src/a/b/c.go", Kind: tool.KindWrite, Effect: tool.Mutating}
	b.ReportAllocs()
	for b.Loop() {
		if d, _ := p.Decide(b.Context(), c); d != Allow {
			b.Fatal(d)
		}
	}
}

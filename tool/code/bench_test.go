package code_test

import (
	"testing"

	"github.com/helios-go/helios/internal/testdata"
	"github.com/helios-go/helios/sandbox/repl"
	"github.com/helios-go/helios/tool/code"
)

// BenchmarkCell is a small cell through the tool: checked arguments, the
// interpreter's process, redaction, the report.
func BenchmarkCell(b *testing.B) {
	for name, open := range map[string]func() (repl.Runtime, error){"javascript": openJavaScript, "python": openPython} {
		b.Run(name, func(b *testing.B) {
			rt, err := open()
			testdata.Need(b, "a sandbox for "+name, err)
			c, err := code.New(rt, &code.Options{Functions: []code.Function{double()}, Secrets: registry(b, map[string]string{"KEY": key})})
			if err != nil {
				b.Fatal(err)
			}
			defer c.Close()
			ctx := in(b.Context(), "a")
			for _, kind := range []struct{ name, cell string }{{"add", "1 + 1"}, {"call", "double(1)"}} {
				b.Run(kind.name, func(b *testing.B) {
					b.ReportAllocs()
					for b.Loop() {
						if text, _ := run(ctx, b, c, kind.cell); text != "2" {
							b.Fatal(text)
						}
					}
				})
			}
		})
	}
}

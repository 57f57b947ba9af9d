package sqlite_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/helios-go/helios/agent"
	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/llm/llmtest"
	"github.com/helios-go/helios/store/sqlite"
	"github.com/helios-go/helios/tool"
)

// A question with one tool call: nine transactions, each on the disk when it
// returns.
func BenchmarkRun(b *testing.B) {
	st, err := sqlite.Open(filepath.Join(b.TempDir(), "s.db"), nil)
	if err != nil {
		b.Fatal(err)
	}
	defer st.Close()
	model := llmtest.Func(func(req *llm.Request) llmtest.Turn {
		if req.Messages[len(req.Messages)-1].Role == llm.RoleTool {
			return llmtest.Text("done")
		}
		return llmtest.Call("look", ``)
	})
	look := tool.New("look", "", func(context.Context, struct{}) (string, error) { return "nothing", nil }, tool.WithEffect(tool.ReadOnly))
	a := agent.Agent{Model: model, Tools: []tool.Tool{look}}
	b.ReportAllocs()
	for b.Loop() {
		s, err := a.Open(context.Background(), &agent.OpenOptions{Store: st})
		if err != nil {
			b.Fatal(err)
		}
		if _, err := s.Run(context.Background(), "go"); err != nil {
			b.Fatal(err)
		}
		s.Close()
	}
}

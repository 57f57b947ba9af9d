// Command team has a lead give work to two sub-agents, shows what each is doing
// while they work side by side, and what all of them together have used.
//
//	go run ./examples/team
package main

import (
	"context"
	"io"
	"log"
	"os"
	"sync"

	"github.com/helios-go/helios/agent"
	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/tool"
)

func main() {
	if err := run(context.Background(), os.Stdout); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, out io.Writer) error {
	search := tool.New("search", "Search the archive", func(_ context.Context, in struct{ Words string }) (string, error) {
		return "three pages about " + in.Words, nil
	}, tool.WithEffect(tool.ReadOnly))
	model := model()
	prices := llm.Prices{model.Name(): {Input: 3_000_000, Output: 15_000_000}} // a million tokens
	helper := agent.Agent{Model: model, Prices: prices, Tools: []tool.Tool{search}}
	historian, physicist := helper, helper
	historian.Name, physicist.Name = "historian", "physicist"
	lead := agent.Agent{Name: "lead", Model: model, Prices: prices, Tools: []tool.Tool{
		historian.Tool("historian", "Knows what people saw and wrote"),
		physicist.Tool("physicist", "Knows what instruments measured"),
	}}
	store := agent.NewMemoryStore()
	s, err := lead.Open(ctx, &agent.OpenOptions{Store: store})
	if err != nil {
		return err
	}
	defer s.Close()
	w := watcher{store: store, show: log.New(out, "", 0)}
	w.Go(func() { w.watch(ctx, lead.Name, s.ID()) })
	res, err := s.Run(ctx, "What was the storm of 1859?")
	w.Wait()
	w.show.Printf("%s\n%d tokens, %s", res.Text, res.Usage.Total(), res.Cost)
	return err
}

// A watcher shows the logs of sessions until their runs have ended.
type watcher struct {
	sync.WaitGroup
	store *agent.MemoryStore
	show  *log.Logger
}

func (w *watcher) watch(ctx context.Context, name, session string) {
	for next := agent.Seq(1); ; {
		changed := w.store.Changed(session)
		for e, err := range w.store.Read(ctx, session, next) {
			if err != nil {
				return
			}
			next = e.Seq + 1
			switch d := e.Data.(type) {
			case *agent.ChildStarted: // its log is in the same store
				w.Go(func() { w.watch(ctx, d.Agent, d.Session) })
			case *agent.ToolStarted:
				w.show.Printf("%s: %s %s", name, d.Call.Name, d.Call.Args)
			case *agent.RunEnded:
				w.show.Printf("%s: %s, %s", name, d.Result.Stop, d.Result.Cost)
				return
			}
		}
		<-changed
	}
}

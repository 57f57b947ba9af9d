// Command worker sends a letter to each person named, once, however often it is
// killed on the way.
//
//	go run ./examples/worker ada grace
//
// Kill it at any moment and start it again: it goes on where it was. Letters go to
// the end of outbox.txt, and what was done lies in worker.db.
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"strings"
	"time"

	"github.com/helios-go/helios/agent"
	"github.com/helios-go/helios/store/sqlite"
	"github.com/helios-go/helios/tool"
)

func main() {
	outbox, err := os.OpenFile("outbox.txt", os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		log.Fatal(err)
	}
	store, err := sqlite.Open("worker.db", nil)
	if err != nil {
		log.Fatal(err)
	}
	err = work(context.Background(), outbox, os.Args[1:], agent.OpenOptions{
		Store:  store,
		Unsafe: agent.TellModel, // it can look whether a letter has gone out
		Lease:  time.Second,     // how long a dead process keeps others waiting
	})
	if err != nil {
		log.Fatal(err)
	}
}

type letter struct{ To string }

func work(ctx context.Context, outbox *os.File, people []string, opts agent.OpenOptions) error {
	send := tool.New("send", "Send a letter", func(_ context.Context, l letter) (string, error) {
		_, err := fmt.Fprintln(outbox, "letter to", l.To)
		return "sent", err
	}, tool.WithEffect(tool.Mutating))
	sent := tool.New("sent", "Tell how many letters went to a person", func(_ context.Context, l letter) (int, error) {
		all, err := os.ReadFile(outbox.Name())
		return strings.Count(string(all), "letter to "+l.To+"\n"), err
	}, tool.WithEffect(tool.ReadOnly))
	a := agent.Agent{Model: model(), Tools: []tool.Tool{send, sent}, Policy: agent.AllowTools("send")}

	for _, person := range people {
		opts.SessionID = person
		res, err := once(ctx, a, &opts, "Send a letter to "+person)
		if err != nil {
			return err
		}
		fmt.Println(res.Text)
	}
	return nil
}

// once does a task in a session of its own. A run that was cut short goes on when
// the session is opened, and one that has ended is not begun again.
func once(ctx context.Context, a agent.Agent, opts *agent.OpenOptions, task string) (*agent.Result, error) {
	s, err := a.Open(ctx, opts)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	if res, err := s.Wait(ctx); err != nil || res.Run != "" {
		return res, err
	}
	return s.Run(ctx, task)
}

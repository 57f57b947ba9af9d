// Command worker sends a letter to each person named, once, however often it is
// stopped or killed on the way: start it again and it goes on where it was.
//
//	go run ./examples/worker ada grace
//
// Letters go to the end of outbox.txt, and what was done lies in worker.db.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/helios-go/helios/agent"
	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/store/sqlite"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	switch err := run(ctx, os.Args[1:]); {
	case errors.Is(err, context.Canceled):
		fmt.Println("stopped; start me again to go on")
	case err != nil:
		log.Fatal(err)
	}
}

func run(ctx context.Context, people []string) error {
	store, err := sqlite.Open("worker.db", nil)
	if err != nil {
		return err
	}
	defer store.Close()
	return work(ctx, people, agent.OpenOptions{
		Store:  store,
		Unsafe: agent.TellModel, // it can look whether a letter has gone out
		Lease:  time.Second,     // how long a dead process keeps others waiting
	})
}

func work(ctx context.Context, people []string, opts agent.OpenOptions) error {
	for _, person := range people {
		opts.SessionID = person
		res, err := do(ctx, clerk("outbox.txt"), &opts, "Send a letter to "+person)
		if err != nil {
			return err
		}
		fmt.Println(res.Text)
	}
	return nil
}

// do does a task in a session of its own: it begins the task, goes on with it, or
// finds it done. When ctx ends before that, whoever is next goes on.
func do(ctx context.Context, a agent.Agent, opts *agent.OpenOptions, task string) (res *agent.Result, err error) {
	s, err := a.Open(context.WithoutCancel(ctx), opts) // the end of that one would end the run
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.Detach(context.WithoutCancel(ctx))) }()
	if _, err := s.SendOnce(ctx, "task", llm.User(task), agent.Queue); err != nil {
		return nil, err
	}
	res, err = s.Wait(ctx)
	if _, short := errors.AsType[*agent.StopError](err); short { // now, or when it was tried before
		return s.Run(ctx, "Go on.")
	}
	return res, err
}

// Command approval asks for permission in one process, gets it in another, and does
// what was permitted in a third. All they share is the file approval.db.
//
//	go run ./examples/approval ask "put version 1.2 online"
//	go run ./examples/approval yes SESSION QUESTION
//	go run ./examples/approval no SESSION QUESTION "not on a Friday"
//	go run ./examples/approval work
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/helios-go/helios/agent"
	"github.com/helios-go/helios/store/sqlite"
	"github.com/helios-go/helios/tool"
)

func main() {
	if err := run(context.Background(), os.Args[1:]); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, args []string) error {
	store, err := sqlite.Open("approval.db", nil)
	if err != nil {
		return err
	}
	defer store.Close()
	switch {
	case len(args) == 2 && args[0] == "ask":
		return ask(ctx, store, args[1])
	case len(args) == 3 && args[0] == "yes":
		return answer(ctx, store, args[1], args[2], tool.Yes())
	case len(args) == 4 && args[0] == "no":
		return answer(ctx, store, args[1], args[2], tool.No(args[3]))
	case len(args) == 1 && args[0] == "work":
		return work(ctx, store)
	}
	return fmt.Errorf("approval %q: want ask TASK, yes SESSION QUESTION, no SESSION QUESTION REASON, or work", args)
}

// ask gives the agent a task, and ends when that is done or waits for an answer.
func ask(ctx context.Context, store agent.Store, task string) error {
	s, err := deployer().Open(ctx, &agent.OpenOptions{Store: store, Approver: agent.Later})
	if err != nil {
		return err
	}
	defer s.Close()
	res, err := s.Run(ctx, task)
	show(res)
	return err
}

func show(res *agent.Result) {
	fmt.Println(res.Text)
	if q := res.Question; q != nil {
		fmt.Printf("May I %s %s? (approval yes %s %s)\n", q.Tool, q.Args, res.Session, q.ID)
	}
}

// answer puts an answer into the log, for whoever works next. It needs no agent.
func answer(ctx context.Context, store agent.Store, session, question string, a tool.Answer) error {
	s, err := agent.Attach(ctx, store, session)
	if err != nil {
		return err
	}
	defer s.Close()
	return s.Answer(ctx, question, a)
}

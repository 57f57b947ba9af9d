// Command approval asks for permission in one process and gets it in another.
//
//	go run ./examples/approval ask "put version 1.2 online"
//	go run ./examples/approval answer allow
//
// The first ends while its question waits in the file approval.db. The second, now
// or days later, answers it, and the run goes on to its end.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"

	"github.com/helios-go/helios/agent"
	"github.com/helios-go/helios/store/sqlite"
	"github.com/helios-go/helios/tool"
)

func main() {
	if len(os.Args) != 3 {
		log.Fatal("usage: approval ask TASK, or approval answer allow|deny")
	}
	res, err := run(context.Background(), os.Args[1], os.Args[2])
	switch {
	case err != nil:
		log.Fatal(err)
	case res.Stop == agent.StopQuestion:
		fmt.Printf("may I %s %s? (approval answer allow|deny)\n", res.Question.Tool, res.Question.Args)
	default:
		fmt.Println(res.Text)
	}
}

func run(ctx context.Context, command, arg string) (*agent.Result, error) {
	store, err := sqlite.Open("approval.db", nil)
	if err != nil {
		return nil, err
	}
	defer store.Close()
	options := &agent.OpenOptions{Store: store, Approver: agent.Later}
	if command == "answer" {
		for info, err := range store.List(ctx, agent.Filter{States: []agent.SessionState{agent.StateQuestion}}) {
			if err != nil {
				return nil, err
			}
			options.SessionID = info.ID // the last one listed has waited longest
		}
		if options.SessionID == "" {
			return nil, errors.New("no question waits for an answer")
		}
	}
	deploy := tool.New("deploy", "Put a version online", func(_ context.Context, in struct{ Version string }) (string, error) {
		fmt.Println("deploying", in.Version)
		return in.Version + " is online", nil
	}, tool.WithEffect(tool.Mutating))
	s, err := agent.Agent{Model: model(), Tools: []tool.Tool{deploy}}.Open(ctx, options)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	if command == "ask" {
		return s.Run(ctx, arg)
	}
	res, err := s.Wait(ctx) // the run is where it was: at its question
	if err != nil {
		return nil, err
	}
	if err := s.Answer(ctx, res.Question.ID, tool.Answer{Choices: []string{arg}}); err != nil {
		return nil, err
	}
	return s.Wait(ctx)
}

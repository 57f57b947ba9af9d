// Command chat is a conversation that can be redirected and stopped at any moment:
//
//	go run ./examples/chat
//
// A line is a message. One that is sent while the model speaks makes it begin anew,
// with what it has said so far in mind; /stop interrupts it, /quit ends.
package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"iter"
	"log"
	"os"
	"sync"

	"github.com/helios-go/helios/agent"
	"github.com/helios-go/helios/llm"
)

func main() {
	if err := chat(context.Background(), os.Stdin, os.Stdout); err != nil {
		log.Fatal(err)
	}
}

func chat(ctx context.Context, in io.Reader, out io.Writer) error {
	s, err := agent.Agent{Model: model()}.Open(ctx, nil)
	if err != nil {
		return err
	}
	events := s.Events(ctx, 0) // nothing that is said from here on is missed
	var screen sync.WaitGroup
	screen.Go(func() { show(events, out) })
	defer screen.Wait()
	defer s.Close() // ends the events

	lines := bufio.NewScanner(in)
	for lines.Scan() {
		switch line := lines.Text(); line {
		case "":
		case "/quit":
			return nil
		case "/stop":
			err = s.Interrupt(ctx, agent.Now, "the user pressed stop")
		default:
			_, err = s.Send(ctx, llm.User(line), agent.PreemptNow)
		}
		if err != nil {
			return err
		}
	}
	_, _ = s.Wait(ctx) // let the model finish; how that went is shown
	return lines.Err()
}

// show prints what happens, as it happens.
func show(events iter.Seq2[agent.Event, error], out io.Writer) {
	for e, err := range events {
		if err != nil {
			fmt.Fprintln(out, err)
			return
		}
		switch d := e.Data.(type) {
		case *agent.TextDelta:
			fmt.Fprint(out, d.Text)
		case *agent.Dropped: // the terminal was too slow
			fmt.Fprint(out, "[...]")
		case *agent.ModelMessage:
			fmt.Fprintln(out)
		case *agent.RunEnded:
			if d.Result.Err != nil {
				fmt.Fprintf(out, "(%v)\n", d.Result.Err)
			}
		}
	}
}

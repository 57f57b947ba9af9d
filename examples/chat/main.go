// Command chat is a conversation that can be steered and interrupted:
//
//	go run ./examples/chat
//
// A line is a message, which a model at work takes into account at its next step;
// /stop interrupts it, /quit ends.
package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
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
	s, err := agent.Agent{Model: model(), Tools: tools()}.Open(ctx, nil)
	if err != nil {
		return err
	}
	var reader sync.WaitGroup
	reader.Go(func() { show(ctx, s, out) })
	defer reader.Wait()
	defer s.Close() // ends the reader

	for lines := bufio.NewScanner(in); lines.Scan(); {
		switch line := lines.Text(); line {
		case "":
		case "/quit":
			return nil
		case "/stop":
			err = s.Interrupt(ctx, agent.Now, "the user pressed stop")
		default:
			_, err = s.Send(ctx, llm.User(line), agent.Steer)
		}
		if err != nil {
			return err
		}
	}
	_, _ = s.Wait(ctx) // let the model finish; how that went is shown
	return nil
}

// show prints what happens in the session, as it happens.
func show(ctx context.Context, s *agent.Session, out io.Writer) {
	shown := "" // of the message that the model is writing
	for e, err := range s.Events(ctx, 0) {
		if err != nil {
			return // ctx has ended
		}
		switch d := e.Data.(type) {
		case *agent.TextDelta:
			shown += d.Text
			fmt.Fprint(out, d.Text)
		case *agent.ModelMessage:
			if text := d.Message.Text(); text != shown { // deltas may be missed, messages never
				fmt.Fprint(out, "\r", text)
			}
			fmt.Fprintln(out)
			shown = ""
		case *agent.RunEnded:
			if d.Result.Err != nil {
				fmt.Fprintf(out, "(%v)\n", d.Result.Err)
			}
		}
	}
}

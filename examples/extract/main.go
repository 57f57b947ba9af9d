// Command extract reads a folder of texts, some at the same time, and prints what
// each is about as a line of JSON, until the money for all of them is used up.
//
//	go run ./examples/extract -cents 5 examples/extract/reports > events.jsonl
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"
	"sync"

	"github.com/helios-go/helios/agent"
	"github.com/helios-go/helios/llm"
)

func main() {
	cents := flag.Int64("cents", 5, "what all the files together may cost")
	flag.Parse()
	log.SetFlags(0)
	if err := extract(context.Background(), flag.Arg(0), llm.Micros(*cents)*llm.Cent, os.Stdout); err != nil {
		log.Fatal(err)
	}
}

func extract(ctx context.Context, dir string, money llm.Micros, out io.Writer) error {
	files, err := filepath.Glob(filepath.Join(dir, "*.txt"))
	if err != nil {
		return err
	}
	model := model()
	a := agent.Agent{
		Model:        model,
		Instructions: "You extract the event that a report is about.",
		Prices:       llm.Prices{model.Name(): {Input: 3 * llm.Dollar, Output: 15 * llm.Dollar}},
		Limits:       agent.Limits{Budget: agent.NewBudget(money)}, // for all runs together
	}
	queue, lines := make(chan string, len(files)), make(chan Line, len(files))
	for _, file := range files {
		queue <- file
	}
	close(queue)
	var readers sync.WaitGroup
	defer readers.Wait()
	for range 2 {
		readers.Go(func() {
			for file := range queue {
				lines <- read(ctx, a, file)
			}
		})
	}
	done := 0
	for range files {
		line := <-lines
		if line.err != nil {
			err = line.err
			continue
		}
		if err := json.NewEncoder(out).Encode(line); err != nil {
			return err
		}
		done++
	}
	if err != nil {
		return fmt.Errorf("%d of %d files done: %w", done, len(files), err)
	}
	return nil
}

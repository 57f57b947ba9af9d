// Command extract reads a folder of texts and prints what each is about as a line
// of JSON, until the money is used up. Lines that are out by then stay good.
//
//	go run ./examples/extract -money 0.05 examples/extract/reports > events.jsonl
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"

	"github.com/helios-go/helios/agent"
	"github.com/helios-go/helios/llm"
)

// An Event is what the model is asked for: its schema goes along with the request.
type Event struct {
	Kind string `json:"kind" enum:"flare,shock,storm"`
	Date string `json:"date" jsonschema:"the day it began, as 2015-03-17"`
}

// A Line is what is printed for a file.
type Line struct {
	File  string     `json:"file"`
	Event *Event     `json:"event,omitempty"`
	Error string     `json:"error,omitempty"`
	Cost  llm.Micros `json:"cost_micros"`
}

func main() {
	dollars := flag.Float64("money", 0.05, "what all the files may cost, in dollars")
	flag.Parse()
	log.SetFlags(0)
	if err := extract(context.Background(), flag.Arg(0), llm.Micros(*dollars*1e6), os.Stdout); err != nil {
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
		Prices:       llm.Prices{model.Name(): {Input: 3_000_000, Output: 15_000_000}}, // a million tokens
	}
	lines := json.NewEncoder(out)
	for i, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if money <= 0 { // to Limits, 0 is no limit
			return fmt.Errorf("%d of %d files done: %w", i, len(files), agent.ErrMoney)
		}
		a.Limits.Money = money
		event, res, err := agent.RunAs[Event](ctx, a, string(text), nil)
		money -= res.Cost
		line := Line{File: filepath.Base(file), Event: &event, Cost: res.Cost}
		if unfit := (*llm.OutputError)(nil); errors.As(err, &unfit) {
			line.Event, line.Error = nil, unfit.Error()
		} else if err != nil {
			return fmt.Errorf("%d of %d files done: %w", i, len(files), err)
		}
		if err := lines.Encode(line); err != nil {
			return err
		}
	}
	return nil
}

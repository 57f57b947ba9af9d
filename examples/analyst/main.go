// Command analyst has a model work on a year of measurements that no context window
// would hold: it writes JavaScript, which runs in a confined child of this program,
// and answers with a Go value.
//
//	go run ./examples/analyst
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"time"

	"github.com/helios-go/helios/agent"
	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/preset"
	"github.com/helios-go/helios/sandbox"
	"github.com/helios-go/helios/sandbox/js"
	"github.com/helios-go/helios/tool/code"
)

// Year is the input: its fields are variables of the cells.
type Year struct {
	Start string    `json:"start" jsonschema:"the first hour, UTC"`
	Dst   []float64 `json:"dst"   jsonschema:"the disturbance index in nT, one an hour"`
}

// Storms is the answer.
type Storms struct {
	Hours []int  `json:"hours" jsonschema:"indices of the minima of storms below -100 nT"`
	Cause string `json:"cause" jsonschema:"what the catalogue says of the strongest"`
}

func main() {
	sandbox.Init(js.Worker) // first: the child becomes the interpreter here
	log.SetFlags(0)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := analyse(ctx, model(), year(), os.Stdout)
	stop()
	if err != nil {
		log.Fatal(err)
	}
}

func analyse(ctx context.Context, m llm.Model, year Year, out io.Writer) error {
	runtime, err := js.New(ctx, nil)
	if err != nil {
		return err
	}
	// The one thing that cells can reach. It is called from code that nobody has read.
	catalogue := code.Func("catalogue", "The cause of a storm, by the index of its minimum", func(_ context.Context, in struct {
		Hour int `json:"hour"`
	}) (string, error) {
		cause, ok := causes[in.Hour]
		if !ok {
			return "", fmt.Errorf("no storm at hour %d is known; give the hour of the minimum", in.Hour)
		}
		return cause, nil
	})
	storms, res, err := preset.CodeAct[Year, Storms]{
		Agent:   agent.Agent{Model: m, Limits: agent.Limits{Turns: 8, Wall: time.Minute}},
		Runtime: runtime,
		Code:    code.Options{Functions: []code.Function{catalogue}, Timeout: 5 * time.Second},
		Task:    "Find the storms of the year, and what caused the strongest.",
	}.Run(ctx, year)
	switch {
	case errors.Is(err, agent.ErrTurns):
		return fmt.Errorf("no answer after %d cells: %w", res.ToolCalls, err)
	case err != nil:
		return err
	}
	_, err = fmt.Fprintf(out, "%d storms in %d hours, the strongest after a %s (%d cells)\n", len(storms.Hours), len(year.Dst), storms.Cause, res.ToolCalls)
	return err
}

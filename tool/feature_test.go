package tool_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/tool"
)

// The answer of a final tool, called alone, is the answer of the run.
func ExampleFinal() {
	type answer struct {
		Mean float64 `json:"mean" jsonschema:"mean field in nT"`
	}
	final := tool.New("final_answer", "Give the answer", func(_ context.Context, in answer) (answer, error) { return in, nil },
		tool.WithEffect(tool.ReadOnly), tool.WithKind(tool.KindControl), tool.Final())
	args, err := final.Check(json.RawMessage(`{"mean":5.26}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	res, err := final.Run(context.Background(), args)
	fmt.Println(final.IsFinal, string(res.Data), err)
	// Output: true {"mean":5.26} <nil>
}

// An ordinary error is for the model; one that no answer of a model can help with
// ends the run.
func ExampleAbort() {
	errQuota := errors.New("the quota of the archive is used up")
	fetch := tool.New("fetch", "Fetch data", func(_ context.Context, in struct {
		ID string `json:"id"`
	}) (string, error) {
		if in.ID == "" {
			return "", errors.New("id is empty; search for one first")
		}
		return "", tool.Abort(errQuota)
	}, tool.WithEffect(tool.ReadOnly), tool.WithTimeout(30*time.Second))
	for _, args := range []string{`{"id":""}`, `{"id":"ac_h0_mfi"}`} {
		_, err := fetch.Run(context.Background(), json.RawMessage(args))
		_, aborts := errors.AsType[*tool.AbortError](err)
		fmt.Println(err, aborts, errors.Is(err, errQuota))
	}
	// Output:
	// id is empty; search for one first false false
	// the quota of the archive is used up true true
}

// A result may hold media beside its text. They stay inside of the result, so
// nothing stands between it and the next one.
func ExampleResult() {
	plot := tool.New("plot", "Plot a series", func(context.Context, struct{}) (tool.Result, error) {
		image, err := llm.NewMedia("image/png", []byte("\x89PNG..."), "bz.png")
		if err != nil {
			return tool.Result{}, err
		}
		return tool.Result{Parts: []llm.Part{llm.Text("Bz is plotted."), image}, Data: json.RawMessage(`{"file":"bz.png"}`)}, nil
	}, tool.WithEffect(tool.Idempotent))
	res, err := plot.Run(context.Background(), json.RawMessage(`{}`))
	fmt.Println(res.Parts, string(res.Data), err)
	// Output: ["Bz is plotted." image/png "bz.png", 7 bytes] {"file":"bz.png"} <nil>
}

// A long call shows how far it is, and hands its key to a service that can drop
// repeats.
func ExampleCallFrom() {
	submit := tool.New("submit", "Submit a job", func(ctx context.Context, _ struct{}) (string, error) {
		call := tool.CallFrom(ctx)
		call.Progress(llm.Text("half done"))
		return "submitted as " + call.IdempotencyKey, nil
	}, tool.WithEffect(tool.Idempotent))
	h := &host{}
	ctx := tool.WithCall(context.Background(), &tool.Call{IdempotencyKey: "run/1/0", Host: h})
	res, err := submit.Run(ctx, json.RawMessage(`{}`))
	fmt.Println(res.Text(), h.shown, err)
	// Output: submitted as run/1/0 [half done] <nil>
}

func ExampleStep() {
	pay := tool.New("pay", "Pay some bills", func(ctx context.Context, in struct{ Bills []string }) (string, error) {
		var keys []string
		for _, bill := range in.Bills {
			keys = append(keys, tool.CallFrom(tool.Step(ctx, bill)).IdempotencyKey) // for the bank, which drops repeats
		}
		return strings.Join(keys, " "), nil
	})
	ctx := tool.WithCall(context.Background(), &tool.Call{IdempotencyKey: "run7/2"})
	res, err := pay.Run(ctx, []byte(`{"Bills":["rent","water"]}`))
	fmt.Println(res.Text(), err)
	// Output: run7/2/rent run7/2/water <nil>
}

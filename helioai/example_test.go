package helioai_test

import (
	"context"
	"fmt"
	"os"

	"github.com/helios-go/helios/helioai"
	"github.com/helios-go/helios/helioai/demo"
	"github.com/helios-go/helios/helioai/offline"
	"github.com/helios-go/helios/helioai/places"
	"github.com/helios-go/helios/store/sqlite"
)

// A question over the demonstration data, answered without a network, a key or
// a sandbox.
func ExampleAssistant_Ask() {
	dir, err := os.MkdirTemp("", "helioai-*")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = os.RemoveAll(dir) }()
	answer, err := ask(context.Background(), dir, "What is the minimum Bz GSM in the MFI data, and when?")
	if err != nil {
		fmt.Println(helioai.Failed(err))
		return
	}
	fmt.Println(answer.Text)
	fmt.Println(answer.Verdict.Summary())
	// Output:
	// Bz GSM (local/demo_mfi_20230615_v01/BGSM): minimum -9.004 nT at 2023-06-15T14:17:57Z. Taken from 5250 records, 80 of them missing. No figure was made, because no tool runs Python here. Answered by the offline planner, a fixed grammar without a language model.
	// 4 matched
}

func ask(ctx context.Context, dir, question string) (*helioai.Answer, error) {
	home, err := places.Open(dir)
	if err != nil {
		return nil, err
	}
	store, err := sqlite.Open(home.SessionsDB(), nil)
	if err != nil {
		return nil, err
	}
	defer func() { _ = store.Close() }()
	data, err := demo.Archive()
	if err != nil {
		return nil, err
	}
	a := &helioai.Assistant{Home: home, Store: store, User: "cli", Archive: data, Model: offline.New(data)}
	return a.Ask(ctx, &helioai.Question{Text: question})
}

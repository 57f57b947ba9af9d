package llmtest_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/llm/llmtest"
)

// A turn can break, be refused, cost money or take its time.
func ExampleTurn() {
	model := llmtest.New(
		llmtest.Text("I was about to").Failing(&llm.Error{Kind: llm.KindTransient, Provider: "test", Status: 529, Err: errors.New("overloaded")}),
		llmtest.Text("I cannot help with that.").Ending(llm.FinishRefusal),
		llmtest.Text("Done.").Using(llm.Usage{Input: 900, Output: 3}).After(time.Millisecond),
	)
	for range 3 {
		resp, err := llm.Generate(context.Background(), model, &llm.Request{})
		fmt.Printf("%q %s %d %v\n", resp.Text(), resp.Finish, resp.Usage.Total(), err)
	}
	fmt.Println(model.Done())
	// Output:
	// "I was about to"  0 test: HTTP 529: overloaded
	// "I cannot help with that." refusal 0 <nil>
	// "Done." stop 903 <nil>
	// <nil>
}

// A parser of streams must read the same, however the bytes come.
func ExampleCuts() {
	const body = "data: {\"text\":\"你好🦀\"}\r\n\r\ndata: [DONE]\r\n\r\n"
	for name, cut := range llmtest.Cuts() {
		resp, err := llmtest.NewWire(llmtest.SSE(body).Cut(cut)).Client().Get("https://api.example/v1")
		if err != nil {
			fmt.Println(err)
			return
		}
		var lines []string
		for in := bufio.NewScanner(resp.Body); in.Scan(); {
			lines = append(lines, in.Text())
		}
		resp.Body.Close()
		fmt.Println(name+":", strings.Join(lines, "|"))
	}
	// Output:
	// whole: data: {"text":"你好🦀"}||data: [DONE]|
	// every byte alone: data: {"text":"你好🦀"}||data: [DONE]|
	// seven bytes: data: {"text":"你好🦀"}||data: [DONE]|
	// lines: data: {"text":"你好🦀"}||data: [DONE]|
	// events: data: {"text":"你好🦀"}||data: [DONE]|
	// between CR and LF: data: {"text":"你好🦀"}||data: [DONE]|
	// inside characters: data: {"text":"你好🦀"}||data: [DONE]|
	// at random: data: {"text":"你好🦀"}||data: [DONE]|
}

// A recorded wire is a folder of requests and responses.
func ExampleLoadWire() {
	wire, err := llmtest.LoadWire(os.DirFS("testdata/wire"))
	if err != nil {
		fmt.Println(err)
		return
	}
	resp, err := wire.Client().Post("https://api.example/v1/messages", "application/json", strings.NewReader(`{"stream":true,"model":"n"}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	resp.Body.Close()
	fmt.Println(wire.Done())
	// Output: llmtest: request 1, POST /v1/messages: body.model is "n", recorded as "m"
}

package anthropic_test

import (
	"context"
	"fmt"

	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/llm/llmtest"
	"github.com/helios-go/helios/provider/anthropic"
)

// An answer comes in pieces while the model writes it. The wire stands for the
// API: with nil options the key is taken from ANTHROPIC_API_KEY.
func Example() {
	api := llmtest.NewWire(llmtest.SSE(`event: message_start
data: {"type":"message_start","message":{"id":"msg_01","model":"claude-sonnet-5","usage":{"input_tokens":12,"output_tokens":1}}}

event: content_block_start
data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"A stream of "}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"charged particles."}}

event: content_block_stop
data: {"type":"content_block_stop","index":0}

event: message_delta
data: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":9}}

event: message_stop
data: {"type":"message_stop"}

`))
	model := anthropic.New("claude-sonnet-5", &anthropic.Options{Key: "a key", HTTP: api.Client(), Cache: anthropic.CacheHour})

	req := &llm.Request{
		System:   []llm.Part{llm.Text("You answer in one sentence.")},
		Messages: []llm.Message{llm.User("What is the solar wind?")},
		Options:  llm.Options{Thinking: llm.ThinkingLow},
	}
	for chunk, err := range model.Stream(context.Background(), req) {
		if err != nil {
			fmt.Println(err)
			return
		}
		switch chunk.Kind {
		case llm.ChunkText:
			fmt.Printf("%q\n", chunk.Text)
		case llm.ChunkDone:
			cost, _ := model.Cost(*chunk.Usage)
			fmt.Println(chunk.Finish, chunk.Usage.Total(), "tokens", cost)
		}
	}
	fmt.Println(string(api.Requests()[0].Body))
	// Output:
	// "A stream of "
	// "charged particles."
	// stop 21 tokens $0.000114
	// {"model":"claude-sonnet-5","max_tokens":64000,"stream":true,"system":[{"type":"text","text":"You answer in one sentence.","cache_control":{"type":"ephemeral","ttl":"1h"}}],"messages":[{"role":"user","content":[{"type":"text","text":"What is the solar wind?","cache_control":{"type":"ephemeral","ttl":"1h"}}]}],"thinking":{"type":"adaptive","display":"summarized"},"output_config":{"effort":"low"}}
}

// What is known of the models: their windows, and what tokens cost.
func ExampleModels() {
	models := anthropic.Models()
	haiku, _ := models.Find("claude-haiku-5-5-20261007")
	short, _ := haiku.Cost(llm.Usage{Input: 100_000})
	long, _ := haiku.Cost(llm.Usage{Input: 100_001})
	fmt.Println(models.AsOf, haiku.ID, haiku.Size.Context, short, long)
	// Output: 2026-12-01 claude-haiku-5-5 1000000 $0.01 $0.05
}

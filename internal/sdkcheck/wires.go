package sdkcheck

import (
	"context"
	"fmt"

	"github.com/anthropics/anthropic-sdk-go/v2"
	"github.com/openai/openai-go/v3"

	"github.com/helios-go/helios/llm"
	ours "github.com/helios-go/helios/provider/anthropic"
	"github.com/helios-go/helios/provider/compat"
)

// Wires are the wires there are.
func Wires() []*Wire {
	return []*Wire{
		{
			Name: "anthropic", Model: anthropicOurs, Stream: anthropicStream, Exchanges: anthropicExchanges,
			Headers: []string{"Content-Type", "Anthropic-Version", "X-Api-Key", "Authorization"},
			Send: sender(func(ctx context.Context, at Place, p anthropic.MessageNewParams) error {
				stream := anthropicClient(at).Messages.NewStreaming(ctx, p)
				for stream.Next() {
				}
				return stream.Err()
			}),
			Same: func(body map[string]any) {
				body["system"] = asBlocks(body["system"], "text")
				eachMessage(body["messages"], func(m map[string]any) { m["content"] = asBlocks(m["content"], "text") })
			},
		},
		{
			Name: "chat", Model: chatOurs, Stream: chatStream, Exchanges: chatExchanges,
			Headers: []string{"Content-Type", "Authorization"},
			Send: sender(func(ctx context.Context, at Place, p openai.ChatCompletionNewParams) error {
				stream := openaiClient(at).Chat.Completions.NewStreaming(ctx, p)
				for stream.Next() {
				}
				return stream.Err()
			}),
			Same: func(body map[string]any) {
				eachMessage(body["messages"], func(m map[string]any) { m["content"] = asBlocks(m["content"], "text") })
			},
		},
	}
}

func anthropicOurs(at Place) llm.Model {
	return ours.New(anthropicModel, &ours.Options{Key: "test", BaseURL: at.Base, HTTP: at.HTTP, Cache: ours.CacheNone})
}

func chatOurs(at Place) llm.Model {
	return compat.OpenAI(chatModel, &compat.Options{Key: "test", BaseURL: at.Base + "/v1", HTTP: at.HTTP})
}

// sender is a function of any parameters for one of these.
func sender[P any](send func(context.Context, Place, P) error) func(context.Context, Place, any) error {
	return func(ctx context.Context, at Place, params any) error {
		p, ok := params.(P)
		if !ok {
			return fmt.Errorf("parameters of type %T, want %T", params, p)
		}
		return send(ctx, at, p)
	}
}

// asBlocks is content that is a text as the list of one block that it is short for.
func asBlocks(content any, kind string) any {
	if text, ok := content.(string); ok {
		return []any{map[string]any{"type": kind, "text": text}}
	}
	return content
}

func eachMessage(list any, do func(map[string]any)) {
	messages, _ := list.([]any)
	for _, m := range messages {
		if message, ok := m.(map[string]any); ok {
			do(message)
		}
	}
}

package sdkcheck

import (
	"context"
	"fmt"

	"github.com/anthropics/anthropic-sdk-go/v2"
	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/responses"
	"google.golang.org/genai/interactions/models/interactions"

	"github.com/helios-go/helios/llm"
	ouranthropic "github.com/helios-go/helios/provider/anthropic"
	"github.com/helios-go/helios/provider/compat"
	ourgemini "github.com/helios-go/helios/provider/gemini"
	ouropenai "github.com/helios-go/helios/provider/openai"
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
				asBlocks(body, "system", "text")
				eachMessage(body["messages"], func(m map[string]any) { asBlocks(m, "content", "text") })
			},
		},
		{
			Name: "responses", Model: responsesOurs, Stream: responsesStream, Exchanges: responsesExchanges,
			Headers: []string{"Content-Type", "Authorization"},
			Send: sender(func(ctx context.Context, at Place, p responses.ResponseNewParams) error {
				stream := openaiClient(at).Responses.NewStreaming(ctx, p)
				for stream.Next() {
				}
				return stream.Err()
			}),
			Same: func(body map[string]any) {
				eachMessage(body["input"], func(m map[string]any) {
					if m["role"] == "user" {
						asBlocks(m, "content", "input_text")
					}
				})
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
				eachMessage(body["messages"], func(m map[string]any) { asBlocks(m, "content", "text") })
			},
		},
		{
			Name: "gemini", Model: geminiOurs, Stream: geminiStream, Exchanges: geminiExchanges,
			Headers: []string{"Content-Type", "Api-Revision", "X-Goog-Api-Key"},
			Send: sender(func(ctx context.Context, at Place, p interactions.CreateModelInteraction) error {
				created, err := geminiCreate(ctx, at, p)
				if err != nil {
					return err
				}
				stream := created.InteractionSSEStreamEvent
				defer stream.Close()
				for stream.Next() {
				}
				return stream.Err()
			}),
		},
	}
}

func anthropicOurs(at Place) llm.Model {
	return ouranthropic.New(anthropicModel, &ouranthropic.Options{Key: "test", HTTP: at.Redirected(), Cache: ouranthropic.CacheNone})
}

func responsesOurs(at Place) llm.Model {
	return ouropenai.New(responsesModel, &ouropenai.Options{Key: "test", HTTP: at.Redirected()})
}

func geminiOurs(at Place) llm.Model {
	return ourgemini.New(geminiModel, &ourgemini.Options{Key: "test", HTTP: at.Redirected()})
}

func chatOurs(at Place) llm.Model {
	return compat.OpenAI(chatModel, &compat.Options{Key: "test", HTTP: at.Redirected()})
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

// asBlocks makes a member that is a text the list of one block that it is short for.
func asBlocks(object map[string]any, name, kind string) {
	if text, ok := object[name].(string); ok {
		object[name] = []any{map[string]any{"type": kind, "text": text}}
	}
}

func eachMessage(list any, do func(map[string]any)) {
	messages, _ := list.([]any)
	for _, m := range messages {
		if message, ok := m.(map[string]any); ok {
			do(message)
		}
	}
}

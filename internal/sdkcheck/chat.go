package sdkcheck

import (
	"context"

	"github.com/openai/openai-go/v3"

	"github.com/helios-go/helios/llm"
)

// chatStream drains a stream of chat completions with the official client and the
// accumulator that comes with it.
func chatStream(ctx context.Context, at Place) *Answer {
	stream := openaiClient(at).Chat.Completions.NewStreaming(ctx, openai.ChatCompletionNewParams{
		Model: "gpt-4.1", Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage("hi")},
	})
	defer stream.Close()
	var gathered openai.ChatCompletionAccumulator
	for stream.Next() {
		gathered.AddChunk(stream.Current()) // false where it cannot use one
	}
	answer := &Answer{Err: stream.Err(), Usage: llm.Usage{
		Input:     gathered.Usage.PromptTokens - gathered.Usage.PromptTokensDetails.CachedTokens,
		CacheRead: gathered.Usage.PromptTokensDetails.CachedTokens,
		Output:    gathered.Usage.CompletionTokens,
	}}
	if len(gathered.Choices) == 0 {
		return answer
	}
	choice := gathered.Choices[0]
	if choice.Message.Content != "" {
		answer.Parts = append(answer.Parts, Part{Kind: "text", Text: choice.Message.Content})
	}
	if choice.Message.Refusal != "" {
		answer.Parts = append(answer.Parts, Part{Kind: "refusal", Text: choice.Message.Refusal})
	}
	for _, call := range choice.Message.ToolCalls {
		answer.Parts = append(answer.Parts, Part{Kind: "call", ID: call.ID, Name: call.Function.Name, Args: call.Function.Arguments})
	}
	answer.Stop = chatStop(choice.FinishReason)
	return answer
}

func chatStop(reason string) llm.FinishReason {
	if reason == "content_filter" {
		return llm.FinishContentFilter
	}
	return llm.FinishReason(reason) // the names are ours too
}

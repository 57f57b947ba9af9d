package sdkcheck

import (
	"context"
	"errors"

	"github.com/anthropics/anthropic-sdk-go/v2"
	"github.com/anthropics/anthropic-sdk-go/v2/option"

	"github.com/helios-go/helios/llm"
)

// anthropicClient is the official client, which tries once.
func anthropicClient(at Place) *anthropic.Client {
	client := anthropic.NewClient(
		option.WithoutEnvironmentDefaults(), option.WithBaseURL(at.Base), option.WithAPIKey("test"), option.WithHTTPClient(at.HTTP),
		option.WithMaxRetries(0), option.WithoutOpenTelemetry(),
	)
	return &client
}

// anthropicStream drains a stream with the official client, and goes on with a
// turn that the server has paused.
func anthropicStream(ctx context.Context, at Place) *Answer {
	client := anthropicClient(at)
	params := anthropic.MessageNewParams{
		Model: "claude-opus-4-8", MaxTokens: 1024,
		Messages: []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock("hi"))},
	}
	answer := &Answer{}
	for {
		message := anthropic.Message{}
		stream := client.Messages.NewStreaming(ctx, params)
		for stream.Next() && answer.Err == nil {
			answer.Err = message.Accumulate(stream.Current())
		}
		answer.Err = errors.Join(answer.Err, stream.Err())
		_ = stream.Close()
		for i := range message.Content {
			answer.Parts = append(answer.Parts, anthropicPart(&message.Content[i]))
		}
		answer.Usage = answer.Usage.Add(llm.Usage{
			Input: message.Usage.InputTokens, CacheRead: message.Usage.CacheReadInputTokens,
			CacheWrite: message.Usage.CacheCreationInputTokens, Output: message.Usage.OutputTokens,
		})
		answer.Stop = anthropicStop(message.StopReason)
		if message.StopReason != anthropic.StopReasonPauseTurn || answer.Err != nil {
			return answer
		}
		params.Messages = append(params.Messages, message.ToParam())
	}
}

func anthropicPart(b *anthropic.ContentBlockUnion) Part {
	extra := without(b.RawJSON(), "type", "text", "thinking", "signature", "id", "name", "input")
	switch b.Type {
	case "text":
		return Part{Kind: "text", Text: b.Text, Extra: extra}
	case "thinking":
		return Part{Kind: "thinking", Text: b.Thinking, Signature: b.Signature, Extra: extra}
	case "tool_use":
		return Part{Kind: "call", ID: b.ID, Name: b.Name, Args: string(b.Input), Extra: extra}
	}
	return Part{Kind: "block", Block: b.RawJSON()}
}

func anthropicStop(reason anthropic.StopReason) llm.FinishReason {
	switch reason {
	case anthropic.StopReasonToolUse:
		return llm.FinishToolCalls
	case anthropic.StopReasonMaxTokens, anthropic.StopReasonModelContextWindowExceeded:
		return llm.FinishLength
	case anthropic.StopReasonRefusal:
		return llm.FinishRefusal
	case anthropic.StopReasonEndTurn, anthropic.StopReasonStopSequence:
		return llm.FinishStop
	}
	return llm.FinishReason(reason)
}

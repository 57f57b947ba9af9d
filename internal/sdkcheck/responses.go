package sdkcheck

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/responses"

	"github.com/helios-go/helios/llm"
)

// openaiClient is the official client, which tries once.
func openaiClient(at Place) *openai.Client {
	client := openai.NewClient(option.WithBaseURL(at.Base+"/v1"), option.WithAPIKey("test"), option.WithMaxRetries(0), option.WithHTTPClient(at.HTTP))
	return &client
}

// responsesStream drains a stream with the official client. Its message is the
// response of the last event, the output put together from the items before it
// where that event leaves it out.
func responsesStream(ctx context.Context, at Place) *Answer {
	stream := openaiClient(at).Responses.NewStreaming(ctx, responses.ResponseNewParams{
		Model: "gpt-5.5", Input: responses.ResponseNewParamsInputUnion{OfString: openai.String("hi")},
	})
	defer stream.Close()
	var gathered responses.ResponseAccumulator
	var text strings.Builder
	for stream.Next() {
		event := stream.Current()
		if event.Type == "response.output_text.delta" || event.Type == "response.refusal.delta" {
			text.WriteString(event.Delta)
		}
		var same responses.ResponsesServerEventUnion
		if json.Unmarshal([]byte(event.RawJSON()), &same) == nil {
			_ = gathered.AddEvent(same) // what it cannot use it says again at the end
		}
	}
	answer := &Answer{Err: stream.Err()}
	response, err := gathered.ReconstructedResponse()
	if err != nil || answer.Err != nil {
		answer.Parts = []Part{{Kind: "text", Text: text.String()}}
		return answer
	}
	if response.Status == responses.ResponseStatusFailed {
		answer.Err = errors.New(response.Error.Message)
		answer.Parts = []Part{{Kind: "text", Text: text.String()}}
		return answer
	}
	answer.Usage = llm.Usage{
		Input:      response.Usage.InputTokens - response.Usage.InputTokensDetails.CachedTokens - response.Usage.InputTokensDetails.CacheWriteTokens,
		CacheRead:  response.Usage.InputTokensDetails.CachedTokens,
		CacheWrite: response.Usage.InputTokensDetails.CacheWriteTokens,
		Output:     response.Usage.OutputTokens,
	}
	for i := range response.Output {
		answer.Parts = append(answer.Parts, responsesParts(&response.Output[i])...)
	}
	answer.Stop = responsesStop(response, answer.Parts)
	return answer
}

func responsesParts(item *responses.ResponseOutputItemUnion) []Part {
	switch item.Type {
	case "message":
		var parts []Part
		for _, c := range item.Content {
			own := without(c.RawJSON(), "type", "text", "refusal", "logprobs")
			if c.Type != "output_text" {
				own = join(own, `{"type":"`+c.Type+`"}`)
			}
			parts = append(parts, Part{Kind: "text", Text: c.Text + c.Refusal, Extra: join(besides(item, "role", "content"), `{"content":`+own+`}`)})
		}
		return parts
	case "reasoning":
		var texts []string
		for _, s := range item.Summary {
			texts = append(texts, s.Text)
		}
		for _, c := range item.Content {
			texts = append(texts, c.Text)
		}
		return []Part{{Kind: "thinking", Text: strings.Join(texts, "\n\n"), Signature: item.EncryptedContent,
			Extra: besides(item, "encrypted_content", "summary", "content")}}
	case "function_call":
		return []Part{{Kind: "call", ID: item.CallID, Name: item.Name, Args: item.Arguments.OfString,
			Extra: besides(item, "call_id", "name", "arguments")}}
	}
	return []Part{{Kind: "block", Block: item.RawJSON()}}
}

// besides is what an item says besides its type, the members named, and that it is
// whole.
func besides(item *responses.ResponseOutputItemUnion, names ...string) string {
	if item.Status == "completed" {
		names = append(names, "status")
	}
	return without(item.RawJSON(), append(names, "type")...)
}

func responsesStop(r *responses.Response, parts []Part) llm.FinishReason {
	switch r.IncompleteDetails.Reason {
	case "max_output_tokens":
		return llm.FinishLength
	case "content_filter":
		return llm.FinishContentFilter
	}
	if r.Status != responses.ResponseStatusCompleted {
		return llm.FinishReason(r.Status)
	}
	for _, p := range parts {
		switch {
		case strings.Contains(p.Extra, `"type":"refusal"`):
			return llm.FinishRefusal
		case p.Kind == "call":
			return llm.FinishToolCalls
		}
	}
	return llm.FinishStop
}

// join is an object with the members of both.
func join(a, b string) string {
	members := map[string]json.RawMessage{}
	if json.Unmarshal([]byte(a), &members) != nil || json.Unmarshal([]byte(b), &members) != nil {
		return a
	}
	return written(members)
}

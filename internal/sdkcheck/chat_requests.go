package sdkcheck

import (
	"encoding/base64"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/shared"

	"github.com/helios-go/helios/llm"
)

const chatModel = "gpt-4.1"

func chatTools() []openai.ChatCompletionToolUnionParam {
	return []openai.ChatCompletionToolUnionParam{
		openai.ChatCompletionFunctionTool(shared.FunctionDefinitionParam{Name: "get_weather", Description: openai.String("the weather of a city"), Parameters: object(weatherSchema)}),
		openai.ChatCompletionFunctionTool(shared.FunctionDefinitionParam{Name: "get_time", Description: openai.String("the time"), Parameters: object(timeSchema)}),
	}
}

// chatExchanges are the conversations of chat completions.
func chatExchanges() []Exchange {
	type params = openai.ChatCompletionNewParams
	type message = openai.ChatCompletionMessageParamUnion
	type part = openai.ChatCompletionContentPartUnionParam
	base := func(messages ...message) params {
		return params{Model: chatModel, Messages: messages, StreamOptions: openai.ChatCompletionStreamOptionsParam{IncludeUsage: openai.Bool(true)}}
	}
	change := func(p params, f func(*params)) params { f(&p); return p }
	image := openai.ImageContentPart(openai.ChatCompletionContentPartImageImageURLParam{URL: "data:image/png;base64," + base64.StdEncoding.EncodeToString(pixel)})
	file := openai.FileContentPart(openai.ChatCompletionContentPartFileFileParam{
		FileData: openai.String("data:application/pdf;base64," + base64.StdEncoding.EncodeToString(page)), Filename: openai.String("wind.pdf"),
	})
	asked := openai.AssistantMessage("Let me look.")
	for _, c := range [][3]string{{"call_1", "get_weather", `{"city":"Paris"}`}, {"call_2", "get_time", `{}`}} {
		asked.OfAssistant.ToolCalls = append(asked.OfAssistant.ToolCalls, openai.ChatCompletionMessageToolCallUnionParam{
			OfFunction: &openai.ChatCompletionMessageFunctionToolCallParam{ID: c[0], Function: openai.ChatCompletionMessageFunctionToolCallFunctionParam{Name: c[1], Arguments: c[2]}},
		})
	}
	mode := func(m string) openai.ChatCompletionToolChoiceOptionUnionParam {
		return openai.ChatCompletionToolChoiceOptionUnionParam{OfAuto: openai.String(m)}
	}

	return exchanges([]plain{
		{"text", ask("What is the solar wind?"), base(openai.UserMessage("What is the solar wind?"))},
		{"systems", with(ask("hi"), func(r *llm.Request) { r.System = []llm.Part{llm.Text("Be brief."), llm.Text("Be kind.")} }),
			base(openai.SystemMessage("Be brief.\n\nBe kind."), openai.UserMessage("hi"))},
		{"turns", &llm.Request{Messages: []llm.Message{llm.User("a"), llm.Assistant("b"), llm.User("c")}},
			base(openai.UserMessage("a"), openai.AssistantMessage("b"), openai.UserMessage("c"))},
		{"characters", ask(characters), base(openai.UserMessage(characters))},
		{"image", about("What is this?", picture),
			base(openai.UserMessage([]part{image, openai.TextContentPart("What is this?")}))},
		{"document", about("Sum it up.", paper),
			base(openai.UserMessage([]part{file, openai.TextContentPart("Sum it up.")}))},
		{"linked image", about("What is this?", linked), base(openai.UserMessage([]part{
			openai.ImageContentPart(openai.ChatCompletionContentPartImageImageURLParam{URL: "https://example.org/sun.png"}), openai.TextContentPart("What is this?"),
		}))},
		{"tools", withTools(ask("Weather?")), change(base(openai.UserMessage("Weather?")), func(p *params) { p.Tools = chatTools() })},
		{"results", twoCalls("call_1", "call_2"), change(base(openai.SystemMessage("Be brief."), openai.UserMessage("Weather and time?"), asked,
			openai.ToolMessage("20 C", "call_1"), openai.ToolMessage("no clock", "call_2")), func(p *params) { p.Tools = chatTools() })},
		{"no choice", with(withTools(ask("hi")), func(r *llm.Request) { r.Choice.Mode = llm.ChoiceNone }),
			change(base(openai.UserMessage("hi")), func(p *params) { p.Tools, p.ToolChoice = chatTools(), mode("none") })},
		{"any choice", with(withTools(ask("hi")), func(r *llm.Request) { r.Choice.Mode = llm.ChoiceAny }),
			change(base(openai.UserMessage("hi")), func(p *params) { p.Tools, p.ToolChoice = chatTools(), mode("required") })},
		{"named choice", with(withTools(ask("hi")), func(r *llm.Request) {
			r.Choice = llm.ToolChoice{Mode: llm.ChoiceNamed, Names: []string{"get_time"}}
		}), change(base(openai.UserMessage("hi")), func(p *params) {
			p.Tools = chatTools()
			p.ToolChoice = openai.ChatCompletionToolChoiceOptionUnionParam{OfFunctionToolChoice: &openai.ChatCompletionNamedToolChoiceParam{Function: openai.ChatCompletionNamedToolChoiceFunctionParam{Name: "get_time"}}}
		})},
		{"output", with(ask("How fast?"), func(r *llm.Request) { r.Output = speed }),
			change(base(openai.UserMessage("How fast?")), func(p *params) {
				p.ResponseFormat.OfJSONSchema = &shared.ResponseFormatJSONSchemaParam{JSONSchema: shared.ResponseFormatJSONSchemaJSONSchemaParam{Name: "speed", Schema: object(speedSchema), Strict: openai.Bool(true)}}
			})},
		{"options", with(ask("hi"), func(r *llm.Request) {
			r.Options = llm.Options{MaxTokens: 500, Temperature: new(0.25), TopP: new(0.5), Seed: new(int64(7)), Stop: []string{"three", "four"}}
		}), change(base(openai.UserMessage("hi")), func(p *params) {
			p.MaxTokens, p.Temperature, p.TopP, p.Seed = openai.Int(500), openai.Float(0.25), openai.Float(0.5), openai.Int(7)
			p.Stop.OfStringArray = []string{"three", "four"}
		})},
		{"thinking high", with(ask("hi"), func(r *llm.Request) { r.Options.Thinking = llm.ThinkingHigh }),
			change(base(openai.UserMessage("hi")), func(p *params) { p.ReasoningEffort = shared.ReasoningEffortHigh })},
	})
}

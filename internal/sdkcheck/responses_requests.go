package sdkcheck

import (
	"encoding/base64"
	"encoding/json"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/responses"
	"github.com/openai/openai-go/v3/shared"

	"github.com/helios-go/helios/llm"
)

const responsesModel = "gpt-5.5"

// responsesTools are the tools as strict mode wants them: every property required,
// the optional ones nullable.
func responsesTools() []responses.ToolUnionParam {
	weather := responses.ToolParamOfFunction("get_weather", object(`{"type":"object",
		"properties":{"city":{"type":"string","description":"the city"},"days":{"type":["integer","null"]}},
		"required":["city","days"],"additionalProperties":false}`), true)
	weather.OfFunction.Description = openai.String("the weather of a city")
	clock := responses.ToolParamOfFunction("get_time", object(`{"type":"object","properties":{},"required":[],"additionalProperties":false}`), true)
	clock.OfFunction.Description = openai.String("the time")
	return []responses.ToolUnionParam{weather, clock}
}

// responsesExchanges are the conversations of the Responses API.
func responsesExchanges() []Exchange {
	type params = responses.ResponseNewParams
	type item = responses.ResponseInputItemUnionParam
	text := func(s string) item {
		i := responses.ResponseInputItemParamOfMessage(s, "user")
		i.OfMessage.Type = "message"
		return i
	}
	said := func(s string) item {
		return responses.ResponseInputItemParamOfOutputMessage([]responses.ResponseOutputMessageContentUnionParam{
			{OfOutputText: &responses.ResponseOutputTextParam{Text: s, Annotations: []responses.ResponseOutputTextAnnotationUnionParam{}}},
		}, "", "completed")
	}
	parts := func(content ...responses.ResponseInputContentUnionParam) item {
		i := responses.ResponseInputItemParamOfMessage(responses.ResponseInputMessageContentListParam(content), "user")
		i.OfMessage.Type = "message"
		return i
	}
	base := func(items ...item) params {
		return params{Model: responsesModel, Input: responses.ResponseNewParamsInputUnion{OfInputItemList: items}, Store: openai.Bool(false),
			Include: []responses.ResponseIncludable{responses.ResponseIncludableReasoningEncryptedContent}}
	}
	change := func(p params, f func(*params)) params { f(&p); return p }
	image := responses.ResponseInputContentUnionParam{OfInputImage: &responses.ResponseInputImageParam{
		Detail: responses.ResponseInputImageDetailAuto, ImageURL: openai.String("data:image/png;base64," + base64.StdEncoding.EncodeToString(pixel)),
	}}
	file := responses.ResponseInputContentUnionParam{OfInputFile: &responses.ResponseInputFileParam{
		FileData: openai.String("data:application/pdf;base64," + base64.StdEncoding.EncodeToString(page)), Filename: openai.String("wind.pdf"),
	}}
	answered := func(id, output string) item {
		i := responses.ResponseInputItemParamOfFunctionCallOutput(output)
		i.OfFunctionCallOutput.CallID = openai.String(id)
		return i
	}
	called := change(base(
		text("Weather and time?"), said("Let me look."),
		responses.ResponseInputItemParamOfFunctionCall(`{"city":"Paris"}`, "call_1", "get_weather"),
		responses.ResponseInputItemParamOfFunctionCall(`{}`, "call_2", "get_time"),
		answered("call_1", "20 C"), answered("call_2", "no clock"),
	), func(p *params) {
		p.Instructions = openai.String("Be brief.")
		p.Tools = responsesTools()
	})
	reasoning := responses.ResponseInputItemParamOfReasoning("rs_1", []responses.ResponseReasoningItemSummaryParam{{Text: "hm"}})
	reasoning.OfReasoning.EncryptedContent = openai.String("gAAA")
	named := responses.ResponseInputItemParamOfFunctionCall(`{"city":"Paris"}`, "call_1", "get_weather")
	named.OfFunctionCall.ID = openai.String("fc_1")
	search := `{"type":"web_search_call","id":"ws_1","status":"completed","action":{"type":"search","query":"wind"}}`
	mode := func(m responses.ToolChoiceOptions) responses.ResponseNewParamsToolChoiceUnion {
		return responses.ResponseNewParamsToolChoiceUnion{OfToolChoiceMode: param.NewOpt(m)}
	}

	return exchanges([]plain{
		{"text", ask("What is the solar wind?"), base(text("What is the solar wind?"))},
		{"systems", with(ask("hi"), func(r *llm.Request) { r.System = []llm.Part{llm.Text("Be brief."), llm.Text("Be kind.")} }),
			change(base(text("hi")), func(p *params) { p.Instructions = openai.String("Be brief.\n\nBe kind.") })},
		{"turns", &llm.Request{Messages: []llm.Message{llm.User("a"), llm.Assistant("b"), llm.User("c")}},
			base(text("a"), said("b"), text("c"))},
		{"characters", ask(characters), base(text(characters))},
		{"image", about("What is this?", picture),
			base(parts(image, responses.ResponseInputContentParamOfInputText("What is this?")))},
		{"document", about("Sum it up.", paper),
			base(parts(file, responses.ResponseInputContentParamOfInputText("Sum it up.")))},
		{"linked files", about("Compare.", linked, leaflet), base(parts(
			responses.ResponseInputContentUnionParam{OfInputImage: &responses.ResponseInputImageParam{Detail: "auto", ImageURL: openai.String("https://example.org/sun.png")}},
			responses.ResponseInputContentUnionParam{OfInputFile: &responses.ResponseInputFileParam{FileURL: openai.String("https://example.org/wind.pdf")}},
			responses.ResponseInputContentParamOfInputText("Compare.")))},
		{"file of the server", about("Sum it up.", must(llm.NewFile("file-123", "application/pdf", ""))), base(parts(
			responses.ResponseInputContentUnionParam{OfInputFile: &responses.ResponseInputFileParam{FileID: openai.String("file-123")}},
			responses.ResponseInputContentParamOfInputText("Sum it up.")))},
		{"tools", withTools(ask("Weather?")), change(base(text("Weather?")), func(p *params) { p.Tools = responsesTools() })},
		{"results", twoCalls("call_1", "call_2"), called},
		{"result with image", with(twoCalls("call_1", "call_2"), func(r *llm.Request) {
			r.Messages[2].Parts[0].Result.Parts = []llm.Part{llm.Text("see"), picture}
		}), change(called, func(p *params) {
			items := append([]item(nil), p.Input.OfInputItemList...)
			items[4] = responses.ResponseInputItemParamOfFunctionCallOutput(responses.ResponseFunctionCallOutputItemListParam{
				{OfInputText: &responses.ResponseInputTextContentParam{Text: "see"}},
				{OfInputImage: &responses.ResponseInputImageContentParam{Detail: "auto", ImageURL: image.OfInputImage.ImageURL}},
			})
			items[4].OfFunctionCallOutput.CallID = openai.String("call_1")
			p.Input.OfInputItemList = items
		})},
		{"no choice", with(withTools(ask("hi")), func(r *llm.Request) { r.Choice.Mode = llm.ChoiceNone }),
			change(base(text("hi")), func(p *params) { p.Tools, p.ToolChoice = responsesTools(), mode(responses.ToolChoiceOptionsNone) })},
		{"any choice", with(withTools(ask("hi")), func(r *llm.Request) { r.Choice.Mode = llm.ChoiceAny }),
			change(base(text("hi")), func(p *params) { p.Tools, p.ToolChoice = responsesTools(), mode(responses.ToolChoiceOptionsRequired) })},
		{"named choice", with(withTools(ask("hi")), func(r *llm.Request) {
			r.Choice = llm.ToolChoice{Mode: llm.ChoiceNamed, Names: []string{"get_time"}}
		}), change(base(text("hi")), func(p *params) {
			p.Tools = responsesTools()
			p.ToolChoice = responses.ResponseNewParamsToolChoiceUnion{OfFunctionTool: &responses.ToolChoiceFunctionParam{Name: "get_time"}}
		})},
		{"named choice of two", with(withTools(ask("hi")), func(r *llm.Request) {
			r.Choice = llm.ToolChoice{Mode: llm.ChoiceNamed, Names: []string{"get_time", "get_weather"}}
		}), change(base(text("hi")), func(p *params) {
			p.Tools = responsesTools()
			p.ToolChoice = responses.ResponseNewParamsToolChoiceUnion{OfAllowedTools: &responses.ToolChoiceAllowedParam{Mode: "required", Tools: []map[string]any{
				{"type": "function", "name": "get_time"}, {"type": "function", "name": "get_weather"},
			}}}
		})},
		{"output", with(ask("How fast?"), func(r *llm.Request) { r.Output = speed }),
			change(base(text("How fast?")), func(p *params) {
				p.Text.Format = responses.ResponseFormatTextConfigParamOfJSONSchema("speed", object(speedSchema))
				p.Text.Format.OfJSONSchema.Strict = openai.Bool(true)
			})},
		{"output with tools", with(withTools(ask("How fast?")), func(r *llm.Request) { r.Output = speed }),
			change(base(text("How fast?")), func(p *params) {
				p.Tools = responsesTools()
				p.Text.Format = responses.ResponseFormatTextConfigParamOfJSONSchema("speed", object(speedSchema))
				p.Text.Format.OfJSONSchema.Strict = openai.Bool(true)
			})},
		{"limit", with(ask("hi"), func(r *llm.Request) { r.Options.MaxTokens = 500 }),
			change(base(text("hi")), func(p *params) { p.MaxOutputTokens = openai.Int(500) })},
		{"thinking high", with(ask("hi"), func(r *llm.Request) { r.Options.Thinking = llm.ThinkingHigh }),
			change(base(text("hi")), func(p *params) {
				p.Reasoning = shared.ReasoningParam{Effort: shared.ReasoningEffortHigh, Summary: shared.ReasoningSummaryAuto}
			})},
		{"reasoning again", withTools(&llm.Request{Messages: []llm.Message{
			llm.User("Weather?"), {Role: llm.RoleAssistant, Parts: []llm.Part{
				{Kind: llm.PartThinking, Text: "hm", Signature: "gAAA", Model: "openai/" + responsesModel, Opaque: &llm.Opaque{Provider: "openai", Data: json.RawMessage(`{"id":"rs_1"}`)}},
				owned(call("call_1", "get_weather", `{"city":"Paris"}`), "openai", responsesModel, `{"id":"fc_1"}`),
			}},
			results(result("call_1", "get_weather", false, llm.Text("20 C"))),
		}}), change(base(text("Weather?"), reasoning, named, answered("call_1", "20 C")), func(p *params) { p.Tools = responsesTools() })},
		{"server tools again", &llm.Request{Messages: []llm.Message{
			llm.User("Wind?"), {Role: llm.RoleAssistant, Parts: []llm.Part{
				{Kind: llm.PartOpaque, Opaque: &llm.Opaque{Provider: "openai", Data: json.RawMessage(search)}, Model: "openai/" + responsesModel}, llm.Text("Fast."),
			}}, llm.User("Sure?"),
		}}, base(text("Wind?"), param.Override[item](json.RawMessage(search)), said("Fast."), text("Sure?"))},
	})
}

// owned is a part with further fields of its provider's own form.
func owned(p llm.Part, provider, model, fields string) llm.Part {
	p.Model = provider + "/" + model
	p.Opaque = &llm.Opaque{Provider: provider, Data: json.RawMessage(fields)}
	return p
}

package sdkcheck

import (
	"encoding/base64"
	"encoding/json"
	"slices"

	"github.com/anthropics/anthropic-sdk-go/v2"
	"github.com/anthropics/anthropic-sdk-go/v2/packages/param"

	"github.com/helios-go/helios/llm"
	ouranthropic "github.com/helios-go/helios/provider/anthropic"
)

const anthropicModel = "claude-opus-4-8"

func anthropicTools() []anthropic.ToolUnionParam {
	weather := anthropic.ToolParam{Name: "get_weather", Description: anthropic.String("the weather of a city"), InputSchema: anthropic.ToolInputSchemaParam{
		Properties:  object(weatherSchema)["properties"],
		Required:    []string{"city"},
		ExtraFields: map[string]any{"additionalProperties": false},
	}}
	clock := anthropic.ToolParam{Name: "get_time", Description: anthropic.String("the time"), InputSchema: anthropic.ToolInputSchemaParam{Properties: map[string]any{}}}
	return []anthropic.ToolUnionParam{{OfTool: &weather}, {OfTool: &clock}}
}

// anthropicExchanges are the conversations of the Messages API.
func anthropicExchanges() []Exchange {
	type params = anthropic.MessageNewParams
	user, assistant, text := anthropic.NewUserMessage, anthropic.NewAssistantMessage, anthropic.NewTextBlock
	base := func(messages ...anthropic.MessageParam) params {
		return params{Model: anthropicModel, MaxTokens: 1000, Messages: messages}
	}
	limited := func(r *llm.Request) *llm.Request {
		return with(r, func(r *llm.Request) { r.Options.MaxTokens = 1000 })
	}
	change := func(p params, f func(*params)) params { f(&p); return p }
	image := anthropic.NewImageBlockBase64("image/png", base64.StdEncoding.EncodeToString(pixel))
	document := anthropic.NewDocumentBlock(anthropic.Base64PDFSourceParam{Data: base64.StdEncoding.EncodeToString(page)})
	document.OfDocument.Title = anthropic.String("wind.pdf")
	failed := anthropic.NewToolResultBlock("toolu_2", "no clock", true)
	fine := anthropic.ContentBlockParamUnion{OfToolResult: &anthropic.ToolResultBlockParam{
		ToolUseID: "toolu_1", Content: []anthropic.ToolResultBlockParamContentUnion{{OfText: &anthropic.TextBlockParam{Text: "20 C"}}},
	}}
	called := func() params {
		p := base(
			user(text("Weather and time?")),
			assistant(text("Let me look."), anthropic.NewToolUseBlock("toolu_1", map[string]any{"city": "Paris"}, "get_weather"), anthropic.NewToolUseBlock("toolu_2", map[string]any{}, "get_time")),
			user(fine, failed),
		)
		p.System = []anthropic.TextBlockParam{{Text: "Be brief."}}
		p.Tools = anthropicTools()
		return p
	}
	search := `{"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{"query":"wind"}}`
	found := `{"type":"web_search_tool_result","tool_use_id":"srvtoolu_1","content":[{"type":"web_search_result","title":"Wind","url":"https://example.org","encrypted_content":"ENC==","page_age":null}]}`
	raw := func(block string) anthropic.ContentBlockParamUnion {
		return param.Override[anthropic.ContentBlockParamUnion](json.RawMessage(block))
	}
	opaque := func(block string) llm.Part {
		return llm.Part{Kind: llm.PartOpaque, Opaque: &llm.Opaque{Provider: "anthropic", Data: json.RawMessage(block)}, Model: "anthropic/" + anthropicModel}
	}
	signed := llm.Part{Kind: llm.PartThinking, Text: "hm", Signature: "S1", Model: "anthropic/" + anthropicModel}
	ephemeral := anthropic.NewCacheControlEphemeralParam()

	return slices.Concat(exchanges([]plain{
		{"text", limited(ask("What is the solar wind?")), base(user(text("What is the solar wind?")))},
		{"system", limited(with(ask("hi"), func(r *llm.Request) { r.System = []llm.Part{llm.Text("Be brief.")} })),
			change(base(user(text("hi"))), func(p *params) { p.System = []anthropic.TextBlockParam{{Text: "Be brief."}} })},
		{"systems", limited(with(ask("hi"), func(r *llm.Request) { r.System = []llm.Part{llm.Text("Be brief."), llm.Text("Be kind.")} })),
			change(base(user(text("hi"))), func(p *params) {
				p.System = []anthropic.TextBlockParam{{Text: "Be brief."}, {Text: "Be kind."}}
			})},
		{"turns", limited(&llm.Request{Messages: []llm.Message{llm.User("a"), llm.Assistant("b"), llm.User("c")}}),
			base(user(text("a")), assistant(text("b")), user(text("c")))},
		{"two users in a row", limited(&llm.Request{Messages: []llm.Message{llm.User("a"), llm.User("b")}}),
			base(user(text("a"), text("b")))},
		{"characters", limited(ask(characters)), base(user(text(characters)))},
		{"image", limited(about("What is this?", picture)), base(user(image, text("What is this?")))},
		{"document", limited(about("Sum it up.", paper)), base(user(document, text("Sum it up.")))},
		{"linked files", limited(about("Compare.", linked, leaflet)), base(user(
			anthropic.NewImageBlock(anthropic.URLImageSourceParam{URL: "https://example.org/sun.png"}),
			anthropic.NewDocumentBlock(anthropic.URLPDFSourceParam{URL: "https://example.org/wind.pdf"}), text("Compare.")))},
		{"tools", limited(withTools(ask("Weather?"))), change(base(user(text("Weather?"))), func(p *params) { p.Tools = anthropicTools() })},
		{"results", limited(twoCalls("toolu_1", "toolu_2")), called()},
		{"results and more", limited(with(twoCalls("toolu_1", "toolu_2"), func(r *llm.Request) { r.Messages = append(r.Messages, llm.User("Go on.")) })),
			change(called(), func(p *params) {
				last := p.Messages[len(p.Messages)-1].OfUser
				last.Content = append(last.Content, text("Go on."))
			})},
		{"result with image", limited(with(twoCalls("toolu_1", "toolu_2"), func(r *llm.Request) {
			r.Messages[2].Parts[0].Result.Parts = []llm.Part{llm.Text("see"), picture}
		})), change(called(), func(p *params) {
			p.Messages[2] = user(anthropic.ContentBlockParamUnion{OfToolResult: &anthropic.ToolResultBlockParam{
				ToolUseID: "toolu_1",
				Content:   []anthropic.ToolResultBlockParamContentUnion{{OfText: &anthropic.TextBlockParam{Text: "see"}}, {OfImage: image.OfImage}},
			}}, failed)
		})},
		{"no choice", limited(with(withTools(ask("hi")), func(r *llm.Request) { r.Choice.Mode = llm.ChoiceNone })),
			change(base(user(text("hi"))), func(p *params) {
				p.Tools = anthropicTools()
				none := anthropic.NewToolChoiceNoneParam()
				p.ToolChoice = anthropic.ToolChoiceUnionParam{OfNone: &none}
			})},
		{"any choice", limited(with(withTools(ask("hi")), func(r *llm.Request) { r.Choice.Mode = llm.ChoiceAny })),
			change(base(user(text("hi"))), func(p *params) {
				p.Tools = anthropicTools()
				p.ToolChoice = anthropic.ToolChoiceUnionParam{OfAny: &anthropic.ToolChoiceAnyParam{}}
			})},
		{"named choice", limited(with(withTools(ask("hi")), func(r *llm.Request) {
			r.Choice = llm.ToolChoice{Mode: llm.ChoiceNamed, Names: []string{"get_time"}}
		})), change(base(user(text("hi"))), func(p *params) {
			p.Tools = anthropicTools()
			p.ToolChoice = anthropic.ToolChoiceParamOfTool("get_time")
		})},
		{"output", limited(with(ask("How fast?"), func(r *llm.Request) { r.Output = speed })),
			change(base(user(text("How fast?"))), func(p *params) {
				p.OutputConfig = anthropic.OutputConfigParam{Format: anthropic.JSONOutputFormatParam{Schema: object(speedSchema)}}
			})},
		{"output with tools", limited(with(withTools(ask("How fast?")), func(r *llm.Request) { r.Output = speed })),
			change(base(user(text("How fast?"))), func(p *params) {
				p.Tools = anthropicTools()
				p.OutputConfig = anthropic.OutputConfigParam{Format: anthropic.JSONOutputFormatParam{Schema: object(speedSchema)}}
			})},
		{"stop", limited(with(ask("Count."), func(r *llm.Request) { r.Options.Stop = []string{"three", "four"} })),
			change(base(user(text("Count."))), func(p *params) { p.StopSequences = []string{"three", "four"} })},
		{"thinking high", limited(with(ask("hi"), func(r *llm.Request) { r.Options.Thinking = llm.ThinkingHigh })),
			change(base(user(text("hi"))), func(p *params) {
				p.Thinking = anthropic.ThinkingConfigParamUnion{OfAdaptive: &anthropic.ThinkingConfigAdaptiveParam{Display: anthropic.ThinkingConfigAdaptiveDisplaySummarized}}
				p.OutputConfig.Effort = anthropic.OutputConfigEffortHigh
			})},
		{"thinking again", limited(withTools(&llm.Request{Messages: []llm.Message{
			llm.User("Weather?"), {Role: llm.RoleAssistant, Parts: []llm.Part{signed, call("toolu_1", "get_weather", `{"city":"Paris"}`)}},
			results(result("toolu_1", "get_weather", false, llm.Text("20 C"))),
		}})), change(base(user(text("Weather?")),
			assistant(anthropic.NewThinkingBlock("S1", "hm"), anthropic.NewToolUseBlock("toolu_1", map[string]any{"city": "Paris"}, "get_weather")),
			user(fine)), func(p *params) { p.Tools = anthropicTools() })},
		{"server tools again", limited(&llm.Request{Messages: []llm.Message{
			llm.User("Wind?"), {Role: llm.RoleAssistant, Parts: []llm.Part{opaque(`{"type":"redacted_thinking","data":"RW5j"}`), opaque(search), opaque(found), llm.Text("Fast.")}}, llm.User("Sure?"),
		}}), base(user(text("Wind?")),
			assistant(anthropic.NewRedactedThinkingBlock("RW5j"), raw(search), raw(found), text("Fast.")), user(text("Sure?")))},
	}), []Exchange{
		{Name: "web", Model: func(at Place) llm.Model {
			return ouranthropic.New(anthropicModel, &ouranthropic.Options{Key: "test", HTTP: at.Redirected(), Cache: ouranthropic.CacheNone, WebSearch: true, WebFetch: true})
		}, Ours: limited(withTools(ask("hi"))), Theirs: change(base(user(text("hi"))), func(p *params) {
			p.Tools = append(anthropicTools(),
				anthropic.ToolUnionParam{OfWebSearchTool20260318: &anthropic.WebSearchTool20260318Param{}},
				anthropic.ToolUnionParam{OfWebFetchTool20260318: &anthropic.WebFetchTool20260318Param{}})
		})},
		{Name: "cached", Model: anthropicCaching, Ours: limited(twoCalls("toolu_1", "toolu_2")), Theirs: change(called(), func(p *params) {
			p.System[0].CacheControl = ephemeral
			p.Tools[1].OfTool.CacheControl = ephemeral
			p.Messages[1].OfAssistant.Content[2].OfToolUse.CacheControl = ephemeral
			marked := *failed.OfToolResult
			marked.CacheControl = ephemeral
			p.Messages[2] = user(fine, anthropic.ContentBlockParamUnion{OfToolResult: &marked})
		})},
		{Name: "cache mark", Model: anthropicCaching, Ours: limited(&llm.Request{
			System:   []llm.Part{llm.Text("Long.").Cached()},
			Messages: []llm.Message{{Role: llm.RoleUser, Parts: []llm.Part{llm.Text("a").Cached(), llm.Text("b")}}},
		}), Theirs: change(base(user(
			anthropic.ContentBlockParamUnion{OfText: &anthropic.TextBlockParam{Text: "a", CacheControl: ephemeral}},
			anthropic.ContentBlockParamUnion{OfText: &anthropic.TextBlockParam{Text: "b", CacheControl: ephemeral}},
		)), func(p *params) { p.System = []anthropic.TextBlockParam{{Text: "Long.", CacheControl: ephemeral}} })},
	})
}

// anthropicCaching is a model of ours as it is without options: it caches.
func anthropicCaching(at Place) llm.Model {
	return ouranthropic.New(anthropicModel, &ouranthropic.Options{Key: "test", HTTP: at.Redirected()})
}

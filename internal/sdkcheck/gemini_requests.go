package sdkcheck

import (
	"encoding/base64"
	"encoding/json"

	"google.golang.org/genai/interactions/models/interactions"

	"github.com/helios-go/helios/llm"
	ourgemini "github.com/helios-go/helios/provider/gemini"
)

const geminiModel = "gemini-3.8-flash"

func geminiTools() []interactions.Tool {
	return []interactions.Tool{
		interactions.NewTool(interactions.Function{Name: new("get_weather"), Description: new("the weather of a city"), Parameters: object(weatherSchema)}),
		interactions.NewTool(interactions.Function{Name: new("get_time"), Description: new("the time"), Parameters: object(timeSchema)}),
	}
}

// geminiExchanges are the conversations of the Interactions API.
func geminiExchanges() []Exchange {
	type params = interactions.CreateModelInteraction
	type step = interactions.Step
	type content = interactions.Content
	text := func(s string) content { return interactions.NewContent(interactions.TextContent{Text: s}) }
	user := func(c ...content) step { return interactions.NewStep(interactions.UserInputStep{Content: c}) }
	said := func(c ...content) step { return interactions.NewStep(interactions.ModelOutputStep{Content: c}) }
	base := func(steps ...step) params {
		return params{Model: geminiModel, Input: new(interactions.NewInteractionsInput(steps))}
	}
	change := func(p params, f func(*params)) params { f(&p); return p }
	config := func(p params, c interactions.GenerationConfig) params {
		p.GenerationConfig = &c
		return p
	}
	image := interactions.NewContent(interactions.ImageContent{Data: new(base64.StdEncoding.EncodeToString(pixel)), MimeType: interactions.ImageContentMimeTypeImagePng.ToPointer()})
	document := interactions.NewContent(interactions.DocumentContent{Data: new(base64.StdEncoding.EncodeToString(page)), MimeType: interactions.DocumentContentMimeTypeApplicationPdf.ToPointer()})
	called := func(id, name string, args map[string]any) step {
		return interactions.NewStep(interactions.FunctionCallStep{ID: id, Name: name, Arguments: args})
	}
	answered := func(id, name, output string, failed *bool) step {
		return interactions.NewStep(interactions.FunctionResultStep{CallID: id, Name: &name, IsError: failed,
			Result: interactions.NewFunctionResultStepResultUnion(output)})
	}
	choice := func(c interactions.ToolChoice) interactions.GenerationConfig {
		return interactions.GenerationConfig{ToolChoice: &c}
	}
	withGeminiTools := func(p params) params { p.Tools = geminiTools(); return p }
	search := `{"type":"google_search_call","id":"gs1","arguments":{"queries":["wind"]},"signature":"SIGA"}`

	list := exchanges([]plain{
		{"text", ask("What is the solar wind?"), base(user(text("What is the solar wind?")))},
		{"systems", with(ask("hi"), func(r *llm.Request) { r.System = []llm.Part{llm.Text("Be brief."), llm.Text("Be kind.")} }),
			change(base(user(text("hi"))), func(p *params) { p.SystemInstruction = new("Be brief.\n\nBe kind.") })},
		{"turns", &llm.Request{Messages: []llm.Message{llm.User("a"), llm.Assistant("b"), llm.User("c")}},
			base(user(text("a")), said(text("b")), user(text("c")))},
		{"characters", ask(characters), base(user(text(characters)))},
		{"image", about("What is this?", picture), base(user(image, text("What is this?")))},
		{"document", about("Sum it up.", paper), base(user(document, text("Sum it up.")))},
		{"linked files", about("Compare.", linked, leaflet), base(user(
			interactions.NewContent(interactions.ImageContent{URI: new("https://example.org/sun.png"), MimeType: interactions.ImageContentMimeTypeImagePng.ToPointer()}),
			interactions.NewContent(interactions.DocumentContent{URI: new("https://example.org/wind.pdf"), MimeType: interactions.DocumentContentMimeTypeApplicationPdf.ToPointer()}),
			text("Compare.")))},
		{"tools", withTools(ask("Weather?")), withGeminiTools(base(user(text("Weather?"))))},
		{"results", twoCalls("c1", "c2"), change(withGeminiTools(base(user(text("Weather and time?")), said(text("Let me look.")),
			called("c1", "get_weather", map[string]any{"city": "Paris"}), called("c2", "get_time", map[string]any{}),
			answered("c1", "get_weather", "20 C", nil), answered("c2", "get_time", "no clock", new(true)))),
			func(p *params) { p.SystemInstruction = new("Be brief.") })},
		{"no choice", with(withTools(ask("hi")), func(r *llm.Request) { r.Choice.Mode = llm.ChoiceNone }),
			config(withGeminiTools(base(user(text("hi")))), choice(interactions.NewToolChoice(interactions.ToolChoiceTypeNone)))},
		{"any choice", with(withTools(ask("hi")), func(r *llm.Request) { r.Choice.Mode = llm.ChoiceAny }),
			config(withGeminiTools(base(user(text("hi")))), choice(interactions.NewToolChoice(interactions.ToolChoiceTypeAny)))},
		{"named choice", with(withTools(ask("hi")), func(r *llm.Request) {
			r.Choice = llm.ToolChoice{Mode: llm.ChoiceNamed, Names: []string{"get_time"}}
		}), config(withGeminiTools(base(user(text("hi")))), choice(interactions.NewToolChoice(interactions.ToolChoiceConfig{
			AllowedTools: &interactions.AllowedTools{Mode: new(interactions.ToolChoiceTypeAny), Tools: []string{"get_time"}},
		})))},
		{"output", with(ask("How fast?"), func(r *llm.Request) { r.Output = speed }),
			change(base(user(text("How fast?"))), func(p *params) {
				mime := interactions.TextResponseFormatMimeTypeApplicationJSON
				p.ResponseFormat = &interactions.CreateModelInteractionResponseFormat{
					Type:           interactions.CreateModelInteractionResponseFormatTypeResponseFormat,
					ResponseFormat: new(interactions.NewResponseFormat(interactions.TextResponseFormat{MimeType: &mime, Schema: object(speedSchema)})),
				}
			})},
		{"options", with(ask("hi"), func(r *llm.Request) {
			r.Options = llm.Options{MaxTokens: 500, Temperature: new(0.25), TopP: new(0.5), Seed: new(int64(7)), Stop: []string{"three", "four"}}
		}), config(base(user(text("hi"))), interactions.GenerationConfig{
			MaxOutputTokens: new(500), Temperature: new(float32(0.25)), TopP: new(float32(0.5)), Seed: new(7), StopSequences: []string{"three", "four"},
		})},
		{"thinking high", with(ask("hi"), func(r *llm.Request) { r.Options.Thinking = llm.ThinkingHigh }),
			config(base(user(text("hi"))), interactions.GenerationConfig{
				ThinkingLevel: interactions.ThinkingLevelHigh.ToPointer(), ThinkingSummaries: new(interactions.ThinkingSummariesAuto),
			})},
		{"thought again", withTools(&llm.Request{Messages: []llm.Message{
			llm.User("Weather?"), {Role: llm.RoleAssistant, Parts: []llm.Part{
				{Kind: llm.PartThinking, Text: "hm", Signature: "SIG1", Model: "gemini/" + geminiModel}, call("c1", "get_weather", `{"city":"Paris"}`),
			}},
			results(result("c1", "get_weather", false, llm.Text("20 C"))),
		}}), withGeminiTools(base(user(text("Weather?")),
			interactions.NewStep(interactions.ThoughtStep{Signature: new("SIG1"), Summary: []interactions.ThoughtSummaryContent{interactions.NewThoughtSummaryContent(interactions.TextContent{Text: "hm"})}}),
			called("c1", "get_weather", map[string]any{"city": "Paris"}), answered("c1", "get_weather", "20 C", nil)))},
		{"server tools again", &llm.Request{Messages: []llm.Message{
			llm.User("Wind?"), {Role: llm.RoleAssistant, Parts: []llm.Part{
				{Kind: llm.PartOpaque, Opaque: &llm.Opaque{Provider: "gemini", Data: json.RawMessage(search)}, Model: "gemini/" + geminiModel}, llm.Text("Fast."),
			}}, llm.User("Sure?"),
		}}, base(user(text("Wind?")), interactions.NewStep(interactions.GoogleSearchCallStep{ID: "gs1", Signature: new("SIGA"), Arguments: interactions.GoogleSearchCallArguments{Queries: []string{"wind"}}}),
			said(text("Fast.")), user(text("Sure?")))},
	})
	return append(list, Exchange{Name: "web", Model: func(at Place) llm.Model {
		return ourgemini.New(geminiModel, &ourgemini.Options{Key: "test", HTTP: at.Redirected(), WebSearch: true, WebFetch: true})
	}, Ours: ask("hi"), Theirs: change(base(user(text("hi"))), func(p *params) {
		p.Tools = []interactions.Tool{interactions.NewTool(interactions.GoogleSearch{}), interactions.NewTool(interactions.URLContext{})}
	})})
}

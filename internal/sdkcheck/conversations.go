package sdkcheck

import (
	"encoding/json"

	"github.com/helios-go/helios/llm"
)

// An Exchange is one conversation, as we are asked to send it and as the official
// client is.
type Exchange struct {
	Name   string
	Ours   *llm.Request
	Theirs any // the parameters of the official client

	Model func(at Place) llm.Model // nil: the wire's
}

// A plain exchange needs no model of its own.
type plain struct {
	name   string
	ours   *llm.Request
	theirs any
}

func exchanges(list []plain) []Exchange {
	var all []Exchange
	for _, p := range list {
		all = append(all, Exchange{Name: p.name, Ours: p.ours, Theirs: p.theirs})
	}
	return all
}

// What the conversations are made of.
var (
	pixel   = []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDR")
	page    = []byte("%PDF-1.7\n1 0 obj\n")
	picture = must(llm.NewMedia("image/png", pixel, ""))
	paper   = must(llm.NewMedia("application/pdf", page, "wind.pdf"))
	linked  = must(llm.NewFile("https://example.org/sun.png", "image/png", ""))
	leaflet = must(llm.NewFile("https://example.org/wind.pdf", "application/pdf", ""))

	weatherSchema = `{"type":"object","properties":{"city":{"type":"string","description":"the city"},"days":{"type":"integer"}},"required":["city"],"additionalProperties":false}`
	timeSchema    = `{"type":"object","properties":{}}`
	speedSchema   = `{"type":"object","properties":{"speed":{"type":"number"},"unit":{"type":"string","enum":["km/s","m/s"]}},"required":["speed","unit"],"additionalProperties":false}`

	tools = []llm.ToolSpec{
		{Name: "get_weather", Description: "the weather of a city", Input: json.RawMessage(weatherSchema)},
		{Name: "get_time", Description: "the time", Input: json.RawMessage(timeSchema)},
	}
	speed      = must(llm.ParseSchema("speed", json.RawMessage(speedSchema)))
	characters = "naïve 🦀 <a&b> \"quoted\" \\ \t\n\u2028 你好"
)

// must is what cannot fail with what stands here.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// object is a JSON object as the official clients take it.
func object(text string) map[string]any {
	var o map[string]any
	if err := json.Unmarshal([]byte(text), &o); err != nil {
		panic(err)
	}
	return o
}

// ask is a request of one user message.
func ask(text string) *llm.Request {
	return &llm.Request{Messages: []llm.Message{llm.User(text)}}
}

// about is a question about files, which come first.
func about(text string, files ...llm.Part) *llm.Request {
	return &llm.Request{Messages: []llm.Message{{Role: llm.RoleUser, Parts: append(files, llm.Text(text))}}}
}

// with changes a request.
func with(r *llm.Request, change func(*llm.Request)) *llm.Request {
	change(r)
	return r
}

func withTools(r *llm.Request) *llm.Request {
	r.Tools = tools
	return r
}

// call is a call in a history.
func call(id, name, args string) llm.Part {
	return llm.Part{Kind: llm.PartCall, Call: &llm.ToolCall{ID: id, Name: name, Args: json.RawMessage(args)}}
}

// results is the message that answers calls.
func results(parts ...llm.Part) llm.Message { return llm.Message{Role: llm.RoleTool, Parts: parts} }

func result(id, name string, failed bool, parts ...llm.Part) llm.Part {
	return llm.Part{Kind: llm.PartResult, Result: &llm.ToolResult{ID: id, Name: name, Parts: parts, IsError: failed}}
}

// twoCalls is a history with two calls at once, of which one failed.
func twoCalls(first, second string) *llm.Request {
	return withTools(&llm.Request{
		System: []llm.Part{llm.Text("Be brief.")},
		Messages: []llm.Message{
			llm.User("Weather and time?"),
			llm.Assistant("Let me look.", call(first, "get_weather", `{"city":"Paris"}`), call(second, "get_time", `{}`)),
			results(result(first, "get_weather", false, llm.Text("20 C")), result(second, "get_time", true, llm.Text("no clock"))),
		},
	})
}

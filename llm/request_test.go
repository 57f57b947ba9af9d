package llm_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"math"
	"strings"
	"testing"

	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/llm/llmtest"
)

// A request says which tool must be called, how long the model may think, and up
// to where the prompt is worth caching.
func ExampleRequest() {
	req := &llm.Request{
		System:   []llm.Part{llm.Text("You know the solar wind.").Cached()},
		Messages: []llm.Message{llm.User("How fast was it?")},
		Tools:    []llm.ToolSpec{{Name: "get_timeseries", Input: json.RawMessage(`{"type":"object"}`)}},
		Choice:   llm.ToolChoice{Mode: llm.ChoiceNamed, Names: []string{"get_timeseries"}},
		Options:  llm.Options{MaxTokens: 2000, Temperature: new(0.2), Thinking: llm.ThinkingHigh},
	}
	fmt.Println(req.Validate())
	req.Options.Temperature = new(20.0)
	fmt.Println(req.Validate())
	req.Options.Temperature = nil
	req.Choice.Names[0] = "get_time_series"
	fmt.Println(req.Validate())
	// Output:
	// <nil>
	// model: Temperature is 20; it goes from 0 to 2
	// model: the tool choice names "get_time_series", which is no tool of the request; did you mean "get_timeseries"?
}

func TestOptionsAreHeldToTheirRanges(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		o    llm.Options
		want string
	}{
		{llm.Options{}, ""},
		{llm.Options{Temperature: new(0.0), TopP: new(1.0), MaxTokens: 1, Seed: new(int64(-1)), Thinking: llm.ThinkingMax}, ""},
		{llm.Options{Temperature: new(2.0), Provider: map[string]json.RawMessage{"p": json.RawMessage(`{"a":1}`)}}, ""},
		{llm.Options{Temperature: new(-0.1)}, "from 0 to 2"},
		{llm.Options{Temperature: new(2.1)}, "from 0 to 2"},
		{llm.Options{Temperature: new(math.NaN())}, "from 0 to 2"},
		{llm.Options{TopP: new(0.0)}, "above 0"},
		{llm.Options{TopP: new(1.5)}, "at most 1"},
		{llm.Options{TopP: new(math.Inf(1))}, "at most 1"},
		{llm.Options{MaxTokens: -1}, "MaxTokens is -1"},
		{llm.Options{Thinking: 99}, "Thinking is 99"},
		{llm.Options{Stop: []string{"a", ""}}, "Stop[1]"},
		{llm.Options{Provider: map[string]json.RawMessage{"p": json.RawMessage(`{`)}}, `Provider["p"]`},
	} {
		err := tt.o.Validate()
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%+v: %v, want %q", tt.o, err, tt.want)
		}
	}
}

func TestThinkingLevelsAndChoicesAreNames(t *testing.T) {
	t.Parallel()
	for i, name := range []string{"default", "none", "minimal", "low", "medium", "high", "xhigh", "max"} {
		o := llm.Options{Thinking: llm.Thinking(i)}
		data, err := json.Marshal(o)
		var back llm.Options
		if err == nil {
			err = json.Unmarshal(data, &back)
		}
		if err != nil || back.Thinking != o.Thinking || o.Thinking.String() != name || i > 0 && string(data) != `{"thinking":"`+name+`"}` {
			t.Errorf("level %d is %s, written %s, read %v, %v", i, o.Thinking, data, back.Thinking, err)
		}
	}
	for i, name := range []string{"auto", "none", "any", "named"} {
		var back llm.ChoiceMode
		if err := back.UnmarshalText([]byte(name)); err != nil || back != llm.ChoiceMode(i) || back.String() != name {
			t.Errorf("mode %d is %s, %v", i, back, err)
		}
	}
	var level llm.Thinking
	var mode llm.ChoiceMode
	if err := level.UnmarshalText([]byte("hard")); err == nil || !strings.Contains(err.Error(), `"xhigh"`) {
		t.Errorf("an unknown level: %v", err)
	}
	if err := mode.UnmarshalText([]byte("required")); err == nil || llm.Thinking(77).String() != "Thinking(77)" {
		t.Errorf("an unknown mode: %v", err)
	}
}

func TestRequestsThatCannotBeSentNeverReachTheModel(t *testing.T) {
	t.Parallel()
	tools := []llm.ToolSpec{{Name: "a"}, {Name: "b"}}
	say := func(m llm.Message) llm.Request { return llm.Request{Messages: []llm.Message{m}} }
	user := func(p llm.Part) llm.Request {
		return say(llm.Message{Role: llm.RoleUser, Parts: []llm.Part{p}})
	}
	call := llm.Part{Kind: llm.PartCall, Call: &llm.ToolCall{ID: "1", Name: "a"}}
	result := llm.Part{Kind: llm.PartResult, Result: &llm.ToolResult{ID: "1"}}
	for _, tt := range []struct {
		req  llm.Request
		want string
	}{
		{llm.Request{}, ""},
		{llm.Request{Tools: tools, Choice: llm.ToolChoice{Mode: llm.ChoiceAny}}, ""},
		{llm.Request{Tools: tools, Choice: llm.ToolChoice{Mode: llm.ChoiceNamed, Names: []string{"a", "b"}}}, ""},
		{say(llm.Message{Role: llm.RoleAssistant, Parts: []llm.Part{call}}), ""},
		{say(llm.Message{Role: llm.RoleTool, Parts: []llm.Part{result}}), ""},
		{say(llm.Message{Role: llm.RoleAssistant}), ""},
		{llm.Request{Choice: llm.ToolChoice{Mode: llm.ChoiceAny}}, "there are no tools"},
		{llm.Request{Tools: tools, Choice: llm.ToolChoice{Mode: llm.ChoiceNamed}}, "without a name"},
		{llm.Request{Tools: tools, Choice: llm.ToolChoice{Mode: llm.ChoiceNamed, Names: []string{"zebra"}}}, `names "zebra"`},
		{llm.Request{Tools: tools, Choice: llm.ToolChoice{Mode: 9}}, "mode 9"},
		{llm.Request{Tools: []llm.ToolSpec{{Name: "a"}, {Name: "a"}}}, `two tools are named "a"`},
		{llm.Request{System: []llm.Part{{Kind: llm.PartMedia}}}, "system part 0"},
		{llm.Request{Options: llm.Options{MaxTokens: -5}}, "MaxTokens"},
		{say(llm.Message{Parts: []llm.Part{llm.Text("x")}}), "no role"},
		{say(llm.Message{Role: "system"}), `role is "system"`},
		{user(llm.Part{}), `kind is ""`},
		{say(llm.Message{Role: llm.RoleAssistant, Parts: []llm.Part{{Kind: llm.PartCall}}}), "without its content"},
		{say(llm.Message{Role: llm.RoleAssistant, Parts: []llm.Part{{Kind: llm.PartCall, Call: &llm.ToolCall{Name: " "}}}}), "without a name"},
		{user(llm.Part{Kind: llm.PartMedia, Media: &llm.Media{MIME: "image/png"}}), "without bytes"},
		{user(llm.Part{Kind: llm.PartFile, File: &llm.FileRef{MIME: "image/png"}}), "without a URI"},
		{user(llm.Part{Kind: llm.PartOpaque, Opaque: &llm.Opaque{Provider: "p", Data: json.RawMessage(`{`)}}), "not valid JSON"},
	} {
		m := llmtest.New(llmtest.Text("hi"))
		_, err := llm.Generate(t.Context(), m, &tt.req)
		if (err == nil) != (tt.want == "") || err != nil && !(strings.Contains(err.Error(), tt.want) && errors.Is(err, llm.ErrInvalidRequest)) {
			t.Errorf("%+v: %v, want %q", tt.req, err, tt.want)
		}
		if asked := len(m.Requests()) == 1; asked != (err == nil) {
			t.Errorf("%v, and the model was asked: %t", err, asked)
		}
	}
}

func ExampleNewMedia() {
	image, err := llm.NewMedia("image/png", []byte("\x89PNG..."), "wind.png")
	fmt.Println(llm.User("What is in this image?", image), err)
	_, err = llm.NewMedia("png", nil, "")
	fmt.Println(err)
	// Output:
	// user: ["What is in this image?", image/png "wind.png", 7 bytes] <nil>
	// media png without bytes
}

func TestMediaAndFilesAreCheckedWhenTheyAreMade(t *testing.T) {
	t.Parallel()
	data := []byte{1, 2, 3}
	p, err := llm.NewMedia("application/pdf; version=1.7", data, "")
	data[0] = 9
	if err != nil || p.Media.Data[0] != 1 {
		t.Errorf("media = %v %v, %v", p, p.Media.Data, err)
	}
	for _, mime := range []string{"", " ", "png", "image/", "/png", "image/png/x", "image/p ng", "image/png\n", "text/plain; charset=\x00"} {
		if _, err := llm.NewMedia(mime, data, ""); err == nil {
			t.Errorf("MIME type %q is taken", mime)
		}
	}
	if _, err := llm.NewMedia("image/png", nil, ""); err == nil {
		t.Error("media without bytes are taken")
	}
	if _, err := llm.NewFile("gs://bucket/x.csv", "text/csv", "x.csv"); err != nil {
		t.Error(err)
	}
	for _, uri := range []string{"", " ", "a\nb"} {
		if _, err := llm.NewFile(uri, "text/csv", ""); err == nil {
			t.Errorf("URI %q is taken", uri)
		}
	}
	if _, err := llm.NewFile("files/1", "", ""); err == nil {
		t.Error("a file without a MIME type is taken")
	}
}

// What the caller changes afterwards does not change the message.
func TestMessagesAreTheirOwn(t *testing.T) {
	t.Parallel()
	parts := []llm.Part{llm.Text("a"), llm.Text("b")}
	u, a, none := llm.User("x", parts...), llm.Assistant("", parts...), llm.User("y", nil...)
	parts[0] = llm.Text("changed")
	if u.Text() != "xab" || len(u.Parts) != 3 || a.Text() != "ab" || len(a.Parts) != 2 || none.Text() != "y" || len(llm.User("").Parts) != 1 {
		t.Errorf("messages = %v, %v, %v", u, a, none)
	}
}

// Nothing that is printed or logged holds bytes, signatures, URIs or blocks.
func TestNothingSecretIsPrinted(t *testing.T) {
	t.Parallel()
	const secret = "SENTINEL"
	image, err := llm.NewMedia("image/png", []byte(secret), "a.png")
	if err != nil {
		t.Fatal(err)
	}
	file, err := llm.NewFile("https://host.example/"+secret+"?sig="+secret, "text/csv", "b.csv")
	if err != nil {
		t.Fatal(err)
	}
	bare, err := llm.NewFile(secret, "text/csv", "")
	if err != nil {
		t.Fatal(err)
	}
	message := llm.Message{Role: llm.RoleUser, Origin: "hook", Parts: []llm.Part{
		image, file, bare,
		{Kind: llm.PartThinking, Text: "hm", Signature: secret},
		{Kind: llm.PartOpaque, Opaque: &llm.Opaque{Provider: "p", Data: json.RawMessage(`"` + secret + `"`)}},
		{Kind: llm.PartResult, Result: &llm.ToolResult{ID: "1", Name: "f", Parts: []llm.Part{image, file}}},
		{Kind: "odd", Signature: secret},
	}}
	req := &llm.Request{Messages: []llm.Message{message}, Options: llm.Options{Provider: map[string]json.RawMessage{"p": json.RawMessage(`"` + secret + `"`)}}}
	resp := &llm.Response{Message: message, Meta: json.RawMessage(`"` + secret + `"`)}
	values := []any{message, &message, req, resp, *message.Parts[5].Result, image.Media, *image.Media, file.File, *file.File, message.Parts[4].Opaque, *message.Parts[4].Opaque}
	for i := range message.Parts {
		values = append(values, message.Parts[i])
	}
	var log bytes.Buffer
	for i, v := range values {
		shown := fmt.Sprint(v)
		if v != req && v != resp { // these hold raw JSON, and are for slog
			shown += fmt.Sprintf("%v %+v %s", v, v, v)
			if _, ok := v.(fmt.GoStringer); ok {
				shown += fmt.Sprintf("%#v", v)
			}
			if strings.Contains(shown, secret) || strings.Contains(shown, "83 69 78 84") {
				t.Errorf("value %d is printed as %s", i, shown)
			}
		}
		slog.New(slog.NewJSONHandler(&log, nil)).Info("x", "v", v)
		slog.New(slog.NewTextHandler(&log, nil)).Info("x", "v", v)
	}
	for _, bad := range []string{secret, "U0VOVElORUw", "83 69 78 84"} {
		if strings.Contains(log.String(), bad) {
			t.Errorf("the log holds %s:\n%s", bad, &log)
		}
	}
	want := `user (hook): [image/png "a.png", 8 bytes, text/csv "b.csv" at https:..., text/csv at file:..., thinking "hm", block of p, 10 bytes, f gives [`
	if got := message.String(); !strings.HasPrefix(got, want) {
		t.Errorf("message = %s", got)
	}
	var none *llm.Request
	var nothing *llm.Response
	slog.New(slog.NewJSONHandler(&log, nil)).Info("x", "v", none, "w", nothing)
}

func TestLongTextsAreShortenedWhenPrinted(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("é", 1000)
	call := llm.ToolCall{ID: "1", Name: "f", Args: json.RawMessage(`"` + long + `"`)}
	for _, v := range []any{llm.Text(long), call, llm.User(long)} {
		if s := fmt.Sprint(v); len(s) > 300 || !strings.Contains(s, "bytes)") {
			t.Errorf("%d bytes are shown: %s", len(s), s)
		}
	}
	if s := fmt.Sprint(llm.Text("a").Cached()); s != `"a" (cache)` {
		t.Errorf("a cache mark is shown as %s", s)
	}
	if s := fmt.Sprint(llm.ToolResult{Name: "f", IsError: true, Parts: []llm.Part{llm.Text("no")}}); s != `f fails with ["no"]` {
		t.Errorf("a failure is shown as %s", s)
	}
}

func TestWhatAStatusMeans(t *testing.T) {
	t.Parallel()
	for status, want := range map[int]llm.ErrorKind{
		0: llm.KindTransient, 408: llm.KindTransient, 429: llm.KindTransient, 500: llm.KindTransient, 503: llm.KindTransient, 529: llm.KindTransient,
		400: llm.KindInvalidRequest, 404: llm.KindInvalidRequest, 422: llm.KindInvalidRequest, 409: llm.KindInvalidRequest,
		401: llm.KindAuth, 403: llm.KindAuth, 413: llm.KindContextTooLong, 200: llm.KindOther, 302: llm.KindOther,
	} {
		err := &llm.Error{Kind: llm.KindOfStatus(status), Status: status}
		if err.Kind != want || err.Retryable() != (want == llm.KindTransient) {
			t.Errorf("status %d is %v, retryable %t; want %v", status, err.Kind, err.Retryable(), want)
		}
	}
}

// endless is a model that ends its answer and would go on: what it yields behind
// the end, or behind an error, is counted.
type endless struct {
	last  llm.Chunk
	err   error
	after int
}

func (*endless) Name() string { return "test/endless" }
func (e *endless) Stream(context.Context, *llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		for yield(llm.Chunk{Kind: llm.ChunkText, Text: "a"}, nil) && yield(e.last, e.err) {
			if e.after++; e.after > 10 {
				return
			}
		}
	}
}

// A stream is left at its end and at its first error: nothing more is delivered, and
// the request behind it is over.
func TestAStreamIsLeftAtItsEnd(t *testing.T) {
	t.Parallel()
	boom := errors.New("boom")
	for name, m := range map[string]*endless{
		"end":   {last: llm.Chunk{Kind: llm.ChunkDone}},
		"error": {err: boom},
	} {
		resp, err := llm.Generate(t.Context(), m, &llm.Request{})
		if !errors.Is(err, m.err) || resp.Text() != "a" || m.after != 0 {
			t.Errorf("%s: %q, %v, and %d more chunks were taken", name, resp.Text(), err, m.after)
		}
	}
}

package gemini_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/llm/llmtest"
	"github.com/helios-go/helios/provider/gemini"
)

func TestThoughtAndCallAreReadFromTheirDeltas(t *testing.T) { // case 56
	t.Parallel()
	resp := must(t, thoughtAndCall, nil, with(ask("hi"), func(r *llm.Request) { r.Tools = tools("f") }))
	if n := len(resp.Message.Parts); n != 2 {
		t.Fatalf("%d parts, want 2: %v", n, resp.Message.Parts)
	}
	thought, call := resp.Message.Parts[0], resp.Message.Parts[1]
	if thought.Kind != llm.PartThinking || thought.Text != "pondering" || thought.Signature != "SIG" || thought.Model != "gemini/gemini-3.8-flash" {
		t.Errorf("thought %#v", thought)
	}
	if call.Kind != llm.PartCall || call.Call.ID != "c1" || call.Call.Name != "f" || string(call.Call.Args) != `{"a":1}` {
		t.Errorf("call %#v", call)
	}
	if resp.Finish != llm.FinishToolCalls {
		t.Errorf("finish %q, want tool_calls", resp.Finish)
	}
	if want := (llm.Usage{Input: 8, CacheRead: 2, Output: 4}); resp.Usage != want {
		t.Errorf("usage %+v, want %+v", resp.Usage, want)
	}
}

func TestThoughtsAreStreamed(t *testing.T) {
	t.Parallel()
	wire := llmtest.NewWire(llmtest.SSE(thoughtAndCall))
	var kinds []llm.ChunkKind
	for c, err := range on(wire, nil).Stream(context.Background(), ask("hi")) {
		if err != nil {
			t.Fatal(err)
		}
		kinds = append(kinds, c.Kind)
	}
	want := []llm.ChunkKind{
		llm.ChunkThinking, llm.ChunkPart, llm.ChunkCall, llm.ChunkArgs, llm.ChunkArgs, llm.ChunkPart, llm.ChunkUsage, llm.ChunkDone,
	}
	if !slices.Equal(kinds, want) {
		t.Errorf("chunks %v, want %v", kinds, want)
	}
}

func TestArgumentsMayComeInAnyForm(t *testing.T) { // case 57
	t.Parallel()
	start := `{"event_type":"step.start","index":0,"step":{"type":"function_call","id":"c1","name":"f","arguments":%}}`
	more := `{"event_type":"step.delta","index":0,"delta":{"type":"arguments_delta","arguments":%}}`
	for name, c := range map[string]struct {
		start string
		more  []string
		want  string
	}{
		"texts":                      {`{}`, []string{`"{\"a\""`, `":1}"`}, `{"a":1}`},
		"an object":                  {`{}`, []string{`{"a":1}`}, `{"a":1}`},
		"an object after a text":     {`{}`, []string{`"{"`, `{"a":1}`}, `{"a":1}`},
		"only at the start":          {`{"a":1}`, nil, `{"a":1}`},
		"a text at the start":        {`"{\"a\":1}"`, nil, `{"a":1}`},
		"none":                       {`{}`, nil, `{}`},
		"null":                       {`null`, nil, `{}`},
		"an empty text":              {`{}`, []string{`""`}, `{}`},
		"cut":                        {`{}`, []string{`"{\"a\":"`}, `{"a":`},
		"a text that has line feeds": {`{}`, []string{`"{\"a\":\"1\\n2\u00e9\"}"`}, `{"a":"1\n2é"}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			stream := []string{created, strings.Replace(start, "%", c.start, 1)}
			for _, m := range c.more {
				stream = append(stream, strings.Replace(more, "%", m, 1))
			}
			stream = append(stream, `{"event_type":"step.stop","index":0}`, action)
			resp := must(t, events(stream...), nil, ask("hi"))
			if got := string(resp.Message.Parts[0].Call.Args); got != c.want {
				t.Errorf("arguments %s, want %s", got, c.want)
			}
		})
	}
}

func TestStatusIsTheFinish(t *testing.T) { // case 58
	t.Parallel()
	for status, want := range map[string]struct {
		finish llm.FinishReason
		err    string
	}{
		"completed":       {finish: llm.FinishStop},
		"requires_action": {finish: llm.FinishStop}, // there is no call
		"incomplete":      {finish: llm.FinishLength},
		"something_new":   {finish: llm.FinishStop},
		"failed":          {err: "gave the answer up"},
		"budget_exceeded": {err: "budget"},
		"cancelled":       {err: "cancelled"},
	} {
		t.Run(status, func(t *testing.T) {
			t.Parallel()
			stream := strings.Replace(saying("partial"), `"status":"completed"`, `"status":"`+status+`"`, 1)
			resp, err := answer(t, stream, nil, ask("hi"))
			if want.err != "" {
				if err == nil || !strings.Contains(err.Error(), want.err) || resp.Text() != "partial" {
					t.Errorf("text %q, error %v, want partial and one of %q", resp.Text(), err, want.err)
				}
				return
			}
			if err != nil || resp.Finish != want.finish {
				t.Errorf("finish %q, error %v, want %q", resp.Finish, err, want.finish)
			}
		})
	}
}

// The limit may have cut the arguments: the calls are there, to be answered with what
// is wrong with them.
func TestCutCallFinishesAsCut(t *testing.T) {
	t.Parallel()
	resp := must(t, events(created,
		`{"event_type":"step.start","index":0,"step":{"type":"function_call","id":"c1","name":"f"}}`,
		`{"event_type":"step.delta","index":0,"delta":{"type":"arguments_delta","arguments":"{\"a\":"}}`,
		`{"event_type":"interaction.completed","interaction":{"id":"int_1","status":"incomplete"}}`), nil, ask("hi"))
	if calls := resp.Message.Calls(); len(calls) != 1 || string(calls[0].Args) != `{"a":` || resp.Finish != llm.FinishLength {
		t.Errorf("calls %v, finish %q", calls, resp.Finish)
	}
}

func TestFailureSaysWhy(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		event string
		is    error
		text  string
	}{
		"an error event":             {`{"event_type":"error","error":{"code":"rate_limit_exceeded","message":"slow down"}}`, llm.ErrTransient, "slow down"},
		"a code that is a URI":       {`{"event_type":"error","error":{"code":"https://errors.example/unavailable","message":"busy"}}`, llm.ErrTransient, "busy"},
		"a code in capitals":         {`{"event_type":"error","error":{"code":"RESOURCE_EXHAUSTED","message":"quota"}}`, llm.ErrTransient, "quota"},
		"a code that is a number":    {`{"event_type":"error","error":{"code":503,"message":"busy"}}`, llm.ErrTransient, "busy"},
		"an error without a type":    {`{"error":{"code":"internal","message":"oops"}}`, llm.ErrTransient, "oops"},
		"a prompt that is too long":  {`{"event_type":"error","error":{"code":"invalid_request","message":"The input token count exceeds the maximum number of tokens allowed"}}`, llm.ErrContextTooLong, "token count"},
		"a refusal":                  {`{"event_type":"error","error":{"code":"safety","message":"blocked"}}`, llm.ErrRefused, "blocked"},
		"of the interaction":         {`{"event_type":"interaction.completed","interaction":{"id":"int_1","status":"failed","errors":[{"code":"unavailable","message":"no room"}]}}`, llm.ErrTransient, "no room"},
		"of the interaction, single": {`{"event_type":"interaction.completed","interaction":{"id":"int_1","status":"failed","error":{"code":"internal","message":"no room"}}}`, llm.ErrTransient, "no room"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := answer(t, bare(created, c.event), nil, ask("hi"))
			if !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.text) {
				t.Errorf("error %v, want one of %q that matches %v", err, c.text, c.is)
			}
		})
	}
}

func TestStreamWithoutItsEndIsBroken(t *testing.T) {
	t.Parallel()
	for name, stream := range map[string]string{
		"nothing":                    "",
		"created only":               bare(created),
		"a text that goes on":        strings.SplitAfter(saying("hello"), "hello")[0],
		"[DONE] without completed":   events(created),
		"a status, then a step":      bare(created, `{"event_type":"interaction.status_update","interaction_id":"int_1","status":"completed"}`, `{"event_type":"step.start","index":0,"step":{"type":"model_output"}}`),
		"a status that is not final": bare(created, `{"event_type":"interaction.status_update","interaction_id":"int_1","status":"in_progress"}`),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := answer(t, stream, nil, ask("hi"))
			if !errors.Is(err, llm.ErrTransient) || !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Errorf("error %v, want a transient unexpected EOF", err)
			}
		})
	}
}

func TestFinalStatusEndsAStreamThatSaysNoMore(t *testing.T) {
	t.Parallel()
	stream := bare(created,
		`{"event_type":"step.start","index":0,"step":{"type":"model_output"}}`,
		`{"event_type":"step.delta","index":0,"delta":{"type":"text","text":"hello"}}`,
		`{"event_type":"step.stop","index":0}`,
		`{"event_type":"interaction.status_update","interaction_id":"int_1","status":"completed","usage":{"total_input_tokens":3,"total_output_tokens":1}}`)
	resp := must(t, stream, nil, ask("hi"))
	if resp.Text() != "hello" || resp.Usage.Total() != 4 {
		t.Errorf("text %q, usage %+v", resp.Text(), resp.Usage)
	}
}

// The mock server of the tests, and proxies, leave the last line out.
func TestStreamWithoutDoneIsComplete(t *testing.T) {
	t.Parallel()
	stream := strings.TrimSuffix(saying("hello"), "event: done\ndata: [DONE]\n\n")
	if resp := must(t, stream, nil, ask("hi")); resp.Text() != "hello" {
		t.Errorf("text %q, want hello", resp.Text())
	}
}

func TestAnyPiecesAndLineEndsReadTheSame(t *testing.T) {
	t.Parallel()
	body := events(created,
		`{"event_type":"step.start","index":0,"step":{"type":"model_output"}}`,
		`{"event_type":"step.delta","index":0,"delta":{"type":"text","text":"你好🦀 "}}`,
		`{"event_type":"step.delta","index":0,"delta":{"type":"text","text":"a\u00e9\ud83e\udd80\n\"b\""}}`,
		`{"event_type":"step.stop","index":0}`,
		`{"event_type":"step.start","index":1,"step":{"type":"function_call","id":"c1","name":"f"}}`,
		`{"event_type":"step.delta","index":1,"delta":{"type":"arguments_delta","arguments":"{\"q\":\"🦀\"}"}}`,
		`{"event_type":"step.stop","index":1}`,
		action)
	want := must(t, body, nil, ask("hi"))
	if want.Text() != "你好🦀 aé🦀\n\"b\"" {
		t.Fatalf("text %q", want.Text())
	}
	for name, cut := range llmtest.Cuts() {
		for _, end := range []string{"\n", "\r\n", "\r"} {
			reply := llmtest.SSE(": hello\n\n" + llmtest.LineEnds(body, end)).Cut(cut)
			resp, err := llm.Generate(context.Background(), on(llmtest.NewWire(reply), nil), ask("hi"))
			if err != nil || resp.Text() != want.Text() || string(resp.Message.Parts[1].Call.Args) != `{"q":"🦀"}` {
				t.Errorf("%s, lines ending in %q: %q, error %v", name, end, resp.Text(), err)
			}
		}
	}
}

// Wherever a connection breaks, an answer is never taken for whole.
func TestBrokenConnectionIsNeverSuccess(t *testing.T) {
	t.Parallel()
	end := strings.Index(thoughtAndCall, `"total_cached_tokens":2}}}`) + len(`"total_cached_tokens":2}}}`)
	for at := range len(thoughtAndCall) {
		for _, reply := range []llmtest.Reply{llmtest.SSE(thoughtAndCall).Dropping(at), llmtest.SSE(thoughtAndCall[:at])} {
			resp, err := llm.Generate(context.Background(), on(llmtest.NewWire(reply), nil), ask("hi"))
			if at < end && (!errors.Is(err, llm.ErrTransient) || len(resp.Message.Calls()) > 0) {
				t.Fatalf("broken at byte %d: error %v, %d calls", at, err, len(resp.Message.Calls()))
			}
			if at > end+2 && err != nil {
				t.Fatalf("broken at byte %d, after the end: %v", at, err)
			}
		}
	}
}

func TestEventThatIsNoJSONIsAnError(t *testing.T) {
	t.Parallel()
	_, err := answer(t, bare(created, `{"event_type":"step.delta","index":`, completed), nil, ask("hi"))
	if !errors.Is(err, llm.ErrTransient) || !strings.Contains(err.Error(), "cannot be read") {
		t.Errorf("error %v", err)
	}
}

func TestUnknownEventsAndDeltasAreSkipped(t *testing.T) {
	t.Parallel()
	resp := must(t, events(created,
		`{"event_type":"ping"}`, `{"event_type":"news","status":7,"usage":"none"}`,
		`{"event_type":"step.start","index":0,"step":{"type":"model_output","novel":1}}`,
		`{"event_type":"step.delta","index":0,"delta":{"type":"novel_delta","x":1}}`,
		`{"event_type":"step.delta","index":0,"delta":{"type":"text","text":"hello"},"metadata":{"total_usage":{"total_tokens":1}},"novel":[1]}`,
		`{"event_type":"step.stop","index":0,"usage":{"total_input_tokens":10}}`, `{"event_type":"step.stop","index":9}`,
		completed), nil, ask("hi"))
	if resp.Text() != "hello" || len(resp.Message.Parts) != 1 {
		t.Errorf("parts %v", resp.Message.Parts)
	}
}

func TestInterleavedStepsStayApart(t *testing.T) {
	t.Parallel()
	resp := must(t, events(created,
		`{"event_type":"step.start","index":0,"step":{"type":"function_call","id":"c1","name":"f"}}`,
		`{"event_type":"step.start","index":1,"step":{"type":"function_call","id":"c2","name":"g"}}`,
		`{"event_type":"step.delta","index":1,"delta":{"type":"arguments_delta","arguments":"{\"b\":"}}`,
		`{"event_type":"step.delta","index":0,"delta":{"type":"arguments_delta","arguments":"{\"a\":1}"}}`,
		`{"event_type":"step.delta","index":1,"delta":{"type":"arguments_delta","arguments":"2}"}}`,
		`{"event_type":"step.stop","index":1}`, `{"event_type":"step.stop","index":0}`, action), nil, ask("hi"))
	calls := resp.Message.Calls()
	if len(calls) != 2 || calls[0].ID != "c1" || string(calls[0].Args) != `{"a":1}` || calls[1].ID != "c2" || string(calls[1].Args) != `{"b":2}` {
		t.Errorf("calls %v", calls)
	}
}

func TestStepsThatNothingStopsEndWithTheInteraction(t *testing.T) {
	t.Parallel()
	resp := must(t, events(created,
		`{"event_type":"step.start","index":0,"step":{"type":"model_output","content":[{"type":"text","text":"hel"}]}}`,
		`{"event_type":"step.delta","index":0,"delta":{"type":"text","text":"lo"}}`,
		`{"event_type":"step.start","index":1,"step":{"type":"function_call","id":"c1","name":"f","arguments":{"a":1}}}`,
		action), nil, ask("hi"))
	if resp.Text() != "hello" || len(resp.Message.Calls()) != 1 {
		t.Errorf("parts %v", resp.Message.Parts)
	}
}

func TestServerThatDoesNotStreamIsUnderstood(t *testing.T) {
	t.Parallel()
	wire := llmtest.NewWire(llmtest.JSON(200, `{"id":"int_1","object":"interaction","status":"requires_action","steps":[
		{"type":"thought","signature":"SIG","summary":[{"type":"text","text":"hm"}]},
		{"type":"model_output","content":[{"type":"text","text":"hello"}]},
		{"type":"function_call","id":"c1","name":"f","arguments":{"a":1}}],"usage":{"total_input_tokens":3}}`))
	resp, err := llm.Generate(context.Background(), on(wire, nil), ask("hi"))
	if err != nil {
		t.Fatal(err)
	}
	if p := resp.Message.Parts; len(p) != 3 || p[0].Signature != "SIG" || p[0].Text != "hm" || resp.Text() != "hello" || resp.Finish != llm.FinishToolCalls || resp.Usage.Input != 3 {
		t.Errorf("parts %v, finish %s", p, resp.Finish)
	}
}

func TestUsageCountsEachTokenOnce(t *testing.T) {
	t.Parallel()
	for usage, want := range map[string]llm.Usage{
		`{"total_input_tokens":2000,"total_cached_tokens":1500,"total_output_tokens":7,"total_thought_tokens":30,"total_tokens":2037}`: {Input: 500, CacheRead: 1500, Output: 37},
		`{"total_input_tokens":5,"total_cached_tokens":9}`:                                                  {Input: 0, CacheRead: 9},
		`{"total_input_tokens":10,"total_output_tokens":1,"total_tool_use_tokens":100,"total_tokens":111}`:  {Input: 110, Output: 1},
		`{"total_input_tokens":110,"total_output_tokens":1,"total_tool_use_tokens":100,"total_tokens":111}`: {Input: 110, Output: 1},
		`{}`: {},
	} {
		stream := events(created, `{"event_type":"interaction.completed","interaction":{"id":"int_1","status":"completed","usage":`+usage+`}}`)
		if resp := must(t, stream, nil, ask("hi")); resp.Usage != want {
			t.Errorf("%s: %+v, want %+v", usage, resp.Usage, want)
		}
	}
}

func TestMetaTellsTheVersionAndNoIDUnlessKept(t *testing.T) { // case 55
	t.Parallel()
	for _, keep := range []bool{false, true} {
		resp := must(t, saying("ok"), &gemini.Options{Key: testKey, Continuation: keep}, ask("hi"))
		var meta map[string]string
		if err := json.Unmarshal(resp.Meta, &meta); err != nil {
			t.Fatal(err)
		}
		if meta["model"] != "gemini-3.8-flash" || meta["status"] != "completed" || meta["api_version"] != "v1beta" {
			t.Errorf("meta %v", meta)
		}
		if kept := strings.Contains(string(resp.Meta), "int_1"); kept != keep {
			t.Errorf("with continuation %t the metadata are %s", keep, resp.Meta)
		}
		if noted := resp.Message.Parts[0].Opaque != nil; noted != keep {
			t.Errorf("with continuation %t the part has an id: %t", keep, noted)
		}
	}
}

// Servers that count in UTF-16 cut emoji in two.
func TestHalvesOfCharactersAreJoined(t *testing.T) {
	t.Parallel()
	resp := must(t, events(created,
		`{"event_type":"step.start","index":0,"step":{"type":"model_output"}}`,
		`{"event_type":"step.delta","index":0,"delta":{"type":"text","text":"sun \ud83c"}}`,
		`{"event_type":"step.delta","index":0,"delta":{"type":"text","text":"\udf1e!"}}`,
		`{"event_type":"step.stop","index":0}`, completed), nil, ask("hi"))
	if resp.Text() != "sun 🌞!" {
		t.Errorf("text %q", resp.Text())
	}
}

func TestStepThatFailsIsToldApart(t *testing.T) {
	t.Parallel()
	step := `{"event_type":"step.start","index":0,"step":{"type":"model_output","content":[{"type":"text","text":"It"}],"error":%}}`
	for name, c := range map[string]struct {
		err    string
		finish llm.FinishReason
		is     error
	}{
		"null":     {err: `null`, finish: llm.FinishStop},
		"filtered": {err: `{"code":"safety","message":"blocked"}`, finish: llm.FinishContentFilter},
		"broken":   {err: `{"code":"unavailable","message":"no room"}`, is: llm.ErrTransient},
	} {
		resp, err := answer(t, events(created, strings.Replace(step, "%", c.err, 1), completed), nil, ask("hi"))
		if resp.Text() != "It" || !errors.Is(err, c.is) || err == nil && resp.Finish != c.finish {
			t.Errorf("%s: text %q, finish %q, error %v", name, resp.Text(), resp.Finish, err)
		}
	}
}

func TestEventsOfWrongShapeAreErrors(t *testing.T) {
	t.Parallel()
	for _, event := range []string{
		`{"event_type":"step.start","index":0}`,
		`{"event_type":"step.start","index":0,"step":[]}`,
		`{"event_type":"step.start","index":0,"step":{"type":"function_call","id":7}}`,
		`{"event_type":"step.delta","index":0,"delta":{"type":"text","text":7}}`,
		`{"event_type":"step.delta","index":0,"delta":{"type":"text"}}`,
		`{"event_type":"step.delta","index":0,"delta":[]}`,
		`{"event_type":"interaction.completed","interaction":7}`,
		`[]`, `7`, `null {`,
	} {
		if _, err := answer(t, events(created, event, completed), nil, ask("hi")); !errors.Is(err, llm.ErrTransient) || !strings.Contains(err.Error(), "cannot be read") {
			t.Errorf("%s: error %v", event, err)
		}
	}
}

// A call that was not told to its end is not made, whatever comes behind it.
func TestACallThatHasNoEndIsACut(t *testing.T) {
	t.Parallel()
	const start = `{"event_type":"step.start","index":0,"step":{"type":"function_call","id":"c1","name":"move","arguments":{}}}`
	const half = `{"event_type":"step.delta","index":0,"delta":{"type":"arguments_delta","arguments":"{\"to\":"}}`
	for _, end := range []string{
		`{"event_type":"interaction.status_update","interaction_id":"i","status":"requires_action"}`,
		`{"event_type":"interaction.completed","interaction":{"id":"i","status":"requires_action"}}`,
	} {
		for _, stream := range []string{bare(start, end), bare(start, half, end)} {
			if resp, err := answer(t, stream, nil, ask("hi")); !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Errorf("%v, %v; want a stream that was cut, of %s", resp, err, stream)
			}
		}
	}
}

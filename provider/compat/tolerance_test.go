package compat_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/llm/llmtest"
)

// delta is an event with this delta.
func delta(d string) string { return `{"choices":[{"index":0,"delta":` + d + `}]}` }

// called is an event with these fragments of calls.
func called(fragments ...string) string {
	return delta(`{"tool_calls":[` + strings.Join(fragments, ",") + `]}`)
}

const stopped = `{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`

// showCalls says the calls of a response, an id that was made as ?.
func showCalls(t *testing.T, resp *llm.Response) string {
	t.Helper()
	var out []string
	seen := map[string]bool{}
	for _, c := range resp.Message.Calls() {
		if c.ID == "" || seen[c.ID] {
			t.Errorf("the id %q is empty or there twice", c.ID)
		}
		seen[c.ID] = true
		id := c.ID
		if strings.HasPrefix(id, "call_") && len(id) == 25 {
			id = "?"
		}
		out = append(out, fmt.Sprintf("%s %s %s", id, c.Name, c.Args))
	}
	return strings.Join(out, "; ")
}

func TestFragmentsFindTheirCall(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		events []string
		want   string
	}{
		"G2: empty arguments are an empty object": {
			[]string{called(`{"index":0,"id":"a","function":{"name":"f","arguments":""}}`), called(`{"index":0,"function":{"arguments":""}}`)}, `a f {}`,
		},
		"G2: none too": {[]string{called(`{"index":0,"id":"a","function":{"name":"f"}}`)}, `a f {}`},
		"null too":     {[]string{called(`{"index":0,"id":"a","function":{"name":"f","arguments":null}}`)}, `a f {}`},
		"G3: what was cut stays as the model wrote it": {
			[]string{called(`{"index":0,"id":"a","function":{"name":"f","arguments":"{\"path\":\"a\",\"content\":\"x"}}`)}, `a f {"path":"a","content":"x`,
		},
		"G6: two in one delta without index and id": {
			[]string{called(`{"function":{"name":"f","arguments":"{\"a\":1}"}}`, `{"function":{"name":"f","arguments":"{\"a\":2}"}}`)}, `? f {"a":1}; ? f {"a":2}`,
		},
		"G6: two deltas without index": {
			[]string{called(`{"id":"a","function":{"name":"f","arguments":"{\"a\":1}"}}`), called(`{"id":"b","function":{"name":"f","arguments":"{\"a\":2}"}}`)}, `a f {"a":1}; b f {"a":2}`,
		},
		"G6: two deltas without index and id": {
			[]string{called(`{"function":{"name":"f","arguments":"{\"a\":1}"}}`), called(`{"function":{"name":"f","arguments":"{\"a\":2}"}}`)}, `? f {"a":1}; ? f {"a":2}`,
		},
		"fragments without index go to their id": {
			[]string{called(`{"id":"a","function":{"name":"f","arguments":"{\"a\""}}`, `{"id":"b","function":{"name":"g","arguments":"{\"b\""}}`), called(`{"id":"b","function":{"arguments":":2}"}}`, `{"id":"a","function":{"arguments":":1}"}}`)}, `a f {"a":1}; b g {"b":2}`,
		},
		"fragments without index and id go to the last call": {
			[]string{called(`{"id":"a","function":{"name":"f","arguments":""}}`), called(`{"id":"b","function":{"name":"g","arguments":"{"}}`), called(`{"function":{"arguments":"}"}}`)}, `a f {}; b g {}`,
		},
		"G7: an id is made once": {
			[]string{called(`{"index":0,"function":{"name":"f","arguments":""}}`), called(`{"index":0,"function":{"arguments":"{\"a\":"}}`), called(`{"index":0,"function":{"arguments":"1}"}}`)}, `? f {"a":1}`,
		},
		"an empty id is none": {[]string{called(`{"index":0,"id":"","function":{"name":"f","arguments":"{}"}}`, `{"index":1,"id":"","function":{"name":"f","arguments":"{}"}}`)}, `? f {}; ? f {}`},
		"null for the id":     {[]string{called(`{"index":null,"id":null,"function":{"name":"f","arguments":"{}"}}`)}, `? f {}`},
		"the same id for two": {[]string{called(`{"index":0,"id":"0","function":{"name":"f","arguments":"{}"}}`, `{"index":1,"id":"0","function":{"name":"g","arguments":"{}"}}`)}, `0 f {}; ? g {}`},
		"the same index for two with ids": {
			[]string{called(`{"index":0,"id":"a","function":{"name":"f","arguments":"{\"a\":1}"}}`), called(`{"index":0,"id":"b","function":{"name":"f","arguments":"{\"a\":2}"}}`)}, `a f {"a":1}; b f {"a":2}`,
		},
		"the same index for two without ids": {
			[]string{called(`{"index":0,"function":{"name":"f","arguments":"{\"a\":1}"}}`, `{"index":0,"function":{"name":"f","arguments":"{\"a\":2}"}}`)}, `? f {"a":1}; ? f {"a":2}`,
		},
		"another index begins a call": {
			[]string{called(`{"index":1,"id":"a","function":{"name":"f","arguments":"{"}}`), called(`{"index":3,"id":"b","function":{"name":"g","arguments":"{"}}`), called(`{"index":1,"function":{"arguments":"}"}}`), called(`{"index":3,"function":{"arguments":"}"}}`)}, `a f {}; b g {}`,
		},
		"an empty name is no new one": {
			[]string{called(`{"index":0,"id":"a","function":{"name":"f","arguments":"{\"a\""}}`), called(`{"index":0,"id":"a","function":{"name":"","arguments":":1}"}}`)}, `a f {"a":1}`,
		},
		"the name in every fragment": {
			[]string{called(`{"index":0,"id":"a","function":{"name":"f","arguments":"{\"a\""}}`), called(`{"index":0,"id":"a","function":{"name":"f","arguments":":1}"}}`)}, `a f {"a":1}`,
		},
		"the name in every fragment, without index and id": {
			[]string{called(`{"function":{"name":"f","arguments":"{\"a\""}}`), called(`{"function":{"name":"f","arguments":":1}"}}`)}, `? f {"a":1}`,
		},
		"all of it once more at the end": {
			[]string{called(`{"index":0,"id":"a","function":{"name":"f","arguments":"{\"a\""}}`), called(`{"index":0,"function":{"arguments":":1}"}}`), called(`{"index":0,"id":"a","function":{"name":"f","arguments":"{\"a\":1}"}}`)}, `a f {"a":1}`,
		},
		"the name last":                  {[]string{called(`{"index":0,"id":"a","function":{"arguments":"{\"a\""}}`), called(`{"index":0,"function":{"name":"f","arguments":":1}"}}`)}, `a f {"a":1}`},
		"another id in each fragment":    {[]string{called(`{"index":0,"id":"a","function":{"name":"f"}}`), called(`{"index":0,"id":"b","function":{"arguments":"{}"}}`)}, `a f {}`},
		"arguments that are an object":   {[]string{called(`{"index":0,"id":"a","function":{"name":"f","arguments":{"a": [1, "x"]}}}`)}, `a f {"a": [1, "x"]}`},
		"no name at all is no call":      {[]string{called(`{"index":0,"id":"a","function":{"arguments":"{}"}}`)}, ``},
		"a call of before tool_calls":    {[]string{delta(`{"function_call":{"name":"f","arguments":"{\"a\""}}`), delta(`{"function_call":{"arguments":":1}"}}`)}, `? f {"a":1}`},
		"tool_calls that are null":       {[]string{delta(`{"content":null,"tool_calls":null,"function_call":null}`)}, ``},
		"G21: stop beside calls":         {[]string{called(`{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}}`)}, `a f {}`},
		"G5: an emoji cut in two":        {[]string{called(`{"index":0,"id":"a","function":{"name":"f","arguments":"{\"s\":\"\ud83e"}}`), called(`{"index":0,"function":{"arguments":"\udd80\"}"}}`)}, `a f {"s":"🦀"}`},
		"G25: half of one in a fragment": {[]string{called(`{"index":0,"id":"a","function":{"name":"f","arguments":"{\"s\":\"\\ud83d\"}"}}`)}, `a f {"s":"\ufffd"}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			resp, _, err := ask(t, dialect(t, "ollama"), llmtest.SSE(events(append(tt.events, stopped)...)), nil)
			if err != nil {
				t.Fatal(err)
			}
			finish := llm.FinishToolCalls
			if tt.want == "" {
				finish = llm.FinishStop
			}
			if got := showCalls(t, resp); got != tt.want || resp.Finish != finish {
				t.Errorf("%s (%s), want %s (%s)", got, resp.Finish, tt.want, finish)
			}
		})
	}
}

func TestTheEndIsWhatItIs(t *testing.T) {
	t.Parallel()
	const call = `{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}}`
	for name, tt := range map[string]struct {
		stream string
		finish llm.FinishReason // "": an error
		text   string
	}{
		"G21: tool_calls without a call ends the turn": {events(delta(`{"content":"Hi"}`), `{"choices":[{"delta":{},"finish_reason":"tool_calls"}]}`), llm.FinishStop, "Hi"},
		"cut at the limit within a call":               {events(called(call), `{"choices":[{"delta":{},"finish_reason":"length"}]}`), llm.FinishLength, ""},
		"cut at the limit":                             {events(delta(`{"content":"Hi"}`), `{"choices":[{"delta":{},"finish_reason":"model_length"}]}`), llm.FinishLength, "Hi"},
		"function_call":                                {events(delta(`{"function_call":{"name":"f","arguments":"{}"}}`), `{"choices":[{"delta":{},"finish_reason":"function_call"}]}`), llm.FinishToolCalls, ""},
		"a reason nobody knows":                        {events(delta(`{"content":"Hi"}`), `{"choices":[{"delta":{},"finish_reason":"eos_token"}]}`), llm.FinishStop, "Hi"},
		"no [DONE]":                                    {"data: " + delta(`{"content":"Hi"}`) + "\n\ndata: " + stopped + "\n\n", llm.FinishStop, "Hi"},
		"no line feeds at the end":                     {"data: " + delta(`{"content":"Hi"}`) + "\n\ndata: " + stopped, llm.FinishStop, "Hi"},
		"[DONE] without a line feed":                   {"data: " + stopped + "\n\ndata: [DONE]", llm.FinishStop, ""},
		"[DONE] without a reason":                      {events(delta(`{"content":"Hi"}`)), "", "Hi"},
		"nothing":                                      {"", "", ""},
		"[DONE] alone":                                 {events(), "", ""},
		"what comes behind [DONE] is not read":         {events(stopped) + "data: oops\n\n", llm.FinishStop, ""},
		"content behind the reason":                    {events(`{"choices":[{"delta":{"content":"Hi"},"finish_reason":"stop"}]}`, delta(`{"content":" there"}`)), llm.FinishStop, "Hi there"},
		"G19: no choices first":                        {events(`{"choices":[],"prompt_filter_results":[]}`, `{"choices":null}`, `{}`, delta(`{"content":"Hi"}`), `{"choices":[{"index":0}]}`, stopped), llm.FinishStop, "Hi"},
		"a delta that is null":                         {events(`{"choices":[{"index":0,"delta":null}]}`, `{"choices":[null]}`, stopped), llm.FinishStop, ""},
		"an error that is null":                        {events(`{"error":null,"choices":[{"delta":{"content":"Hi"}}]}`, stopped), llm.FinishStop, "Hi"},
		"an error that says nothing":                   {events(`{"error":"","choices":[{"delta":{"content":"Hi"}}]}`, `{"error":{},"x_groq":{"error":""},"choices":[]}`, stopped), llm.FinishStop, "Hi"},
		"another choice is not ours":                   {events(`{"choices":[{"delta":{"content":"no"},"index":1},{"delta":{"content":"Hi"},"index":0}]}`, stopped), llm.FinishStop, "Hi"},
		"<think> is left alone":                        {events(delta(`{"content":"<think>Hm.</think>Hi"}`), stopped), llm.FinishStop, "<think>Hm.</think>Hi"},
		"G5: bytes in all places":                      {events(delta(`{"content":"你好🦀"}`), stopped), llm.FinishStop, "你好🦀"},
		"G5: halves of an emoji":                       {events(delta(`{"content":"a\ud83e"}`), delta(`{"content":"\udd80b"}`), stopped), llm.FinishStop, "a🦀b"},
		"a half at the end":                            {events(delta(`{"content":"a\ud83e"}`), stopped), llm.FinishStop, "a"},
		"event lines and ids":                          {"event: message\nid: 1\ndata: " + delta(`{"content":"Hi"}`) + "\n\nretry: 5\ndata: " + stopped + "\n\n", llm.FinishStop, "Hi"},
		"data in lines":                                {"data: {\"choices\":\ndata: [{\"delta\":{\"content\":\"Hi\"},\ndata: \"finish_reason\":\"stop\"}]}\n\n", llm.FinishStop, "Hi"},
		"usage that is all zeros is none":              {events(`{"choices":[{"delta":{"content":"Hi"}}],"usage":{"prompt_tokens":0,"completion_tokens":0,"total_tokens":0}}`, stopped), llm.FinishStop, "Hi"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			resp, _, err := ask(t, dialect(t, "vllm"), llmtest.SSE(tt.stream), nil)
			if resp.Text() != tt.text || resp.Finish != tt.finish {
				t.Errorf("%q (%s), %v; want %q (%s)", resp.Text(), resp.Finish, err, tt.text, tt.finish)
			}
			if (err == nil) != (tt.finish != "") || err != nil && !errors.Is(err, llm.ErrTransient) {
				t.Errorf("the error is %v", err)
			}
		})
	}
}

func TestALineOfFourMegabytesIsRead(t *testing.T) {
	t.Parallel()
	for _, size := range []int{200 << 10, 4 << 20} {
		text := strings.Repeat("x", size)
		resp, _, err := ask(t, dialect(t, "vllm"), llmtest.SSE(events(delta(`{"content":"`+text+`"}`), stopped)), nil)
		if err != nil || resp.Text() != text {
			t.Errorf("%d bytes: %d came, %v", size, len(resp.Text()), err)
		}
	}
}

func TestWhatWasCountedIsKeptWhenTheStreamBreaks(t *testing.T) {
	t.Parallel()
	resp, _, err := ask(t, dialect(t, "vllm"), llmtest.SSE("data: "+`{"choices":[{"delta":{"content":"Hi"}}],"usage":{"prompt_tokens":9,"completion_tokens":1}}`+"\n\n"), nil)
	if want := (llm.Usage{Input: 9, Output: 1}); !errors.Is(err, llm.ErrTransient) || resp.Usage != want {
		t.Errorf("%+v, %v", resp.Usage, err)
	}
}

func TestTokensAreCountedOnce(t *testing.T) {
	t.Parallel()
	for usage, want := range map[string]llm.Usage{
		`{"prompt_tokens":2000,"completion_tokens":7,"total_tokens":2007,"prompt_tokens_details":{"cached_tokens":1500}}`:      {Input: 500, CacheRead: 1500, Output: 7},
		`{"prompt_tokens":100,"completion_tokens":10,"total_tokens":150}`:                                                      {Input: 100, Output: 50},
		`{"prompt_tokens":100,"completion_tokens":10}`:                                                                         {Input: 100, Output: 10},
		`{"prompt_tokens":90,"completion_tokens":1,"prompt_cache_hit_tokens":64,"prompt_tokens_details":{"cached_tokens":64}}`: {Input: 26, CacheRead: 64, Output: 1},
		`{"prompt_tokens":10,"completion_tokens":1,"cached_tokens":4}`:                                                         {Input: 6, CacheRead: 4, Output: 1},
		`{"prompt_tokens":10,"completion_tokens":1,"prompt_tokens_details":{"cached_tokens":40,"cache_write_tokens":9}}`:       {CacheRead: 10, Output: 1},
		`{"prompt_tokens":-1,"completion_tokens":2,"total_tokens":"x"}`:                                                        {Output: 2},
		`{"prompt_tokens":5.0,"completion_tokens":1e1}`:                                                                        {Input: 5, Output: 10},
		`null`: {}, `7`: {}, `[]`: {},
	} {
		resp, _, err := ask(t, dialect(t, "vllm"), llmtest.SSE(events(stopped, `{"choices":[],"usage":`+usage+`}`)), nil)
		if err != nil || resp.Usage != want {
			t.Errorf("%s: %+v, %v; want %+v", usage, resp.Usage, err, want)
		}
	}
}

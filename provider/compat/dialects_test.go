package compat_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/llm/llmtest"
	"github.com/helios-go/helios/provider/compat"
)

// A tape is a stream as a server of a kind sends it, and what it means.
type tape struct {
	dialect, name string
	stream        string
	thought, text string
	calls         string // id name args, one a line; an id that was made is ?
	finish        llm.FinishReason
	usage         llm.Usage
	meta          string // a member that the metadata have
	opaque        string // of the first thought or call
}

// tapes are written from what the servers' sources, types and users say: see the
// comments of the dialects.
var tapes = []tape{
	{
		dialect: "openai-chat", name: "text with usage at the end",
		stream: events(
			`{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"gpt-x","service_tier":"default","system_fingerprint":"fp_1","choices":[{"index":0,"delta":{"role":"assistant","content":"","refusal":null},"logprobs":null,"finish_reason":null}],"usage":null,"obfuscation":"qI"}`,
			`{"id":"chatcmpl-1","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"Hel"},"logprobs":null,"finish_reason":null}],"usage":null}`,
			`{"id":"chatcmpl-1","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"lo"},"logprobs":null,"finish_reason":null}],"usage":null}`,
			`{"id":"chatcmpl-1","object":"chat.completion.chunk","choices":[{"index":0,"delta":{},"logprobs":null,"finish_reason":"stop"}],"usage":null}`,
			`{"id":"chatcmpl-1","object":"chat.completion.chunk","choices":[],"usage":{"prompt_tokens":2000,"completion_tokens":5,"total_tokens":2005,"prompt_tokens_details":{"cached_tokens":1500,"audio_tokens":0},"completion_tokens_details":{"reasoning_tokens":0}}}`,
		),
		text: "Hello", finish: llm.FinishStop, usage: llm.Usage{Input: 500, CacheRead: 1500, Output: 5}, meta: `"service_tier":"default"`,
	},
	{
		dialect: "openai-chat", name: "a refusal",
		stream: events(
			`{"choices":[{"index":0,"delta":{"role":"assistant","content":null,"refusal":""}}]}`,
			`{"choices":[{"index":0,"delta":{"refusal":"I cannot help with that."}}]}`,
			`{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`,
		),
		text: "I cannot help with that.", finish: llm.FinishRefusal,
	},
	{
		dialect: "azure", name: "filter results first, a choice without a delta, CRLF",
		stream: llmtest.LineEnds(events(
			`{"choices":[],"created":0,"id":"","model":"","object":"","prompt_filter_results":[{"prompt_index":0,"content_filter_results":{"hate":{"filtered":false,"severity":"safe"}}}]}`,
			`{"choices":[{"content_filter_results":{},"delta":{"content":"","refusal":null,"role":"assistant"},"finish_reason":null,"index":0,"logprobs":null}],"created":1,"id":"chatcmpl-2","model":"gpt-x","usage":null}`,
			`{"choices":[{"content_filter_results":{"hate":{"filtered":false,"severity":"safe"}},"delta":{"content":"Hi"},"finish_reason":null,"index":0}],"id":"chatcmpl-2","usage":null}`,
			`{"choices":[{"content_filter_offsets":{"check_offset":35,"start_offset":35,"end_offset":37},"content_filter_results":{"hate":{"filtered":false}},"finish_reason":null,"index":0}],"id":"","model":""}`,
			`{"choices":[{"content_filter_results":{},"delta":{},"finish_reason":"stop","index":0}],"id":"chatcmpl-2","usage":null}`,
			`{"choices":[],"id":"chatcmpl-2","usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}`,
		), "\r\n"),
		text: "Hi", finish: llm.FinishStop, usage: llm.Usage{Input: 9, Output: 1}, meta: `"id":"chatcmpl-2"`,
	},
	{
		dialect: "azure", name: "cut by the filter",
		stream: events(
			`{"choices":[{"delta":{"content":"He"},"finish_reason":null,"index":0}]}`,
			`{"choices":[{"content_filter_results":{"violence":{"filtered":true,"severity":"high"}},"delta":{},"finish_reason":"content_filter","index":0}]}`,
		),
		text: "He", finish: llm.FinishContentFilter,
	},
	{
		dialect: "groq", name: "reasoning, a call, usage in x_groq",
		stream: events(
			`{"id":"chatcmpl-3","object":"chat.completion.chunk","model":"qwen/qwen3-32b","choices":[{"index":0,"delta":{"role":"assistant","content":null},"logprobs":null,"finish_reason":null}],"x_groq":{"id":"req_1"}}`,
			`{"id":"chatcmpl-3","choices":[{"index":0,"delta":{"reasoning":"The user "},"finish_reason":null}]}`,
			`{"id":"chatcmpl-3","choices":[{"index":0,"delta":{"reasoning":"wants weather.","channel":"analysis"},"finish_reason":null}]}`,
			`{"id":"chatcmpl-3","choices":[{"index":0,"delta":{"tool_calls":[{"id":"fc_9a","type":"function","function":{"name":"weather","arguments":"{\"city\":\"Toulouse\"}"},"index":0}]},"finish_reason":null}]}`,
			`{"id":"chatcmpl-3","choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}],"x_groq":{"id":"req_1","usage":{"queue_time":0.03,"prompt_tokens":210,"prompt_time":0.01,"completion_tokens":33,"completion_time":0.1,"total_tokens":243,"total_time":0.11}}}`,
		),
		thought: "The user wants weather.", calls: `fc_9a weather {"city":"Toulouse"}`, finish: llm.FinishToolCalls, usage: llm.Usage{Input: 210, Output: 33},
	},
	{
		dialect: "ollama", name: "a thought, two whole calls in one delta",
		stream: events(
			`{"id":"chatcmpl-7","object":"chat.completion.chunk","created":1,"model":"qwen3:8b","system_fingerprint":"fp_ollama","choices":[{"index":0,"delta":{"role":"assistant","content":"","reasoning":"Two "},"finish_reason":null}]}`,
			`{"id":"chatcmpl-7","choices":[{"index":0,"delta":{"role":"assistant","content":"","reasoning":"cities."},"finish_reason":null}]}`,
			`{"id":"chatcmpl-7","choices":[{"index":0,"delta":{"role":"assistant","content":"","tool_calls":[{"id":"call_x1","index":0,"type":"function","function":{"name":"weather","arguments":"{\"city\":\"Toulouse\"}"}},{"id":"call_x2","index":1,"type":"function","function":{"name":"weather","arguments":"{\"city\":\"Kiruna\"}"}}]},"finish_reason":null}]}`,
			`{"id":"chatcmpl-7","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":"tool_calls"}]}`,
			`{"id":"chatcmpl-7","choices":[],"usage":{"prompt_tokens":160,"completion_tokens":40,"total_tokens":200}}`,
		),
		thought: "Two cities.", calls: "call_x1 weather {\"city\":\"Toulouse\"}\ncall_x2 weather {\"city\":\"Kiruna\"}", finish: llm.FinishToolCalls, usage: llm.Usage{Input: 160, Output: 40},
	},
	{
		dialect: "ollama", name: "old: no index, no id, arguments that are an object, finish_reason stop",
		stream: events(
			`{"choices":[{"index":0,"delta":{"role":"assistant","content":"","tool_calls":[{"type":"function","function":{"name":"weather","arguments":{"city":"Toulouse"}}},{"type":"function","function":{"name":"weather","arguments":{"city":"Kiruna"}}}]},"finish_reason":null}]}`,
			`{"choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":"stop"}]}`,
		),
		calls: "? weather {\"city\":\"Toulouse\"}\n? weather {\"city\":\"Kiruna\"}", finish: llm.FinishToolCalls,
	},
	{
		dialect: "vllm", name: "reasoning, no arguments, a stop_reason, comments",
		stream: ": ping\n\n" + events(
			`{"id":"chatcmpl-4","object":"chat.completion.chunk","model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":""},"logprobs":null,"finish_reason":null}],"prompt_token_ids":null}`,
			`{"id":"chatcmpl-4","choices":[{"index":0,"delta":{"reasoning":"Time."},"logprobs":null,"finish_reason":null,"token_ids":null}]}`,
			`{"id":"chatcmpl-4","choices":[{"index":0,"delta":{"tool_calls":[{"id":"chatcmpl-tool-1","type":"function","index":0,"function":{"name":"now"}}]},"finish_reason":null}]}`,
			`{"id":"chatcmpl-4","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":""}}]},"finish_reason":null}]}`,
			`{"id":"chatcmpl-4","choices":[{"index":0,"delta":{"content":""},"finish_reason":"tool_calls","stop_reason":128008}]}`,
			`{"id":"chatcmpl-4","choices":[],"usage":{"prompt_tokens":50,"total_tokens":60,"completion_tokens":10,"prompt_tokens_details":null}}`,
		),
		thought: "Time.", calls: "chatcmpl-tool-1 now {}", finish: llm.FinishToolCalls, usage: llm.Usage{Input: 50, Output: 10},
	},
	{
		dialect: "vllm", name: "before late 2025: reasoning_content, another id in each fragment",
		stream: events(
			`{"choices":[{"index":0,"delta":{"role":"assistant"}}]}`,
			`{"choices":[{"index":0,"delta":{"reasoning_content":"Hm."}}]}`,
			`{"choices":[{"index":0,"delta":{"tool_calls":[{"id":"chatcmpl-tool-a","type":"function","index":0,"function":{"name":"weather"}}]}}]}`,
			`{"choices":[{"index":0,"delta":{"tool_calls":[{"id":"chatcmpl-tool-b","type":"function","index":0,"function":{"arguments":"{\"city\": \""}}]}}]}`,
			`{"choices":[{"index":0,"delta":{"tool_calls":[{"id":"chatcmpl-tool-c","type":"function","index":0,"function":{"arguments":"Kiruna\"}"}}]}}]}`,
			`{"choices":[{"index":0,"delta":{"content":""},"finish_reason":"stop"}]}`,
		),
		thought: "Hm.", calls: `chatcmpl-tool-a weather {"city": "Kiruna"}`, finish: llm.FinishToolCalls,
	},
	{
		dialect: "llamacpp", name: "timings, reasoning_content, usage with the finish_reason",
		stream: events(
			`{"choices":[{"finish_reason":null,"index":0,"delta":{"role":"assistant","content":null}}],"created":1,"id":"chatcmpl-5","model":"m","system_fingerprint":"b7062","object":"chat.completion.chunk"}`,
			`{"choices":[{"finish_reason":null,"index":0,"delta":{"reasoning_content":"Easy."}}],"id":"chatcmpl-5"}`,
			`{"choices":[{"finish_reason":null,"index":0,"delta":{"content":"4"}}],"id":"chatcmpl-5"}`,
			`{"choices":[{"finish_reason":"stop","index":0,"delta":{}}],"id":"chatcmpl-5","usage":{"completion_tokens":4,"prompt_tokens":30,"total_tokens":34,"prompt_tokens_details":{"cached_tokens":28}},"timings":{"cache_n":28,"prompt_n":2,"predicted_n":4}}`,
		),
		thought: "Easy.", text: "4", finish: llm.FinishStop, usage: llm.Usage{Input: 2, CacheRead: 28, Output: 4}, meta: `"system_fingerprint":"b7062"`,
	},
	{
		dialect: "openrouter", name: "comments, reasoning_details in pieces, cost",
		stream: ": OPENROUTER PROCESSING\n\n: OPENROUTER PROCESSING\n\n" + events(
			`{"id":"gen-1","provider":"Anthropic","model":"anthropic/claude-x","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"role":"assistant","content":"","reasoning":"Look ","reasoning_details":[{"type":"reasoning.text","text":"Look ","format":"anthropic-claude-v1","index":0}]},"finish_reason":null,"native_finish_reason":null,"logprobs":null}]}`,
			`{"id":"gen-1","choices":[{"index":0,"delta":{"content":"","reasoning":"it up.","reasoning_details":[{"type":"reasoning.text","text":"it up.","format":"anthropic-claude-v1","index":0}]},"finish_reason":null}]}`,
			`{"id":"gen-1","choices":[{"index":0,"delta":{"content":"","reasoning":null,"reasoning_details":[{"type":"reasoning.text","signature":"SIG==","format":"anthropic-claude-v1","index":0}]},"finish_reason":null}]}`,
			`{"id":"gen-1","choices":[{"index":0,"delta":{"content":null,"tool_calls":[{"index":0,"id":"toolu_1","type":"function","function":{"name":"weather","arguments":""}}]},"finish_reason":null}]}`,
			`{"id":"gen-1","choices":[{"index":0,"delta":{"content":null,"tool_calls":[{"index":0,"function":{"arguments":"{\"city\":\"Kiruna\"}"},"type":"function"}]},"finish_reason":null}]}`,
			`{"id":"gen-1","choices":[{"index":0,"delta":{"content":""},"finish_reason":"tool_calls","native_finish_reason":"tool_use"}]}`,
			`{"id":"gen-1","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}],"usage":{"prompt_tokens":500,"completion_tokens":60,"total_tokens":560,"cost":0.0024,"is_byok":false,"prompt_tokens_details":{"cached_tokens":100,"cache_write_tokens":300},"cost_details":{"upstream_inference_cost":null},"completion_tokens_details":{"reasoning_tokens":12}}}`,
		),
		thought: "Look it up.", calls: `toolu_1 weather {"city":"Kiruna"}`, finish: llm.FinishToolCalls,
		usage: llm.Usage{Input: 100, CacheRead: 100, CacheWrite: 300, Output: 60}, meta: `"cost":0.0024`,
		opaque: `{"reasoning_details":[{"format":"anthropic-claude-v1","index":0,"signature":"SIG==","text":"Look it up.","type":"reasoning.text"}]}`,
	},
	{
		dialect: "openrouter", name: "encrypted thoughts only",
		stream: events(
			`{"choices":[{"index":0,"delta":{"role":"assistant","content":"","reasoning_details":[{"type":"reasoning.encrypted","data":"AAAA","id":"rs_1","format":"openai-responses-v1","index":0},{"type":"reasoning.encrypted","data":"BBBB","id":"rs_2","format":"openai-responses-v1","index":0}]}}]}`,
			`{"choices":[{"index":0,"delta":{"content":"42"},"finish_reason":"stop"}]}`,
		),
		text: "42", finish: llm.FinishStop,
		opaque: `{"reasoning_details":[{"data":"AAAA","format":"openai-responses-v1","id":"rs_1","index":0,"type":"reasoning.encrypted"},{"data":"BBBB","format":"openai-responses-v1","id":"rs_2","index":0,"type":"reasoning.encrypted"}]}`,
	},
	{
		dialect: "deepseek", name: "reasoning_content, hits of the cache",
		stream: events(
			`{"id":"d1","object":"chat.completion.chunk","model":"deepseek-v4","system_fingerprint":"fp_d","choices":[{"index":0,"delta":{"role":"assistant","content":null,"reasoning_content":""},"logprobs":null,"finish_reason":null}]}`,
			`{"id":"d1","choices":[{"index":0,"delta":{"content":null,"reasoning_content":"Compare."},"finish_reason":null}]}`,
			`{"id":"d1","choices":[{"index":0,"delta":{"content":"9.8","reasoning_content":null},"finish_reason":null}]}`,
			`{"id":"d1","choices":[{"index":0,"delta":{"content":"","reasoning_content":null},"finish_reason":"stop"}],"usage":{"prompt_tokens":90,"completion_tokens":20,"total_tokens":110,"prompt_tokens_details":{"cached_tokens":64},"completion_tokens_details":{"reasoning_tokens":15},"prompt_cache_hit_tokens":64,"prompt_cache_miss_tokens":26}}`,
		),
		thought: "Compare.", text: "9.8", finish: llm.FinishStop, usage: llm.Usage{Input: 26, CacheRead: 64, Output: 20},
	},
	{
		dialect: "mistral", name: "thoughts as parts of the content, usage with the finish_reason",
		stream: events(
			`{"id":"m1","object":"chat.completion.chunk","model":"magistral","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}`,
			`{"id":"m1","choices":[{"index":0,"delta":{"content":[{"type":"thinking","thinking":[{"type":"text","text":"Let me "}]}]},"finish_reason":null}]}`,
			`{"id":"m1","choices":[{"index":0,"delta":{"content":[{"type":"thinking","thinking":[{"type":"text","text":"see."}]}]},"finish_reason":null}]}`,
			`{"id":"m1","choices":[{"index":0,"delta":{"content":[{"type":"text","text":"It is "}]},"finish_reason":null}]}`,
			`{"id":"m1","choices":[{"index":0,"delta":{"content":"4."},"finish_reason":"stop"}],"usage":{"prompt_tokens":10,"total_tokens":30,"completion_tokens":20}}`,
		),
		thought: "Let me see.", text: "It is 4.", finish: llm.FinishStop, usage: llm.Usage{Input: 10, Output: 20},
	},
	{
		dialect: "mistral", name: "a whole call in the last event",
		stream: events(
			`{"choices":[{"index":0,"delta":{"role":"assistant","content":"","tool_calls":[{"id":"aB3dE6gH9","function":{"name":"weather","arguments":"{\"city\": \"Kiruna\"}"},"index":0}]},"finish_reason":"tool_calls"}]}`,
		),
		calls: `aB3dE6gH9 weather {"city": "Kiruna"}`, finish: llm.FinishToolCalls,
	},
	{
		dialect: "gemini-chat", name: "no index, a signature, finish_reason stop, thoughts outside of the completion",
		stream: events(
			`{"choices":[{"delta":{"role":"assistant","tool_calls":[{"extra_content":{"google":{"thought_signature":"Cg=="}},"function":{"arguments":"{\"city\":\"Kiruna\"}","name":"weather"},"id":"function-call-1","type":"function"}]},"index":0}],"created":1,"id":"g1","model":"gemini-x","object":"chat.completion.chunk"}`,
			`{"choices":[{"delta":{"role":"assistant","tool_calls":[{"function":{"arguments":"{}","name":"now"},"id":"function-call-2","type":"function"}]},"finish_reason":"stop","index":0}],"id":"g1","usage":{"completion_tokens":10,"prompt_tokens":50,"total_tokens":90}}`,
		),
		calls: "function-call-1 weather {\"city\":\"Kiruna\"}\nfunction-call-2 now {}", finish: llm.FinishToolCalls, usage: llm.Usage{Input: 50, Output: 40},
		opaque: `{"extra_content":{"google":{"thought_signature":"Cg=="}}}`,
	},
	{
		dialect: "gemini-chat", name: "a signature of the whole message",
		stream: events(
			`{"choices":[{"delta":{"content":"It is 4.","role":"assistant"},"index":0}]}`,
			`{"choices":[{"delta":{"content":"","extra_content":{"google":{"thought_signature":"Dh=="}},"role":"assistant"},"finish_reason":"stop","index":0}]}`,
		),
		text: "It is 4.", finish: llm.FinishStop, opaque: `{"extra_content":{"google":{"thought_signature":"Dh=="}}}`,
	},
}

// play reads a tape and says what it held.
func play(t *testing.T, tp *tape, reply llmtest.Reply) (tape, error) {
	t.Helper()
	resp, _, err := ask(t, dialect(t, tp.dialect), reply, nil)
	if err != nil {
		return tape{}, err
	}
	got := tape{dialect: tp.dialect, name: tp.name, stream: tp.stream, text: resp.Text(), finish: resp.Finish, usage: resp.Usage}
	var calls []string
	for i, p := range resp.Message.Parts {
		switch p.Kind {
		case llm.PartThinking:
			got.thought += p.Text
			if p.Model != tp.dialect+"/m" {
				t.Errorf("the thought is of %q", p.Model)
			}
		case llm.PartCall:
			id := p.Call.ID
			if strings.HasPrefix(id, "call_") && len(id) == 25 {
				id = "?"
			}
			calls = append(calls, fmt.Sprintf("%s %s %s", id, p.Call.Name, p.Call.Args))
		case llm.PartText:
		default:
			t.Errorf("part %d is a %s", i, p.Kind)
		}
		if p.Opaque != nil && got.opaque == "" {
			got.opaque = string(p.Opaque.Data)
		}
	}
	got.calls = strings.Join(calls, "\n")
	if strings.Contains(string(resp.Meta), tp.meta) && json.Valid(resp.Meta) {
		got.meta = tp.meta
	}
	return got, nil
}

func TestEachServersStreamIsRead(t *testing.T) {
	t.Parallel()
	for i := range tapes {
		tp := &tapes[i]
		t.Run(tp.dialect+" "+tp.name, func(t *testing.T) {
			t.Parallel()
			got, err := play(t, tp, llmtest.SSE(tp.stream))
			if err != nil {
				t.Fatal(err)
			}
			if got != *tp {
				t.Errorf("\ngot  %+v\nwant %+v", got, *tp)
			}
		})
	}
}

func TestEachDialectHasATape(t *testing.T) {
	t.Parallel()
	for _, d := range compat.Dialects() {
		if !slices.ContainsFunc(tapes, func(tp tape) bool { return tp.dialect == d.Name }) {
			t.Errorf("there is no stream of %s", d.Name)
		}
	}
}

func TestNoCutAndNoLineEndChangesAStream(t *testing.T) {
	t.Parallel()
	for i := range tapes {
		tp := &tapes[i]
		for name, cut := range llmtest.Cuts() {
			for _, end := range []string{"\n", "\r\n", "\r"} {
				body := llmtest.LineEnds(strings.ReplaceAll(tp.stream, "\r\n", "\n"), end)
				got, err := play(t, tp, llmtest.SSE(body).Cut(cut))
				if err != nil || got != *tp {
					t.Fatalf("%s %s, %s, line end %q:\ngot  %+v, %v\nwant %+v", tp.dialect, tp.name, name, end, got, err, *tp)
				}
			}
		}
		bare := strings.ReplaceAll(tp.stream, "data: ", ": ping\ndata:")
		if got, err := play(t, tp, llmtest.SSE(bare)); err != nil || got != *tp {
			t.Fatalf("%s %s without blanks and with comments: %+v, %v", tp.dialect, tp.name, got, err)
		}
	}
}

package cli_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// modelServer stands for the servers of all providers. The first part of a path
// says how it behaves: as a model that answers on the wire of Anthropic or of chat
// completions, or as one of the ways to fail.
func modelServer(t *testing.T) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		_, mode, _ := strings.Cut(q.URL.Path, "/")
		mode, _, _ = strings.Cut(mode, "/")
		body, _ := io.ReadAll(q.Body) // what there is will do
		if f, ok := failures[mode]; ok && !strings.HasSuffix(q.URL.Path, "/models") {
			for name, value := range f.header {
				w.Header().Set(name, value)
			}
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(f.status)
			write(w, f.body)
			return
		}
		switch {
		case strings.HasSuffix(q.URL.Path, "/models"):
			list(w, q, mode)
		case mode == "messages":
			w.Header().Set("Content-Type", "text/event-stream")
			write(w, messages(strings.Contains(string(body), `"tool_result"`)))
		case mode == "chat":
			w.Header().Set("Content-Type", "text/event-stream")
			write(w, chat(strings.Contains(string(body), `"role":"tool"`)))
		default:
			http.NotFound(w, q)
		}
	}))
	t.Cleanup(s.Close)
	return s.URL
}

func write(w io.Writer, text string) { _, _ = io.WriteString(w, text) } // the client may have gone

// failures are what servers say when they do not answer.
var failures = map[string]struct {
	status int
	header map[string]string
	body   string
}{
	"401":   {401, nil, `{"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"}}`},
	"429":   {429, map[string]string{"Retry-After": "120"}, `{"type":"error","error":{"type":"rate_limit_error","message":"too many tokens per minute"}}`},
	"model": {404, nil, `{"type":"error","error":{"type":"not_found_error","message":"model: claude-sonet-5-5"}}`},
	"pull":  {404, nil, `{"error":{"message":"model \"qwen9\" not found, try pulling it first","type":"api_error"}}`},
}

func list(w http.ResponseWriter, q *http.Request, mode string) {
	if mode == "401" || q.Header.Get("Authorization") == "Bearer wrong" {
		w.WriteHeader(http.StatusUnauthorized)
		write(w, failures["401"].body)
		return
	}
	if mode == "messages" {
		write(w, `{"data":[{"id":"claude-sonnet-5-5"},{"id":"claude-experiment"}]}`)
		return
	}
	write(w, `{"object":"list","data":[{"id":"qwen3:8b"},{"id":"llama3.2"}]}`)
}

// What the model does: it fetches the field of the demo data, and states its mean as
// the ledger has it.
const (
	fetchArgs  = `{"param_id":"local/demo_mfi_20230615_v01/Magnitude"}`
	answerText = "The mean field is 7.629 nT."
	answerArgs = `{"answer":"` + answerText + `","claims":[{"name":"mean field","value":7.629,"units":"nT","source":"magnitude_data_mean"}]}`
)

// turn is the tool that the model calls, first and after the result.
func turn(second bool) (id, name, args string) {
	if second {
		return "call_2", "final_answer", answerArgs
	}
	return "call_1", "get_timeseries", fetchArgs
}

// messages is a turn on the wire of Anthropic.
func messages(second bool) string {
	id, name, args := turn(second)
	var b strings.Builder
	event := func(kind, data string) { fmt.Fprintf(&b, "event: %s\ndata: {\"type\":%q,%s}\n\n", kind, kind, data) }
	event("message_start", `"message":{"id":"msg_`+id+`","type":"message","role":"assistant","model":"claude-sonnet-5-5","content":[],"stop_reason":null,"usage":{"input_tokens":1000,"cache_read_input_tokens":9000,"cache_creation_input_tokens":0,"output_tokens":1}}`)
	event("content_block_start", `"index":0,"content_block":{"type":"thinking","thinking":"","signature":""}`)
	event("content_block_delta", `"index":0,"delta":{"type":"thinking_delta","thinking":"The field magnitude is what is asked for."}`)
	event("content_block_delta", `"index":0,"delta":{"type":"signature_delta","signature":"c2lnbmVk"}`)
	event("content_block_stop", `"index":0`)
	event("content_block_start", `"index":1,"content_block":{"type":"text","text":""}`)
	event("content_block_delta", `"index":1,"delta":{"type":"text_delta","text":"I will look at the magnitude."}`)
	event("content_block_stop", `"index":1`)
	event("content_block_start", fmt.Sprintf(`"index":2,"content_block":{"type":"tool_use","id":%q,"name":%q,"input":{}}`, "toolu_"+id, name))
	event("content_block_delta", `"index":2,"delta":{"type":"input_json_delta","partial_json":`+quoted(args)+`}`)
	event("content_block_stop", `"index":2`)
	event("message_delta", `"delta":{"stop_reason":"tool_use","stop_sequence":null},"usage":{"output_tokens":200}`)
	event("message_stop", `"end":true`)
	return b.String()
}

// chat is a turn on the wire of chat completions.
func chat(second bool) string {
	id, name, args := turn(second)
	var b strings.Builder
	chunk := func(delta, finish string) {
		fmt.Fprintf(&b, "data: {\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":%s,\"finish_reason\":%s}]}\n\n", delta, finish)
	}
	chunk(`{"role":"assistant","reasoning":"The magnitude it is."}`, "null")
	chunk(fmt.Sprintf(`{"tool_calls":[{"index":0,"id":%q,"type":"function","function":{"name":%q,"arguments":%s}}]}`, id, name, quoted(args)), "null")
	chunk(`{}`, `"tool_calls"`)
	b.WriteString("data: {\"id\":\"c\",\"choices\":[],\"usage\":{\"prompt_tokens\":5000,\"completion_tokens\":100,\"total_tokens\":5100}}\n\ndata: [DONE]\n\n")
	return b.String()
}

func quoted(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err) // a string is always JSON
	}
	return string(b)
}

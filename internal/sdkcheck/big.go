package sdkcheck

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// Recorded is a place without a network: every request is answered with the same
// stream, so that what is measured is the client.
func Recorded(body []byte) Place {
	return Place{Base: "http://recorded.invalid", HTTP: &http.Client{Transport: recorded(body)}}
}

type recorded []byte

func (r recorded) RoundTrip(q *http.Request) (*http.Response, error) {
	if q.Body != nil {
		_, _ = io.Copy(io.Discard, q.Body)
		_ = q.Body.Close()
	}
	return &http.Response{
		StatusCode: http.StatusOK, Status: "200 OK", Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, ContentLength: -1, Request: q,
		Header: http.Header{"Content-Type": {"text/event-stream; charset=utf-8"}}, Body: io.NopCloser(bytes.NewReader(r)),
	}, nil
}

// words are what the deltas of a long answer carry: a token or a few each, as
// models send them.
var words = strings.SplitAfter("The solar wind is a stream of charged particles released from the corona of the Sun. "+
	"Its speed is between 300 and 800 km/s, its density about 5 per cubic centimetre, \\\"gusty\\\" at times,\\n and 太陽風 carries a field of 5 nT 🌞 with it. ", " ")

// BigStream is a stream of about so many bytes with one answer: rounds of
// thinking, a page of text and a tool call. By number of deltas it is about 80 % text, 10 % thinking and 10 % arguments.
func BigStream(wire string, size int) []byte {
	w := &bigWriter{wire: wire}
	w.head()
	for w.b.Len() < size {
		w.thinking(100)
		w.text(800)
		w.call(100)
	}
	w.tail()
	return w.b.Bytes()
}

// A bigWriter writes the events of one answer. Its texts are JSON already.
type bigWriter struct {
	wire  string
	b     bytes.Buffer
	block int // blocks, items or steps so far
	calls int
	seq   int
	n     int // words so far

	output []string // finished items of the Responses API
}

func (w *bigWriter) event(name, format string, args ...any) {
	if w.wire != "chat" {
		fmt.Fprintf(&w.b, "event: %s\n", name)
	}
	w.b.WriteString("data: ")
	fmt.Fprintf(&w.b, format, args...)
	w.b.WriteString("\n\n")
	w.seq++
}

func (w *bigWriter) word() string {
	w.n++
	return words[w.n%len(words)]
}

func (w *bigWriter) head() {
	switch w.wire {
	case "anthropic":
		w.event("message_start", `{"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":10,"output_tokens":1}}}`)
	case "responses":
		w.event("response.created", `{"type":"response.created","sequence_number":0,"response":{"id":"resp_1","object":"response","status":"in_progress","model":"m","output":[]}}`)
	case "chat":
		w.event("", `{"id":"c1","object":"chat.completion.chunk","created":1796083200,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}`)
	case "gemini":
		w.event("interaction.created", `{"event_type":"interaction.created","interaction":{"id":"int_1","status":"in_progress"},"event_id":"e0"}`)
	}
}

func (w *bigWriter) tail() {
	switch w.wire {
	case "anthropic":
		w.event("message_delta", `{"type":"message_delta","delta":{"stop_reason":"tool_use","stop_sequence":null},"usage":{"output_tokens":99}}`)
		w.event("message_stop", `{"type":"message_stop"}`)
	case "responses":
		w.event("response.completed", `{"type":"response.completed","sequence_number":%d,"response":{"id":"resp_1","object":"response","status":"completed","model":"m","output":[%s],"usage":{"input_tokens":10,"output_tokens":99,"total_tokens":109}}}`, w.seq, strings.Join(w.output, ","))
	case "chat":
		w.event("", `{"id":"c1","object":"chat.completion.chunk","created":1796083200,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}`)
		w.event("", `{"id":"c1","object":"chat.completion.chunk","created":1796083200,"model":"m","choices":[],"usage":{"prompt_tokens":10,"completion_tokens":99,"total_tokens":109}}`)
		w.b.WriteString("data: [DONE]\n\n")
	case "gemini":
		w.event("interaction.completed", `{"event_type":"interaction.completed","interaction":{"id":"int_1","status":"requires_action","usage":{"total_input_tokens":10,"total_output_tokens":99}},"event_id":"e%d"}`, w.seq)
		w.event("done", `[DONE]`)
	}
}

func (w *bigWriter) thinking(deltas int) {
	var all strings.Builder
	each := func(format string, name string) {
		for range deltas {
			word := w.word()
			all.WriteString(word)
			switch w.wire {
			case "chat":
				w.event(name, format, word)
			case "anthropic":
				w.event(name, format, w.block, word)
			default:
				w.event(name, format, w.block, word, w.seq)
			}
		}
	}
	i := w.block
	switch w.wire {
	case "anthropic":
		w.event("content_block_start", `{"type":"content_block_start","index":%d,"content_block":{"type":"thinking","thinking":"","signature":""}}`, i)
		each(`{"type":"content_block_delta","index":%d,"delta":{"type":"thinking_delta","thinking":"%s"}}`, "content_block_delta")
		w.event("content_block_delta", `{"type":"content_block_delta","index":%d,"delta":{"type":"signature_delta","signature":"%s"}}`, i, strings.Repeat("EqQBCgIY", 40))
		w.event("content_block_stop", `{"type":"content_block_stop","index":%d}`, i)
	case "responses":
		w.event("response.output_item.added", `{"type":"response.output_item.added","sequence_number":%d,"output_index":%d,"item":{"type":"reasoning","id":"rs_%d","summary":[]}}`, w.seq, i, i)
		each(`{"type":"response.reasoning_summary_text.delta","item_id":"rs_1","output_index":%d,"summary_index":0,"delta":"%s","sequence_number":%d,"obfuscation":"0Tz8wqM4kd9"}`, "response.reasoning_summary_text.delta")
		item := fmt.Sprintf(`{"type":"reasoning","id":"rs_%d","summary":[{"type":"summary_text","text":"%s"}],"encrypted_content":"%s"}`, i, all.String(), strings.Repeat("gAAAAABo", 80))
		w.done(item)
	case "chat":
		each(`{"id":"c1","object":"chat.completion.chunk","created":1796083200,"model":"m","system_fingerprint":"fp_44709d6fcb","choices":[{"index":0,"delta":{"reasoning_content":"%s"},"logprobs":null,"finish_reason":null}]}`, "")
	case "gemini":
		w.event("step.start", `{"event_type":"step.start","index":%d,"step":{"type":"thought"},"event_id":"e%d"}`, i, w.seq)
		each(`{"event_type":"step.delta","index":%d,"delta":{"type":"thought_summary","content":{"type":"text","text":"%s"}},"event_id":"e%d"}`, "step.delta")
		w.event("step.delta", `{"event_type":"step.delta","index":%d,"delta":{"type":"thought_signature","signature":"%s"},"event_id":"e%d"}`, i, strings.Repeat("EqQBCgIY", 40), w.seq)
		w.event("step.stop", `{"event_type":"step.stop","index":%d,"event_id":"e%d"}`, i, w.seq)
	}
	w.block++
}

func (w *bigWriter) text(deltas int) {
	var all strings.Builder
	i := w.block
	switch w.wire {
	case "anthropic":
		w.event("content_block_start", `{"type":"content_block_start","index":%d,"content_block":{"type":"text","text":""}}`, i)
	case "responses":
		w.event("response.output_item.added", `{"type":"response.output_item.added","sequence_number":%d,"output_index":%d,"item":{"type":"message","id":"msg_%d","status":"in_progress","role":"assistant","content":[]}}`, w.seq, i, i)
		w.event("response.content_part.added", `{"type":"response.content_part.added","sequence_number":%d,"item_id":"msg_%d","output_index":%d,"content_index":0,"part":{"type":"output_text","text":"","annotations":[]}}`, w.seq, i, i)
	case "gemini":
		w.event("step.start", `{"event_type":"step.start","index":%d,"step":{"type":"model_output"},"event_id":"e%d"}`, i, w.seq)
	}
	for range deltas {
		word := w.word()
		all.WriteString(word)
		switch w.wire {
		case "anthropic":
			w.event("content_block_delta", `{"type":"content_block_delta","index":%d,"delta":{"type":"text_delta","text":"%s"}}`, i, word)
		case "responses":
			w.event("response.output_text.delta", `{"type":"response.output_text.delta","item_id":"msg_%d","output_index":%d,"content_index":0,"delta":"%s","logprobs":[],"sequence_number":%d,"obfuscation":"0Tz8wqM4kd9"}`, i, i, word, w.seq)
		case "chat":
			w.event("", `{"id":"c1","object":"chat.completion.chunk","created":1796083200,"model":"m","system_fingerprint":"fp_44709d6fcb","choices":[{"index":0,"delta":{"content":"%s"},"logprobs":null,"finish_reason":null}]}`, word)
		case "gemini":
			w.event("step.delta", `{"event_type":"step.delta","index":%d,"delta":{"type":"text","text":"%s"},"event_id":"e%d"}`, i, word, w.seq)
		}
	}
	switch w.wire {
	case "anthropic":
		w.event("content_block_stop", `{"type":"content_block_stop","index":%d}`, i)
	case "responses":
		w.done(fmt.Sprintf(`{"type":"message","id":"msg_%d","status":"completed","role":"assistant","content":[{"type":"output_text","text":"%s","annotations":[]}]}`, i, all.String()))
	case "gemini":
		w.event("step.stop", `{"event_type":"step.stop","index":%d,"event_id":"e%d"}`, i, w.seq)
	}
	w.block++
}

func (w *bigWriter) call(deltas int) {
	args := strings.Builder{}
	i := w.block
	switch w.wire {
	case "anthropic":
		w.event("content_block_start", `{"type":"content_block_start","index":%d,"content_block":{"type":"tool_use","id":"toolu_%d","name":"get_weather","input":{}}}`, i, i)
	case "responses":
		w.event("response.output_item.added", `{"type":"response.output_item.added","sequence_number":%d,"output_index":%d,"item":{"type":"function_call","id":"fc_%d","call_id":"call_%d","name":"get_weather","arguments":"","status":"in_progress"}}`, w.seq, i, i, i)
	case "chat":
		w.event("", `{"id":"c1","object":"chat.completion.chunk","created":1796083200,"model":"m","choices":[{"index":0,"delta":{"tool_calls":[{"index":%d,"id":"call_%d","type":"function","function":{"name":"get_weather","arguments":""}}]},"finish_reason":null}]}`, w.calls, i)
	case "gemini":
		w.event("step.start", `{"event_type":"step.start","index":%d,"step":{"type":"function_call","id":"call_%d","name":"get_weather","arguments":{}},"event_id":"e%d"}`, i, i, w.seq)
	}
	for k := range deltas {
		piece := fmt.Sprintf(`%d,\"a%d\":`, k, k)
		switch k {
		case 0:
			piece = `{\"a0\":`
		case deltas - 1:
			piece = `1}`
		}
		args.WriteString(piece)
		switch w.wire {
		case "anthropic":
			w.event("content_block_delta", `{"type":"content_block_delta","index":%d,"delta":{"type":"input_json_delta","partial_json":"%s"}}`, i, piece)
		case "responses":
			w.event("response.function_call_arguments.delta", `{"type":"response.function_call_arguments.delta","item_id":"fc_%d","output_index":%d,"delta":"%s","sequence_number":%d,"obfuscation":"0Tz8wqM4kd9"}`, i, i, piece, w.seq)
		case "chat":
			w.event("", `{"id":"c1","object":"chat.completion.chunk","created":1796083200,"model":"m","choices":[{"index":0,"delta":{"tool_calls":[{"index":%d,"function":{"arguments":"%s"}}]},"finish_reason":null}]}`, w.calls, piece)
		case "gemini":
			w.event("step.delta", `{"event_type":"step.delta","index":%d,"delta":{"type":"arguments_delta","arguments":"%s"},"event_id":"e%d"}`, i, piece, w.seq)
		}
	}
	switch w.wire {
	case "anthropic":
		w.event("content_block_stop", `{"type":"content_block_stop","index":%d}`, i)
	case "responses":
		w.event("response.function_call_arguments.done", `{"type":"response.function_call_arguments.done","sequence_number":%d,"item_id":"fc_%d","output_index":%d,"name":"get_weather","arguments":"%s"}`, w.seq, i, i, args.String())
		w.done(fmt.Sprintf(`{"type":"function_call","id":"fc_%d","call_id":"call_%d","name":"get_weather","arguments":"%s","status":"completed"}`, i, i, args.String()))
	case "gemini":
		w.event("step.stop", `{"event_type":"step.stop","index":%d,"event_id":"e%d"}`, i, w.seq)
	}
	w.block++
	w.calls++
}

// done ends an item of the Responses API.
func (w *bigWriter) done(item string) {
	w.event("response.output_item.done", `{"type":"response.output_item.done","sequence_number":%d,"output_index":%d,"item":%s}`, w.seq, w.block, item)
	w.output = append(w.output, item)
}

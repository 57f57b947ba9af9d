package compat

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"testing"
	"unicode/utf8"

	"github.com/helios-go/helios/llm"
)

func newDecoder() *decoder {
	return &decoder{model: "test/m", provider: "test", real: func(name string) string { return name }}
}

//nolint:paralleltest // allocations are counted for the whole process
func TestADeltaCostsOneAllocation(t *testing.T) {
	for what, event := range map[string]string{
		"text":       `{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"gpt-x","system_fingerprint":"fp","choices":[{"index":0,"delta":{"content":" world \n"},"logprobs":null,"finish_reason":null}],"usage":null}`,
		"arguments":  `{"id":"chatcmpl-1","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"abcdefgh"}}]},"finish_reason":null}]}`,
		"no content": `{"id":"chatcmpl-1","model":"gpt-x","choices":[]}`,
	} {
		d := newDecoder()
		begin := `{"id":"chatcmpl-1","model":"gpt-x","system_fingerprint":"fp","choices":[{"index":0,"delta":{"content":"a","tool_calls":[{"index":0,"id":"c","function":{"name":"f"}}]}}]}`
		if _, _, err := d.event([]byte(begin)); err != nil {
			t.Fatal(err)
		}
		d.calls[0].args = make([]byte, 0, 1<<20)
		data := []byte(event)
		if got := testing.AllocsPerRun(200, func() {
			if _, _, err := d.event(data); err != nil {
				t.Fatal(err)
			}
		}); got > 1 {
			t.Errorf("%s: %v allocations for an event, want at most 1", what, got)
		}
	}
}

// long is a stream of so many bytes at least, of text and of one call's arguments.
func long(size int) []byte {
	var b bytes.Buffer
	for i := 0; b.Len() < size; i++ {
		text, err := json.Marshal(fmt.Sprintf("token %d\n", i))
		if err != nil {
			panic(err)
		}
		if i%4 == 3 {
			fmt.Fprintf(&b, `data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"gpt-x","system_fingerprint":"fp","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":%s}}]},"finish_reason":null}]}`+"\n\n", text)
			continue
		}
		fmt.Fprintf(&b, `data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"gpt-x","system_fingerprint":"fp","choices":[{"index":0,"delta":{"content":%s},"logprobs":null,"finish_reason":null}]}`+"\n\n", text)
	}
	b.WriteString(`data: {"id":"chatcmpl-1","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]\n\n")
	return b.Bytes()
}

// served is a server that answers with a stream.
type served []byte

func (s served) RoundTrip(q *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"text/event-stream"}}, Body: io.NopCloser(bytes.NewReader(s)), Request: q}, nil
}

// BenchmarkStream reads a stream of 10 MB, from the HTTP response to the message.
func BenchmarkStream(b *testing.B) {
	stream := long(10 << 20)
	model := VLLM("m", &Options{HTTP: &http.Client{Transport: served(stream)}})
	req := &llm.Request{Messages: []llm.Message{llm.User("hi")}}
	b.SetBytes(int64(len(stream)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := llm.Generate(b.Context(), model, req); err != nil {
			b.Fatal(err)
		}
	}
}

// FuzzDecoder gives a decoder the lines of a text as events. Whatever they are,
// what comes out holds together, and an end without a finish_reason is none.
func FuzzDecoder(f *testing.F) {
	for _, seed := range []string{
		`{"id":"c","choices":[{"index":0,"delta":{"content":"a\ud83d"}}]}` + "\n" + `{"choices":[{"delta":{"content":"\ude00"},"finish_reason":"stop"}]}`,
		`{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{"}},{"function":{"name":"submit","arguments":{"a":1}}}]}}]}` + "\n" + `{"choices":[{"finish_reason":"length"}],"usage":{"prompt_tokens":1,"completion_tokens":2,"prompt_tokens_details":{"cached_tokens":9}}}`,
		`{"choices":[{"delta":{"reasoning":"x","reasoning_details":[{"type":"reasoning.text","text":"x","index":0},{"type":"reasoning.encrypted","data":"AA"}],"content":[{"type":"thinking","thinking":[{"text":"y"}]},{"type":"text","text":"z"}]},"finish_reason":"tool_calls"}]}`,
		`{"error":{"code":502,"message":"m"}}`, `{"x_groq":{"error":"e","usage":{"prompt_tokens":1}}}`, `{"choices":[{"delta":{"function_call":{"name":"f","arguments":"{}"},"extra_content":{"g":1},"refusal":"no"},"finish_reason":"stop"}]}`, `[DONE]`, `{"message":"m"}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		d := newDecoder()
		d.submit = "submit"
		var acc llm.Accumulator
		for line := range bytes.SplitSeq(data, []byte("\n")) {
			last, problem, err := d.event(line)
			if err != nil || problem != nil {
				return
			}
			check(t, d, &acc)
			if last {
				break
			}
		}
		finished := d.whole
		problem, err := d.end()
		switch {
		case errors.Is(err, errCut) == finished:
			t.Fatalf("a finish_reason: %t, the end: %v", finished, err)
		case err != nil, problem != nil:
			return
		}
		check(t, d, &acc)
		resp := acc.Response()
		if !acc.Done() {
			t.Fatal("there is no terminal chunk")
		}
		ids := map[string]bool{}
		for _, p := range resp.Message.Parts {
			if p.Kind == llm.PartCall {
				if p.Call.ID == "" || ids[p.Call.ID] || p.Call.Name == "" || p.Call.Name == "submit" {
					t.Fatalf("the call %s", p.Call)
				}
				ids[p.Call.ID] = true
			}
			if p.Opaque != nil && !json.Valid(p.Opaque.Data) {
				t.Fatalf("opaque data that are no JSON: %s", p.Opaque.Data)
			}
		}
		if u := resp.Usage; u.Input < 0 || u.CacheRead < 0 || u.CacheWrite < 0 || u.Output < 0 || !json.Valid(resp.Meta) {
			t.Fatalf("usage %+v, meta %s", u, resp.Meta)
		}
	})
}

func check(t *testing.T, d *decoder, acc *llm.Accumulator) {
	t.Helper()
	for _, c := range d.out {
		if !utf8.ValidString(c.Text) {
			t.Fatalf("a text that is no UTF-8: %q", c.Text)
		}
		acc.Add(c)
	}
}

package openai_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/helios-go/helios/provider/openai"
)

// recorded answers every request with the same stream.
type recorded []byte

func (r recorded) RoundTrip(q *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Request: q, Header: http.Header{}, Body: io.NopCloser(bytes.NewReader(r))}, nil
}

// deltas is a stream of so many deltas, as OpenAI sends them.
func deltas(n int) []byte {
	var b bytes.Buffer
	for i := range n {
		kind, more := "output_text", `"content_index":0,"logprobs":[],"obfuscation":"mQ8TzrS2k1"`
		if i%10 == 9 {
			kind, more = "reasoning_summary_text", `"summary_index":0`
		}
		fmt.Fprintf(&b, "event: response.%s.delta\ndata: {\"type\":\"response.%s.delta\",\"sequence_number\":%d,\"item_id\":\"msg_68af40338f4c8190\",\"output_index\":%d,%s,\"delta\":\" wind\"}\n\n",
			kind, kind, i, i%10/9, more)
	}
	b.WriteString(done)
	return b.Bytes()
}

func drain(tb testing.TB, m *openai.Model) {
	for _, err := range m.Stream(context.Background(), hello()) {
		if err != nil {
			tb.Fatal(err)
		}
	}
}

// A delta costs its text and nothing else.
func TestADeltaIsOneAllocation(t *testing.T) { //nolint:paralleltest // it counts the allocations of the process
	const n = 2000
	m := openai.New("gpt-6-sol", &openai.Options{Key: key, HTTP: &http.Client{Transport: recorded(deltas(n))}})
	small := openai.New("gpt-6-sol", &openai.Options{Key: key, HTTP: &http.Client{Transport: recorded(deltas(0))}})
	base := testing.AllocsPerRun(10, func() { drain(t, small) })
	if all := testing.AllocsPerRun(10, func() { drain(t, m) }); all-base > n*1.05 {
		t.Errorf("%.2f allocations for a delta, want 1", (all-base)/n)
	}
}

func BenchmarkDeltas(b *testing.B) {
	body := deltas(10_000)
	m := openai.New("gpt-6-sol", &openai.Options{Key: key, HTTP: &http.Client{Transport: recorded(body)}})
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		drain(b, m)
	}
}

// A long answer is one item.
func BenchmarkLongItem(b *testing.B) {
	body := []byte(event(`{"type":"response.output_item.done","output_index":0,"item":{"type":"message","id":"m_1","role":"assistant","content":[{"type":"output_text","text":"`+
		strings.Repeat("0123456789abcdef\\n", 64<<10)+`"}]}}`) + done)
	m := openai.New("gpt-6-sol", &openai.Options{Key: key, HTTP: &http.Client{Transport: recorded(body)}})
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		drain(b, m)
	}
}

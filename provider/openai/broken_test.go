package openai_test

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/llm/llmtest"
	"github.com/helios-go/helios/provider/openai"
)

// The chunks of an event are given once, also when nothing but an error follows.
func TestABrokenConnectionRepeatsNothing(t *testing.T) {
	t.Parallel()
	body := fixture(t, "tools.sse")
	whole, err := stream(t, body)
	if err != nil {
		t.Fatal(err)
	}
	want := whole.Text()
	for after := range len(body) {
		wire := llmtest.NewWire(llmtest.SSE(body).Dropping(after))
		model := openai.New("gpt-6-sol", &openai.Options{HTTP: wire.Client(), Key: "test"})
		text := ""
		for chunk, err := range model.Stream(t.Context(), &llm.Request{Messages: []llm.Message{llm.User("hi")}}) {
			if chunk.Kind == llm.ChunkText {
				text += chunk.Text
			}
			if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Fatalf("cut after %d bytes: %v", after, err)
			}
		}
		if !strings.HasPrefix(want, text) {
			t.Fatalf("cut after %d bytes the text is %q, which does not begin %q", after, text, want)
		}
	}
}

package agent_test

import (
	"context"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/helios-go/helios/agent"
	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/llm/llmtest"
)

// Deltas are redacted with the log, wherever the pieces were cut, and make up the
// redacted text.
func TestDeltasAreRedactedWithTheLog(t *testing.T) {
	t.Parallel()
	secrets := registry(t)
	rapid.Check(t, func(rt *rapid.T) {
		parts := rapid.SliceOfN(rapid.SampledFrom([]string{token, token[:4], token[4:], "plain ", "x", token + token}), 1, 8).Draw(rt, "parts")
		text := strings.Join(parts, "")
		var chunks []llm.Chunk
		for at := 0; at < len(text); {
			n := min(rapid.IntRange(1, 9).Draw(rt, "size"), len(text)-at)
			chunks = append(chunks, llm.Chunk{Kind: llm.ChunkText, Text: text[at : at+n]})
			at += n
		}
		if rapid.Bool().Draw(rt, "whole part") {
			part := llm.Text(text)
			chunks = append(chunks, llm.Chunk{Kind: llm.ChunkPart, Part: &part})
		}
		chunks = append(chunks, llm.Chunk{Kind: llm.ChunkDone})
		a := agent.Agent{Model: llmtest.New(llmtest.Chunks(chunks...)), Secrets: secrets}
		s, err := a.Open(context.Background(), &agent.OpenOptions{RedactLog: true})
		if err != nil {
			rt.Fatal(err)
		}
		defer s.Close()
		events := s.Events(context.Background(), 0)
		res, err := s.Run(context.Background(), "go")
		if err != nil {
			rt.Fatal(err)
		}
		var shown strings.Builder
		for e, err := range events {
			if err != nil {
				rt.Fatal(err)
			}
			if d, ok := e.Data.(*agent.TextDelta); ok {
				shown.WriteString(d.Text)
			}
			if e.Kind() == agent.KindRunEnded {
				break
			}
		}
		want, _ := secrets.Redactor().Text(text)
		if shown.String() != want || res.Text != want {
			rt.Fatalf("%q is streamed as %q and answered as %q, want %q", text, shown.String(), res.Text, want)
		}
	})
}

package gemini_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/llm/llmtest"
	"github.com/helios-go/helios/provider/gemini"
)

// hop is one piece of an answer that goes on.
func hop(n int, text string) string {
	return events(
		fmt.Sprintf(`{"event_type":"interaction.created","interaction":{"id":"int_%d","status":"in_progress"}}`, n),
		`{"event_type":"step.start","index":0,"step":{"type":"model_output"}}`,
		`{"event_type":"step.delta","index":0,"delta":{"type":"text","text":"`+text+`"}}`,
		`{"event_type":"step.stop","index":0}`,
		fmt.Sprintf(`{"event_type":"interaction.completed","interaction":{"id":"int_%d","status":"requires_continuation","continuation_token":"tok_%d","usage":{"total_input_tokens":10,"total_output_tokens":5}}}`, n, n))
}

func TestAnswerInPiecesIsOneStream(t *testing.T) {
	t.Parallel()
	for _, keep := range []bool{false, true} {
		wire := llmtest.NewWire(llmtest.SSE(hop(1, "one ")), llmtest.SSE(hop(2, "two ")), llmtest.SSE(saying("three")))
		resp, err := llm.Generate(context.Background(), on(wire, &gemini.Options{Key: testKey, Continuation: keep}), ask("count"))
		if err != nil {
			t.Fatal(err)
		}
		var text strings.Builder
		for _, p := range resp.Message.Parts {
			text.WriteString(p.Text)
		}
		if text.String() != "one two three" || resp.Finish != llm.FinishStop {
			t.Errorf("text %q, finish %q", text.String(), resp.Finish)
		}
		if want := (llm.Usage{Input: 28, CacheRead: 2, Output: 14}); resp.Usage != want {
			t.Errorf("usage %+v, want %+v", resp.Usage, want)
		}
		for i, q := range wire.Requests() {
			var body struct {
				Token    string          `json:"continuation_token"`
				Previous string          `json:"previous_interaction_id"`
				Input    json.RawMessage `json:"input"`
			}
			if err := q.JSON(&body); err != nil {
				t.Fatal(err)
			}
			token, previous := "", ""
			if i > 0 {
				token = fmt.Sprintf("tok_%d", i)
			}
			if keep && i > 0 {
				previous = fmt.Sprintf("int_%d", i)
			}
			if body.Token != token || body.Previous != previous || (body.Input == nil) != (keep && i > 0) {
				t.Errorf("request %d, kept %t: %s", i, keep, q.Body)
			}
		}
	}
}

func TestAnswerThatGoesOnForEverIsCut(t *testing.T) {
	t.Parallel()
	var replies []llmtest.Reply
	for n := range 9 {
		replies = append(replies, llmtest.SSE(hop(n, "x")))
	}
	wire := llmtest.NewWire(replies...)
	resp, err := llm.Generate(context.Background(), on(wire, nil), ask("count"))
	if err != nil || resp.Finish != llm.FinishLength || len(resp.Message.Parts) != 9 {
		t.Errorf("%d parts, finish %q, error %v", len(resp.Message.Parts), resp.Finish, err)
	}
	if err := wire.Done(); err != nil {
		t.Error(err)
	}
}

func TestAnswerThatCannotGoOnIsCut(t *testing.T) {
	t.Parallel()
	without := strings.Replace(hop(1, "x"), `,"continuation_token":"tok_1"`, "", 1)
	if resp := must(t, without, nil, ask("count")); resp.Finish != llm.FinishLength {
		t.Errorf("finish %q without a token", resp.Finish)
	}
	wire := llmtest.NewWire(llmtest.SSE(hop(1, "x")), llmtest.SSE(hop(1, "y")))
	resp, err := llm.Generate(context.Background(), on(wire, nil), ask("count"))
	if err != nil || resp.Finish != llm.FinishLength || wire.Done() != nil {
		t.Errorf("finish %q, error %v after the same token again", resp.Finish, err)
	}
}

func TestFailureInALaterPieceIsAnError(t *testing.T) {
	t.Parallel()
	wire := llmtest.NewWire(llmtest.SSE(hop(1, "one ")), llmtest.JSON(503, `{"error":{"code":"unavailable","message":"busy"}}`))
	resp, err := llm.Generate(context.Background(), on(wire, nil), ask("count"))
	if !errors.Is(err, llm.ErrTransient) || resp.Text() != "one " {
		t.Errorf("text %q, error %v", resp.Text(), err)
	}
}

func TestIndexesOfLaterPiecesGoOn(t *testing.T) {
	t.Parallel()
	wire := llmtest.NewWire(llmtest.SSE(hop(1, "one")), llmtest.SSE(saying("two")))
	var indexes []int
	for c, err := range on(wire, nil).Stream(context.Background(), ask("count")) {
		if err != nil {
			t.Fatal(err)
		}
		if c.Kind == llm.ChunkPart {
			indexes = append(indexes, c.Index)
		}
	}
	if !slices.Equal(indexes, []int{0, 1}) {
		t.Errorf("indexes %v, want 0 and 1", indexes)
	}
}

func TestReaderThatStopsEndsTheRequest(t *testing.T) {
	t.Parallel()
	body := hop(1, "one")
	silent := llmtest.SSE(body).Stalling(strings.Index(body, "event: step.stop"))
	wire := llmtest.NewWire(silent)
	for range on(wire, nil).Stream(context.Background(), ask("count")) {
		break
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	stop := errors.New("enough")
	wire = llmtest.NewWire(silent)
	var last error
	for _, err := range on(wire, nil).Stream(ctx, ask("count")) {
		cancel(stop)
		last = err
	}
	if !errors.Is(last, stop) {
		t.Errorf("error %v, want the cause", last)
	}
}

package compat_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/llm/llmtest"
	"github.com/helios-go/helios/provider/compat"
)

func TestSilenceEndsAStreamAndLengthDoesNot(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		slow := events(delta(`{"content":"a"}`), delta(`{"content":"b"}`), delta(`{"content":"c"}`), stopped)
		wire := llmtest.NewWire(
			llmtest.SSE(slow).Cut(llmtest.CutEvents).Every(50*time.Second),
			llmtest.SSE(slow).Stalling(80),
			llmtest.SSE(slow).After(2*time.Minute),
			llmtest.SSE(slow).Stalling(len(slow)-8), // all but the end of [DONE]
		)
		model := compat.VLLM("m", &compat.Options{HTTP: wire.Client(), HeaderTimeout: time.Minute, IdleTimeout: time.Minute})
		ask := func() (*llm.Response, time.Duration, error) {
			begun := time.Now()
			resp, err := llm.Generate(t.Context(), model, &llm.Request{Messages: []llm.Message{llm.User("hi")}})
			return resp, time.Since(begun), err
		}
		if resp, took, err := ask(); err != nil || resp.Text() != "abc" || took < 3*time.Minute {
			t.Errorf("a token every 50 s: %v, %v after %s", resp, err, took)
		}
		if _, took, err := ask(); !errors.Is(err, llm.ErrTransient) || took != time.Minute {
			t.Errorf("silence: %v after %s", err, took)
		}
		if _, took, err := ask(); !errors.Is(err, llm.ErrTransient) || took != time.Minute {
			t.Errorf("no headers: %v after %s", err, took)
		}
		if resp, took, err := ask(); err != nil || resp.Text() != "abc" || took != time.Minute {
			t.Errorf("silence behind a whole answer: %v, %v after %s", resp, err, took)
		}
	})
}

func TestAServerOfOnesOwnMayTakeItsTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for name, want := range map[string]time.Duration{"ollama": 10 * time.Minute, "vllm": 10 * time.Minute, "llamacpp": 10 * time.Minute, "groq": time.Minute} {
			begun := time.Now()
			if _, _, err := ask(t, dialect(t, name), llmtest.SSE(events(stopped)).After(9*time.Minute), nil); (err == nil) != (want > 9*time.Minute) {
				t.Errorf("%s after %s: %v", name, time.Since(begun), err)
			}
			begun = time.Now()
			if _, _, err := ask(t, dialect(t, name), llmtest.SSE(events(stopped)).After(time.Hour), nil); !errors.Is(err, llm.ErrTransient) || time.Since(begun) != want {
				t.Errorf("%s gave up after %s, want %s: %v", name, time.Since(begun), want, err)
			}
		}
	})
}

func TestTheEndOfTheContextEndsAStream(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		wire := llmtest.NewWire(llmtest.SSE(events(delta(`{"content":"a"}`), stopped)).Stalling(60))
		model := compat.VLLM("m", &compat.Options{HTTP: wire.Client()})
		stopped := errors.New("stopped by its caller")
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Second, func() { cancel(stopped) })
		_, err := llm.Generate(ctx, model, &llm.Request{Messages: []llm.Message{llm.User("hi")}})
		if !errors.Is(err, stopped) || errors.Is(err, llm.ErrTransient) {
			t.Errorf("%v, want the cause and nothing to repeat", err)
		}
	})
}

func TestAWaitThatIsAskedForIsTold(t *testing.T) {
	t.Parallel()
	for header, want := range map[string]time.Duration{"2": 2 * time.Second, "0.5": 500 * time.Millisecond, "-1": 0, "abc": 0, "0": 0} {
		_, _, err := ask(t, dialect(t, "groq"), llmtest.JSON(429, `{"error":{"message":"Rate limit reached","type":"tokens","code":"rate_limit_exceeded"}}`).Header("Retry-After", header), nil)
		var e *llm.Error
		if !errors.As(err, &e) || e.RetryAfter != want || !e.Retryable() || !strings.Contains(err.Error(), "Rate limit reached") {
			t.Errorf("Retry-After %s: %v, wait %v", header, err, e)
		}
	}
}

// A server may keep its connection alive behind the answer for as long as it likes.
func TestCommentsBehindAWholeAnswerDoNotHoldItUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		stream := "data: " + stopped + "\n\n" + strings.Repeat(": still here\n\n", 1000)
		wire := llmtest.NewWire(llmtest.SSE(stream).Cut(llmtest.CutEvents).Every(30 * time.Second))
		model := compat.VLLM("m", &compat.Options{HTTP: wire.Client(), IdleTimeout: time.Minute})
		begun := time.Now()
		_, err := llm.Generate(t.Context(), model, &llm.Request{Messages: []llm.Message{llm.User("hi")}})
		if took := time.Since(begun); err != nil || took > 3*time.Minute {
			t.Errorf("%v after %s", err, took)
		}
	})
}

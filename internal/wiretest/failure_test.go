package wiretest_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/helios-go/helios/agent"
	"github.com/helios-go/helios/internal/mockllm"
	"github.com/helios-go/helios/internal/wiretest"
	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/tool"
)

func TestARateLimitIsWaitedOut(t *testing.T) {
	t.Parallel()
	atOnce(t, func(t *testing.T, line *wiretest.Line) {
		res, _, log, err := run(t, agent.Agent{Model: line.Model}, "Are you busy once?")
		if err != nil || res.Text != "Here I am again." {
			t.Fatalf("got %q, %v", res.Text, err)
		}
		retries := find[*agent.ModelRetried](log)
		if len(retries) != 1 || retries[0].Wait != 2*time.Second || !strings.Contains(retries[0].Reason, "Rate limit exceeded") {
			t.Errorf("retries = %+v, want one after the 2 s that the server asked for, with its words", retries)
		}
		if got := len(line.Scope.Journal()); got != 2 {
			t.Errorf("the server saw %d requests, want 2", got)
		}
	})
}

func TestAnOverloadIsTriedAgain(t *testing.T) {
	t.Parallel()
	atOnce(t, func(t *testing.T, line *wiretest.Line) {
		res, _, log, err := run(t, agent.Agent{Model: line.Model}, "Are you overloaded once?")
		if err != nil || res.Text != "Here I am again." {
			t.Fatalf("got %q, %v", res.Text, err)
		}
		if retries := find[*agent.ModelRetried](log); len(retries) != 1 || !strings.Contains(retries[0].Reason, "Overloaded") {
			t.Errorf("retries = %+v, want one, with the server's words", retries)
		}
	})
}

func TestALimitThatStaysIsATypedError(t *testing.T) {
	t.Parallel()
	onEachWire(t, func(t *testing.T, line *wiretest.Line) {
		for _, c := range []struct {
			prompt string
			status int
			after  time.Duration
			says   string
		}{
			{"Are you busy always?", http.StatusTooManyRequests, 2 * time.Second, "Rate limit exceeded"},
			{"Are you overloaded always?", 529, 0, "Overloaded"},
		} {
			a := agent.Agent{Model: line.Model, Limits: agent.Limits{Retries: -1}}
			res, _, _, err := run(t, a, c.prompt)
			var e *llm.Error
			if !errors.As(err, &e) || !errors.Is(err, llm.ErrTransient) || e.Status != c.status || e.RetryAfter != c.after || !strings.Contains(e.Error(), c.says) {
				t.Errorf("%s: got %#v, want a transient error with status %d, a wait of %s and %q", c.prompt, e, c.status, c.after, c.says)
			}
			if strings.Contains(fmt.Sprint(err), "sk-not-a-key") {
				t.Errorf("the error tells the key: %v", err)
			}
			if res.Text != "" || res.Turns > 1 {
				t.Errorf("%s: the result is %+v, want an empty one", c.prompt, res)
			}
		}
		if got := len(line.Scope.Journal()); got != 2 {
			t.Errorf("the server saw %d requests, want 2: nobody but the agent tries again", got)
		}
	})
}

func TestABrokenAnswerIsAnErrorThatKeepsTheText(t *testing.T) {
	t.Parallel()
	const whole = "An answer that is long enough to be broken off somewhere in the middle of it, which is here."
	onEachWire(t, func(t *testing.T, line *wiretest.Line) {
		res, shown, log, err := run(t, agent.Agent{Model: line.Model}, "Please break off in the answer.")
		if !errors.Is(err, io.ErrUnexpectedEOF) || !errors.Is(err, llm.ErrTransient) {
			t.Fatalf("got %q, %v, want an unexpected end", res.Text, err)
		}
		text, _ := deltas(shown)
		if text == whole || !strings.HasPrefix(whole, text) {
			t.Errorf("readers were shown %q, want a beginning of the answer", text)
		}
		if n := len(line.Scope.Journal()); text != "" && n != 1 {
			t.Errorf("the server saw %d requests, want 1: what was shown is not asked for again", n)
		}
		for _, m := range find[*agent.ModelMessage](log) {
			if !m.Partial || m.Message.Text() != text || m.Finish != "" {
				t.Errorf("the log has %q, partial %v, want %q marked as partial", m.Message.Text(), m.Partial, text)
			}
		}
		if res.Stop != agent.StopFailed {
			t.Errorf("the run ended by %s, want failed", res.Stop)
		}
	})
}

func TestACallThatWasBrokenOffIsNeverMade(t *testing.T) {
	t.Parallel()
	onEachWire(t, func(t *testing.T, line *wiretest.Line) {
		broken := 0
		for _, n := range []int{2, 3, 4, 5, 6, 8, 10, 12} {
			var ran atomic.Bool
			a := agent.Agent{
				Model: line.Model, Limits: agent.Limits{Retries: -1, Turns: 1},
				Tools: []tool.Tool{tool.New("get_weather", "Weather in a city now", func(context.Context, struct {
					City string `json:"city"`
				}) (string, error) {
					ran.Store(true)
					return "never", nil
				}, tool.WithEffect(tool.ReadOnly))},
			}
			_, _, _, err := run(t, a, fmt.Sprintf("Please break off the call after %d chunks.", n))
			entries := line.Scope.Journal()
			if !entries[len(entries)-1].Response.Interrupted {
				continue // the answer has fewer pieces on this wire
			}
			broken++
			if !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Errorf("broken off after %d pieces: %v, want an unexpected end", n, err)
			}
			if ran.Load() {
				t.Errorf("broken off after %d pieces, and the tool has run", n)
			}
		}
		if broken < 2 {
			t.Errorf("the answer was broken off %d times, want at least 2", broken)
		}
	})
}

func TestFaultsOfTheServer(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]struct {
		chaos  mockllm.Chaos
		status int
	}{
		"it drops the request":     {mockllm.Chaos{Drop: 1}, http.StatusInternalServerError},
		"it limits the rate":       {mockllm.Chaos{RateLimit: 1}, http.StatusTooManyRequests},
		"it hangs up":              {mockllm.Chaos{Disconnect: 1}, 0},
		"it answers with no JSON":  {mockllm.Chaos{Malformed: 1}, -1},
		"it takes its time":        {mockllm.Chaos{Latency: 50}, http.StatusOK},
		"it is well, after all is": {mockllm.Chaos{}, http.StatusOK},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			onEachWire(t, func(t *testing.T, line *wiretest.Line) {
				line.Scope.Chaos(fault.chaos)
				res, _, _, err := run(t, agent.Agent{Model: line.Model, Limits: agent.Limits{Retries: -1}}, "hello")
				if fault.status == http.StatusOK {
					if err != nil || res.Text != "Hello from the other side." {
						t.Errorf("got %q, %v", res.Text, err)
					}
					return
				}
				var e *llm.Error
				if !errors.As(err, &e) || res.Text != "" {
					t.Fatalf("got %q, %v, want an *llm.Error", res.Text, err)
				}
				if fault.status >= 0 && (e.Status != fault.status || !errors.Is(err, llm.ErrTransient)) {
					t.Errorf("got status %d, %v, want a transient error with %d", e.Status, err, fault.status)
				}
			})
		})
	}
}

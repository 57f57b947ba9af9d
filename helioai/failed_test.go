package helioai_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/helios-go/helios/agent"
	"github.com/helios-go/helios/helioai"
	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/llm/llmtest"
)

func TestFailuresAreWordedForPeople(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		err  error
		want string
	}{
		{&agent.StopError{Stop: agent.StopTurns}, "more steps"},
		{&agent.StopError{Stop: agent.StopMoney}, "the budget of the question is spent"},
		{&agent.StopError{Stop: agent.StopLength}, "cut off at its output limit"},
		{&agent.StopError{Stop: agent.StopRefused}, "declined to answer"},
		{&agent.StopError{Stop: agent.StopCancelled, Err: context.Canceled}, "interrupted"},
		{&agent.StopError{Stop: agent.StopFailed, Err: errors.New("the key is wrong; set another")}, "the key is wrong; set another"},
		{&agent.StopError{Stop: agent.StopFailed, Err: &llm.Error{Err: errors.New("the stream was silent"), Hint: "raise Limits.Idle"}}, "said nothing for minutes"},
		{fmt.Errorf("open session s: %w", errors.New("disk full")), "open session s: disk full"},
	} {
		if got := helioai.Failed(tc.err); !strings.Contains(got, tc.want) || strings.HasPrefix(got, "run ") {
			t.Errorf("Failed(%v) = %q, want %q", tc.err, got, tc.want)
		}
	}
}

// dear is a model whose every call costs a dollar.
type dear struct{ llm.Model }

func (dear) Cost(u llm.Usage) (llm.Micros, bool) {
	if u == (llm.Usage{}) {
		return 0, true
	}
	return llm.Dollar, true
}

func TestABudgetStopsTheAnswerAndWantsAPrice(t *testing.T) {
	t.Parallel()
	turns := func() *llmtest.Model {
		return llmtest.New(
			llmtest.Call("get_timeseries", fetchMagnitude).Using(llm.Usage{Input: 1}),
			llmtest.Call("get_timeseries", fetchMagnitude).Using(llm.Usage{Input: 1}),
			llmtest.Text("Done.").Using(llm.Usage{Input: 1}),
		)
	}
	answer, err := assistant(t, t.TempDir(), dear{turns()}).Ask(t.Context(), &helioai.Question{Text: "mean field?", Budget: llm.Dollar / 2})
	if !errors.Is(err, agent.ErrMoney) || answer == nil || answer.Cost != llm.Dollar || !answer.Priced {
		t.Errorf("error %v with %+v; want it to stop after the first call", err, answer)
	}
	answer, err = assistant(t, t.TempDir(), dear{turns()}).Ask(t.Context(), &helioai.Question{Text: "mean field?", Budget: 4 * llm.Dollar})
	if err != nil || answer.Cost != 3*llm.Dollar {
		t.Errorf("error %v with %+v; want all three calls", err, answer)
	}
	_, err = assistant(t, t.TempDir(), turns()).Ask(t.Context(), &helioai.Question{Text: "mean field?", Budget: llm.Dollar})
	if err == nil || !strings.Contains(err.Error(), "price") {
		t.Errorf("error %v; want one about the price that is not known", err)
	}
	answer, err = assistant(t, t.TempDir(), turns()).Ask(t.Context(), &helioai.Question{Text: "mean field?"})
	if err != nil || answer.Priced {
		t.Errorf("error %v with %+v; want an answer whose price is not known", err, answer)
	}
}

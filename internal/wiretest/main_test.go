package wiretest_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/helios-go/helios/agent"
	"github.com/helios-go/helios/agent/agenttest"
	"github.com/helios-go/helios/internal/mockllm"
	"github.com/helios-go/helios/internal/wiretest"
	"github.com/helios-go/helios/llm"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(mockllm.M{M: m}) }

// onEachWire runs a test on each wire, with answers that come in pieces of one
// UTF-16 unit and of 20.
func onEachWire(t *testing.T, test func(t *testing.T, line *wiretest.Line)) {
	t.Helper()
	for _, chunk := range []int{1, 20} {
		for _, w := range wiretest.Wires() {
			t.Run(fmt.Sprintf("%s by %d", w.Name, chunk), func(t *testing.T) {
				t.Parallel()
				line := w.Dial(t, mockllm.Start(t, mockllm.Options{Fixtures: "testdata/answers.json", Chunk: chunk}))
				test(t, line)
				line.CheckHistory(t)
			})
		}
	}
}

// atOnce is onEachWire for tests that wait: all at the same time, however many
// processors there are.
func atOnce(t *testing.T, test func(t *testing.T, line *wiretest.Line)) {
	t.Helper()
	var running sync.WaitGroup
	for _, w := range wiretest.Wires() {
		running.Go(func() {
			t.Run(w.Name, func(t *testing.T) {
				line := w.Dial(t, mockllm.Start(t, mockllm.Options{Fixtures: "testdata/answers.json"}))
				test(t, line)
				line.CheckHistory(t)
			})
		})
	}
	running.Wait()
}

// run asks an agent, and returns the events that its readers were shown and the log.
func run(t *testing.T, a agent.Agent, prompt string) (res *agent.Result, shown, log []agent.Event, err error) {
	t.Helper()
	a.Model = agenttest.Checked(a.Model, func(err error) { t.Error(err) })
	store := agent.NewMemoryStore()
	s, err := a.Open(t.Context(), &agent.OpenOptions{Store: store})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	events := s.Events(t.Context(), 0)
	if _, err := s.Send(t.Context(), llm.User(prompt), agent.Steer); err != nil {
		t.Fatal(err)
	}
	for e, err := range events {
		if err != nil {
			t.Fatal(err)
		}
		shown = append(shown, e)
		if e.Kind() == agent.KindRunEnded {
			break
		}
	}
	res, err = s.Wait(t.Context())
	log, logErr := agenttest.Log(context.WithoutCancel(t.Context()), store, s.ID())
	if logErr != nil {
		t.Fatal(logErr)
	}
	if err := agenttest.CheckLog(log); err != nil {
		t.Error(err)
	}
	return res, shown, log, err
}

// find returns the data of the log's events of a type.
func find[T agent.EventData](log []agent.Event) []T {
	var found []T
	for _, e := range log {
		if d, ok := e.Data.(T); ok {
			found = append(found, d)
		}
	}
	return found
}

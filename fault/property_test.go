package fault_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/helios-go/helios/fault"
)

// model is a breaker in the plainest form: it keeps what happened since the last
// change of state, and looks at all of it each time.
type model struct {
	failures, successes int
	openFor             time.Duration

	state  fault.State
	since  time.Time
	ended  []bool    // outcomes of this period
	inside []*flight // calls of this period
}

type flight struct {
	done   func(error)
	period int
}

func TestBreakerFollowsItsModel(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		now := time.Unix(0, 0)
		m := &model{
			failures:  rapid.IntRange(1, 4).Draw(t, "failures"),
			successes: rapid.IntRange(1, 3).Draw(t, "successes"),
			openFor:   10 * time.Second,
		}
		b := &fault.Breaker{Failures: m.failures, Successes: m.successes, OpenFor: m.openFor, Now: func() time.Time { return now }}
		period := 0
		var flights []*flight
		become := func(s fault.State) {
			m.state, m.since, m.ended, m.inside = s, now, nil, nil
			period++
		}
		age := func() {
			if m.state == fault.Open && now.Sub(m.since) > m.openFor {
				become(fault.HalfOpen)
			}
		}
		t.Repeat(map[string]func(*rapid.T){
			"": func(t *rapid.T) {
				age()
				if got := b.State(); got != m.state {
					t.Fatalf("state %v, want %v", got, m.state)
				}
			},
			"begin": func(t *rapid.T) {
				age()
				allowed := m.state == fault.Closed || m.state == fault.HalfOpen && len(m.inside) == 0
				done, err := b.Allow()
				if (err == nil) != allowed || err != nil && !errors.Is(err, fault.ErrOpen) {
					t.Fatalf("Allow in state %v beside %d: %v", m.state, len(m.inside), err)
				}
				if err == nil {
					f := &flight{done, period}
					flights, m.inside = append(flights, f), append(m.inside, f)
				}
			},
			"end": func(t *rapid.T) {
				if len(flights) == 0 {
					t.Skip("no call is on its way")
				}
				i := rapid.IntRange(0, len(flights)-1).Draw(t, "call")
				err := rapid.SampledFrom([]error{nil, errFlaky, context.Canceled}).Draw(t, "error")
				f := flights[i]
				flights = append(flights[:i:i], flights[i+1:]...)
				f.done(err)
				if f.period != period {
					return
				}
				for k, other := range m.inside {
					if other == f {
						m.inside = append(m.inside[:k:k], m.inside[k+1:]...)
						break
					}
				}
				if errors.Is(err, context.Canceled) {
					return
				}
				m.ended = append(m.ended, err == nil)
				if next := m.next(); next != m.state {
					become(next)
				}
			},
			"wait": func(t *rapid.T) {
				now = now.Add(time.Duration(rapid.IntRange(1, 11).Draw(t, "seconds")) * time.Second)
			},
			"reset": func(*rapid.T) {
				b.Reset()
				become(fault.Closed)
			},
		})
	})
}

// next is the state that the outcomes of the period lead to.
func (m *model) next() fault.State {
	last := m.ended[len(m.ended)-1]
	row := 0 // outcomes like the last, at the end
	for i := len(m.ended) - 1; i >= 0 && m.ended[i] == last; i-- {
		row++
	}
	switch {
	case m.state == fault.Closed && !last && row >= m.failures, m.state == fault.HalfOpen && !last:
		return fault.Open
	case m.state == fault.HalfOpen && row >= m.successes:
		return fault.Closed
	}
	return m.state
}

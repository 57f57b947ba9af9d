package agent_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/helios-go/helios/agent"
	"github.com/helios-go/helios/llm/llmtest"
)

// A reader that is stuck costs neither the run nor the other readers anything, and
// still gets all that is in the log.
func TestAStuckReaderCostsTheOthersNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const words = 3000
		b := open(t, agent.Agent{Model: script(llmtest.Text(strings.Repeat("word ", words)).Every(time.Millisecond))}, nil)
		type read struct{ durable, shown, dropped int }
		reader := func(stuck bool) <-chan read {
			done := make(chan read, 1)
			go func() {
				var r read
				for e, err := range b.Events(t.Context(), 0) {
					if err != nil {
						t.Error(err)
						break
					}
					switch d := e.Data.(type) {
					case *agent.Dropped:
						r.dropped += d.N
					case *agent.TextDelta:
						if r.shown++; stuck && r.shown == 1 {
							time.Sleep(time.Hour)
						}
					default:
						r.durable++
					}
					if e.Kind() == agent.KindRunEnded {
						break
					}
				}
				done <- r
			}()
			return done
		}
		stuck, one, two := reader(true), reader(false), reader(false)
		synctest.Wait()
		began := time.Now()
		b.ask("go")
		if took := time.Since(began); took < words*time.Millisecond || took > (words+10)*time.Millisecond {
			t.Errorf("the run took %s", took)
		}
		all := len(b.log())
		for _, r := range []read{<-one, <-two} {
			if r != (read{durable: all, shown: words}) {
				t.Errorf("a reader beside the stuck one got %+v, want %d events and all words", r, all)
			}
		}
		if r := <-stuck; r.durable != all || r.dropped == 0 || r.shown+r.dropped != words {
			t.Errorf("the stuck reader got %+v, want %d events and %d words, shown or counted", r, all, words)
		}
	})
}

package sqlite_test

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/helios-go/helios/agent"
	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/store/sqlite"
	"github.com/helios-go/helios/tool"
)

// lean calls a tool for a number of turns and then answers. It costs next to
// nothing, so that what is measured is the loop and its store.
type lean struct{ turns int }

func (lean) Name() string { return "test/lean" }

var (
	leanCall   = llm.Part{Kind: llm.PartCall, Call: &llm.ToolCall{ID: "c1", Name: "weather", Args: []byte(`{"city":"Toulouse"}`)}}
	leanAnswer = llm.Text("It is 22 C.")
)

func (m lean) Stream(_ context.Context, req *llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		part, finish := &leanCall, llm.FinishToolCalls
		if len(req.Messages) > 2*m.turns {
			part, finish = &leanAnswer, llm.FinishStop
		}
		_ = yield(llm.Chunk{Kind: llm.ChunkPart, Part: part}, nil) && yield(llm.Chunk{Kind: llm.ChunkDone, Finish: finish}, nil)
	}
}

// leanAgent works for so many turns with one tool call each, and one more for the
// answer.
func leanAgent(turns int) agent.Agent {
	weather := tool.New("weather", "Weather in a city now", func(_ context.Context, in struct {
		City string `json:"city"`
	}) (string, error) {
		return "22 C", nil
	}, tool.WithEffect(tool.ReadOnly))
	return agent.Agent{Model: lean{turns}, Tools: []tool.Tool{weather}}
}

func runLean(tb testing.TB, st agent.Store, a agent.Agent) {
	s, err := a.Open(context.Background(), &agent.OpenOptions{Store: st})
	if err != nil {
		tb.Fatal(err)
	}
	if res, err := s.Run(context.Background(), "Is it warm?"); err != nil || res.Text != "It is 22 C." {
		tb.Fatal(res, err)
	}
	s.Close()
}

// A question with one tool call: seven transactions that are on the disk when
// they return, and two for the lease.
func BenchmarkRun(b *testing.B) {
	st, err := sqlite.Open(filepath.Join(b.TempDir(), "s.db"), nil)
	if err != nil {
		b.Fatal(err)
	}
	defer st.Close()
	a := leanAgent(1)
	b.ReportAllocs()
	for b.Loop() {
		runLean(b, st, a)
	}
}

// sizes notes how many bytes each write holds.
type sizes struct {
	agent.Store

	all []int
}

func (s *sizes) Append(ctx context.Context, l agent.Lease, events []agent.Event) (agent.Seq, error) {
	s.note(events)
	return s.Store.Append(ctx, l, events)
}

func (s *sizes) Post(ctx context.Context, session string, events []agent.Event) (agent.Seq, error) {
	s.note(events)
	return s.Store.Post(ctx, session, events)
}

func (s *sizes) note(events []agent.Event) {
	n := 0
	for _, e := range events {
		data, _ := json.Marshal(e)
		n += len(data)
	}
	s.all = append(s.all, n)
}

// A turn of a run of 20, beside the limit of the disk: each run is followed by as
// many synced appends of as many bytes to a file.
func BenchmarkTurn(b *testing.B) {
	const turns = 20
	dir := b.TempDir()
	st, err := sqlite.Open(filepath.Join(dir, "s.db"), nil)
	if err != nil {
		b.Fatal(err)
	}
	defer st.Close()
	a := leanAgent(turns)
	noted := &sizes{Store: st}
	runLean(b, noted, a)
	file, err := os.Create(filepath.Join(dir, "bare"))
	if err != nil {
		b.Fatal(err)
	}
	defer file.Close()
	var ours, disk time.Duration
	runs := 0
	b.ReportAllocs()
	for b.Loop() {
		began := time.Now()
		runLean(b, st, a)
		ours += time.Since(began)
		began = time.Now()
		for _, n := range noted.all {
			if _, err := file.Write(make([]byte, n)); err != nil {
				b.Fatal(err)
			}
			if err := file.Sync(); err != nil {
				b.Fatal(err)
			}
		}
		disk += time.Since(began)
		runs++
	}
	per := float64(runs * (turns + 1) * 1000)
	b.ReportMetric(float64(ours.Nanoseconds())/per, "µs/turn")
	b.ReportMetric(float64(disk.Nanoseconds())/per, "µs/turn-bare")
	b.ReportMetric(float64(ours)/float64(disk), "times-bare")
	b.ReportMetric(float64(len(noted.all))/(turns+1), "syncs/turn")
}

// Sessions side by side share their waits for the disk.
func BenchmarkSideBySide(b *testing.B) {
	for _, sessions := range []int{1, 4, 16, 64} {
		b.Run(fmt.Sprint(sessions), func(b *testing.B) {
			st, err := sqlite.Open(filepath.Join(b.TempDir(), "s.db"), nil)
			if err != nil {
				b.Fatal(err)
			}
			defer st.Close()
			a := leanAgent(1)
			runs := 0
			for b.Loop() {
				var group sync.WaitGroup
				for range sessions {
					group.Go(func() { runLean(b, st, a) })
				}
				group.Wait()
				runs += sessions
			}
			b.ReportMetric(float64(runs)/b.Elapsed().Seconds(), "runs/s")
		})
	}
}

// What one that waits for others' writes costs: a look at a log without news.
func BenchmarkPoll(b *testing.B) {
	st, err := sqlite.Open(filepath.Join(b.TempDir(), "s.db"), nil)
	if err != nil {
		b.Fatal(err)
	}
	defer st.Close()
	seq, err := st.Post(b.Context(), "s", make10())
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		for e, err := range st.Read(context.Background(), "s", seq+1) {
			b.Fatal(e, err)
		}
	}
}

func make10() []agent.Event {
	events := make([]agent.Event, 10)
	for i := range events {
		events[i].Data = &agent.Custom{Name: "x"}
	}
	return events
}

func BenchmarkList(b *testing.B) {
	st, err := sqlite.Open(filepath.Join(b.TempDir(), "s.db"), nil)
	if err != nil {
		b.Fatal(err)
	}
	defer st.Close()
	fill(b, st, 10_000)
	for name, f := range map[string]agent.Filter{
		"All":     {},
		"Latest":  {Limit: 20, Top: true},
		"OneUser": {User: "user 7", Limit: 20},
		"Prefix":  {Prefix: "s0123"},
		"Ready":   {States: []agent.SessionState{agent.StateReady, agent.StateRunning, agent.StateQuestion}},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			n := 0
			for b.Loop() {
				n = 0
				for _, err := range st.List(context.Background(), f) {
					if err != nil {
						b.Fatal(err)
					}
					n++
				}
			}
			b.ReportMetric(float64(n), "sessions")
		})
	}
}

// fill makes sessions of ten users, at different times.
func fill(tb testing.TB, st *sqlite.Store, n int) {
	begin := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	var group sync.WaitGroup
	for w := range 8 {
		group.Go(func() {
			for i := w; i < n; i += 8 {
				events := []agent.Event{{Time: begin.Add(time.Duration(i*7919%n) * time.Second), Data: &agent.SessionOpened{Agent: "a", User: fmt.Sprint("user ", i%10)}}}
				if _, err := st.Post(context.Background(), fmt.Sprintf("s%05d", i), events); err != nil {
					tb.Error(err)
				}
			}
		})
	}
	group.Wait()
}

//go:build !race

package agent_test

import (
	"context"
	"iter"
	"runtime"
	"slices"
	"testing"

	"github.com/helios-go/helios/agent"
	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/secret"
	"github.com/helios-go/helios/tool"
)

// lean is a model that costs next to nothing, so that what is measured is the
// agent: it calls one tool and then answers.
type lean struct {
	call, answer llm.Part
}

func newLean() *lean {
	return &lean{
		call:   llm.Part{Kind: llm.PartCall, Call: &llm.ToolCall{ID: "c1", Name: "weather", Args: []byte(`{"city":"Toulouse"}`)}},
		answer: llm.Text("It is 22 C."),
	}
}

func (*lean) Name() string { return "test/lean" }

func (m *lean) Stream(_ context.Context, req *llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		part, finish := &m.call, llm.FinishToolCalls
		if req.Messages[len(req.Messages)-1].Role == llm.RoleTool {
			part, finish = &m.answer, llm.FinishStop
		}
		_ = yield(llm.Chunk{Kind: llm.ChunkPart, Part: part}, nil) && yield(llm.Chunk{Kind: llm.ChunkDone, Finish: finish}, nil)
	}
}

func leanAgent() agent.Agent {
	weather := tool.New("weather", "Weather in a city now", func(_ context.Context, in struct {
		City string `json:"city"`
	}) (string, error) {
		return "22 C", nil
	}, tool.WithEffect(tool.ReadOnly))
	var secrets secret.Registry
	if err := secrets.Register("TOKEN", "not-to-be-seen"); err != nil {
		panic(err)
	}
	return agent.Agent{
		Model: newLean(), Tools: []tool.Tool{weather}, Secrets: &secrets,
		Policy: agent.Permissions{Allow: []agent.Rule{{Tool: "weather"}}, Deny: []agent.Rule{{Tool: "storm"}}},
	}
}

// The ceiling holds for all that a run does: a session, a store, ids, two model
// calls, one validated tool call that rules allow, a redactor over its result, ten
// events.
func TestARunTakesAtMost80Allocations(t *testing.T) {
	a := leanAgent()
	ctx := context.Background()
	got := testing.AllocsPerRun(200, func() {
		if res, err := a.Run(ctx, "Is it warm?"); err != nil || res.Text != "It is 22 C." {
			t.Fatal(res, err)
		}
	})
	t.Logf("%v allocations", got)
	if got > 80 {
		t.Errorf("a run takes %v allocations, want at most 80", got)
	}
}

// longer is a model that calls the tool so many times before it answers, and notes
// what was allocated by the time of each of its turns.
type longer struct {
	lean
	calls int
	marks []runtime.MemStats
}

func (m *longer) Stream(_ context.Context, req *llm.Request) iter.Seq2[llm.Chunk, error] {
	var mark runtime.MemStats
	runtime.ReadMemStats(&mark)
	m.marks = append(m.marks, mark)
	part, finish := &m.call, llm.FinishToolCalls
	if len(req.Messages) > 2*m.calls {
		part, finish = &m.answer, llm.FinishStop
	}
	return func(yield func(llm.Chunk, error) bool) {
		_ = yield(llm.Chunk{Kind: llm.ChunkPart, Part: part}, nil) && yield(llm.Chunk{Kind: llm.ChunkDone, Finish: finish}, nil)
	}
}

// costs are what was allocated between two marks and the next ones.
func costs(marks []runtime.MemStats) (objects, bytes []uint64) {
	for i := range len(marks) - 1 {
		objects = append(objects, marks[i+1].Mallocs-marks[i].Mallocs)
		bytes = append(bytes, marks[i+1].TotalAlloc-marks[i].TotalAlloc)
	}
	return objects, bytes
}

// wantSteady wants the last costs to be at most one and a half times the first;
// the least of a few, since lists grow by leaps.
func wantSteady(t *testing.T, what string, costs []uint64) {
	t.Helper()
	first, last := slices.Min(costs[:5]), slices.Min(costs[len(costs)-5:])
	t.Logf("%s: %d, and in the end %d; at most %d", what, first, last, slices.Max(costs))
	if 2*last > 3*first {
		t.Errorf("%s: %d in the end, want at most one and a half times the %d of the beginning", what, last, first)
	}
}

// Not parallel: it looks at all that is allocated.
func TestThe200thTurnAllocatesNoMoreThanTheFirst(t *testing.T) {
	m := &longer{lean: *newLean(), calls: 201, marks: make([]runtime.MemStats, 0, 300)}
	a := leanAgent()
	a.Model, a.Limits.Turns = m, 300
	if res, err := a.Run(context.Background(), "go"); err != nil || res.Turns != 202 {
		t.Fatal(res, err)
	}
	objects, bytes := costs(m.marks)
	wantSteady(t, "allocations of a turn", objects)
	wantSteady(t, "bytes of a turn", bytes)
}

// Not parallel: it looks at all that is allocated.
func TestThe200thRunAllocatesNoMoreThanTheFirst(t *testing.T) {
	s, err := leanAgent().Open(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	marks := make([]runtime.MemStats, 201)
	for i := range marks {
		runtime.ReadMemStats(&marks[i])
		if _, err := s.Run(context.Background(), "Is it warm?"); err != nil {
			t.Fatal(err)
		}
	}
	objects, bytes := costs(marks)
	wantSteady(t, "allocations of a run", objects)
	wantSteady(t, "bytes of a run", bytes)
	for i := range objects {
		if 2*objects[i] > 3*objects[0] {
			t.Errorf("run %d takes %d allocations, want at most one and a half times the %d of the first", i+1, objects[i], objects[0])
		}
	}
}

func BenchmarkRun(b *testing.B) {
	a := leanAgent()
	ctx := context.Background()
	b.ReportAllocs()
	before := cpuTime(b)
	for b.Loop() {
		if _, err := a.Run(ctx, "Is it warm?"); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(cpuTime(b)-before)/float64(b.N), "cpu-ns/op")
}

// Not parallel: it measures the whole heap.
func TestAnIdleSessionHoldsNoGoroutineAndLittleMemory(t *testing.T) {
	t.Run("a store of its own", func(t *testing.T) {
		idle(t, func() *agent.OpenOptions { return nil })
	})
	t.Run("one store for all", func(t *testing.T) {
		store := agent.NewMemoryStore()
		idle(t, func() *agent.OpenOptions { return &agent.OpenOptions{Store: store} })
	})
}

func idle(t *testing.T, opts func() *agent.OpenOptions) {
	const n, limit = 10_000, 2048
	a := leanAgent()
	sessions := make([]*agent.Session, n)
	before, goroutines := heap(), runtime.NumGoroutine()
	for i := range sessions {
		s, err := a.Open(context.Background(), opts())
		if err != nil {
			t.Fatal(err)
		}
		if res, err := s.Run(context.Background(), "Is it warm?"); err != nil || res.Text != "It is 22 C." {
			t.Fatal(res, err)
		}
		sessions[i] = s
	}
	each := (heap() - before) / n
	t.Logf("%d bytes a session", each)
	for range 1000 { // the last one may still be on its way out
		if runtime.NumGoroutine() <= goroutines {
			break
		}
		runtime.Gosched()
	}
	if g := runtime.NumGoroutine(); g > goroutines {
		t.Errorf("%d goroutines for %d idle sessions", g-goroutines, n)
	}
	if each > limit {
		t.Errorf("an idle session holds %d bytes, want at most %d", each, limit)
	}
	wantTranscript(t, sessions[n/2].History(), "user Is it warm?", `assistant weather{"city":"Toulouse"}`, "tool =22 C", "assistant It is 22 C.")
	runtime.KeepAlive(sessions)
}

func heap() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

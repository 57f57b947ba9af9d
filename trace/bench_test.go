package trace_test

import (
	"io"
	"testing"

	"github.com/helios-go/helios/agent"
	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/trace"
)

// long is the log of a run of so many turns with a call each.
func long(turns int) []agent.Event {
	all := []agent.EventData{&agent.SessionOpened{Agent: "lead", Model: "test/m"}, &agent.RunStarted{}}
	for range turns {
		all = append(all, &agent.TurnStarted{}, calls(1)[3], started(), ended(0, "a"))
	}
	events := handmade(append(all, result(agent.StopDone))...)
	turn := 0
	for i := range events {
		switch d := events[i].Data.(type) {
		case *agent.TurnStarted:
			turn++
		case *agent.ModelMessage:
			d.Usage = llm.Usage{Input: 100, Output: 10}
		}
		events[i].Turn = turn
	}
	return events
}

func BenchmarkFold(b *testing.B) {
	events := long(1000)
	b.ReportAllocs()
	for b.Loop() {
		var f trace.Fold
		for _, e := range events {
			_ = f.Put("s", e)
		}
		if usage, _ := f.Runs()[0].Total(); usage.Input != 100_000 {
			b.Fatal(usage)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(events)), "ns/event")
}

func BenchmarkJSONL(b *testing.B) {
	events := long(100)
	for name, sink := range map[string]*trace.JSONL{"full": trace.NewFull(io.Discard, nil), "metadata": trace.NewMetadata(io.Discard)} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				for _, e := range events {
					if err := sink.Put("s", e); err != nil {
						b.Fatal(err)
					}
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(events)), "ns/event")
		})
	}
}

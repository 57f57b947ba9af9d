package wiretest_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/helios-go/helios/agent"
	"github.com/helios-go/helios/internal/wiretest"
	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/tool"
)

// twoTools are get_weather and get_time. Each waits for the other, so they end
// only if they run at the same time.
func twoTools() []tool.Tool {
	var here [2]atomic.Bool
	arrived := [2]chan struct{}{make(chan struct{}), make(chan struct{})}
	meet := func(ctx context.Context, me int) error {
		if here[me].Swap(true) {
			return nil // the same call a second time
		}
		close(arrived[me])
		select {
		case <-arrived[1-me]:
			return nil
		case <-ctx.Done():
			return errors.New("the other tool has not run at the same time")
		}
	}
	return []tool.Tool{
		tool.New("get_weather", "Weather in a city now", func(ctx context.Context, in struct {
			City string `json:"city"`
		}) (string, error) {
			return "20 °C and ☀️ in " + in.City, meet(ctx, 0)
		}, tool.WithEffect(tool.ReadOnly), tool.WithTimeout(time.Minute)),
		tool.New("get_time", "The time in a zone now", func(ctx context.Context, in struct {
			Zone string `json:"zone"`
		}) (string, error) {
			return "It is 14:00 in " + in.Zone, meet(ctx, 1)
		}, tool.WithEffect(tool.ReadOnly), tool.WithTimeout(time.Minute)),
	}
}

func TestTwoToolsRunAtOnceAndTheirResultsGoBack(t *testing.T) {
	t.Parallel()
	onEachWire(t, func(t *testing.T, line *wiretest.Line) {
		a := agent.Agent{
			Model: line.Model, Instructions: "You answer in one sentence.", Tools: twoTools(),
			Options: llm.Options{Thinking: llm.ThinkingLow},
		}
		res, _, log, err := run(t, a, "What are the weather in Orléans and the time?")
		if err != nil {
			t.Fatal(err)
		}
		if want := "It is 20 °C in Orléans at 14:00 🕑."; res.Text != want || res.Turns != 2 || res.ToolCalls != 2 {
			t.Errorf("got %q after %d turns and %d calls, want %q after 2 and 2", res.Text, res.Turns, res.ToolCalls, want)
		}
		for _, m := range find[*agent.ModelMessage](log) {
			if m.Partial {
				t.Error("a message that came whole is marked as partial")
			}
		}

		entries := line.Scope.Journal()
		if len(entries) != 2 {
			t.Fatalf("the server saw %d requests, want 2", len(entries))
		}
		var tools, results, ids []string
		for _, tl := range entries[0].Body.Tools {
			tools = append(tools, tl.Function.Name)
		}
		for _, m := range entries[1].Body.Messages {
			if m.Role == "tool" {
				results, ids = append(results, m.Text()), append(ids, m.ToolCall)
			}
		}
		if got := strings.Join(tools, " "); got != "get_weather get_time" {
			t.Errorf("the server saw the tools %s", got)
		}
		if len(results) != 2 || !strings.Contains(results[0], "20 °C and ☀️ in Orléans 🏰") || !strings.Contains(results[1], "14:00 in Europe/Paris") {
			t.Errorf("the server saw the results %q, want both in the order of the calls", results)
		}
		if line.Name != "mistral" && strings.Join(ids, " ") != "toolu_weather toolu_time" {
			t.Errorf("the server saw results of %q, want those of the calls it had made", ids)
		}
		sent := string(line.Tap.Requests()[1].Body)
		if line.Form == wiretest.FormMessages && !strings.Contains(sent, "EqQBCkYIBxgCKkBsaWdodC1vZi10aGUtc3Vu+/==") {
			t.Errorf("the second request is without the signature of the thinking:\n%s", sent)
		}
	})
}

// deltas joins what readers were shown as text and as thinking.
func deltas(shown []agent.Event) (text, thinking string) {
	var t, th strings.Builder
	for _, e := range shown {
		switch d := e.Data.(type) {
		case *agent.TextDelta:
			t.WriteString(d.Text)
		case *agent.ThinkingDelta:
			th.WriteString(d.Text)
		}
	}
	return t.String(), th.String()
}

func TestEmojiStreamWhole(t *testing.T) {
	t.Parallel()
	const (
		text     = "🌞 the sun, 👩🏽‍🚀 an astronaut, 🇫🇷 a flag, 𝛁·𝐁 = 0, 你好 and a line\nwith \"quotes\" \\ and a tab\tin it. 🦀"
		thinking = "Colours: 🟡🟠🔴, and one 🌌 behind them."
	)
	onEachWire(t, func(t *testing.T, line *wiretest.Line) {
		res, shown, log, err := run(t, agent.Agent{Model: line.Model}, "Please paint the sun.")
		if err != nil {
			t.Fatal(err)
		}
		if res.Text != text {
			t.Errorf("the answer is\n%q, want\n%q", res.Text, text)
		}
		gotText, gotThinking := deltas(shown)
		if gotText != text {
			t.Errorf("the pieces make\n%q, want\n%q", gotText, text)
		}
		m := find[*agent.ModelMessage](log)[0]
		if m.Finish != llm.FinishStop {
			t.Errorf("the answer ended by %q, want stop", m.Finish)
		}
		if !line.Thoughts {
			return
		}
		if gotThinking != thinking {
			t.Errorf("the pieces of thinking make\n%q, want\n%q", gotThinking, thinking)
		}
		for _, p := range m.Message.Parts {
			if p.Kind == llm.PartThinking && p.Text != thinking {
				t.Errorf("the thinking is\n%q, want\n%q", p.Text, thinking)
			}
		}
	})
}

func TestAnAnswerThatWasCutAtTheLimitSaysSo(t *testing.T) {
	t.Parallel()
	onEachWire(t, func(t *testing.T, line *wiretest.Line) {
		if line.Form == wiretest.FormInteractions {
			// The mock server knows of no incomplete interaction.
			line.Tap.Edit = func(body []byte) []byte {
				return []byte(strings.ReplaceAll(string(body), `"status":"completed"`, `"status":"incomplete"`))
			}
		}
		res, _, log, err := run(t, agent.Agent{Model: line.Model}, "Please go on and on.")
		m := find[*agent.ModelMessage](log)[0]
		if m.Finish != llm.FinishLength || m.Message.Text() != "This goes on and on and" {
			t.Errorf("got %q, ended by %q, want the text and length", m.Message.Text(), m.Finish)
		}
		if res.Stop != agent.StopLength || err == nil {
			t.Errorf("the run ended by %s with %v, want length and an error", res.Stop, err)
		}
	})
}

package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/helios-go/helios/agent"
	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/llm/llmtest"
	"github.com/helios-go/helios/tool"
)

// A conversation that outgrows the model's window is made smaller, so that it can
// go on.
func ExampleTwoStage() {
	ctx := context.Background()
	summary := llmtest.Func(func(*llm.Request) llmtest.Turn { return llmtest.Text("The user counts pages; 4 are read.") })
	model := llmtest.Func(func(req *llm.Request) llmtest.Turn {
		return llmtest.Text(strings.Repeat("A long answer. ", 100))
	})
	a := agent.Agent{Model: model, Compact: agent.TwoStage{Model: summary}, Limits: agent.Limits{Context: 1500}}
	s, err := a.Open(ctx, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	for i := range 5 {
		if _, err := s.Run(ctx, fmt.Sprintf("Read page %d.", i+1)); err != nil {
			fmt.Println(err)
		}
	}
	for _, m := range s.History() {
		first, _, _ := strings.Cut(m.Text(), ". ")
		fmt.Println(m.Role, strings.ReplaceAll(first, "\n", " "))
	}
	// Output:
	// user Read page 1.
	// user [Summary of the earlier conversation] The user counts pages; 4 are read.
	// user Read page 4.
	// assistant A long answer
	// user Read page 5.
	// assistant A long answer
}

// big is a tool with a long result.
func big(bytes int) tool.Tool {
	return tool.New("big", "", func(context.Context, struct{}) (string, error) { return strings.Repeat("x", bytes), nil }, tool.WithEffect(tool.ReadOnly))
}

func TestOldToolResultsGoFirstAndCostNothing(t *testing.T) {
	t.Parallel()
	turns := 0
	m := llmtest.Func(func(*llm.Request) llmtest.Turn {
		if turns++; turns < 8 {
			return llmtest.Call("big", ``)
		}
		return llmtest.Text("done")
	})
	none := llmtest.New() // a summary would be an error
	b := open(t, agent.Agent{Model: m, Tools: []tool.Tool{big(2000)}, Compact: agent.TwoStage{Model: none}, Limits: agent.Limits{Context: 3000}}, nil)
	b.ask("go")
	edits := pick[*agent.ContextEdited](b.log())
	if len(edits) == 0 || edits[0].Removed != 0 || edits[0].TokensAfter >= edits[0].TokensBefore {
		t.Fatalf("edits = %+v", edits)
	}
	wantEqual(t, "summaries", len(none.Requests()), 0)
	wantEqual(t, "turns", turns, 8)
	history := b.History()
	if first, last := history[2].Parts[0].Result.Text(), history[len(history)-2].Parts[0].Result.Text(); len(first) > 300 || len(last) != 2000 {
		t.Errorf("the first result has %d bytes, the last %d", len(first), len(last))
	}
}

func TestOneHugeResultIsShortened(t *testing.T) {
	t.Parallel()
	m := script(llmtest.Call("big", ``), llmtest.Text("done"))
	b := open(t, agent.Agent{Model: m, Tools: []tool.Tool{big(100_000)}, Limits: agent.Limits{Context: 3000}}, nil)
	b.ask("go")
	if n := len(m.Requests()[1].Messages[2].Parts[0].Result.Text()); n > 10_000 {
		t.Errorf("the result still has %d bytes", n)
	}
}

func TestTheWarningComesOnceAndAgainAfterRoomWasMade(t *testing.T) {
	t.Parallel()
	m := llmtest.Func(func(*llm.Request) llmtest.Turn { return llmtest.Text(strings.Repeat("word ", 60)) })
	sum := llmtest.Func(func(*llm.Request) llmtest.Turn { return llmtest.Text("short").Using(llm.Usage{Input: 7, Output: 1}) })
	sum.ID = "sum"
	a := agent.Agent{
		Model: m, Compact: agent.TwoStage{Model: sum}, Limits: agent.Limits{Context: 1000, Money: 1000},
		Prices: llm.Prices{"sum": {Input: 1_000_000}, "test/scripted": {}},
	}
	b := open(t, a, nil)
	cost := llm.Micros(0)
	for i := range 40 {
		cost += b.ask(fmt.Sprint("question ", i)).Cost
	}
	warnings, edits := len(pick[*agent.ContextWarning](b.log())), len(pick[*agent.ContextEdited](b.log()))
	if edits < 2 || warnings != edits && warnings != edits+1 {
		t.Errorf("%d warnings, %d edits", warnings, edits)
	}
	wantEqual(t, "cost of the summaries", cost, 7*llm.Micros(len(sum.Requests())))
}

func TestARequestThatIsTooLongIsMadeShorterOnce(t *testing.T) {
	t.Parallel()
	tooLong := &llm.Error{Kind: llm.KindContextTooLong, Err: errors.New("prompt is too long")}
	sum := llmtest.Func(func(*llm.Request) llmtest.Turn { return llmtest.Text("short") })
	m := script(llmtest.Text("a"), llmtest.Text("b"), llmtest.Text("c"), llmtest.Fail(tooLong), llmtest.Text("d"), llmtest.Fail(tooLong), llmtest.Fail(tooLong))
	b := open(t, agent.Agent{Model: m, Compact: agent.TwoStage{Model: sum}}, nil)
	long := strings.Repeat("long question ", 8)
	for range 3 {
		b.ask(long)
	}
	wantEqual(t, "text", b.ask(long).Text, "d")
	res, err := b.Run(t.Context(), long)
	wantStop(t, res, err, agent.StopContext, agent.ErrContext)

	m = script(llmtest.Fail(tooLong))
	b = open(t, agent.Agent{Model: m, Compact: agent.NoCompaction}, nil)
	res, err = b.Run(t.Context(), "go")
	wantStop(t, res, err, agent.StopContext, agent.ErrContext)
}

// compactor is a function as a Compactor.
type compactor func(*agent.Compaction) (*agent.Compacted, error)

func (f compactor) Compact(_ context.Context, c *agent.Compaction) (*agent.Compacted, error) {
	return f(c)
}

func TestACompactorThatIsOfNoUseIsNotAskedEachTurn(t *testing.T) {
	t.Parallel()
	for name, f := range map[string]func(*agent.Compaction) (*agent.Compacted, error){
		"fails":  func(*agent.Compaction) (*agent.Compacted, error) { return nil, errors.New("no") },
		"panics": func(*agent.Compaction) (*agent.Compacted, error) { panic("no") },
		"nothing": func(c *agent.Compaction) (*agent.Compacted, error) {
			return &agent.Compacted{Messages: c.Messages}, nil
		},
		"breaks pairs": func(*agent.Compaction) (*agent.Compacted, error) {
			orphan := llm.Part{Kind: llm.PartResult, Result: &llm.ToolResult{ID: "gone", Name: "big"}}
			return &agent.Compacted{Messages: []llm.Message{{Role: llm.RoleTool, Parts: []llm.Part{orphan}}}}, nil
		},
	} {
		asked, turns := 0, 0
		m := llmtest.Func(func(*llm.Request) llmtest.Turn {
			if turns++; turns < 6 {
				return llmtest.Call("big", ``)
			}
			return llmtest.Text("done")
		})
		c := compactor(func(c *agent.Compaction) (*agent.Compacted, error) {
			asked++
			return f(c)
		})
		b := open(t, agent.Agent{Model: m, Tools: []tool.Tool{big(40)}, Compact: c, Limits: agent.Limits{Context: 10}}, nil)
		b.ask(strings.Repeat("long ", 5000))
		if asked != 1 {
			t.Errorf("%s: asked %d times, want once", name, asked)
		}
		wantEqual(t, name+": edits", len(pick[*agent.ContextEdited](b.log())), 0)
	}
}

// The marks are met exactly: a warning from 85 % on, room from 95 % on, before the
// model is called.
func TestTheMarksAreMetExactly(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ tokens, warnings, compactions int }{{849, 0, 0}, {850, 1, 0}, {949, 1, 0}, {950, 1, 1}} {
		asked, m := 0, llmtest.New(llmtest.Text("ok"))
		c := compactor(func(c *agent.Compaction) (*agent.Compacted, error) {
			asked++
			wantEqual(t, "requests before room is made", len(m.Requests()), 0)
			return &agent.Compacted{Messages: c.Messages}, nil
		})
		b := open(t, agent.Agent{Model: m, Compact: c, Limits: agent.Limits{Context: 1000}}, nil)
		prompt := strings.Repeat("x", 4*(tt.tokens-4))
		wantEqual(t, "tokens", agent.EstimateTokens([]llm.Message{llm.User(prompt)}), int64(tt.tokens))
		b.ask(prompt)
		if warnings := len(pick[*agent.ContextWarning](b.log())); warnings != tt.warnings || asked != tt.compactions {
			t.Errorf("%d tokens of 1000: %d warnings, %d compactions; want %d, %d", tt.tokens, warnings, asked, tt.warnings, tt.compactions)
		}
	}
}

// A summary that is none leaves the conversation as it was, and the session goes on.
func TestASummaryThatIsNoneChangesNothing(t *testing.T) {
	t.Parallel()
	for name, turn := range map[string]llmtest.Turn{
		"blank": llmtest.Text(" \n").Using(llm.Usage{Input: 3}), "fails": llmtest.Fail(errors.New("down")), "refuses": llmtest.Parts().Ending(llm.FinishRefusal),
	} {
		sum := llmtest.Func(func(*llm.Request) llmtest.Turn { return turn })
		m := llmtest.Func(func(*llm.Request) llmtest.Turn { return llmtest.Text(strings.Repeat("word ", 600)) })
		b := open(t, agent.Agent{Model: m, Compact: agent.TwoStage{Model: sum}, Limits: agent.Limits{Context: 1580}}, nil)
		var spent int64
		for _, q := range []string{"one", "two", "three"} {
			spent += b.ask(q).Usage.Input
		}
		if len(sum.Requests()) == 0 {
			t.Errorf("%s: no summary was asked for: the test does not test", name)
		}
		if h := b.History(); len(h) != 6 || h[0].Text() != "one" || h[4].Text() != "three" {
			t.Errorf("%s: the conversation is\n%s", name, transcript(h))
		}
		if want := int64(3 * len(sum.Requests())); name == "blank" && spent != want {
			t.Errorf("%s: %d tokens, want %d of the summary that was of no use", name, spent, want)
		}
	}
}

// A summary in pieces is given up once the run's money is used up: one more call is
// all that may be overspent.
func TestASummaryHeedsTheMoney(t *testing.T) {
	t.Parallel()
	usage := llm.Usage{Output: 100}
	sum := llmtest.Func(func(*llm.Request) llmtest.Turn { return llmtest.Text("summary").Using(usage) })
	for name, tt := range map[string]struct {
		compact agent.Compactor
		limits  agent.Limits
	}{
		"money":            {agent.TwoStage{Model: sum}, agent.Limits{Money: 150}},
		"budget":           {agent.TwoStage{Model: sum}, agent.Limits{Budget: agent.NewBudget(150)}},
		"through pointers": {&agent.TwoStage{Model: sum}, agent.Limits{Money: 150}},
	} {
		m := llmtest.Func(func(*llm.Request) llmtest.Turn { return llmtest.Text("ok").Using(llm.Usage{Output: 1}) })
		store := agent.NewMemoryStore()
		opts := &agent.OpenOptions{Store: store, SessionID: "s"}
		wide := open(t, agent.Agent{Model: m, Compact: agent.NoCompaction}, opts)
		for range 40 {
			wide.ask(strings.Repeat("word ", 2000))
		}
		wide.Close()
		tt.limits.Context = 4000 // the conversation goes on with less room
		b := open(t, agent.Agent{Model: m, Compact: tt.compact, Prices: llm.Prices{"test/scripted": {Output: 1_000_000}}, Limits: tt.limits}, opts)
		res, err := b.Run(t.Context(), "more")
		wantStop(t, res, err, agent.StopMoney, agent.ErrMoney)
		wantEqual(t, name+": cost", res.Cost, 200)
		if first := b.History()[0].Text(); !strings.HasPrefix(first, "word") {
			t.Errorf("%s: half a summary has taken the conversation's place: %.40s", name, first)
		}
	}
}

func TestACompactorsModelNeedsAPrice(t *testing.T) {
	t.Parallel()
	other := llmtest.New()
	other.ID = "test/other"
	for _, c := range []agent.Compactor{agent.TwoStage{Model: other}, &agent.TwoStage{Model: other}} {
		a := agent.Agent{Model: script(), Compact: c, Prices: llm.Prices{"test/scripted": {Input: 1}}, Limits: agent.Limits{Money: 5}}
		if _, err := a.Open(t.Context(), nil); err == nil || !strings.Contains(err.Error(), "test/other") {
			t.Errorf("open with %T = %v, want that a price is missing", c, err)
		}
	}
}

type compactFunc func(*agent.Compaction) (*agent.Compacted, error)

func (f compactFunc) Compact(_ context.Context, c *agent.Compaction) (*agent.Compacted, error) {
	return f(c)
}

// What no request can hold never takes the conversation's place.
func TestACompactorThatLeavesNothingSoundChangesNothing(t *testing.T) {
	t.Parallel()
	for name, out := range map[string]*agent.Compacted{
		"nothing":         nil,
		"no messages":     {},
		"a role too few":  {Messages: []llm.Message{{Parts: []llm.Part{llm.Text("x")}}}},
		"a part too few":  {Messages: []llm.Message{{Role: llm.RoleUser, Parts: []llm.Part{{Kind: llm.PartMedia}}}}},
		"half an answer":  {Messages: []llm.Message{llm.User("x"), {Role: llm.RoleAssistant, Parts: []llm.Part{{Kind: llm.PartCall}}}}},
		"an unknown part": {Messages: []llm.Message{{Role: llm.RoleUser, Parts: []llm.Part{{Kind: "odd"}}}}},
	} {
		m := script(llmtest.Text("done"))
		compact := compactFunc(func(*agent.Compaction) (*agent.Compacted, error) { return out, nil })
		b := open(t, agent.Agent{Model: m, Compact: compact, Limits: agent.Limits{Context: 4000}}, nil)
		b.ask(strings.Repeat("word ", 30000))
		wantEqual(t, name+": edits", len(pick[*agent.ContextEdited](b.log())), 0)
		req := m.Requests()[0]
		if len(req.Messages) != 1 || req.Validate() != nil || len(req.Messages[0].Text()) != 150000 {
			t.Errorf("%s: the model gets %d messages, %v", name, len(req.Messages), req.Validate())
		}
	}
}

func TestTheWindowOfTheModelCounts(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		window llm.Size
		most   int64 // tokens asked for in an answer
		limit  int64
		want   int64
	}{
		{llm.Size{}, 0, 0, 180_000},
		{llm.Size{}, 0, 1000, 1000},
		{llm.Size{Context: 100_000}, 0, 0, 80_000},
		{llm.Size{Context: 100_000, MaxOutput: 4000}, 0, 0, 96_000},
		{llm.Size{Context: 100_000, MaxOutput: 4000}, 1000, 0, 99_000},
		{llm.Size{Context: 100_000}, 0, 1000, 1000},
		{llm.Size{Context: 100_000}, 0, 90_000, 80_000},
		{llm.Size{Context: 8000}, 0, 0, 6000},                        // a small local model
		{llm.Size{Context: 32_000, MaxOutput: 32_000}, 0, 0, 16_000}, // half is left in any case
	} {
		m := llmtest.New(llmtest.Text("x"))
		m.Window = tt.window
		b := open(t, agent.Agent{Model: m, Compact: agent.NoCompaction, Options: llm.Options{MaxTokens: tt.most}, Limits: agent.Limits{Context: tt.limit}}, nil)
		b.ask(strings.Repeat("x", int(tt.want)*4))
		warnings := pick[*agent.ContextWarning](b.log())
		if len(warnings) != 1 || warnings[0].Ceiling != tt.want {
			t.Errorf("window %+v, limit %d: %+v, want a warning at %d", tt.window, tt.limit, warnings, tt.want)
		}
	}
}

func TestEstimatesLearnFromTheModel(t *testing.T) {
	t.Parallel()
	// The model counts three tokens for each one that is estimated.
	m := llmtest.Func(func(req *llm.Request) llmtest.Turn {
		return llmtest.Text("x").Using(llm.Usage{Input: 3 * agent.EstimateTokens(req.Messages)})
	})
	b := open(t, agent.Agent{Model: m, Compact: agent.NoCompaction, Limits: agent.Limits{Context: 1000}}, nil)
	b.ask(strings.Repeat("x", 600))
	wantEqual(t, "warnings before it knows", len(pick[*agent.ContextWarning](b.log())), 0)
	b.ask(strings.Repeat("x", 600))
	wantEqual(t, "warnings", len(pick[*agent.ContextWarning](b.log())), 1)
}

func TestTextIsEstimatedByWhatItIs(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		m    llm.Message
		want int64
	}{
		{llm.User(""), 4},
		{llm.User("abcd"), 5},
		{llm.User("abcde"), 6},
		{llm.User("磁場"), 6},
		{llm.Message{Parts: []llm.Part{{Kind: llm.PartMedia, Media: &llm.Media{}}}}, 1604},
		{llm.Message{Parts: []llm.Part{{Kind: llm.PartCall, Call: &llm.ToolCall{Name: "abcd", Args: json.RawMessage(`{"a":1}`)}}}}, 10},
	} {
		if got := agent.EstimateTokens([]llm.Message{tt.m}); got != tt.want {
			t.Errorf("%+v takes %d tokens, want %d", tt.m, got, tt.want)
		}
	}
}

func TestACompactedConversationSurvivesARestart(t *testing.T) {
	t.Parallel()
	store := agent.NewMemoryStore()
	sum := llmtest.Func(func(*llm.Request) llmtest.Turn { return llmtest.Text("short") })
	m := llmtest.Func(func(*llm.Request) llmtest.Turn { return llmtest.Text(strings.Repeat("word ", 60)) })
	a := agent.Agent{Model: m, Compact: agent.TwoStage{Model: sum}, Limits: agent.Limits{Context: 400}}
	opts := &agent.OpenOptions{Store: store, SessionID: "s"}
	first := open(t, a, opts)
	for range 6 {
		first.ask("question")
	}
	before := transcript(first.History())
	first.Close()
	if got := transcript(open(t, a, opts).History()); got != before || !strings.Contains(got, "[Summary of the earlier conversation]") {
		t.Errorf("after a restart the conversation is\n%s\nwant\n%s", got, before)
	}
}

// Whatever the conversation, what TwoStage makes of it is one that a model takes.
func TestCompactedConversationsAreWellFormed(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		var messages []llm.Message
		for range rapid.IntRange(1, 30).Draw(rt, "messages") {
			text := strings.Repeat("x", rapid.IntRange(0, 2000).Draw(rt, "bytes"))
			n := rapid.IntRange(0, 3).Draw(rt, "calls")
			messages = append(messages, llm.User(text))
			reply, results := llm.Assistant(text), llm.Message{Role: llm.RoleTool}
			for i := range n {
				id := fmt.Sprint("c", i)
				reply.Parts = append(reply.Parts, llm.Part{Kind: llm.PartCall, Call: &llm.ToolCall{ID: id, Name: "f"}})
				results.Parts = append(results.Parts, llm.Part{Kind: llm.PartResult, Result: &llm.ToolResult{ID: id, Name: "f", Parts: []llm.Part{llm.Text(text)}}})
			}
			if messages = append(messages, reply); n > 0 {
				messages = append(messages, results)
			}
		}
		before, err := json.Marshal(messages)
		if err != nil {
			rt.Fatal(err)
		}
		target := int64(rapid.IntRange(1, 5000).Draw(rt, "target"))
		sum := llmtest.Func(func(req *llm.Request) llmtest.Turn {
			if n, most := agent.EstimateTokens(req.Messages), max(target, 1000); n > most {
				rt.Errorf("the summary is asked for with %d tokens, want at most %d", n, most)
			}
			return llmtest.Text("summary")
		})
		out, err := agent.TwoStage{Model: sum}.Compact(context.Background(), &agent.Compaction{
			Messages: messages, Target: target, Model: sum, Tokens: agent.EstimateTokens,
		})
		if err != nil {
			rt.Fatal(err)
		}
		if err := llm.CheckConversation(out.Messages); err != nil {
			rt.Error(err)
		}
		if agent.EstimateTokens(messages) > target && len(messages) > 4 && agent.EstimateTokens(out.Messages) > agent.EstimateTokens(messages)+100 {
			rt.Errorf("it grew from %d to %d tokens", agent.EstimateTokens(messages), agent.EstimateTokens(out.Messages))
		}
		if after, err := json.Marshal(messages); err != nil || string(after) != string(before) {
			rt.Errorf("the messages that were given have changed: %v", err)
		}
	})
}

package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/helios-go/helios/agent"
	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/llm/llmtest"
	"github.com/helios-go/helios/tool"
)

// oneTurn runs an agent whose model makes the calls of a turn and then answers.
func oneTurn(t *testing.T, a agent.Agent, opts *agent.OpenOptions, turn llmtest.Turn) *bench {
	t.Helper()
	a.Model = script(turn, llmtest.Text("done"))
	b := open(t, a, opts)
	b.ask("go")
	return b
}

func TestReadsRunSideBySideAndWritesAreBarriers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		var order []string
		var starts atomic.Int32
		slow := func(name string, effect tool.Effect, d time.Duration) tool.Tool {
			return tool.New(name, "", func(ctx context.Context, _ struct{}) (string, error) {
				starts.Add(1)
				time.Sleep(d)
				return fmt.Sprintf("%s at %v", name, time.Since(began)), nil
			}, tool.WithEffect(effect))
		}
		a := agent.Agent{Policy: agent.AllowAll(), Tools: []tool.Tool{
			slow("r1", tool.ReadOnly, 3*time.Second), slow("r2", tool.ReadOnly, time.Second), slow("w", tool.Mutating, time.Second),
		}}
		b := oneTurn(t, a, nil, llmtest.Call("r1", ``).And("r2", ``).And("w", ``).And("w", ``).And("r2", ``).And("r1", ``))
		for _, p := range b.History()[2].Parts {
			order = append(order, p.Result.Text())
		}
		// The results are in the order of the calls; the first two and the last two
		// ran at the same time.
		want := []string{"r1 at 3s", "r2 at 1s", "w at 4s", "w at 5s", "r2 at 6s", "r1 at 8s"}
		if fmt.Sprint(order) != fmt.Sprint(want) {
			t.Errorf("results = %q, want %q", order, want)
		}
	})
}

func TestParallelCallsAreBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var now, most atomic.Int32
		r := tool.New("r", "", func(context.Context, struct{}) (string, error) {
			most.Store(max(most.Load(), now.Add(1)))
			time.Sleep(time.Second)
			now.Add(-1)
			return "", nil
		}, tool.WithEffect(tool.ReadOnly))
		turn := llmtest.Call("r", ``)
		for range 9 {
			turn = turn.And("r", ``)
		}
		oneTurn(t, agent.Agent{Tools: []tool.Tool{r}, Limits: agent.Limits{Parallel: 3}}, nil, turn)
		wantEqual(t, "calls at the same time", most.Load(), 3)
	})
}

func TestAPanicConcernsItsOwnCallOnly(t *testing.T) {
	t.Parallel()
	boom := tool.New("boom", "", func(context.Context, struct{}) (string, error) { panic("boom") }, tool.WithEffect(tool.ReadOnly))
	b := oneTurn(t, agent.Agent{Tools: []tool.Tool{boom, echo("echo", tool.ReadOnly)}}, nil,
		llmtest.Call("echo", `{}`).And("boom", ``).And("echo", `{"text":"still here"}`))
	wantTranscript(t, b.History()[2:3], "tool =echo: =the tool panicked: boom =echo:still here")
}

func TestArgumentsThatDoNotFitNeverReachTheTool(t *testing.T) {
	t.Parallel()
	var ran atomic.Int32
	read := tool.New("read", "", func(context.Context, struct {
		Path  string `json:"path"`
		Limit int    `json:"limit,omitempty"`
	}) (string, error) {
		ran.Add(1)
		return "", nil
	}, tool.WithEffect(tool.ReadOnly))
	b := oneTurn(t, agent.Agent{Tools: []tool.Tool{read}}, nil,
		llmtest.Call("read", `{"path":"a","content":"x`).And("read", `{"pth":"a"}`).And("read", `{"path":"a","limit":"3"}`).And("raed", `{}`))
	wantTexts(t, b.ended(),
		"invalid arguments for read: not valid JSON: it ends in the middle, after 24 bytes",
		`invalid arguments for read: path is required but missing; pth is unknown; did you mean "path"?`,
		"invalid arguments for read: limit must be integer, not string",
		`there is no tool "raed"; did you mean "read"?`)
	wantEqual(t, "runs", ran.Load(), 0)
	wantEqual(t, "starts", len(pick[*agent.ToolStarted](b.log())), 0)
}

func TestNoArgumentsAreAnEmptyObject(t *testing.T) {
	t.Parallel()
	b := oneTurn(t, agent.Agent{Tools: []tool.Tool{echo("echo", tool.ReadOnly)}}, nil, llmtest.Call("echo", ``).And("echo", ` `))
	wantTexts(t, b.ended(), "echo:", "echo:")
}

func TestAnErrorGoesToTheModel(t *testing.T) {
	t.Parallel()
	fail := tool.New("fail", "", func(context.Context, struct{}) (string, error) { return "", errors.New("disk full") }, tool.WithEffect(tool.ReadOnly))
	b := oneTurn(t, agent.Agent{Tools: []tool.Tool{fail}}, nil, llmtest.Call("fail", ``))
	end := b.ended()[0]
	if end.Outcome != agent.OutcomeError || !end.Result.IsError || end.Result.Text() != "disk full" {
		t.Errorf("end = %+v", end)
	}
}

func TestAbortEndsTheRunAndItsSiblings(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		errDisk := errors.New("disk on fire")
		abort := tool.New("abort", "", func(context.Context, struct{}) (string, error) { return "", tool.Abort(errDisk) }, tool.WithEffect(tool.ReadOnly))
		a := agent.Agent{
			Model: script(llmtest.Call("wait", ``).And("abort", ``).And("echo", ``)),
			Tools: []tool.Tool{abort, blocking("wait", tool.ReadOnly, time.Hour), echo("echo", tool.Idempotent)}, Policy: agent.AllowAll(),
		}
		b := open(t, a, nil)
		res, err := b.Run(t.Context(), "go")
		wantStop(t, res, err, agent.StopFailed, errDisk)
		wantTexts(t, b.ended(), "disk on fire", "interrupted", "interrupted: the call was not made")
	})
}

func TestAFinalToolEndsTheRunWithItsResult(t *testing.T) {
	t.Parallel()
	final := tool.New("answer", "", func(_ context.Context, in struct{ N int }) (tool.Result, error) {
		if in.N < 0 {
			return tool.Result{}, errors.New("negative")
		}
		return tool.Result{Parts: []llm.Part{llm.Text("n")}, Data: json.RawMessage(`{"n":1}`)}, nil
	}, tool.Final(), tool.WithEffect(tool.ReadOnly))
	m := script(
		llmtest.Call("answer", `{"N":1}`).And("echo", `{}`), // not alone
		llmtest.Call("answer", `{"N":-1}`),                  // an error is for the model
		llmtest.Call("answer", `{"N":1}`),
		llmtest.Text("next"),
	)
	b := open(t, agent.Agent{Model: m, Tools: []tool.Tool{final, echo("echo", tool.ReadOnly)}}, nil)
	res := b.ask("go")
	wantEqual(t, "text", res.Text, "n")
	wantEqual(t, "output", string(res.Output), `{"n":1}`)
	wantEqual(t, "turns", res.Turns, 3)
	if ends := b.ended(); ends[0].Outcome != agent.OutcomeInvalid || !strings.Contains(ends[0].Result.Text(), "alone") {
		t.Errorf("first end = %+v", ends[0])
	}
	b.ask("and now?") // the history is valid after a final tool
}

func TestATimeoutIsTheToolsOwnOrTheAgents(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		own := blocking("own", tool.ReadOnly, time.Hour)
		own.Timeout = time.Second
		none := blocking("none", tool.ReadOnly, 10*time.Minute)
		none.Timeout = -1
		write := blocking("write", tool.Mutating, time.Hour)
		a := agent.Agent{Tools: []tool.Tool{own, none, write}, Policy: agent.AllowAll(), Limits: agent.Limits{ToolTime: time.Minute}}
		b := oneTurn(t, a, nil, llmtest.Call("own", ``).And("none", ``).And("write", ``))
		wantTexts(t, b.ended(), "own timed out after 1s", "none done", "write timed out after 1m0s; it may or may not have taken effect")
	})
}

func TestAToolThatIgnoresItsContextIsLeftBehind(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		deaf := tool.New("deaf", "", func(context.Context, struct{}) (string, error) {
			time.Sleep(10 * time.Minute)
			return "too late", nil
		}, tool.WithEffect(tool.ReadOnly), tool.WithTimeout(time.Second))
		began := time.Now()
		var logged strings.Builder
		opts := &agent.OpenOptions{Logger: slog.New(slog.NewTextHandler(&logged, nil))}
		b := oneTurn(t, agent.Agent{Tools: []tool.Tool{deaf}, Limits: agent.Limits{Grace: 3 * time.Second}}, opts, llmtest.Call("deaf", ``))
		wantTexts(t, b.ended(), "deaf timed out after 1s")
		if !strings.Contains(logged.String(), "leave a tool behind") || !strings.Contains(logged.String(), "deaf") {
			t.Errorf("logged: %s", &logged)
		}
		wantEqual(t, "time", time.Since(began), 4*time.Second)
		time.Sleep(time.Hour) // until the tool has returned
	})
}

func TestPolicyAndApprover(t *testing.T) {
	t.Parallel()
	decide := func(d agent.Decision, err error) agent.Policy {
		return agent.PolicyFunc(func(context.Context, *tool.Call) (agent.Decision, error) { return d, err })
	}
	approve := func(a tool.Answer, err error) agent.Approver {
		return agent.ApproverFunc(func(context.Context, *tool.Question) (tool.Answer, error) { return a, err })
	}
	yes, no := tool.Answer{Choices: []string{tool.Allow}}, tool.Answer{Choices: []string{tool.Deny}, Text: "not today"}
	panics := agent.PolicyFunc(func(context.Context, *tool.Call) (agent.Decision, error) { panic("oops") })
	panicky := agent.ApproverFunc(func(context.Context, *tool.Question) (tool.Answer, error) { panic("oops") })
	for _, tt := range []struct {
		name     string
		effect   tool.Effect
		policy   agent.Policy
		approver agent.Approver
		want     string
	}{
		{"no policy allows reads", tool.ReadOnly, nil, nil, "t:"},
		{"no policy asks for writes", tool.Mutating, nil, approve(yes, nil), "t:"},
		{"no policy asks for the unknown", tool.Unknown, nil, approve(no, nil), "denied by the user: not today"},
		{"nobody to ask denies", tool.Idempotent, nil, nil, "denied: it needs permission, and nobody is there to ask"},
		{"the zero decision asks", tool.ReadOnly, decide(0, nil), nil, "denied: it needs permission, and nobody is there to ask"},
		{"deny", tool.ReadOnly, decide(agent.Deny, nil), approve(yes, nil), "denied by the policy"},
		{"an error denies", tool.ReadOnly, decide(agent.Allow, errors.New("outside /data")), approve(yes, nil), "denied: outside /data"},
		{"a panic denies", tool.ReadOnly, panics, approve(yes, nil), "denied: the policy failed"},
		{"an approver's error denies", tool.Mutating, nil, approve(yes, errors.New("hung up")), "denied: hung up"},
		{"an approver's panic denies", tool.Mutating, nil, panicky, "denied: the approver panicked: oops"},
		{"an odd answer denies", tool.Mutating, nil, approve(tool.Answer{Choices: []string{"sure"}}, nil), "denied: answer: sure is not among the choices"},
		{"a decision nobody knows denies", tool.ReadOnly, decide(77, nil), approve(yes, nil), "denied by the policy"},
		{"named tools", tool.Mutating, agent.AllowTools("t"), nil, "t:"},
		{"other tools", tool.Mutating, agent.AllowTools("u"), nil, "denied: it needs permission, and nobody is there to ask"},
		{"deny beats allow", tool.ReadOnly, agent.Strictest(agent.AllowAll(), decide(agent.Deny, nil)), nil, "denied by the policy"},
		{"ask beats allow", tool.ReadOnly, agent.Strictest(decide(agent.Ask, nil), agent.AllowAll()), approve(no, nil), "denied by the user: not today"},
		{"no policies ask", tool.ReadOnly, agent.Strictest(), approve(yes, nil), "t:"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			a := agent.Agent{Tools: []tool.Tool{echo("t", tt.effect)}, Policy: tt.policy}
			b := oneTurn(t, a, &agent.OpenOptions{Approver: tt.approver}, llmtest.Call("t", ``))
			wantTexts(t, b.ended(), tt.want)
		})
	}
}

func TestThePolicySeesTheCanonicalKey(t *testing.T) {
	t.Parallel()
	var seen *tool.Call
	policy := agent.PolicyFunc(func(_ context.Context, c *tool.Call) (agent.Decision, error) {
		seen = c
		return agent.Allow, nil
	})
	key := func(args json.RawMessage) (string, error) {
		var in struct{ Text string }
		if err := json.Unmarshal(args, &in); err != nil || in.Text == "" {
			return "", errors.New("no text")
		}
		return "key of " + in.Text, nil
	}
	keyed := tool.New("keyed", "", func(_ context.Context, in struct {
		Text string `json:"text,omitempty"`
	}) (string, error) {
		return in.Text, nil
	}, tool.WithKey(key), tool.WithEffect(tool.Mutating))
	b := oneTurn(t, agent.Agent{Tools: []tool.Tool{keyed}, Policy: policy}, &agent.OpenOptions{User: "ada"},
		llmtest.Call("keyed", `{"text":"x"}`).And("keyed", `{}`))
	wantTexts(t, b.ended(), "denied: its permission key cannot be computed: no text", "x")
	if seen.Key != "key of x" || seen.User != "ada" || seen.Session != b.ID() || seen.Kind != tool.KindExecute {
		t.Errorf("call = %+v", seen)
	}
	start := pick[*agent.ToolStarted](b.log())[0]
	wantEqual(t, "key in the log", start.Key, "key of x")
	wantEqual(t, "decision in the log", start.Decision, agent.Allow)
	wantEqual(t, "idempotency key", start.IdempotencyKey, seen.IdempotencyKey)
}

func TestResultsNeverBreakARequest(t *testing.T) {
	t.Parallel()
	odd := tool.New("odd", "", func(context.Context, struct{}) (tool.Result, error) {
		return tool.Result{Parts: []llm.Part{llm.Text("a\xed\xa0\xbdb\x80c\x00d")}, Data: json.RawMessage(`{"cut`)}, nil
	}, tool.WithEffect(tool.ReadOnly))
	huge := tool.New("huge", "", func(context.Context, struct{}) (string, error) {
		return strings.Repeat("é", 1000), nil
	}, tool.WithEffect(tool.ReadOnly))
	b := oneTurn(t, agent.Agent{Tools: []tool.Tool{odd, huge}, Limits: agent.Limits{ResultBytes: 101}}, nil, llmtest.Call("odd", ``).And("huge", ``))
	ends := b.ended()
	if ends[0].Result.Name == "huge" {
		ends[0], ends[1] = ends[1], ends[0]
	}
	wantEqual(t, "odd text", ends[0].Result.Text(), "a\uFFFDb\uFFFDc\uFFFDd")
	if !json.Valid(ends[0].Data) {
		t.Errorf("data %s is not JSON", ends[0].Data)
	}
	text := ends[1].Result.Text()
	if !strings.HasSuffix(text, "[cut: 101 of 2000 bytes shown]") || !strings.HasPrefix(text, strings.Repeat("é", 50)+"\n") {
		t.Errorf("huge text ends as %q", text[max(0, len(text)-60):])
	}
	for _, e := range b.log() {
		data, err := json.Marshal(e)
		if err != nil || !utf8.Valid(data) {
			t.Errorf("event %d cannot be written: %v", e.Seq, err)
		}
	}
}

func TestAskingFromInsideATool(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var asked []string
		approver := agent.ApproverFunc(func(_ context.Context, q *tool.Question) (tool.Answer, error) {
			asked = append(asked, q.Text)
			time.Sleep(10 * time.Minute) // longer than the tool may take
			return tool.Answer{Choices: []string{"blue"}}, nil
		})
		ask := tool.New("ask", "", func(ctx context.Context, _ struct{}) (string, error) {
			a, err := tool.CallFrom(ctx).Ask(ctx, tool.Question{Text: "Which colour?", Choices: []tool.Choice{{Label: "red"}, {Label: "blue"}}})
			if err != nil {
				return "", err
			}
			return a.Choices[0], nil
		}, tool.WithEffect(tool.ReadOnly), tool.WithTimeout(time.Minute))
		a := agent.Agent{Tools: []tool.Tool{ask}}
		b := oneTurn(t, a, &agent.OpenOptions{Approver: approver}, llmtest.Call("ask", ``))
		wantTexts(t, b.ended(), "blue")
		wantEqual(t, "question", strings.Join(asked, ","), "Which colour?")
		wantTexts(t, oneTurn(t, a, nil, llmtest.Call("ask", ``)).ended(), "nobody is there to answer a question")
	})
}

func TestAToolCanAskManyTimesAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		approver := agent.ApproverFunc(func(_ context.Context, q *tool.Question) (tool.Answer, error) {
			time.Sleep(time.Second)
			return tool.Answer{Text: "re " + q.Text}, nil
		})
		ask := tool.New("ask", "", func(ctx context.Context, _ struct{}) (string, error) {
			answers := make(chan string)
			for _, text := range []string{"a?", "b?"} {
				go func() {
					a, err := tool.CallFrom(ctx).Ask(ctx, tool.Question{Text: text})
					answers <- fmt.Sprint(a.Text, err)
				}()
			}
			one, two := <-answers, <-answers
			return min(one, two) + " " + max(one, two), nil
		}, tool.WithEffect(tool.ReadOnly))
		b := oneTurn(t, agent.Agent{Tools: []tool.Tool{ask}}, &agent.OpenOptions{Approver: approver}, llmtest.Call("ask", ``))
		wantTexts(t, b.ended(), "re a?<nil> re b?<nil>")
	})
}

func TestProgressIsShownAndNotKept(t *testing.T) {
	t.Parallel()
	work := tool.New("work", "", func(ctx context.Context, _ struct{}) (string, error) {
		tool.CallFrom(ctx).Progress(llm.Text("half"))
		return "all", nil
	}, tool.WithEffect(tool.ReadOnly))
	b := open(t, agent.Agent{Model: script(llmtest.Call("work", ``), llmtest.Text("done")), Tools: []tool.Tool{work}}, nil)
	live := b.watch(0)
	b.ask("go")
	shown := pick[*agent.ToolProgress](live.until(agent.KindRunEnded))
	if len(shown) != 1 || shown[0].Part.Text != "half" || shown[0].Name != "work" {
		t.Errorf("progress = %+v", shown)
	}
	wantEqual(t, "progress in the log", len(pick[*agent.ToolProgress](b.log())), 0)
}

func TestCallFromOutsideOfACallIsEmpty(t *testing.T) {
	t.Parallel()
	c := tool.CallFrom(context.Background())
	c.Progress(llm.Text("nobody sees this"))
	if _, err := c.Ask(context.Background(), tool.Question{Text: "anyone?"}); !errors.Is(err, tool.ErrNoAsker) {
		t.Errorf("ask = %v, want ErrNoAsker", err)
	}
}

package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/helios-go/helios/agent"
	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/llm/llmtest"
	"github.com/helios-go/helios/tool"
)

// A hook keeps a run from ending before a tool has been used.
func ExampleHook() {
	looked := false
	mustLook := agent.Hook{
		Name: "must-look",
		AfterTool: func(_ context.Context, _ agent.Moment, c *tool.Call, r tool.Result) (agent.ResultVerdict, error) {
			looked = looked || c.Name == "look" && !r.IsError
			return agent.ResultVerdict{}, nil
		},
		BeforeStop: func(context.Context, agent.Moment, *agent.Result) (agent.StopVerdict, error) {
			if !looked {
				return agent.StopVerdict{Inject: "You have not looked at the data yet."}, nil
			}
			return agent.StopVerdict{}, nil
		},
	}
	look := tool.New("look", "Look at the data", func(context.Context, struct{}) (string, error) {
		return "5.26 nT", nil
	}, tool.WithEffect(tool.ReadOnly))
	model := llmtest.New(llmtest.Text("I guess 5 nT."), llmtest.Call("look", `{}`), llmtest.Text("5.26 nT."))
	res, err := agent.Agent{Model: model, Tools: []tool.Tool{look}, Hooks: []agent.Hook{mustLook}}.Run(context.Background(), "How strong was it?")
	fmt.Println(res.Text, err)
	// Output: 5.26 nT. <nil>
}

func fired(b *bench) string {
	var all []string
	for _, f := range pick[*agent.HookFired](b.log()) {
		all = append(all, f.Hook+":"+f.Phase+":"+f.Verdict)
	}
	return strings.Join(all, " ")
}

func TestAHookRewritesAndBlocksMessages(t *testing.T) {
	t.Parallel()
	guard := agent.Hook{Name: "guard", Message: func(_ context.Context, at agent.Moment, m llm.Message) (agent.MessageVerdict, error) {
		switch text := m.Text(); {
		case strings.Contains(text, "secret"):
			return agent.MessageVerdict{Block: "it names a secret"}, nil
		case strings.Contains(text, "broken"):
			return agent.MessageVerdict{}, errors.New("no connection")
		case strings.Contains(text, "panic"):
			panic("oops")
		case strings.Contains(text, "nT"):
			changed := llm.User(strings.ReplaceAll(text, "nT", "nanotesla"))
			changed.Parts = append(changed.Parts, m.Parts[1:]...)
			return agent.MessageVerdict{Message: &changed}, nil
		}
		return agent.MessageVerdict{}, nil
	}}
	second := agent.Hook{Name: "second", Message: func(_ context.Context, _ agent.Moment, m llm.Message) (agent.MessageVerdict, error) {
		changed := llm.User(m.Text() + "!")
		changed.Parts = append(changed.Parts, m.Parts[1:]...)
		return agent.MessageVerdict{Message: &changed}, nil
	}}
	m := script(llmtest.Text("ok"))
	b := open(t, agent.Agent{Model: m, Hooks: []agent.Hook{guard, second}, Instructions: "Be brief."}, nil)
	for _, text := range []string{"my secret", "a broken one", "panic"} {
		b.send(text, agent.Steer)
	}
	if res, err := b.wait(); res.Run != "" || err != nil {
		t.Errorf("a run of blocked messages: %+v, %v", res, err)
	}
	image := llm.Part{Kind: llm.PartMedia, Media: &llm.Media{MIME: "image/png", Data: []byte{1}}}
	if _, err := b.Send(t.Context(), llm.Message{Parts: []llm.Part{llm.Text("5 nT"), image}}, agent.Steer); err != nil {
		t.Fatal(err)
	}
	b.wait()
	wantEqual(t, "requests", len(m.Requests()), 1)
	wantTranscript(t, m.Requests()[0].Messages, "user 5 nanotesla!")
	wantEqual(t, "parts", len(m.Requests()[0].Messages[0].Parts), 2)
	wantEqual(t, "fired", fired(b), "guard:message:rewrite second:message:rewrite")
	var reasons []string
	for _, blocked := range pick[*agent.MessageBlocked](b.log()) {
		reasons = append(reasons, blocked.Hook+": "+blocked.Reason)
	}
	if got := strings.Join(reasons, "; "); got != "guard: it names a secret; guard: hook guard: no connection; guard: hook guard panicked: oops" {
		t.Errorf("blocked: %s", got)
	}
}

// A hook that has nothing to say changes nothing and is not in the log.
// What a hook makes of a message is held to what a user may send; what is not is
// blocked, and no model sees it.
func TestAHookPutsOnlyWhatAUserMaySendInAMessagesPlace(t *testing.T) {
	t.Parallel()
	for name, msg := range map[string]llm.Message{
		"no parts":      {},
		"a result":      {Parts: []llm.Part{{Kind: llm.PartResult, Result: &llm.ToolResult{ID: "x"}}}},
		"a call":        {Parts: []llm.Part{{Kind: llm.PartCall, Call: &llm.ToolCall{ID: "x", Name: "y"}}}},
		"no media":      {Parts: []llm.Part{{Kind: llm.PartMedia}}},
		"an odd part":   {Parts: []llm.Part{{Kind: "odd"}}},
		"another thing": {Role: llm.RoleTool, Parts: []llm.Part{{Kind: llm.PartResult}}},
	} {
		m := script()
		b := open(t, agent.Agent{Model: m, Hooks: []agent.Hook{{
			Name: "odd", Message: func(context.Context, agent.Moment, llm.Message) (agent.MessageVerdict, error) {
				return agent.MessageVerdict{Message: &msg}, nil
			},
		}}}, nil)
		b.send("go", agent.Queue)
		b.wait()
		blocked := pick[*agent.MessageBlocked](b.log())
		if len(blocked) != 1 || blocked[0].Hook != "odd" || !strings.Contains(blocked[0].Reason, "hook odd: ") {
			t.Errorf("%s: blocked = %+v", name, blocked)
		}
		wantEqual(t, name+": requests", len(m.Requests()), 0)
		wantEqual(t, name+": messages", len(b.History()), 0)
	}
}

func TestAHookWithNothingToSayLeavesNoTrace(t *testing.T) {
	t.Parallel()
	quiet, called := agent.Hook{Name: "quiet"}, map[string]bool{}
	quiet.Message = func(context.Context, agent.Moment, llm.Message) (agent.MessageVerdict, error) {
		called["message"] = true
		return agent.MessageVerdict{}, nil
	}
	quiet.BeforeModel = func(context.Context, agent.Moment, *llm.Request) (agent.ModelVerdict, error) {
		called["before model"] = true
		return agent.ModelVerdict{}, nil
	}
	quiet.AfterModel = func(context.Context, agent.Moment, *llm.Response) (agent.ModelVerdict, error) {
		called["after model"] = true
		return agent.ModelVerdict{}, nil
	}
	quiet.BeforeTool = func(context.Context, agent.Moment, *tool.Call) (agent.ToolVerdict, error) {
		called["before tool"] = true
		return agent.ToolVerdict{}, nil
	}
	quiet.AfterTool = func(context.Context, agent.Moment, *tool.Call, tool.Result) (agent.ResultVerdict, error) {
		called["after tool"] = true
		return agent.ResultVerdict{}, nil
	}
	quiet.BeforeStop = func(context.Context, agent.Moment, *agent.Result) (agent.StopVerdict, error) {
		called["before stop"] = true
		return agent.StopVerdict{}, nil
	}
	quiet.BeforeCompact = func(context.Context, agent.Moment, []llm.Message) (agent.CompactVerdict, error) {
		called["before compact"] = true
		return agent.CompactVerdict{}, nil
	}
	quiet.AfterCompact = func(context.Context, agent.Moment, *agent.ContextEdited) (agent.EditVerdict, error) {
		called["after compact"] = true
		return agent.EditVerdict{}, nil
	}
	a := agent.Agent{Tools: []tool.Tool{echo("echo", tool.ReadOnly)}, Hooks: []agent.Hook{quiet, quiet}}
	b := oneTurn(t, a, nil, llmtest.Call("echo", `{"text":"x"}`))
	wantEqual(t, "log", kinds(b.log()), "session_opened user_message run_started turn_started model_message "+
		"tool_started tool_ended turn_started model_message run_ended")
	wantTranscript(t, b.History(), "user go", `assistant echo{"text":"x"}`, "tool =echo:x", "assistant done")
	long := crowded(t, quiet)
	long.ask("three")
	wantEqual(t, "fired while room was made", fired(long), "")
	wantEqual(t, "phases that were called", len(called), 8)
}

func TestHooksAroundTheModelCall(t *testing.T) {
	t.Parallel()
	t.Run("change the request", func(t *testing.T) {
		t.Parallel()
		m := script(llmtest.Text("ok"))
		b := open(t, agent.Agent{Model: m, Instructions: "x", Hooks: []agent.Hook{{BeforeModel: func(_ context.Context, at agent.Moment, req *llm.Request) (agent.ModelVerdict, error) {
			req.System = []llm.Part{llm.Text(fmt.Sprint("turn ", at.Turn))}
			req.Messages = []llm.Message{llm.User("something else")}
			return agent.ModelVerdict{}, nil
		}}}}, nil)
		b.ask("go")
		wantTranscript(t, m.Requests()[0].Messages, "user something else")
		wantTranscript(t, b.History(), "user go", "assistant ok")
		wantEqual(t, "system", m.Requests()[0].System[0].Text, "turn 1")
		wantEqual(t, "fired", fired(b), "")
	})
	t.Run("answer instead", func(t *testing.T) {
		t.Parallel()
		m := script()
		b := open(t, agent.Agent{Model: m, Hooks: []agent.Hook{{Name: "faq", BeforeModel: func(context.Context, agent.Moment, *llm.Request) (agent.ModelVerdict, error) {
			return agent.ModelVerdict{Answer: "See page 3."}, nil
		}}}}, nil)
		wantEqual(t, "text", b.ask("go").Text, "See page 3.")
		wantEqual(t, "requests", len(m.Requests()), 0)
		wantTranscript(t, b.History(), "user go", "assistant See page 3.")
		wantEqual(t, "fired", fired(b), "faq:before_model:answer")
	})
	t.Run("inject before", func(t *testing.T) {
		t.Parallel()
		m := script(llmtest.Text("ok"))
		b := open(t, agent.Agent{Model: m, Hooks: []agent.Hook{{Name: "h", BeforeModel: func(_ context.Context, at agent.Moment, req *llm.Request) (agent.ModelVerdict, error) {
			if at.Turn == 1 {
				return agent.ModelVerdict{Inject: "Mind the units."}, nil
			}
			return agent.ModelVerdict{}, nil
		}}}}, nil)
		b.ask("go")
		wantTranscript(t, b.History(), "user go", "user Mind the units.", "assistant ok")
	})
	t.Run("inject after, instead of the calls", func(t *testing.T) {
		t.Parallel()
		m := script(llmtest.Call("echo", `{}`), llmtest.Text("ok"))
		b := open(t, agent.Agent{Model: m, Tools: []tool.Tool{echo("echo", tool.ReadOnly)}, Hooks: []agent.Hook{{Name: "h", AfterModel: func(_ context.Context, _ agent.Moment, resp *llm.Response) (agent.ModelVerdict, error) {
			if len(resp.Message.Calls()) > 0 {
				return agent.ModelVerdict{Inject: "No tools please."}, nil
			}
			return agent.ModelVerdict{}, nil
		}}}}, nil)
		b.ask("go")
		wantTranscript(t, b.History(), "user go", "assistant echo{}", "tool =not run: hook h took over", "user No tools please.", "assistant ok")
	})
	t.Run("an error fails the run", func(t *testing.T) {
		t.Parallel()
		boom := errors.New("boom")
		for _, h := range []agent.Hook{
			{Name: "h", BeforeModel: func(context.Context, agent.Moment, *llm.Request) (agent.ModelVerdict, error) {
				return agent.ModelVerdict{}, boom
			}},
			{Name: "h", AfterModel: func(context.Context, agent.Moment, *llm.Response) (agent.ModelVerdict, error) {
				return agent.ModelVerdict{}, boom
			}},
			{Name: "h", BeforeStop: func(context.Context, agent.Moment, *agent.Result) (agent.StopVerdict, error) {
				return agent.StopVerdict{}, boom
			}},
		} {
			b := open(t, agent.Agent{Model: script(llmtest.Text("ok")), Hooks: []agent.Hook{h}}, nil)
			res, err := b.Run(t.Context(), "go")
			wantStop(t, res, err, agent.StopFailed, boom)
		}
	})
}

func TestRewrittenArgumentsAreCheckedAndDecided(t *testing.T) {
	t.Parallel()
	rewrite := func(to string) agent.Hook {
		return agent.Hook{Name: "rewrite", BeforeTool: func(context.Context, agent.Moment, *tool.Call) (agent.ToolVerdict, error) {
			return agent.ToolVerdict{Args: json.RawMessage(to)}, nil
		}}
	}
	policy := agent.PolicyFunc(func(_ context.Context, c *tool.Call) (agent.Decision, error) {
		if strings.Contains(string(c.Args), "etc") {
			return agent.Deny, nil
		}
		return agent.Allow, nil
	})
	last := agent.Hook{Name: "last", BeforeTool: func(_ context.Context, _ agent.Moment, c *tool.Call) (agent.ToolVerdict, error) {
		if strings.Contains(string(c.Args), "forbidden") {
			return agent.ToolVerdict{Deny: "not that one"}, nil
		}
		return agent.ToolVerdict{}, nil
	}}
	for _, tt := range []struct {
		hook agent.Hook
		want string
	}{
		{rewrite(`{"text":"b"}`), "echo:b"},
		{rewrite(`{"text":"/etc"}`), "denied by the policy"},
		{rewrite(`{"txt":"b"}`), `invalid arguments for echo: txt is unknown; did you mean "text"?`},
		{rewrite(`{"text":"forbidden"}`), "denied: not that one"},
		{agent.Hook{Name: "e", BeforeTool: func(context.Context, agent.Moment, *tool.Call) (agent.ToolVerdict, error) {
			return agent.ToolVerdict{}, errors.New("down")
		}}, "denied: hook e: down"},
		{agent.Hook{Name: "p", BeforeTool: func(context.Context, agent.Moment, *tool.Call) (agent.ToolVerdict, error) { panic("x") }}, "denied: hook p panicked: x"},
	} {
		a := agent.Agent{Tools: []tool.Tool{echo("echo", tool.Mutating)}, Policy: policy, Hooks: []agent.Hook{tt.hook, last}}
		b := oneTurn(t, a, nil, llmtest.Call("echo", `{"text":"a"}`))
		wantTexts(t, b.ended(), tt.want)
		if got := string(b.History()[1].Parts[0].Call.Args); got != `{"text":"a"}` {
			t.Errorf("the model's own message changed to %s", got)
		}
	}
}

// The log tells what a hook made of a call, and which one.
func TestTheLogTellsWhatHooksMadeOfACall(t *testing.T) {
	t.Parallel()
	other := agent.Hook{Name: "other", BeforeTool: func(context.Context, agent.Moment, *tool.Call) (agent.ToolVerdict, error) {
		return agent.ToolVerdict{Args: json.RawMessage(`{"text":"b"}`)}, nil
	}}
	deny := agent.Hook{Name: "deny", BeforeTool: func(_ context.Context, _ agent.Moment, c *tool.Call) (agent.ToolVerdict, error) {
		if c.Name == "write" {
			return agent.ToolVerdict{Deny: "not today"}, nil
		}
		return agent.ToolVerdict{}, nil
	}}
	a := agent.Agent{Tools: []tool.Tool{echo("read", tool.ReadOnly), echo("write", tool.Mutating)}, Policy: agent.AllowAll(), Hooks: []agent.Hook{other, deny}}
	b := oneTurn(t, a, nil, llmtest.Call("read", `{"text":"a"}`).And("write", `{"text":"a"}`))
	wantEqual(t, "fired", fired(b), "other:before_tool:rewrite other:before_tool:rewrite deny:before_tool:deny")
	wantTexts(t, b.ended(), "denied: not today", "read:b")
	starts := pick[*agent.ToolStarted](b.log())
	if len(starts) != 1 || starts[0].Call.Name != "read" || string(starts[0].Call.Args) != `{"text":"b"}` {
		t.Errorf("starts = %+v", starts)
	}
	wantTranscript(t, b.History()[1:2], `assistant read{"text":"a"} write{"text":"a"}`)
}

func TestHooksSeeResultsBeforeTheModelAndTheLogDo(t *testing.T) {
	t.Parallel()
	after := func(f func(r tool.Result) (agent.ResultVerdict, error)) agent.Hook {
		return agent.Hook{Name: "h", AfterTool: func(_ context.Context, _ agent.Moment, _ *tool.Call, r tool.Result) (agent.ResultVerdict, error) {
			return f(r)
		}}
	}
	for _, tt := range []struct {
		name string
		hook agent.Hook
		want []string
	}{
		{"rewrite", after(func(r tool.Result) (agent.ResultVerdict, error) {
			changed := tool.Text(strings.ToUpper(r.Text()))
			return agent.ResultVerdict{Result: &changed}, nil
		}), []string{"tool =ECHO:X =IT FAILED"}},
		{"inject", after(func(r tool.Result) (agent.ResultVerdict, error) {
			if r.IsError {
				return agent.ResultVerdict{Inject: "Do not worry."}, nil
			}
			return agent.ResultVerdict{}, nil
		}), []string{"tool =echo:x =it failed", "user Do not worry."}},
		{"error", after(func(r tool.Result) (agent.ResultVerdict, error) {
			return agent.ResultVerdict{}, errors.New("no scanner")
		}), []string{
			"tool =the result is withheld: hook h: no scanner =the result is withheld: hook h: no scanner",
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			fail := tool.New("fail", "", func(context.Context, struct{}) (string, error) { return "", errors.New("it failed") }, tool.WithEffect(tool.ReadOnly))
			a := agent.Agent{Tools: []tool.Tool{echo("echo", tool.ReadOnly), fail}, Hooks: []agent.Hook{tt.hook}}
			b := oneTurn(t, a, nil, llmtest.Call("echo", `{"text":"x"}`).And("fail", ``))
			history := b.History()
			wantTranscript(t, history[2:len(history)-1], tt.want...)
			if !history[2].Parts[1].Result.IsError {
				t.Error("a failure became a success")
			}
		})
	}
}

func TestAHookHasTheLastWordOnTheAnswer(t *testing.T) {
	t.Parallel()
	final := tool.New("answer", "", func(context.Context, struct{}) (string, error) { return "42", nil }, tool.Final(), tool.WithEffect(tool.ReadOnly))
	sign := agent.Hook{Name: "sign", BeforeStop: func(_ context.Context, _ agent.Moment, r *agent.Result) (agent.StopVerdict, error) {
		if r.Turns == 1 {
			return agent.StopVerdict{Inject: "Are you sure?"}, nil
		}
		return agent.StopVerdict{Text: r.Text + " (checked)"}, nil
	}}
	for name, turns := range map[string][]llmtest.Turn{
		"text":  {llmtest.Text("41"), llmtest.Text("42")},
		"final": {llmtest.Call("answer", ``), llmtest.Call("answer", ``)},
	} {
		b := open(t, agent.Agent{Model: script(turns...), Tools: []tool.Tool{final}, Hooks: []agent.Hook{sign}}, nil)
		res := b.ask("go")
		wantEqual(t, name, res.Text, "42 (checked)")
		wantEqual(t, "fired", fired(b), "sign:before_stop:inject sign:before_stop:rewrite")
	}
}

func TestHooksThatNeverAgreeEndAtTheTurnLimit(t *testing.T) {
	t.Parallel()
	no := agent.Hook{Name: "no", BeforeStop: func(context.Context, agent.Moment, *agent.Result) (agent.StopVerdict, error) {
		return agent.StopVerdict{Inject: "again"}, nil
	}}
	m := llmtest.Func(func(*llm.Request) llmtest.Turn { return llmtest.Text("hm") })
	b := open(t, agent.Agent{Model: m, Hooks: []agent.Hook{no}, Limits: agent.Limits{Turns: 3}}, nil)
	res, err := b.Run(t.Context(), "go")
	wantStop(t, res, err, agent.StopTurns, agent.ErrTurns)
	wantEqual(t, "text", res.Text, "hm")
}

// A hook can make a result the answer: the run ends with it when the calls beside it
// are over, without another model call, whatever the limits have left.
func TestAHookMakesAResultTheAnswer(t *testing.T) {
	t.Parallel()
	found := func(final, inject bool) agent.Hook {
		return agent.Hook{Name: "found", AfterTool: func(_ context.Context, _ agent.Moment, c *tool.Call, r tool.Result) (agent.ResultVerdict, error) {
			v := agent.ResultVerdict{Final: final && c.Name == "find"}
			if v.Final && inject {
				v.Inject = "look again"
			}
			return v, nil
		}}
	}
	find := tool.New("find", "", func(_ context.Context, in struct {
		Fail bool `json:"fail,omitempty"`
	}) (map[string]int, error) {
		if in.Fail {
			return nil, errors.New("not there")
		}
		return map[string]int{"at": 7}, nil
	}, tool.WithEffect(tool.Mutating))
	for _, c := range []struct {
		name   string
		turn   llmtest.Turn
		inject bool
		calls  int // of the model
		output string
	}{
		{"alone", llmtest.Call("find", `{}`), false, 1, `{"at":7}`},
		{"before others", llmtest.Call("find", `{}`).And("look", `{}`).And("look", `{}`), false, 1, `{"at":7}`},
		{"after others", llmtest.Call("look", `{}`).And("look", `{}`).And("find", `{}`), false, 1, `{"at":7}`},
		{"one that failed", llmtest.Call("find", `{"fail":true}`), false, 2, ""},
		{"beside a message", llmtest.Call("find", `{}`), true, 2, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			m := script(c.turn, llmtest.Text("words"), llmtest.Text("more words"))
			b := open(t, agent.Agent{
				Model: m, Tools: []tool.Tool{find, echo("look", tool.ReadOnly)}, Hooks: []agent.Hook{found(true, c.inject)}, Policy: agent.AllowAll(),
			}, nil)
			res := b.ask("go")
			if string(res.Output) != c.output || res.Stop != agent.StopDone || res.Turns != c.calls {
				t.Errorf("got %s after %d turns, stop %s; want %s after %d", res.Output, res.Turns, res.Stop, c.output, c.calls)
			}
			for _, e := range b.log() {
				if d, ok := e.Data.(*agent.ToolEnded); ok && d.Outcome != agent.OutcomeOK && c.output != "" {
					t.Errorf("%s ended as %s", d.Result.Name, d.Outcome)
				}
			}
			b.ask("and now?") // the log is whole
		})
	}
}

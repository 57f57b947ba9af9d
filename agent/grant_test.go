package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/helios-go/helios/agent"
	"github.com/helios-go/helios/agent/agenttest"
	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/llm/llmtest"
	"github.com/helios-go/helios/tool"
)

// An answer may hold for the rest of the session; the question says for what.
func ExampleGrant() {
	write := tool.New("write", "Write a file", func(context.Context, struct {
		Path string `json:"path"`
	}) (string, error) {
		return "written", nil
	}, tool.WithEffect(tool.Mutating), tool.WithKind(tool.KindWrite), tool.WithKey(tool.PathKey("path")))
	model := llmtest.New(
		llmtest.Call("write", `{"path":"notes.md"}`), llmtest.Call("write", `{"path":"./notes.md"}`), llmtest.Text("Done."),
	)
	approver := agent.ApproverFunc(func(_ context.Context, q *tool.Question) (tool.Answer, error) {
		fmt.Println(q.Text)
		fmt.Println("because", q.Reason)
		return tool.Answer{Choices: []string{tool.Always}}, nil
	})
	a := agent.Agent{Model: model, Tools: []tool.Tool{write}, Policy: agent.Permissions{}}
	s, err := a.Open(context.Background(), &agent.OpenOptions{Approver: approver})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	res, err := s.Run(context.Background(), "Take notes.")
	fmt.Println(res.Text, err)
	fmt.Println(s.Grants())
	// Output:
	// May write run on "notes.md"? "always" also allows every later call of write on "notes.md" in this session.
	// because default mode asks about tools of kind write
	// Done. <nil>
	// [{write [notes.md]}]
}

// asker answers permission questions, and keeps them.
type asker struct {
	choice string
	asked  []*tool.Question
}

func (k *asker) Approve(_ context.Context, q *tool.Question) (tool.Answer, error) {
	k.asked = append(k.asked, q)
	return tool.Answer{Choices: []string{k.choice}}, nil
}

func (k *asker) texts() []string {
	var all []string
	for _, q := range k.asked {
		all = append(all, q.Tool+" "+strings.Join(q.Keys, ","))
	}
	return all
}

func (k *asker) want(t *testing.T, want ...string) {
	t.Helper()
	if got := k.texts(); !slices.Equal(got, want) {
		t.Errorf("asked about %q, want %q", got, want)
	}
}

func writes(paths ...string) llmtest.Turn {
	turn := llmtest.Turn{}
	for i, p := range paths {
		args := fmt.Sprintf(`{"path":%q}`, p)
		if i == 0 {
			turn = llmtest.Call("write", args)
			continue
		}
		turn = turn.And("write", args)
	}
	return turn
}

func writer() agent.Agent {
	return agent.Agent{
		Tools:  []tool.Tool{path("write", tool.Mutating, tool.KindWrite), path("other", tool.Mutating, tool.KindWrite), echo("whole", tool.Mutating)},
		Policy: agent.Permissions{Deny: []agent.Rule{{Tool: "*", Key: "**/secrets.*"}}},
	}
}

func TestAlwaysIsForTheSameToolAndKey(t *testing.T) {
	t.Parallel()
	k := &asker{choice: " Always"} // as people type
	b := oneTurn(t, writer(), &agent.OpenOptions{Approver: k},
		writes("a", "./a", "x/../a", "b", "b").And("other", `{"path":"a"}`).And("whole", `{"text":"1"}`).And("whole", `{"text":"2"}`))
	k.want(t, "write a", "write b", "other a", "whole ")
	wantTexts(t, b.ended(), "write a", "write ./a", "write x/../a", "write b", "write b", "other a", "whole:1", "whole:2")
	if got := fmt.Sprint(b.Grants()); got != "[{write [a]} {write [b]} {other [a]} {whole []}]" {
		t.Errorf("grants: %s", got)
	}
	for i, want := range []string{
		`May write run on "a"? "always" also allows every later call of write on "a" in this session.`, "", "",
		`May whole run with {"text":"1"}? "always" also allows every later call of whole, whatever its arguments, in this session.`,
	} {
		q := k.asked[i]
		if want != "" && q.Text != want {
			t.Errorf("question %d: %s\nwant %s", i, q.Text, want)
		}
		if c := q.Choices; len(c) != 3 || c[0].Label != tool.Allow || c[1].Label != tool.Deny || c[2].Label != tool.Always || q.Validate() != nil {
			t.Errorf("choices: %+v, %v", c, q.Validate())
		}
	}
}

func TestAllowIsForOneCallOnly(t *testing.T) {
	t.Parallel()
	k := &asker{choice: "ALLOW "}
	b := oneTurn(t, writer(), &agent.OpenOptions{Approver: k}, writes("a", "a"))
	k.want(t, "write a", "write a")
	wantTexts(t, b.ended(), "write a", "write a")
	wantEqual(t, "grants", len(b.Grants()), 0)
}

func TestAGrantSurvivesARestartAndAForkButNotADeny(t *testing.T) {
	t.Parallel()
	store, k := agent.NewMemoryStore(), &asker{choice: tool.Always}
	run := func(policy agent.Policy, approver agent.Approver, turns ...llmtest.Turn) (*bench, []*agent.ToolEnded) {
		a := writer()
		a.Model = script(turns...)
		if policy != nil {
			a.Policy = policy
		}
		b := open(t, a, &agent.OpenOptions{Store: store, SessionID: "s", Approver: approver})
		before := len(b.ended())
		b.ask("go")
		return b, b.ended()[before:]
	}
	_, ends := run(nil, k, writes("a"), llmtest.Text("done"))
	wantTexts(t, ends, "write a")
	k.want(t, "write a")

	b, ends := run(nil, nil, writes("a", "b"), llmtest.Text("done"), writes("a"), llmtest.Text("done")) // nobody to ask any more
	wantTexts(t, ends, "denied: it needs permission, and nobody is there to ask", "write a")
	fork, err := b.Fork(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	fb := &bench{fork, t, store}
	defer fb.done()
	fb.ask("again")
	wantTexts(t, fb.ended(), "write a")
	early, err := b.Fork(t.Context(), 2)
	if err != nil {
		t.Fatal(err)
	}
	defer early.Close()
	wantEqual(t, "grants before the answer", len(early.Grants()), 0)

	_, ends = run(agent.Permissions{Deny: parse(t, "write(a)")}, k, writes("a"), llmtest.Text("done"))
	wantTexts(t, ends, "denied: the rule write(a) forbids it")
	deny := agent.Hook{Name: "h", BeforeTool: func(context.Context, agent.Moment, *tool.Call) (agent.ToolVerdict, error) {
		return agent.ToolVerdict{Deny: "not now"}, nil
	}}
	a := writer()
	a.Model, a.Hooks = script(writes("a"), llmtest.Text("done")), []agent.Hook{deny}
	last := open(t, a, &agent.OpenOptions{Store: store, SessionID: "s"})
	last.ask("go")
	wantEqual(t, "with a hook", last.ended()[len(last.ended())-1].Result.Text(), "denied: not now")
}

func TestAGrantForATakesNoKeyOfB(t *testing.T) {
	t.Parallel()
	// A tool gets keys in a later version of the program: the grant for it as a whole
	// was for another thing.
	store := agent.NewMemoryStore()
	k := &asker{choice: tool.Always}
	opts := &agent.OpenOptions{Store: store, SessionID: "s", Approver: k}
	plain := tool.New("write", "", func(context.Context, struct {
		Path string `json:"path"`
	}) (string, error) {
		return "", nil
	}, tool.WithEffect(tool.Mutating))
	open(t, agent.Agent{Model: script(writes("a"), llmtest.Text("done")), Tools: []tool.Tool{plain}}, opts).ask("go")
	a := writer()
	a.Model = script(writes("a"), llmtest.Text("done"))
	open(t, a, opts).ask("go")
	k.want(t, "write ", "write a")
}

func TestSeveralKeysAreGrantedTogether(t *testing.T) {
	t.Parallel()
	move := tool.New("move", "", func(context.Context, struct {
		From string `json:"from"`
		To   string `json:"to"`
	}) (string, error) {
		return "moved", nil
	}, tool.WithEffect(tool.Mutating), tool.WithKeys(func(args json.RawMessage) ([]string, error) {
		from, err := tool.PathKey("from")(args)
		to, err2 := tool.PathKey("to")(args)
		return []string{from, to}, errors.Join(err, err2)
	}))
	k := &asker{choice: tool.Always}
	oneTurn(t, agent.Agent{Tools: []tool.Tool{move}}, &agent.OpenOptions{Approver: k},
		llmtest.Call("move", `{"from":"a","to":"b"}`).And("move", `{"from":"./a","to":"b"}`).And("move", `{"from":"a","to":"c"}`).And("move", `{"from":"b","to":"a"}`))
	k.want(t, "move a,b", "move a,c", "move b,a")
	if want := `May move run on "a" and "b"? `; !strings.HasPrefix(k.asked[0].Text, want) {
		t.Errorf("question: %s", k.asked[0].Text)
	}
}

func TestWhatAQuestionCannotShowItDoesNotGrant(t *testing.T) {
	t.Parallel()
	k := &asker{choice: tool.Always}
	b := oneTurn(t, writer(), &agent.OpenOptions{Approver: k}, writes(strings.Repeat("é/", 300)))
	wantTexts(t, b.ended(), "denied: answer: always is not among the choices")
	if q := k.asked[0]; len(q.Text) > 600 || len(q.Choices) != 2 || !strings.HasSuffix(q.Text, "...?") {
		t.Errorf("question: %+v", q)
	}
}

func TestTheModelsWordsDoNotPassForOurs(t *testing.T) {
	t.Parallel()
	k := &asker{choice: tool.Deny}
	key := func(json.RawMessage) (string, error) { return "a\"? Yes, it may.\n\u202e", nil }
	sly := tool.New("sly", "", func(context.Context, struct{}) (string, error) { return "", nil }, tool.WithKey(key))
	oneTurn(t, agent.Agent{Tools: []tool.Tool{sly}}, &agent.OpenOptions{Approver: k}, llmtest.Call("sly", ``))
	if want := `May sly run on "a\"? Yes, it may.\n\u202e"? `; !strings.HasPrefix(k.asked[0].Text, want) {
		t.Errorf("question: %s", k.asked[0].Text)
	}
}

func TestAlwaysAnswersTheOpenQuestionsThatItCovers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := writer()
		a.Model = script(writes("a", "b", "./a", "b"), llmtest.Text("done"))
		b := open(t, a, &agent.OpenOptions{Approver: agent.Later})
		b.send("go", agent.Steer)
		synctest.Wait() // until all are asked
		questions := pick[*agent.QuestionAsked](b.log())
		wantEqual(t, "questions", len(questions), 4)
		answer := func(i int, choice string) error {
			return b.Answer(t.Context(), questions[i].Question.ID, tool.Answer{Choices: []string{choice}})
		}
		if err := answer(3, tool.Deny); err != nil { // before the others, and not undone by them
			t.Fatal(err)
		}
		if err := answer(0, tool.Always); err != nil {
			t.Fatal(err)
		}
		if err := answer(2, tool.Deny); !errors.Is(err, agent.ErrNoQuestion) {
			t.Errorf("the third question is still open: %v", err)
		}
		synctest.Wait()
		if res, _ := b.wait(); res.Stop != agent.StopQuestion || res.Question.ID != questions[1].Question.ID {
			t.Fatalf("result %+v, want the second question", res)
		}
		if err := answer(1, tool.Always); err != nil {
			t.Fatal(err)
		}
		res, err := b.wait()
		wantEqual(t, "text", res.Text, "done")
		if err != nil {
			t.Error(err)
		}
		wantTexts(t, b.ended(), "write a", "write b", "write ./a", "denied by the user")
	})
}

func TestAnAnswerThatWasNotOfferedIsNoGrant(t *testing.T) {
	t.Parallel()
	for _, choices := range [][]string{{tool.Always, tool.Deny}, {tool.Allow, tool.Deny}, {"yes"}, {}} {
		store := agent.NewMemoryStore()
		a := writer()
		a.Model = script(writes("a"), llmtest.Text("done"))
		b := open(t, a, &agent.OpenOptions{Store: store, Approver: agent.Later})
		res, _ := b.Run(t.Context(), "go")
		// Past the checks of Session.Answer, by somebody who writes to the store.
		if _, err := store.Post(t.Context(), b.ID(), []agent.Event{{Data: &agent.QuestionAnswered{ID: res.Question.ID, Answer: tool.Answer{Choices: choices}}}}); err != nil {
			t.Fatal(err)
		}
		res, err := b.wait()
		if err != nil || res.Text != "done" || b.ended()[0].Outcome != agent.OutcomeDenied || len(b.Grants()) > 0 {
			t.Errorf("%q: %+v, %v; ended %q, grants %v", choices, res, err, texts(b.ended()), b.Grants())
		}
	}
}

func TestAGrantOfASubAgentIsItsOwn(t *testing.T) {
	t.Parallel()
	worker := writer()
	worker.Name = "worker"
	worker.Model = llmtest.Func(func(req *llm.Request) llmtest.Turn {
		if len(req.Messages) < 5 {
			return writes("a")
		}
		return llmtest.Text("written twice")
	})
	lead := writer()
	lead.Tools = append(lead.Tools, worker.Tool("work", ""))
	k := &asker{choice: tool.Always}
	b := oneTurn(t, lead, &agent.OpenOptions{Approver: k},
		llmtest.Call("work", `{"task":"x"}`).And("write", `{"path":"a"}`).And("work", `{"task":"x"}`))
	wantTexts(t, b.ended(), "written twice", "write a", "written twice")
	k.want(t, "write a", "write a", "write a")
	wantEqual(t, "grants of the lead", fmt.Sprint(b.Grants()), "[{write [a]}]")
	if want := `every later call of write on "a" while the sub-agent "worker" works on this task.`; !strings.HasSuffix(k.asked[0].Text, want) {
		t.Errorf("question: %s", k.asked[0].Text)
	}
}

func TestAGrantSurvivesJSON(t *testing.T) {
	t.Parallel()
	k := &asker{choice: tool.Always}
	empty := tool.New("empty", "", func(context.Context, struct{}) (string, error) { return "", nil },
		tool.WithKey(func(json.RawMessage) (string, error) { return "", nil }))
	a := agent.Agent{Tools: []tool.Tool{empty, echo("whole", tool.Mutating)}}
	b := oneTurn(t, a, &agent.OpenOptions{Approver: k}, llmtest.Call("empty", ``).And("whole", ``))
	copied := agent.NewMemoryStore()
	for _, e := range b.log() {
		data, err := json.Marshal(e)
		var back agent.Event
		if err == nil {
			err = json.Unmarshal(data, &back)
		}
		if err == nil {
			_, err = copied.Post(t.Context(), "copy", []agent.Event{back})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	a.Model = script(llmtest.Call("empty", ``).And("whole", ``), llmtest.Text("done"))
	again := open(t, a, &agent.OpenOptions{Store: copied, SessionID: "copy", Approver: k})
	again.ask("go")
	k.want(t, "empty ", "whole ")
	wantEqual(t, "grants", fmt.Sprintf("%q", again.Grants()), `[{"empty" [""]} {"whole" []}]`)
}

func TestPermissionIsForTheArgumentsThatWereAskedAbout(t *testing.T) {
	t.Parallel()
	target := "a"
	a := writer()
	a.Hooks = []agent.Hook{{Name: "redirect", BeforeTool: func(context.Context, agent.Moment, *tool.Call) (agent.ToolVerdict, error) {
		return agent.ToolVerdict{Args: json.RawMessage(`{ "path": "` + target + `" }`)}, nil
	}}}
	for to, want := range map[string]string{
		"a": "write a",
		"b": "denied: its arguments are no longer those that permission was asked for",
	} {
		store := agent.NewMemoryStore()
		opts := &agent.OpenOptions{Store: store, SessionID: "s", Approver: agent.Later}
		target, a.Model = "a", script(writes("x"))
		b := open(t, a, opts)
		res, _ := b.Run(t.Context(), "go")
		b.Close()
		target, a.Model = to, script(llmtest.Text("done"))
		again := open(t, a, opts)
		if err := again.Answer(t.Context(), res.Question.ID, tool.Answer{Choices: []string{tool.Allow}}); err != nil && to == "a" {
			t.Fatal(err)
		}
		again.wait()
		wantTexts(t, again.ended(), want)
	}
}

func TestClosingASessionEndsItsQuestion(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		waits := agent.ApproverFunc(func(ctx context.Context, _ *tool.Question) (tool.Answer, error) {
			<-ctx.Done()
			return tool.Answer{Choices: []string{tool.Always}}, ctx.Err()
		})
		a := writer()
		a.Model = script(writes("a"))
		b := open(t, a, &agent.OpenOptions{Approver: waits})
		b.send("go", agent.Steer)
		synctest.Wait()
		if err := b.Answer(t.Context(), "perm_other", tool.Answer{Choices: []string{tool.Always}}); !errors.Is(err, agent.ErrNoQuestion) {
			t.Errorf("answer to a question that nobody asked: %v", err)
		}
		b.Close()
		res, err := b.wait()
		wantStop(t, res, err, agent.StopCancelled, agent.ErrClosed)
		wantTexts(t, b.ended(), "interrupted: the call was not made")
		wantEqual(t, "grants", len(b.Grants()), 0)
	})
}

// TestACrashNeverForgetsOrInventsAGrant kills the session at each write.
func TestACrashNeverForgetsOrInventsAGrant(t *testing.T) {
	t.Parallel()
	for n := 0; ; n++ {
		finished := false
		synctest.Test(t, func(t *testing.T) {
			a := writer()
			a.Hooks = []agent.Hook{hideWrite(3)}
			a.Model = llmtest.Func(func(req *llm.Request) llmtest.Turn {
				switch len(req.Messages) {
				case 1:
					return writes("a", "a")
				case 3:
					return writes("a", "secrets.env")
				case 5:
					return writes("a")
				}
				return llmtest.Text("done")
			})
			inner := agent.NewMemoryStore()
			crash := agenttest.Crash(inner, n)
			k := &asker{choice: tool.Always}
			s, err := a.Open(t.Context(), &agent.OpenOptions{Store: crash, SessionID: "s", Approver: k})
			if err != nil {
				t.Fatal(err)
			}
			_, sendErr := s.Send(t.Context(), llm.User("go"), agent.Steer)
			s.Wait(t.Context())
			s.Close()
			finished = !crash.Crashed()
			time.Sleep(time.Minute) // the lease of the dead owner ends
			b := open(t, a, &agent.OpenOptions{Store: inner, SessionID: "s", Approver: k, Unsafe: agent.TellModel})
			if sendErr != nil {
				b.send("go", agent.Steer)
			}
			if res, err := b.wait(); err != nil || res.Text != "done" {
				t.Errorf("crash at write %d: %+v, %v", n, res, err)
			}
			wantEqual(t, "questions in the log", len(pick[*agent.QuestionAsked](b.log())), 1)
			wantEqual(t, "grants", fmt.Sprint(b.Grants()), "[{write [a]}]")
			for _, end := range b.ended() {
				switch text := end.Result.Text(); {
				case end.Outcome == agent.OutcomeOK, end.Outcome == agent.OutcomeUnknown:
				case text == "denied: the rule *(**/secrets.*) forbids it", text == "denied: write is not on offer in this turn":
				default:
					t.Errorf("crash at write %d: %s", n, text)
				}
			}
			if ends := texts(b.ended()); len(ends) != 5 || ends[4] != "denied: write is not on offer in this turn" {
				t.Errorf("crash at write %d: ended %q", n, ends)
			}
		})
		if t.Failed() || finished {
			t.Logf("%d writes", n)
			return
		}
	}
}

func TestWhatIsSecretInAKeyIsNeitherShownNorGranted(t *testing.T) {
	t.Parallel()
	k := &asker{choice: tool.Allow}
	a := writer()
	a.Secrets = registry(t)
	a.Policy = agent.Strictest(agent.Permissions{Ask: []agent.Rule{{Tool: "write", Key: "**/" + token}}})
	a.Model = script(writes("a/"+token, "b"), llmtest.Text("done"))
	store := agent.NewMemoryStore()
	b := open(t, a, &agent.OpenOptions{Store: store, SessionID: "s", Approver: agent.Later})
	res, _ := b.Run(t.Context(), "go")
	b.Close() // and the question is found in the log, by its redacted arguments
	if q := res.Question; len(q.Choices) != 2 || len(q.Keys) != 1 || strings.Contains(fmt.Sprintf("%+v %s", q, q.Args), token) {
		t.Errorf("question: %+v %s", q, q.Args)
	}
	again := open(t, a, &agent.OpenOptions{Store: store, SessionID: "s", Approver: k})
	again.wait()
	wantEqual(t, "asked", len(k.asked), 2)
	wantEqual(t, "choices where nothing is secret", len(k.asked[1].Choices), 3)
	for _, e := range pick[*agent.QuestionAsked](again.log()) {
		if data, err := json.Marshal(e); err != nil || strings.Contains(string(data), token) {
			t.Errorf("in the log: %s, %v", data, err)
		}
	}
	if ends := again.ended(); len(ends) != 2 || ends[0].Outcome != agent.OutcomeOK || ends[1].Outcome != agent.OutcomeOK {
		t.Errorf("ended %q", texts(ends))
	}
}

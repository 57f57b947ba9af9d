package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/helios-go/helios/agent"
	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/llm/llmtest"
	"github.com/helios-go/helios/tool"
)

// A policy of one's own is a function. Of several, the strictest counts.
func ExampleStrictest() {
	fetch := tool.New("fetch", "Fetch a page", func(context.Context, struct{ URL string }) (string, error) {
		return "<html>", nil
	}, tool.WithEffect(tool.ReadOnly), tool.WithKind(tool.KindNetwork), tool.WithKey(func(args json.RawMessage) (string, error) {
		var in struct{ URL string }
		err := json.Unmarshal(args, &in)
		return in.URL, err
	}))
	officeHours := agent.PolicyFunc(func(_ context.Context, c *tool.Call) (agent.Decision, error) {
		if c.Kind == tool.KindNetwork && c.User != "ada" {
			return agent.Deny, errors.New("only ada may use the network") // the model is told so
		}
		return agent.Allow, nil
	})
	rules := agent.Permissions{Allow: []agent.Rule{{Tool: "fetch", Key: "https://cdaweb.gsfc.nasa.gov/**"}}}
	a := agent.Agent{Tools: []tool.Tool{fetch}, Policy: agent.Strictest(rules, officeHours)}
	fmt.Println(a.Explain(context.Background(), "fetch", json.RawMessage(`{"URL":"https://cdaweb.gsfc.nasa.gov/pub/"}`)))

	a.Policy = rules
	fmt.Println(a.Explain(context.Background(), "fetch", json.RawMessage(`{"URL":"https://cdaweb.gsfc.nasa.gov/pub/"}`)))
	fmt.Println(a.Explain(context.Background(), "fetch", json.RawMessage(`{"URL":"https://example.org/"}`)))
	// Output:
	// deny only ada may use the network
	// allow the rule fetch(https://cdaweb.gsfc.nasa.gov/**) allows it
	// ask default mode asks about tools of kind network
}

// AllowTools is the default policy and a list of names.
func ExampleAllowTools() {
	run := func(context.Context, struct{}) (string, error) { return "done", nil }
	a := agent.Agent{
		Tools:  []tool.Tool{tool.New("look", "", run, tool.WithEffect(tool.ReadOnly)), tool.New("send", "", run), tool.New("delete", "", run)},
		Policy: agent.AllowTools("send"),
	}
	for _, t := range a.Tools {
		d, _ := a.Explain(context.Background(), t.Spec.Name, nil)
		fmt.Println(t.Spec.Name, d)
	}
	// Output:
	// look allow
	// send allow
	// delete ask
}

// Rules are written as text in configuration, and refused where they cannot mean
// what they say.
func ExampleParseRule() {
	for _, text := range []string{"write(src/**)", "mcp__*", "write(../x)", "write(src/"} {
		r, err := agent.ParseRule(text)
		if err == nil {
			err = r.Check()
		}
		fmt.Printf("%q %q %v\n", r.Tool, r.Key, err)
	}
	// Output:
	// "write" "src/**" <nil>
	// "mcp__*" "" <nil>
	// "" "" rule "write(../x)": the pattern holds a part that is . or .., which no key does
	// "" "" rule "write(src/": a pattern ends with )
}

// Nobody answers within the time: permission is denied.
func ExampleLimits_answer() {
	deploy := tool.New("deploy", "Put a version online", func(context.Context, struct{}) (string, error) {
		return "1.2 is online", nil
	}, tool.WithEffect(tool.Mutating))
	model := llmtest.New(llmtest.Call("deploy", `{}`), llmtest.Text("Nobody allowed it."))
	asleep := agent.ApproverFunc(func(ctx context.Context, q *tool.Question) (tool.Answer, error) {
		<-ctx.Done()
		return tool.Answer{}, context.Cause(ctx)
	})
	a := agent.Agent{Model: model, Tools: []tool.Tool{deploy}, Limits: agent.Limits{Answer: 5 * time.Millisecond}}
	s, err := a.Open(context.Background(), &agent.OpenOptions{Approver: asleep})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	res, err := s.Run(context.Background(), "Deploy 1.2.")
	fmt.Println(res.Text, err)
	fmt.Println(s.History()[2].Parts[0].Result.Text())
	// Output:
	// Nobody allowed it. <nil>
	// denied: nobody has answered the question in time
}

// All questions of a message can be shown, and answered, together.
func ExampleSession_Questions() {
	ctx := context.Background()
	remove := tool.New("remove", "Remove a file", func(_ context.Context, in struct{ Path string }) (string, error) {
		return in.Path + " is gone", nil
	}, tool.WithEffect(tool.Mutating))
	model := llmtest.New(
		llmtest.Call("remove", `{"Path":"a.txt"}`).And("remove", `{"Path":"b.txt"}`),
		llmtest.Text("Done."),
	)
	s, err := agent.Agent{Model: model, Tools: []tool.Tool{remove}}.Open(ctx, &agent.OpenOptions{Approver: agent.Later})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	res, err := s.Run(ctx, "Clean up.")
	fmt.Println(res.Stop, err)
	for i, q := range s.Questions() {
		answer := tool.Yes()
		if i > 0 {
			answer = tool.No("I need that one")
		}
		if err := s.Answer(ctx, q.ID, answer); err != nil {
			fmt.Println(err)
		}
	}
	res, err = s.Wait(ctx)
	fmt.Println(res.Text, err)
	for _, p := range s.History()[2].Parts {
		fmt.Println(p.Result.Text())
	}
	fmt.Println(errors.Is(s.Answer(ctx, "perm_1", tool.Yes()), agent.ErrNoQuestion))
	// Output:
	// question <nil>
	// Done. <nil>
	// a.txt is gone
	// denied by the user: I need that one
	// true
}

// A hook can keep tools from the model, in a turn or in all.
func ExampleHook_beforeModel() {
	run := func(context.Context, struct{}) (string, error) { return "done", nil }
	lookFirst := agent.Hook{
		Name: "look-first",
		BeforeModel: func(_ context.Context, at agent.Moment, req *llm.Request) (agent.ModelVerdict, error) {
			if at.Turn == 1 {
				req.Tools = slices.DeleteFunc(req.Tools, func(t llm.ToolSpec) bool { return t.Name != "look" })
			}
			return agent.ModelVerdict{}, nil
		},
	}
	model := llmtest.New(llmtest.Call("write", `{}`), llmtest.Call("write", `{}`), llmtest.Text("Written."))
	a := agent.Agent{
		Model: model, Hooks: []agent.Hook{lookFirst}, Policy: agent.AllowAll(),
		Tools: []tool.Tool{tool.New("look", "Look", run, tool.WithEffect(tool.ReadOnly)), tool.New("write", "Write", run)},
	}
	s, err := a.Open(context.Background(), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	res, err := s.Run(context.Background(), "Write it.")
	fmt.Println(res.Text, err)
	fmt.Println(s.History()[2].Parts[0].Result.Text())
	fmt.Println(s.History()[4].Parts[0].Result.Text())
	// Output:
	// Written. <nil>
	// denied: write is not on offer in this turn
	// done
}

// Messages can be changed or kept out before any model sees them, and results
// before the log and the model do.
func ExampleHook_message() {
	guard := agent.Hook{
		Name: "guard",
		Message: func(_ context.Context, _ agent.Moment, m llm.Message) (agent.MessageVerdict, error) {
			if strings.Contains(m.Text(), "password") {
				return agent.MessageVerdict{Block: "passwords do not belong here"}, nil
			}
			return agent.MessageVerdict{}, nil
		},
		AfterTool: func(_ context.Context, _ agent.Moment, _ *tool.Call, r tool.Result) (agent.ResultVerdict, error) {
			if len(r.Text()) > 20 {
				short := tool.Text(r.Text()[:20] + " ...")
				return agent.ResultVerdict{Result: &short}, nil
			}
			return agent.ResultVerdict{}, nil
		},
	}
	read := tool.New("read", "Read a page", func(context.Context, struct{}) (string, error) {
		return "It was a dark and stormy night; the rain fell in torrents.", nil
	}, tool.WithEffect(tool.ReadOnly))
	model := llmtest.New(llmtest.Call("read", `{}`), llmtest.Text("A storm."))
	s, err := agent.Agent{Model: model, Tools: []tool.Tool{read}, Hooks: []agent.Hook{guard}}.Open(context.Background(), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	res, err := s.Run(context.Background(), "My password is hunter2.")
	fmt.Printf("%q %q %v\n", res.Text, res.Stop, err) // it never ran
	res, err = s.Run(context.Background(), "What is it about?")
	fmt.Println(res.Text, err)
	fmt.Println(s.History()[2].Parts[0].Result.Text())
	// Output:
	// "" "blocked" run stopped: message blocked: passwords do not belong here
	// A storm. <nil>
	// It was a dark and st ...
}

// One approver answers for permissions and for what the model asks with ask_user.
func ExampleApproverFunc() {
	terminal := agent.ApproverFunc(func(_ context.Context, q *tool.Question) (tool.Answer, error) {
		fmt.Println(q.Text)
		if q.Permission {
			return tool.No("not today"), nil
		}
		return tool.Answer{Choices: []string{q.Choices[0].Label}}, nil // or a Text of the user's own
	})
	model := llmtest.New(
		llmtest.Call("ask_user", `{"question":"Which spacecraft?","options":[{"label":"ACE"},{"label":"Wind"}]}`),
		llmtest.Call("order", `{}`),
		llmtest.Text("ACE it is, but I may not order it."),
	)
	order := tool.New("order", "Order the data", func(context.Context, struct{}) (string, error) { return "ordered", nil })
	s, err := agent.Agent{Model: model, Tools: []tool.Tool{tool.AskUser(), order}}.Open(context.Background(), &agent.OpenOptions{Approver: terminal})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	res, err := s.Run(context.Background(), "Get me the field.")
	fmt.Println(res.Text, err)
	// Output:
	// Which spacecraft?
	// May order run? "always" also allows every later call of order, whatever its arguments, in this session.
	// ACE it is, but I may not order it. <nil>
}

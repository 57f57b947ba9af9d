package agent_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/helios-go/helios/agent"
	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/llm/llmtest"
	"github.com/helios-go/helios/store/sqlite"
	"github.com/helios-go/helios/tool"
)

// warm is a model that looks up the weather and answers.
func warm() llm.Model {
	return llmtest.New(llmtest.Call("weather", `{"City":"Toulouse"}`), llmtest.Text("Yes, it is 22 C."))
}

// The smallest agent with a typed tool. A real model in place of the scripted
// one is the only difference to a real program.
func Example() {
	ctx, model := context.Background(), warm()
	weather := tool.New("weather", "Weather in a city now", func(ctx context.Context, in struct{ City string }) (string, error) {
		return "22 C in " + in.City, nil
	}, tool.WithEffect(tool.ReadOnly))
	a := agent.Agent{Model: model, Tools: []tool.Tool{weather}}
	res, err := a.Run(ctx, "Is it warm in Toulouse?")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(res.Text)
	// Output: Yes, it is 22 C.
}

// A session is a conversation: each question sees the ones before.
func ExampleAgent_Open() {
	ctx := context.Background()
	model := llmtest.New(llmtest.Text("Hello Ada."), llmtest.Text("Your name is Ada."))
	s, err := agent.Agent{Model: model}.Open(ctx, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	for _, question := range []string{"I am Ada.", "What is my name?"} {
		res, err := s.Run(ctx, question)
		fmt.Println(res.Text, err)
	}
	fmt.Println(len(s.History()), "messages")
	// Output:
	// Hello Ada. <nil>
	// Your name is Ada. <nil>
	// 4 messages
}

// Events replays the log from any point and then goes on live; a user interface
// needs nothing else.
func ExampleSession_Events() {
	ctx := context.Background()
	weather := tool.New("weather", "Weather in a city now", func(ctx context.Context, in struct{ City string }) (string, error) {
		return "22 C", nil
	}, tool.WithEffect(tool.ReadOnly))
	s, err := agent.Agent{Model: warm(), Tools: []tool.Tool{weather}}.Open(ctx, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	events := s.Events(ctx, 0) // listens from here on, so that nothing is missed
	if _, err := s.Send(ctx, llm.User("Is it warm in Toulouse?"), agent.Steer); err != nil {
		fmt.Println(err)
	}
	for e, err := range events {
		if err != nil {
			fmt.Println(err)
			return
		}
		switch d := e.Data.(type) {
		case *agent.ToolStarted:
			fmt.Printf("%s %s\n", d.Call.Name, d.Call.Args)
		case *agent.ToolEnded:
			fmt.Printf("-> %s\n", d.Result.Text())
		case *agent.RunEnded:
			fmt.Println(d.Result.Text)
			return
		}
	}
	// Output:
	// weather {"City":"Toulouse"}
	// -> 22 C
	// Yes, it is 22 C.
}

// A run is interrupted at a safe point. What the model was doing is kept, and the
// conversation goes on from there.
func ExampleSession_Interrupt() {
	ctx := context.Background()
	model := llmtest.New(llmtest.Text("The history of Toulouse began").Hanging())
	s, err := agent.Agent{Model: model}.Open(ctx, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	events := s.Events(ctx, 0)
	if _, err := s.Send(ctx, llm.User("Tell me about Toulouse."), agent.Steer); err != nil {
		fmt.Println(err)
	}
	for e, err := range events {
		if err != nil {
			fmt.Println(err)
			return
		}
		if d, ok := e.Data.(*agent.TextDelta); ok && d.Text == "began" {
			break // enough
		}
	}
	if err := s.Interrupt(ctx, agent.Now, "shorter please"); err != nil {
		fmt.Println(err)
	}
	res, err := s.Wait(ctx)
	fmt.Printf("%s (%s)\n", res.Text, res.Stop)
	fmt.Println(errors.Is(err, agent.ErrInterrupted), err)
	// Output:
	// The history of Toulouse began (interrupted)
	// true run stopped: interrupted: shorter please
}

// A steering message is seen at the next model call of the run that is going on.
func ExampleSession_Send() {
	ctx := context.Background()
	started, goOn := make(chan bool), make(chan bool)
	search := tool.New("search", "Search the archive", func(context.Context, struct{}) (string, error) {
		started <- true
		<-goOn
		return "3 events", nil
	}, tool.WithEffect(tool.ReadOnly))
	model := llmtest.Func(func(req *llm.Request) llmtest.Turn {
		if last := req.Messages[len(req.Messages)-1]; len(req.Messages) > 1 {
			return llmtest.Text("You said: " + last.Text())
		}
		return llmtest.Call("search", `{}`)
	})
	s, err := agent.Agent{Model: model, Tools: []tool.Tool{search}}.Open(ctx, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	s.Send(ctx, llm.User("Find shocks."), agent.Steer)
	<-started
	s.Send(ctx, llm.User("Only in 2015."), agent.Steer)
	goOn <- true
	res, err := s.Wait(ctx)
	fmt.Println(res.Text, err)
	// Output: You said: Only in 2015. <nil>
}

// What a tool may do is decided call by call. Without a policy, tools that only
// read run and the rest is asked.
func ExampleApprover() {
	remove := tool.New("remove", "Remove a file", func(ctx context.Context, in struct{ Path string }) (string, error) {
		return "removed", nil
	}, tool.WithEffect(tool.Mutating))
	model := llmtest.New(
		llmtest.Call("remove", `{"Path":"a.txt"}`).And("remove", `{"Path":"/etc/passwd"}`),
		llmtest.Text("Only a.txt is gone."),
	)
	approver := agent.ApproverFunc(func(_ context.Context, q *tool.Question) (tool.Answer, error) {
		fmt.Printf("%s %s? ", q.Tool, q.Args)
		if string(q.Args) == `{"Path":"a.txt"}` {
			fmt.Println("yes")
			return tool.Yes(), nil
		}
		fmt.Println("no")
		return tool.No("not yours"), nil
	})
	s, err := agent.Agent{Model: model, Tools: []tool.Tool{remove}}.Open(context.Background(), &agent.OpenOptions{Approver: approver})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	res, err := s.Run(context.Background(), "Clean up.")
	fmt.Println(res.Text, err)
	// Output:
	// remove {"Path":"a.txt"}? yes
	// remove {"Path":"/etc/passwd"}? no
	// Only a.txt is gone. <nil>
}

// With Later the run is parked until somebody answers, here after a restart on
// the same file.
func ExampleLater() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "helios")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	deploy := tool.New("deploy", "Deploy a version", func(ctx context.Context, in struct{ Version string }) (string, error) {
		return "deployed " + in.Version, nil
	}, tool.WithEffect(tool.Mutating))
	model := llmtest.New(llmtest.Call("deploy", `{"Version":"1.2"}`), llmtest.Text("1.2 is live."))
	a := agent.Agent{Model: model, Tools: []tool.Tool{deploy}}

	process := func(work func(*agent.Session)) {
		store, err := sqlite.Open(filepath.Join(dir, "sessions.db"), nil)
		if err != nil {
			fmt.Println(err)
			return
		}
		defer store.Close()
		s, err := a.Open(ctx, &agent.OpenOptions{Store: store, SessionID: "release", Approver: agent.Later})
		if err != nil {
			fmt.Println(err)
			return
		}
		defer s.Close()
		work(s)
	}
	process(func(s *agent.Session) {
		res, _ := s.Run(ctx, "Deploy 1.2.")
		fmt.Println(res.Stop, res.Question.Tool, string(res.Question.Args))
	})
	process(func(s *agent.Session) {
		res, _ := s.Wait(ctx)
		s.Answer(ctx, res.Question.ID, tool.Yes())
		res, err := s.Wait(ctx)
		fmt.Println(res.Text, err)
	})
	// Output:
	// question deploy {"Version":"1.2"}
	// 1.2 is live. <nil>
}

// Limits stop a run, and its result still tells what was done.
func ExampleLimits() {
	model := llmtest.Func(func(req *llm.Request) llmtest.Turn {
		if req.Choice.Mode == llm.ChoiceNone {
			return llmtest.Text("I looked at 2 of 9 pages.").Using(llm.Usage{Input: 1000, Output: 100})
		}
		return llmtest.Call("look", `{}`).Using(llm.Usage{Input: 1000, Output: 100})
	})
	look := tool.New("look", "Look at the next page", func(context.Context, struct{}) (string, error) {
		return "nothing here", nil
	}, tool.WithEffect(tool.ReadOnly))
	a := agent.Agent{
		Model: model, Tools: []tool.Tool{look},
		Limits: agent.Limits{Turns: 3, Money: 5 * llm.Cent},
		Prices: llm.Prices{model.Name(): {Input: 3 * llm.Dollar, Output: 15 * llm.Dollar}}, // a million tokens
	}
	res, err := a.Run(context.Background(), "Is it in there?")
	fmt.Println(res.Text, res.Turns, res.Cost, err)

	a.Limits.Money = llm.Cent / 2
	res, err = a.Run(context.Background(), "Is it in there?")
	fmt.Println(res.Stop, res.Turns, res.Cost, errors.Is(err, agent.ErrMoney))
	// Output:
	// I looked at 2 of 9 pages. 3 $0.0135 <nil>
	// money 2 $0.009 true
}

// A tool marked Final gives an answer the shape of a Go type.
func ExampleResult_output() {
	type answer struct {
		City string  `json:"city"`
		Temp float64 `json:"temp" jsonschema:"in degrees Celsius"`
	}
	final := tool.New("answer", "Give the answer", func(_ context.Context, in answer) (answer, error) {
		return in, nil
	}, tool.Final(), tool.WithEffect(tool.ReadOnly))
	model := llmtest.New(llmtest.Call("answer", `{"city":"Toulouse","temp":22}`))
	res, err := agent.Agent{Model: model, Tools: []tool.Tool{final}}.Run(context.Background(), "Is it warm?")
	fmt.Println(string(res.Output), err)
	// Output: {"city":"Toulouse","temp":22} <nil>
}

// An application keeps what is its own in the log too.
func ExampleSession_Custom() {
	ctx := context.Background()
	store := agent.NewMemoryStore()
	s, err := agent.Agent{Model: llmtest.New(llmtest.Text("42"))}.Open(ctx, &agent.OpenOptions{Store: store, SessionID: "s"})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	if _, err := s.Run(ctx, "What is it?"); err != nil {
		fmt.Println(err)
	}
	if err := s.Custom(ctx, "verdict", map[string]int{"matched": 1}); err != nil {
		fmt.Println(err)
	}
	for e, err := range store.Read(ctx, "s", 1) {
		if err != nil {
			fmt.Println(err)
			return
		}
		if d, ok := e.Data.(*agent.Custom); ok {
			fmt.Println(e.Seq, d.Name, string(d.Data))
		}
	}
	// Output: 7 verdict {"matched":1}
}

package agent_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"time"

	"github.com/helios-go/helios/agent"
	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/llm/llmtest"
	"github.com/helios-go/helios/tool"
)

// One question, in a session of its own.
func ExampleAgent_Run() {
	ctx := context.Background()
	model := llmtest.New(llmtest.Call("weather", `{"City":"Toulouse"}`), llmtest.Text("Yes, it is 22 C."))

	weather := tool.New("weather", "Weather in a city now", func(ctx context.Context, in struct{ City string }) (string, error) {
		return "22 C in " + in.City, nil
	}, tool.WithEffect(tool.ReadOnly))
	a := agent.Agent{Model: model, Instructions: "You answer in one sentence.", Tools: []tool.Tool{weather}}
	res, err := a.Run(ctx, "Is it warm in Toulouse?")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(res.Text, res.Turns, res.ToolCalls)
	// Output: Yes, it is 22 C. 2 1
}

// An agent is a value: a copy that is changed is another agent.
func ExampleAgent() {
	careful := agent.Agent{Name: "careful", Model: llmtest.New(), Options: llm.Options{Temperature: new(0.0)}}
	quick := careful
	quick.Name, quick.Limits.Turns = "quick", 3
	fmt.Println(careful.Name, careful.Limits.Turns, quick.Name, quick.Limits.Turns)

	_, err := agent.Agent{Name: "empty"}.Open(context.Background(), nil)
	fmt.Println(err)
	careful.Choice = llm.ToolChoice{Mode: llm.ChoiceNamed, Names: []string{"look"}}
	_, err = careful.Open(context.Background(), nil)
	fmt.Println(err)
	// Output:
	// careful 0 quick 3
	// open agent "empty": it has no Model
	// open agent "careful": model: the tool choice names "look", which is no tool of the request
}

// Why a run stopped, and whether there is an error at all, in one switch.
func ExampleSession_Wait() {
	ctx := context.Background()
	deploy := tool.New("deploy", "Put a version online", func(context.Context, struct{}) (string, error) {
		return "1.2 is online", nil
	}, tool.WithEffect(tool.Mutating))
	model := llmtest.New(llmtest.Call("deploy", `{}`), llmtest.Text("1.2 is online."), llmtest.Fail(errors.New("no such model")))
	s, err := agent.Agent{Model: model, Tools: []tool.Tool{deploy}}.Open(ctx, &agent.OpenOptions{Approver: agent.Later})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	if _, err := s.Send(ctx, llm.User("Deploy 1.2."), agent.Steer); err != nil {
		fmt.Println(err)
	}
	for range 3 {
		res, err := s.Wait(ctx)
		switch res.Stop {
		case agent.StopDone:
			fmt.Println("answer:", res.Text)
		case agent.StopQuestion: // err is nil: the run goes on once this is answered
			fmt.Println("asks:", res.Question.Tool)
			err = s.Answer(ctx, res.Question.ID, tool.Yes())
		case agent.StopInterrupted, agent.StopCancelled:
			fmt.Println("stopped:", err)
		default: // a limit, a refusal, a failure
			fmt.Println("failed:", err)
		}
		if res.Stop == agent.StopDone {
			_, err = s.Send(ctx, llm.User("And 1.3?"), agent.Steer)
		}
		if err != nil && res.Err == nil {
			fmt.Println(err)
		}
	}
	// Output:
	// asks: deploy
	// answer: 1.2 is online.
	// failed: run failed: no such model
}

// The error of a run is a *StopError, which matches its reason and its cause;
// anything else means that there was no run to speak of.
func ExampleStopError() {
	model := llmtest.New(llmtest.Fail(&llm.Error{Kind: llm.KindAuth, Provider: "example", Status: 401, Err: errors.New("key revoked")}))
	res, err := agent.Agent{Model: model}.Run(context.Background(), "Hello?")
	stop, ok := errors.AsType[*agent.StopError](err)
	fmt.Println(ok, stop.Stop, res.Stop, errors.Is(err, llm.ErrAuth))
	fmt.Println(err)

	_, err = agent.Agent{}.Run(context.Background(), "Hello?")
	_, ok = errors.AsType[*agent.StopError](err)
	fmt.Println(ok, err)
	// Output:
	// true failed failed true
	// run failed: example: HTTP 401: key revoked
	// false open agent: it has no Model
}

// PreemptNow is what a chat's user means who says "no, the other one".
func ExamplePreemptNow() {
	ctx := context.Background()
	model := llmtest.New(llmtest.Text("Toulouse lies on the").Hanging(), llmtest.Text("Tulsa lies on the Arkansas."))
	s, err := agent.Agent{Model: model}.Open(ctx, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	events := s.Events(ctx, 0) // listens from here on
	if _, err := s.Send(ctx, llm.User("Where does Toulouse lie?"), agent.Steer); err != nil {
		fmt.Println(err)
	}
	for e, err := range events {
		if err != nil {
			fmt.Println(err)
			return
		}
		switch d := e.Data.(type) {
		case *agent.TextDelta:
			if d.Text == "the" {
				_, err = s.Send(ctx, llm.User("No, Tulsa!"), agent.PreemptNow)
			}
		case *agent.ModelMessage:
			fmt.Printf("%q partial=%t\n", d.Message.Text(), d.Partial)
		case *agent.RunEnded:
			fmt.Println(d.Result.Stop)
		}
		if d, ok := e.Data.(*agent.RunEnded); ok && d.Result.Stop == agent.StopDone || err != nil {
			break
		}
	}
	// Output:
	// "Toulouse lies on the" partial=true
	// interrupted
	// "Tulsa lies on the Arkansas." partial=false
	// done
}

// A reader that is too slow misses deltas, is told how many, and misses nothing
// that is in the log.
func ExampleDropped() {
	ctx := context.Background()
	long := llmtest.Text(strings.Repeat("word ", 5000))
	s, err := agent.Agent{Model: llmtest.New(long)}.Open(ctx, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	events := s.Events(ctx, 0)
	if _, err := s.Run(ctx, "Write a book."); err != nil {
		fmt.Println(err)
	}
	s.Close() // the loop below still gets what is in the log, and then ends without an error

	deltas, dropped, logged := 0, 0, 0
	for e, err := range events { // only now
		if err != nil {
			fmt.Println(err)
			return
		}
		switch d := e.Data.(type) {
		case *agent.TextDelta:
			deltas++
		case *agent.Dropped:
			dropped += d.N
		default:
			logged++
		}
	}
	fmt.Println(deltas+dropped, dropped > 3000, logged)
	// Output: 5000 true 6
}

// Grace is how long a tool may take to end once it is cancelled; what a call
// amounted to is its outcome.
func ExampleOutcome() {
	ctx := context.Background()
	send := tool.New("send", "Send a letter", func(ctx context.Context, _ struct{}) (string, error) {
		<-ctx.Done() // a server that does not answer
		return "", ctx.Err()
	}, tool.WithEffect(tool.Mutating), tool.WithTimeout(time.Millisecond))
	model := llmtest.New(
		llmtest.Call("send", `{}`).And("sendd", `{}`).And("send", `{"to":"Ada"}`),
		llmtest.Text("I do not know whether it was sent."),
	)
	store := agent.NewMemoryStore()
	s, err := agent.Agent{Model: model, Tools: []tool.Tool{send}, Policy: agent.AllowAll()}.Open(ctx, &agent.OpenOptions{Store: store})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	if _, err := s.Run(ctx, "Send it."); err != nil {
		fmt.Println(err)
	}
	for e, err := range store.Read(ctx, s.ID(), 1) {
		if err != nil {
			fmt.Println(err)
			return
		}
		if d, ok := e.Data.(*agent.ToolEnded); ok {
			fmt.Printf("%s: %s\n", d.Outcome, d.Result.Text())
		}
	}
	// Output:
	// invalid: there is no tool "sendd"; did you mean "send"?
	// invalid: invalid arguments for send: to is unknown; there are no arguments
	// timeout: send timed out after 1ms; it may or may not have taken effect
}

// Too many messages wait: Send says so at once, and takes none.
func ExampleErrFull() {
	ctx := context.Background()
	model := llmtest.New(llmtest.Text("Let me see").Hanging())
	s, err := agent.Agent{Model: model, Limits: agent.Limits{Waiting: 2}}.Open(ctx, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	for i := range 6 {
		_, err := s.Send(ctx, llm.User(fmt.Sprint("message ", i)), agent.Queue)
		if errors.Is(err, agent.ErrFull) {
			fmt.Println("full")
			break
		}
	}
	// Output: full
}

// What has no place in the log goes to the logger: the stack of a panic, a store
// that does not answer.
func ExampleOpenOptions() {
	ctx := context.Background()
	bad := tool.New("divide", "Divide", func(_ context.Context, in struct{ By int }) (int, error) {
		return 1 / in.By, nil
	}, tool.WithEffect(tool.ReadOnly))
	model := llmtest.New(llmtest.Call("divide", `{"By":0}`), llmtest.Text("That cannot be done."))
	logger := slog.New(slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey || a.Key == "stack" {
			return slog.Attr{}
		}
		return a
	}}))
	s, err := agent.Agent{Model: model, Tools: []tool.Tool{bad}}.Open(ctx, &agent.OpenOptions{SessionID: "maths", User: "ada", Logger: logger})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	res, err := s.Run(ctx, "What is 1/0?")
	fmt.Println(res.Text, err)
	fmt.Println(s.History()[2].Parts[0].Result.Text())
	// Output:
	// level=ERROR msg="panic in tool divide" session=maths panic="runtime error: integer divide by zero"
	// That cannot be done. <nil>
	// the tool panicked: runtime error: integer divide by zero
}

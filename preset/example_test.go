package preset_test

import (
	"context"
	"fmt"

	"github.com/helios-go/helios/agent"
	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/llm/llmtest"
	"github.com/helios-go/helios/preset"
	"github.com/helios-go/helios/sandbox"
	"github.com/helios-go/helios/sandbox/js"
	"github.com/helios-go/helios/sandbox/py"
)

// An Orbit is the input: its fields are variables of the cells.
type Orbit struct {
	Spacecraft string    `json:"spacecraft"`
	Radii      []float64 `json:"radii" jsonschema:"distance from the Earth in Earth radii, one an hour"`
}

// A Summary is the output.
type Summary struct {
	Apogee float64 `json:"apogee" jsonschema:"in Earth radii"`
	Hours  int     `json:"hours" jsonschema:"hours spent beyond 10 Earth radii"`
}

var orbit = Orbit{Spacecraft: "THEMIS-A", Radii: []float64{2.1, 7.9, 10.8, 11.7, 10.2, 6.4}}

// A model works in JavaScript, which needs nothing installed, and answers as a Go
// value. It sees of the input what its cells print.
func ExampleCodeAct() {
	ctx := context.Background()
	runtime, err := js.New(ctx, nil) // main begins with sandbox.Init(js.Worker)
	if err != nil {
		fmt.Println(err)
		return
	}
	model := llmtest.New( // what a model would say
		llmtest.Call("Execute", `{"code":"const far = radii.filter(r => r > 10);\n[max(radii), far.length]"}`),
		llmtest.Text(`{"apogee": 11.7, "hours": 3}`),
	)
	summarise := preset.CodeAct[Orbit, Summary]{
		Agent:   agent.Agent{Model: model},
		Runtime: runtime,
		Task:    "Summarise the orbit.",
	}
	summary, res, err := summarise.Run(ctx, orbit)
	fmt.Printf("%+v after %d cell: %v\n", summary, res.ToolCalls, err)
	// Output: {Apogee:11.7 Hours:3} after 1 cell: <nil>
}

// The same in Python, where the host has something to confine it with. This
// example has no output that a test could compare: elsewhere it prints why not.
func ExampleCodeAct_python() { //nolint:testableexamples // see above; TestACodeActRunsInEachRuntime compares it
	ctx := context.Background()
	box, err := sandbox.Open(ctx, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	model := llmtest.New(
		llmtest.Call("Execute", `{"code":"far = [r for r in radii if r > 10]\nmax(radii), len(far)"}`),
		llmtest.Text(`{"apogee": 11.7, "hours": 3}`),
	)
	summarise := preset.CodeAct[Orbit, Summary]{
		Agent:   agent.Agent{Model: model},
		Runtime: py.New(box, nil),
		Task:    "Summarise the orbit.",
	}
	summary, _, err := summarise.Run(ctx, orbit)
	fmt.Printf("%+v %v\n", summary, err) // {Apogee:11.7 Hours:3} <nil>
}

// Notes are more than one would send to a model at once.
type Notes struct {
	Notes []string `json:"notes" jsonschema:"the observers' log, one entry an hour"`
}

// An Answer is what is to be found out.
type Answer struct {
	Hours []int `json:"hours" jsonschema:"hours in which aurora was seen"`
}

// With Sub a cell can have another model read the input piece by piece, and the
// run ends with what a cell submits.
func ExampleCodeAct_sub() {
	ctx := context.Background()
	runtime, err := js.New(ctx, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	reader := llmtest.Func(func(req *llm.Request) llmtest.Turn { // a small, cheap model
		if note := req.Messages[0].Text(); note == "green arcs overhead" || note == "curtains in the north" {
			return llmtest.Text("yes")
		}
		return llmtest.Text("no")
	})
	lead := llmtest.New(llmtest.Call("Execute", `{"code":"const hours = [];\nfor (const [hour, note] of notes.entries()) {\n  if (predict('Answer yes or no: was aurora seen?', note) === 'yes') hours.push(hour);\n}\nsubmit({hours})"}`))
	read := preset.CodeAct[Notes, Answer]{
		Agent:   agent.Agent{Model: lead},
		Runtime: runtime,
		Task:    "In which hours was aurora seen?",
		Sub:     &agent.Agent{Model: reader},
		Calls:   10, // at most, in a session
	}
	answer, _, err := read.Run(ctx, Notes{Notes: []string{"overcast", "green arcs overhead", "full moon", "curtains in the north"}})
	fmt.Println(answer.Hours, err, len(lead.Requests()), len(reader.Requests())) // each model was asked so often
	// Output: [1 3] <nil> 1 4
}

// And in Python.
func ExampleCodeAct_subPython() { //nolint:testableexamples // see ExampleCodeAct_python; TestARecursiveModelRunsInEachRuntime compares it
	ctx := context.Background()
	box, err := sandbox.Open(ctx, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	reader := llmtest.New(llmtest.Text("no"), llmtest.Text("yes"))
	lead := llmtest.New(llmtest.Call("Execute", `{"code":"submit({'hours': [i for i, note in enumerate(notes) if predict('Answer yes or no: was aurora seen?', note) == 'yes']})"}`))
	read := preset.CodeAct[Notes, Answer]{
		Agent:   agent.Agent{Model: lead},
		Runtime: py.New(box, nil),
		Task:    "In which hours was aurora seen?",
		Sub:     &agent.Agent{Model: reader},
	}
	answer, _, err := read.Run(ctx, Notes{Notes: []string{"overcast", "green arcs overhead"}})
	fmt.Println(answer.Hours, err) // [1] <nil>
}

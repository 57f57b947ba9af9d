package code_test

import (
	"context"
	"fmt"

	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/llm/llmtest"
	"github.com/helios-go/helios/sandbox/repl"
	"github.com/helios-go/helios/sandbox/repl/repltest"
	"github.com/helios-go/helios/tool/code"
)

// The examples use the little language of package repltest, whose cells are
// commands; with js.New or py.New in its place they would be programs.

// A function of the host, with checked arguments.
func ExampleFunc() {
	flux := code.Func("flux", "Solar flux of a day", func(_ context.Context, in struct {
		Day   string `json:"day" jsonschema:"as 2003-10-29"`
		Units string `json:"units,omitempty" enum:"sfu,jansky"`
	}) (map[string]float64, error) {
		if in.Day != "2003-10-29" {
			return nil, fmt.Errorf("no flux is known for %s", in.Day)
		}
		return map[string]float64{"f10_7": 279.1}, nil
	})
	cells, err := code.New(&repltest.Runtime{}, &code.Options{Functions: []code.Function{flux}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer cells.Close()
	for _, cell := range []string{`call flux {"day":"2003-10-29"}`, `try flux {"day":"1700-01-01"}`, `call flux {"day":"2003-10-29","units":"K"}`} {
		res, err := cells.Execute().Run(context.Background(), fmt.Appendf(nil, `{"code":%q}`, cell))
		fmt.Println(res.Text(), err)
	}
	fmt.Println(cells.Calls("")["flux"])
	// Output:
	// {"f10_7":279.1} <nil>
	// caught: no flux is known for 1700-01-01 <nil>
	// STDERR: Error: invalid arguments for flux: units must be one of "sfu", "jansky"
	// [exit code 1] <nil>
	// 3
}

// A cell asks a model, and hands over an output of a type.
func ExampleSubmitOf() {
	type verdict struct {
		Language string `json:"language"`
		Sure     bool   `json:"sure"`
	}
	submit, err := code.SubmitOf[verdict](nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	model := llmtest.New(llmtest.Text("Finnish").Using(llm.Usage{Input: 12, Output: 1}))
	cells, err := code.New(&repltest.Runtime{}, &code.Options{
		Submit:  submit,
		Predict: &code.Predict{Model: model, MaxCalls: 1},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer cells.Close()
	for _, cell := range []string{
		`call predict {"instructions":"Name the language.","input":"Hyvää päivää"}`,
		`try predict {"instructions":"Name the language.","input":"Tere"}`,
		`try submit {"output":{"language":"Finnish"}}`,
		`call submit {"output":{"language":"Finnish","sure":true}}`,
	} {
		res, err := cells.Execute().Run(context.Background(), fmt.Appendf(nil, `{"code":%q}`, cell))
		fmt.Println(res.Text(), err)
	}
	output, ok := cells.Submitted("")
	fmt.Println(string(output), ok, cells.Spent("").Usage.Total())
	// Output:
	// "Finnish" <nil>
	// caught: SandboxBudgetExceeded(kind=LLM_CALLS, limit=1, actual=2): this session has used up its calls of predict; go on without it <nil>
	// caught: Submit validation failed:
	//   - sure is required but missing
	// Required fields: [language, sure]
	// Fix the output value and call submit again. <nil>
	// {"status":"accepted"}
	// [submitted: {"language":"Finnish","sure":true}] <nil>
	// {"language":"Finnish","sure":true} true 13
}

// A program that shows the variables beside the conversation.
func ExampleOptions_bindings() {
	inputs, err := code.InputsOf(struct {
		Days []string `json:"days" jsonschema:"days to look at"`
	}{[]string{"2003-10-29"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	cells, err := code.New(&repltest.Runtime{}, &code.Options{
		Inputs: inputs,
		OnBindings: func(session string, bindings []repl.Binding) {
			for _, b := range bindings {
				fmt.Println(session, b.Name, b.Type, b.Value)
			}
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer cells.Close()
	res, err := cells.Execute().Run(in(context.Background(), "session7"), []byte(`{"code":"set kp 9"}`))
	fmt.Println(res.Text(), err)
	// Output:
	// session7 days []interface {} ["2003-10-29"]
	// session7 kp float64 9
	// (no output) <nil>
}

// What the model is told of all that.
func ExampleCode_Prompt() {
	inputs, err := code.InputsOf(struct {
		Days  []string `json:"days" jsonschema:"days to look at"`
		Limit int      `json:"limit"`
	}{[]string{"2003-10-29"}, 3})
	if err != nil {
		fmt.Println(err)
		return
	}
	submit, err := code.SubmitOf[struct {
		Kp   float64  `json:"kp" jsonschema:"the largest"`
		Days []string `json:"days,omitempty"`
	}](nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	cells, err := code.New(&repltest.Runtime{Lang: "javascript", Note: "Modern JavaScript, without a network and files."}, &code.Options{
		Functions: []code.Function{code.Func("kp", "Kp of a day", func(context.Context, struct {
			Day   string `json:"day" jsonschema:"as 2003-10-29"`
			Hours []int  `json:"hours,omitempty"`
		}) ([]struct {
			Hour int     `json:"hour"`
			Kp   float64 `json:"kp"`
		}, error) {
			return nil, nil
		})},
		Inputs: inputs, Submit: submit, Predict: &code.Predict{Model: llmtest.New()},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(cells.Prompt())
	// Output:
	// # Code
	//
	// You work by writing JavaScript: the tool Execute runs a cell in an interpreter that is yours for the whole session. Variables and functions stay from cell to cell, also after a cell that failed.
	//
	// Modern JavaScript, without a network and files.
	//
	// ## Input
	//
	// These variables are bound already:
	// - days: string[] - days to look at
	// - limit: number
	//
	// ## Functions
	//
	// These functions of the host can be called from cells, by position or by name; what they throw can be caught:
	// - kp(day: string, hours?: number[]): {hour: number, kp: number}[] - Kp of a day
	//   - day (string) - as 2003-10-29
	//   - [optional] hours (number[])
	//
	// ## predict
	//
	// - predict(instructions: string, input: string): string has a language model do what the instructions say with the input, and returns its answer as text.
	// - It sees nothing but these two strings: no variable, no earlier call, nothing of this conversation. Put all that it needs to know into them, and tell it the form of the answer.
	// - Compute what code can compute; use predict for reading, judging and writing, in pieces of moderate length, in a loop where there are many.
	// - Budget: at most 50 calls in this session, failed ones included. Beyond it predict throws SandboxBudgetExceeded. Try out on one piece before you loop over all.
	//
	// ## How to work
	//
	// - Explore first: print sizes, types and a few elements before you compute.
	// - Keep what you will need again in variables. Of what a cell prints you are shown about 5000 bytes; variables keep their whole values, so print only what you have to read.
	// - A cell may compute for 30 seconds; time spent in functions of the host does not count. One cell runs at a time.
	// - A cell that fails tells why; correct it and go on, earlier variables are still there. When you are told that the interpreter is new, they are not: compute again what you need.
	//
	// ## How the run ends
	//
	// - The run ends when you call submit(output) and the output is accepted. Call it once, as the only statement of a cell of its own, when you have looked at the value.
	// - output: {kp: number, days?: string[]}
	//   - kp: number - the largest
	//   - [optional] days: string[]
	// - An output that does not fit is refused with a list of all that is wrong; fix the value and call submit again. What was accepted cannot be changed.
}

package tool_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/tool"
)

// A tool may ask while it runs. Its timeout stands still meanwhile.
func ExampleCall_Ask() {
	plot := tool.New("plot", "Plot the field", func(ctx context.Context, _ struct{}) (string, error) {
		answer, err := tool.CallFrom(ctx).Ask(ctx, tool.Question{
			Text:    "Which frame?",
			Choices: []tool.Choice{{Label: "GSE"}, {Label: "GSM", Description: "follows the dipole"}},
		})
		switch {
		case errors.Is(err, tool.ErrNoAsker), errors.Is(err, tool.ErrExpired):
			answer = tool.Answer{Choices: []string{"GSE"}} // nobody there, or not in time
		case err != nil:
			return "", err
		}
		return "plotted in " + answer.Choices[0], nil
	}, tool.WithEffect(tool.ReadOnly), tool.WithTimeout(10*time.Second))

	res, err := plot.Run(context.Background(), json.RawMessage(`{}`)) // without an agent nobody is there
	fmt.Println(res.Text(), err)
	// Output: plotted in GSE <nil>
}

// What an approver returns: one of the labels on offer, and words for the model.
func ExampleAnswer() {
	q := &tool.Question{Permission: true, Text: "May deploy run?", Choices: []tool.Choice{{Label: tool.Allow}, {Label: tool.Deny}}}
	fmt.Println(tool.Yes().Fits(q), tool.Yes().Chose(tool.Allow))
	fmt.Println(tool.No("not on a Friday").Fits(q), tool.No("not on a Friday").Text)
	fmt.Println(tool.Answer{Choices: []string{tool.Always}}.Fits(q))
	fmt.Println(tool.Answer{Text: "perhaps"}.Fits(q))
	// Output:
	// <nil> true
	// <nil> not on a Friday
	// answer: always is not among the choices
	// answer: nothing is chosen
}

// A move is about two paths: a rule against either denies it.
func ExampleWithKeys() {
	type move struct {
		From string `json:"from"`
		To   string `json:"to"`
	}
	mv := tool.New("move", "Move a file", func(context.Context, move) (string, error) { return "moved", nil },
		tool.WithEffect(tool.Mutating), tool.WithKind(tool.KindWrite),
		tool.WithKeys(func(args json.RawMessage) ([]string, error) {
			var m move
			if err := json.Unmarshal(args, &m); err != nil {
				return nil, err
			}
			from, err := tool.CleanPath(m.From)
			if err != nil {
				return nil, err
			}
			to, err := tool.CleanPath(m.To)
			return []string{from, to}, err
		}))
	keys, err := mv.Keys(json.RawMessage(`{"from":"a/../b.txt","to":"./c.txt"}`))
	fmt.Println(keys, err)
	// Output: [b.txt c.txt] <nil>
}

// One spelling for each path of a workspace, and none for what leads out of it.
func ExampleCleanPath() {
	for _, p := range []string{"", "./a//b.txt", "a/../../b.txt", "/etc/passwd"} {
		fmt.Println(tool.CleanPath(p))
	}
	// Output:
	// . <nil>
	// a/b.txt <nil>
	//  path "a/../../b.txt": it leads out of the workspace
	//  path "/etc/passwd": it is absolute; write it relative to the workspace
}

// What follows from the effect.
func ExampleEffect() {
	for _, e := range []tool.Effect{tool.Unknown, tool.ReadOnly, tool.Idempotent, tool.Mutating} {
		t := tool.New("t", "", func(context.Context, struct{}) (llm.Part, error) { return llm.Text("done"), nil }, tool.WithEffect(e))
		fmt.Println(e, t.Kind, e.Repeatable())
	}
	// Output:
	// unknown execute false
	// read_only read true
	// idempotent execute true
	// mutating execute false
}

// A tool with a type that has no schema says so when it is opened or asked.
func ExampleTool_Err() {
	bad := tool.New("listen", "Listen", func(context.Context, struct{ C chan int }) (string, error) { return "", nil })
	fmt.Println(bad.Err() != nil, tool.Tool{}.Err())
	// Output: true tool: the zero Tool has no function; make one with tool.New
}

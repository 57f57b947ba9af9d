package tool_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/tool"
)

// person answers what is asked.
type person struct {
	answer tool.Answer
	asked  *tool.Question
}

func (p *person) Progress(llm.Part) {}
func (p *person) Ask(_ context.Context, q tool.Question) (tool.Answer, error) {
	p.asked = &q
	return p.answer, nil
}

// The model asks, the user picks.
func ExampleAskUser() {
	ask := tool.AskUser()
	user := &person{answer: tool.Answer{Choices: []string{"ACE"}, Text: "the 16 s data"}}
	ctx := tool.WithCall(context.Background(), &tool.Call{ID: "call_1", Host: user})

	args, err := ask.Check(json.RawMessage(`{"question":"Which spacecraft?","header":"Spacecraft",
		"options":[{"label":"ACE"},{"label":"Wind","description":"closer to the Earth in 1998"}]}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	res, err := ask.Run(ctx, args)
	fmt.Println(user.asked.Text, len(user.asked.Choices))
	fmt.Println(res.Text(), err)
	fmt.Println(string(res.Data))

	_, err = ask.Run(ctx, json.RawMessage(`{"question":"Which spacecraft?","header":"Which spacecraft","options":[{"label":"ACE"}]}`))
	fmt.Println(err)
	// Output:
	// Which spacecraft? 2
	// The user picked: ACE.
	// The user says: the 16 s data <nil>
	// {"choices":["ACE"],"text":"the 16 s data"}
	// header has 16 characters, and 12 is the most
	// options has 1 items, and it takes 2 to 4
}

func TestAskUserRefusesWhatNoFaceCanShow(t *testing.T) {
	t.Parallel()
	ask := tool.AskUser()
	if err := ask.Err(); err != nil || ask.Effect != tool.ReadOnly || ask.Kind != tool.KindControl {
		t.Fatalf("ask_user is %v %v, %v", ask.Effect, ask.Kind, err)
	}
	options := func(labels ...string) string {
		var all []string
		for _, l := range labels {
			data, err := json.Marshal(map[string]string{"label": l})
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, string(data))
		}
		return `"options":[` + strings.Join(all, ",") + `]`
	}
	for _, tt := range []struct{ args, want string }{
		{`{"question":"?",` + options("a", "b") + `}`, ""},
		{`{"question":"?","header":"123456789012",` + options("a", "b", "c", strings.Repeat("é", 80)) + `}`, ""},
		{`{"question":"?","header":null,"multi_select":null,` + options("a", "b") + `}`, ""},
		{`{"question":"?","header":"1234567890123",` + options("a", "b") + `}`, "13 characters"},
		{`{"question":"?",` + options("a") + `}`, "options has 1 items"},
		{`{"question":"?",` + options("a", "b", "c", "d", "e") + `}`, "options has 5 items"},
		{`{"question":"?",` + options("a", " ") + `}`, "no label"},
		{`{"question":"?",` + options("a", strings.Repeat("x", 81)) + `}`, "options[1].label has 81 characters"},
		{`{"question":"?",` + options("a", "a") + `}`, "two choices"},
		{`{"question":" ",` + options("a", "b") + `}`, "no text"},
		{`{` + options("a", "b") + `}`, "question is required"},
		{`{"question":"?"}`, "options is required"},
		{`{"question":"?","options":"a, b"}`, "options must be array, not string"},
		{`{"question":"?","multiSelect":true,` + options("a", "b") + `}`, `did you mean "multi_select"?`},
	} {
		user := &person{answer: tool.Answer{Choices: []string{"a"}}}
		ctx := tool.WithCall(t.Context(), &tool.Call{Host: user})
		args, err := ask.Check(json.RawMessage(tt.args))
		if err == nil {
			_, err = ask.Run(ctx, args)
		}
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) || (user.asked != nil) != (err == nil) {
			t.Errorf("%s: %v, want %q; asked %+v", tt.args, err, tt.want, user.asked)
		}
	}
	ok := json.RawMessage(`{"question":"?",` + options("a", "b") + `}`)
	if _, err := ask.Run(t.Context(), ok); !errors.Is(err, tool.ErrNoAsker) {
		t.Errorf("with nobody to ask: %v", err)
	}
	for _, a := range []tool.Answer{{Choices: []string{"c"}}, {Choices: []string{"a", "b"}}, {}} {
		ctx := tool.WithCall(t.Context(), &tool.Call{Host: &person{answer: a}})
		if _, err := ask.Run(ctx, ok); err == nil {
			t.Errorf("the answer %+v is taken", a)
		}
	}
}

// FuzzCheck holds that arguments of any kind are refused or decoded, and that what
// is refused says why.
func FuzzCheck(f *testing.F) {
	ask := tool.AskUser()
	for _, seed := range []string{
		`{"question":"?","options":[{"label":"a"},{"label":"b"}]}`, ``, `null`, ` {} `, `{"question":"\ud83d","options":null}`, `{"cut`,
		"{\"question\":\"a\xed\xa0\xbd\",\"options\":[]}", `[]`, `{"question":1e999}`, `{"options":[[[[[[]]]]]]}`,
	} {
		f.Add([]byte(seed))
	}
	ctx := tool.WithCall(context.Background(), &tool.Call{Host: &person{answer: tool.Answer{Text: "x"}}})
	f.Fuzz(func(t *testing.T, args []byte) {
		checked, err := ask.Check(args)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "invalid arguments for ask_user: ") {
				t.Errorf("%q: %v", args, err)
			}
			return
		}
		if !json.Valid(checked) {
			t.Errorf("%q is checked as %q", args, checked)
		}
		if _, err := ask.Run(ctx, checked); err != nil && strings.Contains(err.Error(), "invalid arguments") {
			t.Errorf("%q passes the check, and %v", args, err)
		}
	})
}

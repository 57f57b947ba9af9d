package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/helios-go/helios/llm"
)

// AskUser returns the tool ask_user, with which the model puts a question with
// choices to the user and waits for the answer. What it may ask is bounded, so
// that any face can show it: 2 to 4 options with labels of 1 to 80 characters, a
// header of at most 12. A question outside of that is an error that the model can
// correct; nobody sees it.
//
// The user may pick an option (several with multi_select) or say something else.
// The result tells the model which, and its Data is the [Answer]. Where nobody is
// there to ask, the model is told.
//
// It is ReadOnly, as it changes nothing, so it needs no permission; its kind is
// KindControl.
func AskUser() Tool {
	return New("ask_user", "Ask the user a question and wait for the answer. Use it when the request can be "+
		"understood in ways that lead to different work, not for what you can find out yourself.", askUser,
		WithEffect(ReadOnly), WithKind(KindControl))
}

type userQuestion struct {
	Question    string       `json:"question" jsonschema:"the whole question"`
	Header      string       `json:"header,omitempty" jsonschema:"a word or two as a title, at most 12 characters"`
	Options     []userOption `json:"options" jsonschema:"2 to 4 answers on offer"`
	MultiSelect bool         `json:"multi_select,omitempty" jsonschema:"whether several may be picked"`
}

type userOption struct {
	Label       string `json:"label" jsonschema:"1 to 80 characters, different for each option"`
	Description string `json:"description,omitempty" jsonschema:"what picking it means"`
}

func askUser(ctx context.Context, in userQuestion) (Result, error) {
	q := Question{Header: in.Header, Text: in.Question, Multiple: in.MultiSelect}
	for _, o := range in.Options {
		q.Choices = append(q.Choices, Choice(o))
	}
	if err := bounded(&q); err != nil {
		return Result{}, err
	}
	a, err := CallFrom(ctx).Ask(ctx, q)
	if err != nil {
		return Result{}, err
	}
	data, err := json.Marshal(a)
	if err != nil {
		return Result{}, err
	}
	return Result{Parts: []llm.Part{llm.Text(a.String())}, Data: data}, nil
}

// bounded reports all that is too little or too much of a question.
func bounded(q *Question) error {
	const fewest, most, longest, header = 2, 4, 80, 12
	var errs []error
	if n := utf8.RuneCountInString(q.Header); n > header {
		errs = append(errs, fmt.Errorf("header has %d characters, and %d is the most", n, header))
	}
	if n := len(q.Choices); n < fewest || n > most {
		errs = append(errs, fmt.Errorf("options has %d items, and it takes %d to %d", n, fewest, most))
	}
	for i, c := range q.Choices {
		if n := utf8.RuneCountInString(c.Label); n > longest {
			errs = append(errs, fmt.Errorf("options[%d].label has %d characters, and %d is the most", i, n, longest))
		}
	}
	if err := q.Validate(); err != nil {
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// String says what was answered, for the model.
func (a Answer) String() string {
	var said []string
	if len(a.Choices) > 0 {
		said = append(said, "The user picked: "+strings.Join(a.Choices, "; ")+".")
	}
	if strings.TrimSpace(a.Text) != "" {
		said = append(said, "The user says: "+a.Text)
	}
	return strings.Join(said, "\n")
}

package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/helios-go/helios/helioai/check"
	"github.com/helios-go/helios/helioai/ledger"
	"github.com/helios-go/helios/tool"
)

const maxClaims = 200

type answerInput struct {
	Answer     string       `json:"answer"               jsonschema:"the answer to the user, in the language of the question"`
	Claims     []claimInput `json:"claims,omitempty"     jsonschema:"every number and every time that the answer states"`
	Unanswered bool         `json:"unanswered,omitempty" jsonschema:"true when the question could not be answered; the answer then says why"`
}

type claimInput struct {
	Name   string          `json:"name"            jsonschema:"what the value is, such as mean field"`
	Value  json.RawMessage `json:"value"           jsonschema:"the number as the answer states it, or an ISO time as a string"`
	Units  string          `json:"units,omitempty" jsonschema:"units of the number as stated"`
	Source string          `json:"source"          jsonschema:"exact name of the export or ledger entry that it comes from; literature or asserted where there is none"`
}

func finalAnswer(env *Env) tool.Tool {
	return tool.New("final_answer",
		"Close with the answer, called alone. Each number and time in it is a claim with the name of the ledger entry it comes "+
			"from: what export recorded, or what get_timeseries and the formulas list. The claims and the numbers in the text "+
			"are checked against the ledger and shown with their verdict; the check never holds an answer back.",
		env.answer, tool.WithEffect(tool.ReadOnly), tool.WithKind(tool.KindControl), tool.Final())
}

func (e *Env) answer(ctx context.Context, in answerInput) (tool.Result, error) {
	if strings.TrimSpace(in.Answer) == "" {
		return tool.Result{}, errors.New("answer is empty; say what was found, or set unanswered and say why not")
	}
	if len(in.Claims) > maxClaims {
		return tool.Result{}, fmt.Errorf("%d claims; state the %d that matter", len(in.Claims), maxClaims)
	}
	claims := make([]check.Claim, len(in.Claims))
	for i, c := range in.Claims {
		value, err := claimValue(c.Value)
		if err != nil {
			return tool.Result{}, fmt.Errorf("claim %d (%s): %w", i+1, c.Name, err)
		}
		claims[i] = check.Claim{Name: c.Name, Value: value, Units: c.Units, Source: c.Source}
	}
	var entries []ledger.Entry
	if e.Ledger != nil {
		entries = e.Ledger.Entries()
	}
	held, texts := e.holdings(ctx, in.Answer)
	verdict := check.Answer(check.Input{
		Question: strings.Join(append(texts, e.Question), "\n"), Answer: in.Answer, Claims: claims, Entries: append(held, entries...),
	})
	return withData(tool.Text(in.Answer), &Data{
		Tool: "final_answer", Answer: in.Answer, Unanswered: in.Unanswered, Claims: claims, Verdict: verdict,
	})
}

// claimValue keeps a number as the text that was written, because its decimals
// say how exact it is meant.
func claimValue(raw json.RawMessage) (any, error) {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text, nil
	}
	var number json.Number
	if json.Unmarshal(raw, &number) == nil && number != "" {
		return number, nil
	}
	return nil, errors.New("value must be a number, or a time as a string; state one value per claim")
}

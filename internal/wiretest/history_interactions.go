package wiretest

import (
	"encoding/json"
	"errors"
	"fmt"
)

// step is a step of Gemini's input.
type step struct {
	Type      string          `json:"type"`
	Content   []part          `json:"content"`
	Signature string          `json:"signature"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
	CallID    string          `json:"call_id"`
	Result    json.RawMessage `json:"result"`
}

type part struct {
	Type string  `json:"type"`
	Text *string `json:"text"`
}

// checkInteractions holds a body to the rules of Gemini's Interactions.
func checkInteractions(body []byte) error {
	var req struct {
		Model    string          `json:"model"`
		Input    json.RawMessage `json:"input"`
		Stream   bool            `json:"stream"`
		Previous string          `json:"previous_interaction_id"`
		Tools    []struct {
			Type       string          `json:"type"`
			Name       string          `json:"name"`
			Parameters json.RawMessage `json:"parameters"`
		} `json:"tools"`
	}
	if err := json.Unmarshal(body, &req); err != nil {
		return err
	}
	if req.Model == "" || !req.Stream {
		return errors.New("model and stream have to be there")
	}
	names := map[string]bool{}
	for i, t := range req.Tools {
		if t.Type != "function" {
			continue
		}
		if err := checkTool(t.Name, t.Parameters, names); err != nil {
			return at("tools", i, err)
		}
	}
	var text string
	if json.Unmarshal(req.Input, &text) == nil {
		return checkText(&text)
	}
	var steps []step
	if err := json.Unmarshal(req.Input, &steps); err != nil {
		return err
	}
	if len(steps) == 0 {
		return errors.New("there is no input")
	}
	c := calls{elsewhere: req.Previous != ""}
	if !c.elsewhere && steps[0].Type != "user_input" {
		return fmt.Errorf("the first step is %s, want user_input", steps[0].Type)
	}
	for i := range steps {
		if err := checkStep(steps, i, &c); err != nil {
			return at("input", i, err)
		}
	}
	if last := steps[len(steps)-1].Type; last == "model_output" || last == "function_call" || last == "thought" {
		return fmt.Errorf("the last step is %s, the model's", last)
	}
	return c.closed("the end")
}

func checkStep(steps []step, i int, c *calls) error {
	s := &steps[i]
	switch s.Type {
	case "user_input", "model_output":
		if s.Type == "user_input" {
			if err := c.closed(s.Type); err != nil {
				return err
			}
		}
		if len(s.Content) == 0 {
			return fmt.Errorf("a %s has no content", s.Type)
		}
		for j, p := range s.Content {
			if p.Type == "text" {
				if err := checkText(p.Text); err != nil {
					return at("content", j, err)
				}
			}
		}
	case "thought":
		if s.Signature == "" {
			return errors.New("a thought has no signature")
		}
		if i+1 == len(steps) {
			return errors.New("a thought is the last step")
		}
		if next := steps[i+1].Type; next == "user_input" || next == "function_result" {
			return fmt.Errorf("a thought is followed by %s and not by what it led to", next)
		}
	case "function_call":
		if len(s.Arguments) == 0 {
			return fmt.Errorf("the call %s has no arguments", s.ID)
		}
		return c.call(s.ID, s.Name, 128, s.Arguments)
	case "function_result":
		if len(s.Result) == 0 {
			return fmt.Errorf("the result of %s is not there", s.CallID)
		}
		return c.result(s.CallID)
	case "":
		return errors.New("a step has no type")
	}
	return nil
}

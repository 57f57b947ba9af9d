package wiretest

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// item is an item of OpenAI's input.
type item struct {
	Type      string           `json:"type"`
	Role      string           `json:"role"`
	ID        string           `json:"id"`
	CallID    string           `json:"call_id"`
	Name      string           `json:"name"`
	Arguments *string          `json:"arguments"`
	Output    json.RawMessage  `json:"output"`
	Content   json.RawMessage  `json:"content"`
	Summary   *json.RawMessage `json:"summary"`
	Encrypted string           `json:"encrypted_content"`
}

// checkResponses holds a body to the rules of OpenAI's Responses.
func checkResponses(body []byte) error {
	var req struct {
		Model  string          `json:"model"`
		Input  json.RawMessage `json:"input"`
		Stream bool            `json:"stream"`
		Store  *bool           `json:"store"`
		Tools  []struct {
			Type       string          `json:"type"`
			Name       string          `json:"name"`
			Parameters json.RawMessage `json:"parameters"`
			Strict     bool            `json:"strict"`
		} `json:"tools"`
		Previous string   `json:"previous_response_id"`
		Include  []string `json:"include"`
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
	var items []item
	if err := json.Unmarshal(req.Input, &items); err != nil {
		return err
	}
	if len(items) == 0 {
		return errors.New("there is no input")
	}
	c := calls{elsewhere: req.Previous != ""}
	for i := range items {
		if err := checkItem(items, i, &c, req.Store != nil && !*req.Store); err != nil {
			return at("input", i, err)
		}
	}
	return c.closed("the end")
}

func checkItem(items []item, i int, c *calls, stateless bool) error {
	it := &items[i]
	if it.Type == "" && it.Role != "" {
		it.Type = "message"
	}
	switch it.Type {
	case "message":
		if it.Role != "assistant" { // who may speak on between its calls
			if err := c.closed("a message"); err != nil {
				return err
			}
		}
		return checkItemContent(it)
	case "function_call":
		if it.Arguments == nil {
			return fmt.Errorf("the call %s has no arguments", it.CallID)
		}
		if it.ID != "" && !strings.HasPrefix(it.ID, "fc") {
			return fmt.Errorf("the id %q of a call does not begin with fc", it.ID)
		}
		return c.call(it.CallID, it.Name, 64, json.RawMessage(*it.Arguments))
	case "function_call_output":
		if len(it.Output) == 0 || string(it.Output) == "null" {
			return fmt.Errorf("the result of %s has no output", it.CallID)
		}
		return c.result(it.CallID)
	case "reasoning":
		switch {
		case it.Summary == nil || !strings.HasPrefix(string(*it.Summary), "["):
			return errors.New("a reasoning item has no summary")
		case (it.ID != "" || !stateless) && !strings.HasPrefix(it.ID, "rs"):
			return fmt.Errorf("the id %q of a reasoning item does not begin with rs", it.ID)
		case stateless && it.Encrypted == "":
			return errors.New("a reasoning item has no encrypted content, and nothing is stored")
		case i+1 == len(items):
			return errors.New("a reasoning item is the last")
		}
		if next := items[i+1]; next.Type != "reasoning" && next.Type != "function_call" && next.Role != "assistant" {
			return fmt.Errorf("a reasoning item is followed by %s %s and not by its own item", next.Type, next.Role)
		}
		return nil
	case "item_reference":
		if stateless {
			return errors.New("a reference to an item that is not stored")
		}
	}
	return nil // an item of the server's own
}

func checkItemContent(it *item) error {
	var text string
	if json.Unmarshal(it.Content, &text) == nil {
		return checkText(&text)
	}
	var parts []struct {
		Type    string  `json:"type"`
		Text    *string `json:"text"`
		Refusal string  `json:"refusal"`
	}
	if err := json.Unmarshal(it.Content, &parts); err != nil {
		return err
	}
	if len(parts) == 0 {
		return errors.New("a message has no content")
	}
	for i, p := range parts {
		output := p.Type == "output_text" || p.Type == "refusal"
		switch it.Role {
		case "assistant":
			if !output {
				return at("content", i, fmt.Errorf("a part of type %s is not the assistant's", p.Type))
			}
		case "user", "system", "developer":
			if output {
				return at("content", i, fmt.Errorf("a part of type %s is the assistant's", p.Type))
			}
		default:
			return fmt.Errorf("there is no role %q", it.Role)
		}
		if strings.HasSuffix(p.Type, "_text") {
			if err := checkText(p.Text); err != nil {
				return at("content", i, err)
			}
		}
	}
	if it.ID != "" && !strings.HasPrefix(it.ID, "msg") {
		return fmt.Errorf("the id %q of a message does not begin with msg", it.ID)
	}
	return nil
}

package wiretest

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

type chatMessage struct {
	Role      string          `json:"role"`
	Content   json.RawMessage `json:"content"`
	ToolCalls []struct {
		ID       string `json:"id"`
		Type     string `json:"type"`
		Function struct {
			Name      string  `json:"name"`
			Arguments *string `json:"arguments"`
		} `json:"function"`
	} `json:"tool_calls"`
	ToolCallID string `json:"tool_call_id"`
}

// checkChat holds a body to the rules of chat completions, those of the
// strictest server: a call id has at most 40 bytes.
func checkChat(body []byte) error {
	var req struct {
		Stream   bool          `json:"stream"`
		Messages []chatMessage `json:"messages"`
		Tools    []struct {
			Type     string `json:"type"`
			Function struct {
				Name       string          `json:"name"`
				Parameters json.RawMessage `json:"parameters"`
			} `json:"function"`
		} `json:"tools"`
	}
	if err := json.Unmarshal(body, &req); err != nil {
		return err
	}
	if !req.Stream || len(req.Messages) == 0 {
		return errors.New("stream and messages have to be there")
	}
	names := map[string]bool{}
	for i, t := range req.Tools {
		if err := checkTool(t.Function.Name, t.Function.Parameters, names); err != nil {
			return at("tools", i, err)
		}
	}
	var c calls
	talk := false // a system message comes before everything else
	for i := range req.Messages {
		if err := checkChatMessage(&req.Messages[i], &c, talk); err != nil {
			return at("messages", i, err)
		}
		talk = talk || !slices.Contains([]string{"system", "developer"}, req.Messages[i].Role)
	}
	if last := req.Messages[len(req.Messages)-1].Role; last != "user" && last != "tool" {
		return fmt.Errorf("the last message is the %s's", last)
	}
	return c.closed("the end")
}

func checkChatMessage(m *chatMessage, c *calls, talk bool) error {
	switch m.Role {
	case "system", "developer":
		if talk {
			return errors.New("instructions in the middle of the conversation")
		}
		return checkChatContent(m.Content)
	case "user":
		if err := c.closed("the user's message"); err != nil {
			return err
		}
		return checkChatContent(m.Content)
	case "assistant":
		if err := c.closed("the assistant's message"); err != nil {
			return err
		}
		if len(m.ToolCalls) == 0 {
			return checkChatContent(m.Content)
		}
		for i, t := range m.ToolCalls {
			if t.Type != "function" || t.Function.Arguments == nil {
				return at("tool_calls", i, errors.New("type function and arguments have to be there"))
			}
			if err := c.call(t.ID, t.Function.Name, 40, json.RawMessage(*t.Function.Arguments)); err != nil {
				return at("tool_calls", i, err)
			}
		}
		return nil
	case "tool":
		if len(m.Content) == 0 || string(m.Content) == "null" {
			return fmt.Errorf("the result of %s has no content", m.ToolCallID)
		}
		return c.result(m.ToolCallID)
	}
	return fmt.Errorf("there is no role %q", m.Role)
}

func checkChatContent(content json.RawMessage) error {
	var text *string
	if json.Unmarshal(content, &text) == nil {
		return checkText(text)
	}
	var parts []part
	if err := json.Unmarshal(content, &parts); err != nil {
		return err
	}
	if len(parts) == 0 {
		return errors.New("there is no content")
	}
	for i, p := range parts {
		if p.Type == "text" {
			if err := checkText(p.Text); err != nil {
				return at("content", i, err)
			}
		}
	}
	return nil
}

// mistralRefuses is what Mistral refuses beside: ids of any other form, and a
// user's message right after results.
func mistralRefuses(body []byte) error {
	var req struct{ Messages []chatMessage }
	if err := json.Unmarshal(body, &req); err != nil {
		return err
	}
	for i, m := range req.Messages {
		for _, t := range m.ToolCalls {
			if !mistralID.MatchString(t.ID) {
				return at("messages", i, fmt.Errorf("the call id %q is not of 9 letters and digits", t.ID))
			}
		}
		if i > 0 && m.Role == "user" && req.Messages[i-1].Role == "tool" {
			return at("messages", i, errors.New("a user's message comes right after results"))
		}
	}
	return nil
}

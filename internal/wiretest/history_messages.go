package wiretest

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// block is a block of an Anthropic message.
type block struct {
	Type      string          `json:"type"`
	Text      *string         `json:"text"`
	Thinking  *string         `json:"thinking"`
	Signature string          `json:"signature"`
	Data      string          `json:"data"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Input     json.RawMessage `json:"input"`
	ToolUseID string          `json:"tool_use_id"`
	Content   json.RawMessage `json:"content"`
}

// message is an Anthropic message.
type message struct {
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"`
}

// checkMessages holds a body to the rules of Anthropic's Messages.
func checkMessages(body []byte) error {
	var req struct {
		Model     string    `json:"model"`
		MaxTokens int       `json:"max_tokens"`
		Stream    bool      `json:"stream"`
		Messages  []message `json:"messages"`
		Tools     []struct {
			Type        string          `json:"type"`
			Name        string          `json:"name"`
			InputSchema json.RawMessage `json:"input_schema"`
		} `json:"tools"`
		Thinking struct {
			Type   string `json:"type"`
			Budget int    `json:"budget_tokens"`
		} `json:"thinking"`
	}
	if err := json.Unmarshal(body, &req); err != nil {
		return err
	}
	switch {
	case req.Model == "" || req.MaxTokens < 1 || !req.Stream || len(req.Messages) == 0:
		return errors.New("model, max_tokens, stream and messages have to be there")
	case req.Thinking.Type == "enabled" && (req.Thinking.Budget < 1024 || req.Thinking.Budget >= req.MaxTokens):
		return fmt.Errorf("budget_tokens is %d with max_tokens %d, want at least 1024 and less than that", req.Thinking.Budget, req.MaxTokens)
	}
	names := map[string]bool{}
	for i, t := range req.Tools {
		if t.Type != "" && t.Type != "custom" {
			continue // a tool of the server
		}
		if err := checkTool(t.Name, t.InputSchema, names); err != nil {
			return at("tools", i, err)
		}
	}
	var c calls
	for i, m := range req.Messages {
		want := []string{"user", "assistant"}[i%2]
		if m.Role != want {
			return at("messages", i, fmt.Errorf("the role is %q, want %s: the speakers take turns and the user begins", m.Role, want))
		}
		blocks, err := blocksOf(m.Content)
		if err == nil && m.Role == "assistant" {
			err = checkAssistantBlocks(blocks, &c)
		} else if err == nil {
			err = checkUserBlocks(blocks, &c)
		}
		if err != nil {
			return at("messages", i, err)
		}
	}
	if len(req.Messages)%2 == 0 {
		return errors.New("the last message is the assistant's")
	}
	if req.Thinking.Type == "enabled" {
		return checkLoop(req.Messages)
	}
	return nil
}

// checkLoop holds the tool loop under way, what came since the user last spoke, to
// the rule that answers with calls begin with a thought while the model thinks.
func checkLoop(messages []message) error {
	for i := len(messages) - 1; i > 0; i -= 2 {
		blocks, err := blocksOf(messages[i].Content)
		if err != nil {
			return err
		}
		if blocks[len(blocks)-1].Type != "tool_result" {
			return nil
		}
		if !thoughtFirst(messages[i-1]) {
			return at("messages", i-1, errors.New("the answer has calls and does not begin with a thought, while thinking is enabled"))
		}
	}
	return nil
}

func thoughtFirst(m message) bool {
	blocks, err := blocksOf(m.Content)
	return err == nil && (blocks[0].Type == "thinking" || blocks[0].Type == "redacted_thinking")
}

// EarlierLoopWithoutThought tells of a body whose thinking is enabled while a tool
// loop that has ended, before the user last spoke, has no thought in front. Anthropic
// takes it, as thoughts of earlier turns may be left out
// (platform.claude.com/docs/en/build-with-claude/extended-thinking); the mock server
// does not.
func EarlierLoopWithoutThought(body []byte) bool {
	var req struct {
		Thinking struct{ Type string }
		Messages []message
	}
	if json.Unmarshal(body, &req) != nil || req.Thinking.Type != "enabled" || checkLoop(req.Messages) != nil {
		return false
	}
	for i, m := range req.Messages {
		if m.Role == "assistant" && strings.Contains(string(m.Content), `"tool_use"`) && !thoughtFirst(req.Messages[i]) {
			return true
		}
	}
	return false
}

func blocksOf(content json.RawMessage) ([]block, error) {
	var text string
	if json.Unmarshal(content, &text) == nil {
		return []block{{Type: "text", Text: &text}}, nil
	}
	var blocks []block
	if err := json.Unmarshal(content, &blocks); err != nil {
		return nil, err
	}
	if len(blocks) == 0 {
		return nil, errors.New("there is no content")
	}
	return blocks, nil
}

func checkAssistantBlocks(blocks []block, c *calls) error {
	for i, b := range blocks {
		var err error
		switch b.Type {
		case "text":
			err = checkWords(b.Text)
		case "thinking":
			if b.Signature == "" || b.Thinking == nil {
				err = errors.New("a thinking block has no signature or no text")
			}
		case "redacted_thinking":
			if b.Data == "" {
				err = errors.New("a redacted thinking block has no data")
			}
		case "tool_use":
			if !anthropicID.MatchString(b.ID) {
				err = fmt.Errorf("the call id %q does not fit %s", b.ID, anthropicID)
			} else if len(b.Input) == 0 {
				err = fmt.Errorf("the call %s has no input", b.ID)
			} else {
				err = c.call(b.ID, b.Name, 64, b.Input)
			}
		case "tool_result", "image", "document":
			err = fmt.Errorf("a block of type %s is not the assistant's", b.Type)
		}
		if err != nil {
			return at("content", i, err)
		}
	}
	if last := blocks[len(blocks)-1].Type; last == "thinking" || last == "redacted_thinking" {
		return fmt.Errorf("the last block is %s", last)
	}
	return nil
}

func checkUserBlocks(blocks []block, c *calls) error {
	for i, b := range blocks {
		var err error
		switch b.Type {
		case "text":
			if err = c.closed("a text"); err == nil {
				err = checkWords(b.Text)
			}
		case "tool_result":
			if err = c.result(b.ToolUseID); err == nil {
				err = checkResultContent(b.Content)
			}
		case "image", "document":
			err = c.closed("a file")
		default:
			err = fmt.Errorf("a block of type %q is not the user's", b.Type)
		}
		if err != nil {
			return at("content", i, err)
		}
	}
	return c.closed("the end of the message after them")
}

// checkWords refuses a text without a word too, as Anthropic does.
func checkWords(text *string) error {
	if text == nil || strings.TrimSpace(*text) == "" {
		return errors.New("a text is empty")
	}
	return nil
}

// checkResultContent is for results: they may be empty, but not hold empty texts.
func checkResultContent(content json.RawMessage) error {
	var text string
	if len(content) == 0 || json.Unmarshal(content, &text) == nil {
		return nil
	}
	var blocks []block
	if err := json.Unmarshal(content, &blocks); err != nil {
		return err
	}
	for i, b := range blocks {
		if b.Type == "text" {
			if err := checkWords(b.Text); err != nil {
				return at("content", i, err)
			}
		}
	}
	return nil
}

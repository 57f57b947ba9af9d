package gemini

import "github.com/helios-go/helios/llm"

// A usage is what the server counts. Cached tokens are among those of the input;
// thoughts are not among those of the output.
type usage struct {
	Input    int64 `json:"total_input_tokens"`
	Cached   int64 `json:"total_cached_tokens"`
	Output   int64 `json:"total_output_tokens"`
	Thoughts int64 `json:"total_thought_tokens"`
	ToolUse  int64 `json:"total_tool_use_tokens"`
	Total    int64 `json:"total_tokens"`
}

// usage puts every token in one class. What Google's own tools read is read as input,
// and is counted beside it unless the total says otherwise.
func (u *usage) usage() llm.Usage {
	input := u.Input
	if beside := u.Input + u.Output + u.Thoughts + u.ToolUse; u.ToolUse > 0 && (u.Total == 0 || u.Total >= beside) {
		input += u.ToolUse
	}
	return llm.Usage{Input: max(0, input-u.Cached), CacheRead: u.Cached, Output: u.Output + u.Thoughts}
}

package llm

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// ExtractJSON finds the JSON value in what a model wrote: the whole text, the
// inside of a code fence, or the first object in the prose; the first array where
// there is no object outside of one, since prose is full of [1].
func ExtractJSON(text string) (json.RawMessage, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return nil, errors.New("there is no output")
	}
	if json.Valid([]byte(text)) {
		return json.RawMessage(text), nil
	}
	if inside, ok := fenced(text); ok && json.Valid([]byte(inside)) {
		return json.RawMessage(inside), nil
	}
	if found := inProse(text); found != "" {
		return json.RawMessage(found), nil
	}
	_, err := decodeAny([]byte(text))
	return nil, fmt.Errorf("it holds no valid JSON: %w", err)
}

// inProse returns the first object of a text, or its first array, or nothing.
func inProse(text string) string {
	const most = 100 // candidates, so that odd text takes no odd time
	array := ""
	for i, tried := 0, 0; i < len(text) && tried < most; i++ {
		if text[i] != '{' && text[i] != '[' {
			continue
		}
		tried++
		end := balanced(text[i:])
		switch {
		case end == 0 || !json.Valid([]byte(text[i:i+end])):
		case text[i] == '{':
			return text[i : i+end]
		default:
			if array == "" {
				array = text[i : i+end]
			}
			i += end - 1
		}
	}
	return array
}

// fenced returns what is between the first code fence and the one that closes it.
func fenced(text string) (string, bool) {
	_, rest, ok := strings.Cut(text, "```")
	if !ok {
		return "", false
	}
	_, rest, ok = strings.Cut(rest, "\n") // the rest of the line names a language
	if !ok {
		return "", false
	}
	inside, _, ok := strings.Cut(rest, "```")
	return strings.TrimSpace(inside), ok
}

// balanced is the length of the object or array that the text begins with, 0 if
// it does not end. Brackets inside of strings do not count.
func balanced(text string) int {
	depth, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return 0
}

package memory

import (
	"errors"
	"fmt"
	"strings"
)

// countLines counts a last line without a newline too. No text is no line.
func countLines(text string) int {
	n := strings.Count(text, "\n")
	if text != "" && !strings.HasSuffix(text, "\n") {
		n++
	}
	return n
}

// insert puts lines before the given one, counted from 1; one more than there are
// is the end. One newline at the end of the new lines is dropped, and the text
// ends with a newline afterwards if it did before. What is put into an empty text
// stays as it is.
func insert(text string, line int, add string) (string, error) {
	lines := countLines(text)
	if line < 1 || line > lines+1 {
		return "", fmt.Errorf("there is no line %d to insert at; it has %d, so give 1 to %d", line, lines, lines+1)
	}
	if text == "" {
		if add == "" {
			add = "\n"
		}
		return add, nil
	}
	add = strings.TrimSuffix(add, "\n")
	if line == lines+1 {
		if before, whole := strings.CutSuffix(text, "\n"); whole {
			return before + "\n" + add + "\n", nil
		}
		return text + "\n" + add, nil
	}
	at := 0
	for range line - 1 {
		at += strings.IndexByte(text[at:], '\n') + 1
	}
	return text[:at] + add + "\n" + text[at:], nil
}

// replace replaces the one place where a text stands.
func replace(text, from, to string) (string, error) {
	if from == "" {
		return "", errors.New("old_string is empty; give the text to replace")
	}
	at := strings.Index(text, from)
	if at < 0 {
		return "", errors.New("old_string is not in it; read it again, blanks and line ends count")
	}
	// Places that overlap are two places as well.
	if strings.Contains(text[at+1:], from) {
		return "", errors.New("old_string is in it more than once; give more of the text around it")
	}
	return text[:at] + to + text[at+len(from):], nil
}

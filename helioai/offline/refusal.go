package offline

import "fmt"

// A refusal says in one clause why the planner does not answer.
type refusal struct {
	reason string
	// bad marks a question that no model could answer: an unknown parameter, an
	// inverted window, no data in the window.
	bad bool
	// hint is a sentence that helps to ask again; may be empty.
	hint string
}

func refuse(format string, args ...any) *refusal {
	return &refusal{reason: fmt.Sprintf(format, args...)}
}

func reject(format string, args ...any) *refusal {
	return &refusal{reason: fmt.Sprintf(format, args...), bad: true}
}

// beyondGrammar says what it would take to answer what the grammar cannot
// follow.
const beyondGrammar = "This needs a language model; helioai models lists those that can be asked from here."

// signature closes every answer.
const signature = "Answered by the offline planner, a fixed grammar without a language model."

// text is the refusal as an answer.
func (r *refusal) text() string {
	var s string
	if r.bad {
		s = "There is no answer: " + r.reason + "."
	} else {
		s = "The offline planner does not follow this question: " + r.reason + ". " + beyondGrammar
	}
	if r.hint != "" {
		s += " " + r.hint
	}
	return s
}

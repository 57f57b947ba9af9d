package main

import (
	"fmt"
	"regexp"
	"time"

	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/llm/llmtest"
)

var facts = regexp.MustCompile(`(?s)(flare|shock|storm).*(\d{4}-\d\d-\d\d)`)

// model is a stand-in that takes a millisecond a byte, finds a kind and a date where
// they are in plain sight, and otherwise answers in prose. Any llm.Model stands here.
func model() llm.Model {
	return llmtest.Func(func(req *llm.Request) llmtest.Turn {
		text, answer := req.Messages[0].Text(), "I see no event in this."
		if m := facts.FindStringSubmatch(text); m != nil {
			answer = fmt.Sprintf(`{"kind":%q,"date":%q}`, m[1], m[2])
		}
		return llmtest.Text(answer).
			After(time.Duration(len(text)) * time.Millisecond).
			Using(llm.Usage{Input: 1500, Output: 100}) // $0.006
	})
}

package main

import (
	"fmt"
	"strings"

	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/llm/llmtest"
)

// model is a stand-in that sends a letter and, when it is told that nobody knows
// whether that happened, looks before it sends another. Any llm.Model stands here.
func model() llm.Model {
	return llmtest.Func(func(req *llm.Request) llmtest.Turn {
		to := strings.TrimPrefix(req.Messages[0].Text(), "Send a letter to ")
		args := fmt.Sprintf(`{"To":%q}`, to)
		last := req.Messages[len(req.Messages)-1].Parts[0].Result
		switch {
		case last == nil || last.Name == "sent" && last.Text() == "0":
			return llmtest.Call("send", args)
		case last.IsError:
			return llmtest.Call("sent", args)
		}
		return llmtest.Text(to + " has a letter.")
	})
}

package main

import (
	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/llm/llmtest"
)

// model is a stand-in that deploys once and says how that went. Any llm.Model
// stands here.
func model() llm.Model {
	return llmtest.Func(func(req *llm.Request) llmtest.Turn {
		last := req.Messages[len(req.Messages)-1]
		if last.Role == llm.RoleTool {
			return llmtest.Text("The outcome: " + last.Parts[0].Result.Text())
		}
		return llmtest.Call("deploy", `{"Version":"1.2"}`)
	})
}

package main

import (
	"time"

	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/llm/llmtest"
)

// model is a stand-in that takes a second for each turn. As the lead it asks both
// helpers at once, as a helper it searches once. Any llm.Model stands here.
func model() llm.Model {
	return llmtest.Func(func(req *llm.Request) llmtest.Turn {
		var turn llmtest.Turn
		switch asked := len(req.Messages) > 1; {
		case req.Tools[0].Name == "search" && asked:
			turn = llmtest.Text("They have " + req.Messages[2].Parts[0].Result.Text() + ".")
		case req.Tools[0].Name == "search":
			turn = llmtest.Call("search", `{"Words":"1859"}`)
		case asked:
			turn = llmtest.Text("The largest that was ever seen, and measured.")
		default:
			turn = llmtest.Call("historian", `{"task":"who saw it?"}`).And("physicist", `{"task":"how strong was it?"}`)
		}
		return turn.After(time.Second).Using(llm.Usage{Input: 1000, Output: 50})
	})
}

package main

import (
	"fmt"
	"time"

	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/llm/llmtest"
)

// model is a stand-in that has much to say about whatever was said last, a word
// every tenth of a second. Any llm.Model stands here.
func model() llm.Model {
	return llmtest.Func(func(req *llm.Request) llmtest.Turn {
		topic := req.Messages[len(req.Messages)-1].Text()
		answer := fmt.Sprintf("Of %s much has been written, and this is answer %d of mine: %[1]s it is.", topic, len(req.Messages)/2+1)
		return llmtest.Text(answer).Every(100 * time.Millisecond)
	})
}

package main

import (
	"context"
	"fmt"
	"time"

	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/llm/llmtest"
	"github.com/helios-go/helios/tool"
)

// model is a stand-in that reads three pages about whatever was said last and
// then sums up. Any llm.Model stands here.
func model() llm.Model {
	topic, pages := "", 0
	return llmtest.Func(func(req *llm.Request) llmtest.Turn {
		if last := req.Messages[len(req.Messages)-1]; last.Role == llm.RoleUser {
			topic, pages = last.Text(), 0
		}
		if pages++; pages > 3 {
			return llmtest.Text("That is all I found about " + topic + ".").Every(100 * time.Millisecond)
		}
		return llmtest.Text(fmt.Sprintf("Let me read page %d about %s.", pages, topic)).
			And("read", fmt.Sprintf(`{"Topic":%q}`, topic)).Every(100 * time.Millisecond)
	})
}

// tools give the model some work to do, so that there is a next step.
func tools() []tool.Tool {
	read := tool.New("read", "Read a page about a topic", func(_ context.Context, in struct{ Topic string }) (string, error) {
		return "There is much to be said about " + in.Topic + ".", nil
	}, tool.WithEffect(tool.ReadOnly))
	return []tool.Tool{read}
}

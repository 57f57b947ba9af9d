package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/helios-go/helios/agent"
	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/llm/llmtest"
	"github.com/helios-go/helios/tool"
)

type letter struct{ To string }

// clerk is an agent that adds letters to a file, and can look which are there.
func clerk(outbox string) agent.Agent {
	send := tool.New("send", "Send a letter", func(_ context.Context, l letter) (string, error) {
		out, err := os.OpenFile(outbox, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			return "", err
		}
		_, err = fmt.Fprintln(out, "letter to", l.To)
		return "sent", errors.Join(err, out.Close())
	}, tool.WithEffect(tool.Mutating))
	sent := tool.New("sent", "Tell how many letters went to a person", func(_ context.Context, l letter) (int, error) {
		all, err := os.ReadFile(outbox)
		if errors.Is(err, fs.ErrNotExist) {
			return 0, nil
		}
		return strings.Count(string(all), "letter to "+l.To+"\n"), err
	}, tool.WithEffect(tool.ReadOnly))
	return agent.Agent{Model: model(), Tools: []tool.Tool{send, sent}, Policy: agent.AllowTools("send")}
}

// model is a stand-in that sends a letter. When it is to go on, or is told that
// nobody knows whether a letter was sent, it looks first. Any llm.Model stands here.
func model() llm.Model {
	return llmtest.Func(func(req *llm.Request) llmtest.Turn {
		to := strings.TrimPrefix(req.Messages[0].Text(), "Send a letter to ")
		args := fmt.Sprintf(`{"To":%q}`, to)
		last := req.Messages[len(req.Messages)-1].Parts[0].Result
		switch {
		case len(req.Messages) == 1 || last != nil && last.Name == "sent" && last.Text() == "0":
			return llmtest.Call("send", args)
		case last == nil || last.IsError:
			return llmtest.Call("sent", args)
		}
		return llmtest.Text(to + " has a letter.")
	})
}

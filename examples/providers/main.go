// Command providers holds one conversation with several models, of any providers:
//
//	export ANTHROPIC_API_KEY=... OPENAI_API_KEY=...
//	go run ./examples/providers anthropic/claude-sonnet-5 openai/gpt-6-sol ollama/qwen3:8b
//
// The first model is asked a question and calls a tool; each of the others is asked
// what it thinks of the answer. Thoughts, calls and results of the earlier ones are
// in its history. What it cost is printed, where the price is known.
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"strings"

	"github.com/helios-go/helios/agent"
	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/provider/anthropic"
	"github.com/helios-go/helios/provider/compat"
	"github.com/helios-go/helios/provider/gemini"
	"github.com/helios-go/helios/provider/openai"
	"github.com/helios-go/helios/tool"
)

func main() {
	if len(os.Args) < 2 {
		log.Fatal("usage: providers PROVIDER/MODEL...")
	}
	var models []llm.Model
	for _, name := range os.Args[1:] {
		m, err := open(name)
		if err != nil {
			log.Fatal(err)
		}
		models = append(models, m)
	}
	if err := talk(context.Background(), models, os.Stdout); err != nil {
		log.Fatal(err)
	}
}

// open makes a model of its name. What is wrong with it (no key, no such model) is
// told when it is first asked.
func open(name string) (llm.Model, error) {
	provider, model, _ := strings.Cut(name, "/")
	switch provider {
	case "anthropic":
		return anthropic.New(model, nil), nil
	case "openai":
		return openai.New(model, nil), nil
	case "gemini":
		return gemini.New(model, nil), nil
	}
	dialect, ok := compat.Lookup(provider) // groq, ollama, openrouter, mistral ...
	if !ok {
		return nil, fmt.Errorf("there is no provider %q", provider)
	}
	return dialect.New(model, nil), nil
}

// talk goes on with one session under each model in turn.
func talk(ctx context.Context, models []llm.Model, out io.Writer) error {
	weather := tool.New("weather", "Weather in a city now", func(_ context.Context, in struct{ City string }) (string, error) {
		return "22 C in " + in.City, nil
	}, tool.WithEffect(tool.ReadOnly))
	opts := &agent.OpenOptions{Store: agent.NewMemoryStore(), SessionID: "talk"}
	question := "Is it warm in Toulouse?"
	for _, m := range models {
		s, err := agent.Agent{Model: m, Tools: []tool.Tool{weather}}.Open(ctx, opts)
		if err != nil {
			return err
		}
		res, err := s.Run(ctx, question)
		s.Close()
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "%s: %s (%d tokens, %s)\n", m.Name(), res.Text, res.Usage.Total(), res.Cost)
		question = "Do you agree?"
	}
	return nil
}

package models

import (
	"context"
	"fmt"
	"iter"
	"sync/atomic"

	"github.com/helios-go/helios/llm"
)

// Open makes the model of a choice. Where the choice names none and the provider has
// no default, the server is asked which it has, and the first is taken.
//
// The model's errors are of this package: one sentence, with the variable that
// would change it, around what the provider reports. Its Err is nil.
func (c *Config) Open(ctx context.Context, choice Choice) (llm.Model, error) {
	p, err := Lookup(choice.Provider)
	if err != nil {
		return nil, err
	}
	a, err := c.reach(p)
	if err != nil {
		return nil, err
	}
	id := choice.Model
	if id == "" {
		if id, err = a.byDefault(ctx); err != nil {
			return nil, err
		}
	}
	m := &model{Model: a.open(a, id), access: a, id: id}
	if broken, ok := m.Model.(interface{ Err() error }); ok {
		if err := broken.Err(); err != nil {
			return nil, m.word(ctx, err)
		}
	}
	return m, nil
}

// byDefault is the model that is asked when none is wished for.
func (a *access) byDefault(ctx context.Context) (string, error) {
	if a.Provider.Model != "" {
		return a.Provider.Model, nil
	}
	if id, _ := a.c.first(a.ModelVars); id != "" {
		return id, nil
	}
	if !a.Local {
		return "", &Error{Text: fmt.Sprintf("%s has no default model; choose one with --model, or set %s", a.Title, orList(a.ModelVars))}
	}
	ids, err := a.ids(ctx)
	switch {
	case err != nil:
		return "", err
	case len(ids) == 0 && a.Name == "ollama":
		return "", &Error{Text: "this Ollama has no model yet; get one with `ollama pull MODEL`"}
	case len(ids) == 0:
		return "", &Error{Text: fmt.Sprintf("%s names no model that it has; choose one with --model or %s", a.Title, ModelVar)}
	}
	return ids[0], nil
}

// A model words the errors of the one inside.
type model struct {
	llm.Model
	access   *access
	id       string
	answered atomic.Bool
}

// Size is that of the model inside, where it knows it.
func (m *model) Size() llm.Size {
	if s, ok := m.Model.(llm.Sizer); ok {
		return s.Size()
	}
	return llm.Size{}
}

// Cost is that of the model inside, where it knows it.
func (m *model) Cost(u llm.Usage) (llm.Micros, bool) {
	if p, ok := m.Model.(llm.Pricer); ok {
		return p.Cost(u)
	}
	return 0, false
}

// Stream is that of the model inside.
func (m *model) Stream(ctx context.Context, req *llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		for chunk, err := range m.Model.Stream(ctx, req) {
			if err != nil {
				yield(chunk, m.word(ctx, err))
				return
			}
			m.answered.Store(true)
			if !yield(chunk, nil) {
				return
			}
		}
	}
}

// Priced reports whether it is known what a model costs, so that a limit on money
// can hold.
func Priced(m llm.Model) bool {
	p, ok := m.(llm.Pricer)
	if !ok {
		return false
	}
	_, known := p.Cost(llm.Usage{Input: 1, Output: 1})
	return known
}

package models

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/provider"
)

// A Status is what is known of one provider on this machine.
type Status struct {
	*Provider
	Address string // where requests go
	KeyVar  string // the variable that its key is from; "" without a key
	Set     bool   // what it needs is set; for a local server: one answers
	Missing string // what to set, in words, where it is not

	Asked   bool // it was asked for its models
	Took    time.Duration
	Err     error           // an [*Error]: why it does not answer
	Listed  []provider.Info // the models that it has
	Default string          // the model that is asked when none is wished for; "" where the user has to choose
	Free    bool            // what it lists costs nothing, unless a price stands beside it
}

// Survey asks each of the providers that are set up here which models it has, all at
// the same time, for a few seconds at most. Only names one of them; "" is all. Local
// servers are asked whether anything is set for them or not, but for those that share
// a port with everything else: vLLM and llama.cpp want their variable.
//
// Told, when not nil, hears of each provider that has answered, from one goroutine at
// a time.
func (c *Config) Survey(ctx context.Context, only string, told func(*Status)) ([]*Status, error) {
	if only != "" {
		if _, err := Lookup(only); err != nil {
			return nil, err
		}
	}
	var all []*Status
	var wait sync.WaitGroup
	var mu sync.Mutex
	for i := range table {
		p := &table[i]
		if only != "" && p.Name != only {
			continue
		}
		s := &Status{Provider: p}
		all = append(all, s)
		a, err := c.reach(p)
		s.Address, s.KeyVar, s.Default = a.where(), a.keyVar, p.Model
		if id, _ := c.first(p.ModelVars); s.Default == "" {
			s.Default = id
		}
		if err != nil || p.Local && p.Name != "ollama" && a.urlVar == "" && only == "" {
			s.Missing = missing(a)
			continue
		}
		s.Set, s.Asked = true, true
		wait.Go(func() {
			began := time.Now()
			s.Listed, s.Err = a.models(ctx)
			s.Took = time.Since(began)
			s.settle(a)
			if told != nil {
				mu.Lock()
				defer mu.Unlock()
				told(s)
			}
		})
	}
	wait.Wait()
	return all, context.Cause(ctx)
}

// settle draws the conclusions of what the server said.
func (s *Status) settle(a *access) {
	if s.Err != nil && s.Local && a.urlVar == "" {
		// Nothing is set and nobody is there: that is not a fault.
		s.Set, s.Missing = false, missing(a)
	}
	if s.Default == "" && s.Local && len(s.Listed) > 0 {
		s.Default = s.Listed[0].ID
	}
	if s.Local && s.Default != "" {
		if p, ok := a.open(a, s.Default).(llm.Pricer); ok {
			cost, known := p.Cost(llm.Usage{Input: 1_000_000})
			s.Free = known && cost == 0
		}
	}
}

// missing says what to set.
func missing(a *access) string {
	switch {
	case a.Name == "ollama":
		return "start `ollama serve`, or set OLLAMA_HOST"
	case a.Name == "azure":
		var names []string
		if a.urlVar == "" {
			names = append(names, a.URLs[0])
		}
		if a.keyVar == "" {
			names = append(names, a.Keys[0])
		}
		return "set " + andList(names)
	case a.Name == Server:
		return "set " + a.URLs[0] + " to any server that speaks chat completions"
	case a.Local:
		return "set " + a.URLs[0]
	}
	return "set " + orList(a.Keys)
}

func andList(names []string) string {
	if len(names) == 2 {
		return names[0] + " and " + names[1]
	}
	return names[0]
}

// Missing reports whether an error is about a key or an address that is not set.
func Missing(err error) bool { return errors.Is(err, errMissing) }

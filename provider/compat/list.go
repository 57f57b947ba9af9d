package compat

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/provider"
	"github.com/helios-go/helios/provider/internal/scan"
)

// maxList is how long a list of models may be: OpenRouter's has hundreds.
const maxList = 32 << 20

// List asks a server which models it has, by their ids, with what it says of their
// windows and prices and what [Models] knows besides. The error, an [*llm.Error], says in one
// sentence why the server cannot be asked and which setting to change; without one
// it is reachable, and takes the key.
func List(ctx context.Context, d Dialect, o *Options) ([]provider.Info, error) {
	if o == nil {
		o = &Options{}
	}
	d.BaseURL = d.home()
	conn, err := o.connect(&d, "any")
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, conn.URL("/models"), nil)
	if err != nil {
		return nil, d.misplaced("the base URL cannot be used")
	}
	resp, err := conn.Do(req)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK {
		return nil, conn.Refused(resp)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxList))
	if err != nil {
		return nil, conn.Cut()
	}
	listed, ok := parseList(body)
	if !ok {
		return nil, d.misplaced("the server answered with no list of models")
	}
	known := Models(d.Name)
	for i := range listed {
		info, _ := known.Find(listed[i].ID)
		info.ID = listed[i].ID
		info.Size.Context = cmp.Or(listed[i].Size.Context, info.Size.Context)
		info.Size.MaxOutput = cmp.Or(listed[i].Size.MaxOutput, info.Size.MaxOutput)
		if listed[i].Prices != nil {
			info.Prices = listed[i].Prices
		}
		listed[i] = info
	}
	slices.SortFunc(listed, func(a, b provider.Info) int { return cmp.Compare(a.ID, b.ID) })
	return listed, nil
}

// misplaced is the error of an address that is not that of such a server.
func (d *Dialect) misplaced(why string) error {
	return &llm.Error{Kind: llm.KindInvalidRequest, Provider: d.Name, Err: errors.New(why), Hint: "check Options.BaseURL"}
}

// A listed is one model as servers describe it. How much it takes has a name of its
// own with each: vLLM, Groq, OpenRouter, Mistral, llama.cpp, Google.
type listed struct {
	ID            string   `json:"id"`
	Name          string   `json:"name"` // Google and Ollama's own interfaces
	InputLimit    number   `json:"inputTokenLimit"`
	OutputLimit   number   `json:"outputTokenLimit"`
	MaxModelLen   number   `json:"max_model_len"`
	ContextWindow number   `json:"context_window"`
	ContextLength number   `json:"context_length"`
	MaxContext    number   `json:"max_context_length"`
	MaxCompletion number   `json:"max_completion_tokens"`
	Meta          struct { // llama.cpp
		Context number `json:"n_ctx"`
	} `json:"meta"`
	Pricing pricing  `json:"pricing"`
	Top     struct { // OpenRouter
		Context       number `json:"context_length"`
		MaxCompletion number `json:"max_completion_tokens"`
	} `json:"top_provider"`
}

// A pricing is what OpenRouter asks for one token, in US dollars, as texts.
type pricing struct {
	Prompt     text `json:"prompt"`
	Completion text `json:"completion"`
	CacheRead  text `json:"input_cache_read"`
	CacheWrite text `json:"input_cache_write"`
}

// A text is a string, "" for anything else.
type text string

// UnmarshalJSON never fails.
func (t *text) UnmarshalJSON(data []byte) error {
	var s scan.Scanner
	s.Reset(data)
	*t = text(s.Text())
	return nil
}

// UnmarshalJSON takes no pricing for one that says nothing.
func (p *pricing) UnmarshalJSON(data []byte) error {
	type plain pricing
	if json.Unmarshal(data, (*plain)(p)) != nil {
		*p = pricing{}
	}
	return nil
}

// tiers are the prices for a million tokens; none where they are not told, or
// depend on who will answer, which is told as -1.
func (p *pricing) tiers() []provider.Tier {
	in, known := p.Prompt.million()
	out, too := p.Completion.million()
	if !known || !too {
		return nil
	}
	read, _ := p.CacheRead.million()
	written, _ := p.CacheWrite.million()
	return []provider.Tier{{Price: llm.Price{Input: in, Output: out, CacheRead: read, CacheWrite: written}}}
}

// million is the price of a million tokens.
func (t text) million() (llm.Micros, bool) {
	dollars, err := strconv.ParseFloat(string(t), 64)
	if err != nil || !(dollars >= 0 && dollars < 1) {
		return 0, false
	}
	return llm.Micros(math.Round(dollars * 1e6 * float64(llm.Dollar))), true
}

// A number is a count, 0 where a server writes something else.
type number int64

// UnmarshalJSON never fails.
func (n *number) UnmarshalJSON(data []byte) error {
	var s scan.Scanner
	s.Reset(data)
	i, _ := s.Int()
	*n = number(max(0, i))
	return nil
}

// parseList reads {"data":[...]}, a bare list, and the "models" of others.
func parseList(body []byte) ([]provider.Info, bool) {
	var in struct {
		Data   json.RawMessage `json:"data"`
		Models json.RawMessage `json:"models"`
	}
	list := json.RawMessage(body)
	if json.Unmarshal(body, &in) == nil {
		switch {
		case in.Data != nil:
			list = in.Data
		case in.Models != nil:
			list = in.Models
		}
	}
	var models []listed
	if json.Unmarshal(list, &models) != nil {
		return nil, false
	}
	infos := make([]provider.Info, 0, len(models))
	for i := range models {
		m := &models[i]
		if m.ID = cmp.Or(m.ID, m.Name); m.ID == "" {
			continue
		}
		m.ID = strings.TrimPrefix(m.ID, "models/")
		infos = append(infos, provider.Info{ID: m.ID, Prices: m.Pricing.tiers(), Size: llm.Size{
			Context:   int64(cmp.Or(m.Top.Context, m.MaxModelLen, m.ContextWindow, m.ContextLength, m.MaxContext, m.Meta.Context, m.InputLimit)),
			MaxOutput: int64(cmp.Or(m.Top.MaxCompletion, m.MaxCompletion, m.OutputLimit)),
		}})
	}
	return infos, true
}

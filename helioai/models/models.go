// Package models says which language models can be asked from this machine, and
// makes them: from environment variables and what a user asks for, never from
// anything hidden.
//
//	c := &models.Config{} // the process's environment
//	choice, err := c.Choose("lead", &models.Wish{Provider: "anthropic"})
//	if err != nil {
//		return err
//	}
//	model, err := c.Open(ctx, choice) // an llm.Model; its errors name the variable to change
//
// [Providers] are the places where models run, each with the variables that its key
// and its address come from. [Config.Survey] asks all of them at once what they
// have. Without a wish the choice is [Offline], which needs neither.
//
// Errors are one sentence for a person, an [*Error] around what went wrong. No key
// is ever in them.
package models

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"

	"github.com/helios-go/helios/helioai/wording"
	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/provider"
)

// Offline is the provider without a model: the planner of helioai/offline, which
// this package only names.
const Offline = "offline"

// A Config is where settings come from. The zero value is the process's own
// environment. It is safe for concurrent use.
type Config struct {
	Env  func(name string) string // nil: os.Getenv
	HTTP *http.Client             // nil: one that each provider chooses
}

func (c *Config) env(name string) string {
	if c.Env != nil {
		return strings.TrimSpace(c.Env(name))
	}
	return strings.TrimSpace(os.Getenv(name))
}

// first is the value of the first variable that is set, and its name.
func (c *Config) first(names []string) (value, name string) {
	for _, name := range names {
		if v := c.env(name); v != "" {
			return v, name
		}
	}
	return "", ""
}

// A Provider is a place where models run.
type Provider struct {
	Name  string // as --provider takes it, and the first half of the models' names
	Title string // for people

	Keys []string // variables with the key: the first that is set counts; none: it needs no key
	URLs []string // variables with the address, likewise
	Home string   // its address unless a variable says otherwise; "": it has none

	// Model is asked unless another is wished for. "" is the first that the server
	// has.
	Model     string
	ModelVars []string // variables with the model's name, where a provider has its own

	Local bool // a server of the user's own: it may need no key, and has the models that it has

	catalogue func() *provider.Catalogue // nil: nothing is known of its models
	open      func(a *access, model string) llm.Model
}

// Catalogue is what is known of its models; empty where nothing is.
func (p *Provider) Catalogue() *provider.Catalogue {
	if p.catalogue == nil {
		return &provider.Catalogue{}
	}
	return p.catalogue()
}

// Names are the names of all providers, [Offline] first.
func Names() []string {
	names := []string{Offline}
	for i := range table {
		names = append(names, table[i].Name)
	}
	return names
}

// Providers are all but [Offline], in the order in which they are shown.
func Providers() []Provider { return slices.Clone(table) }

// Lookup is the provider of a name that is not [Offline].
func Lookup(name string) (*Provider, error) {
	for i := range table {
		if table[i].Name == name {
			return &table[i], nil
		}
	}
	text := fmt.Sprintf("there is no provider %q", wording.Line(name, 60))
	if first, model, found := strings.Cut(name, "/"); found && model != "" && slices.Contains(Names(), first) {
		return nil, mistake("%s; write --provider %s --model %s", text, first, wording.Line(model, 60))
	}
	if near := llm.Nearest(name, Names()); near != "" {
		return nil, mistake("%s; did you mean %s? There are %s", text, near, strings.Join(Names(), ", "))
	}
	return nil, mistake("%s; there are %s", text, strings.Join(Names(), ", "))
}

// An Error says in one sentence what is wrong and which setting changes it.
type Error struct {
	Text  string
	Usage bool  // the wish cannot be understood
	Err   error // the cause, often an [*llm.Error]; may be nil
}

func (e *Error) Error() string { return e.Text }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

func mistake(format string, args ...any) error {
	return &Error{Text: fmt.Sprintf(format, args...), Usage: true}
}

// access is how a provider is reached from here.
type access struct {
	*Provider
	c            *Config
	key, keyVar  string
	base, urlVar string // base is never empty where urlVar is not
}

// reach finds a provider's key and address. The error says what is not set.
func (c *Config) reach(p *Provider) (*access, error) {
	a := &access{Provider: p, c: c}
	a.key, a.keyVar = c.first(p.Keys)
	a.base, a.urlVar = c.first(p.URLs)
	if p.Name == Server && a.urlVar == openAIURL && a.key == "" {
		// The address is OpenAI's variable, so the key that goes with it does too.
		a.key, a.keyVar = c.first([]string{openAIKey})
	}
	if p.Name == "ollama" {
		a.base = ollamaAddress(a.base)
	}
	switch {
	case a.base == "" && p.Home == "":
		return a, &Error{Text: fmt.Sprintf("%s has no address; set %s", p.Title, orList(p.URLs)), Err: errMissing}
	case a.key == "" && a.urlVar == "" && !p.Local, a.key == "" && p.Name == "azure":
		return a, &Error{Text: fmt.Sprintf("%s has no key; set %s, or choose another provider (helioai models lists them)", p.Title, orList(p.Keys)), Err: errMissing}
	}
	return a, nil
}

// errMissing marks what is not set.
var errMissing = errors.New("not set")

// address is where requests go.
func (a *access) address() string {
	if a.base != "" {
		return strings.TrimRight(a.base, "/")
	}
	return a.Home
}

// where is the address without what may be secret in it.
func (a *access) where() string {
	u, err := url.Parse(a.address())
	if err != nil {
		return "the address in " + a.setting()
	}
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	return u.String()
}

// setting is what to change when the address is wrong.
func (a *access) setting() string {
	if a.urlVar != "" {
		return a.urlVar
	}
	if len(a.URLs) > 0 {
		return a.URLs[0]
	}
	return "the network"
}

func orList(names []string) string { return strings.Join(names, " or ") }

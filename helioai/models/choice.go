package models

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/helios-go/helios/helioai/wording"
)

// Variables that choose for every command.
const (
	ProviderVar = "HELIOAI_PROVIDER"
	ModelVar    = "HELIOAI_MODEL"
)

// RoleVar is the variable that chooses for one role: HELIOAI_MODEL_LEAD.
func RoleVar(role string) string { return ModelVar + "_" + strings.ToUpper(role) }

// A Choice is a provider and one of its models. An empty Model is the one that the
// provider has by default.
type Choice struct{ Provider, Model string }

// String is "anthropic/claude-sonnet-5-5", the form that [Wish.Roles] take too.
func (c Choice) String() string {
	if c.Model == "" {
		return c.Provider
	}
	return c.Provider + "/" + c.Model
}

// A Wish is what a user says beside the environment, and it goes before that.
type Wish struct {
	Provider, Model string
	Roles           map[string]string // by role: "PROVIDER/MODEL", "PROVIDER", or a model of the provider that is chosen for all
}

// Choose says which model a role asks: what is wished for the role, then what is
// wished for all, then the same of the environment (HELIOAI_MODEL_<ROLE>, then
// HELIOAI_PROVIDER and HELIOAI_MODEL), and else [Offline].
//
// A model that is wished for is one of the provider that is chosen, as that provider
// calls it. Where none is chosen it may be PROVIDER/MODEL, or belongs to the provider
// whose catalogue has it.
func (c *Config) Choose(role string, w *Wish) (Choice, error) {
	if w == nil {
		w = &Wish{}
	}
	general, err := c.general(w)
	if err != nil {
		return Choice{}, err
	}
	said := w.Roles[role]
	if said == "" && w.Provider == "" && w.Model == "" {
		said = c.env(RoleVar(role))
	}
	if said == "" {
		return general, nil
	}
	choice, err := parse(said, general.Provider)
	if w.Roles[role] == "" {
		err = from(RoleVar(role), err)
	}
	return choice, err
}

// general is the choice for all roles.
func (c *Config) general(w *Wish) (Choice, error) {
	env := Choice{Provider: c.env(ProviderVar), Model: c.env(ModelVar)}
	if env.Provider == "" && env.Model != "" && (w.Provider == "" || home(env.Model) == w.Provider) {
		var err error
		if env, err = parse(env.Model, ""); err != nil {
			return Choice{}, from(ModelVar, err)
		}
	}
	switch {
	case w.Provider != "" && w.Model == "" && w.Provider == env.Provider:
		return check(env)
	case w.Provider != "":
		return check(Choice{w.Provider, w.Model})
	case w.Model != "" && env.Provider != "" && env.Provider != Offline:
		env.Model = w.Model
	case w.Model != "":
		return parse(w.Model, "")
	case env.Provider == "":
		return Choice{Provider: Offline}, nil
	}
	choice, err := check(env)
	return choice, from(ProviderVar, err)
}

// from says which variable a mistake is in.
func from(variable string, err error) error {
	if e, ok := errors.AsType[*Error](err); ok {
		return &Error{Text: fmt.Sprintf("in %s: %s", variable, e.Text), Usage: e.Usage, Err: e.Err}
	}
	return err
}

// parse reads PROVIDER/MODEL, PROVIDER, or a model of the given provider or else
// of the one that is known to have it.
func parse(said, of string) (Choice, error) {
	if name, model, _ := strings.Cut(said, "/"); slices.Contains(Names(), name) {
		return check(Choice{name, model})
	}
	if of != "" && of != Offline {
		return check(Choice{of, said})
	}
	if name := home(said); name != "" {
		return check(Choice{name, said})
	}
	return Choice{}, mistake("which provider has the model %q? Name it with --provider or %s", wording.Line(said, 80), ProviderVar)
}

// home is the first provider whose catalogue has a model.
func home(model string) string {
	if model == "" {
		return ""
	}
	for i := range table {
		if _, ok := table[i].Catalogue().Find(model); ok {
			return table[i].Name
		}
	}
	return ""
}

// check refuses a provider that does not exist, and a model where there is none.
func check(c Choice) (Choice, error) {
	if c.Provider == Offline {
		if c.Model != "" {
			return Choice{}, mistake("the provider offline has no models to choose from; leave %q away, or choose another provider", wording.Line(c.Model, 80))
		}
		return c, nil
	}
	_, err := Lookup(c.Provider)
	return c, err
}

// ParseRoles reads ROLE=CHOICE pairs of the roles that there are.
func ParseRoles(pairs, roles []string) (map[string]string, error) {
	out := map[string]string{}
	for _, pair := range pairs {
		role, said, ok := strings.Cut(pair, "=")
		role, said = strings.TrimSpace(role), strings.TrimSpace(said)
		if !ok || said == "" {
			return nil, mistake("%q is no choice for a role; write ROLE=PROVIDER/MODEL, as in %s=anthropic/claude-sonnet-5-5", wording.Line(pair, 80), roles[0])
		}
		if !slices.Contains(roles, role) {
			return nil, mistake("there is no role %q; there is %s", wording.Line(role, 60), strings.Join(roles, ", "))
		}
		out[role] = said
	}
	return out, nil
}

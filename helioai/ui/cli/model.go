package cli

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/helios-go/helios/helio/archive"
	"github.com/helios-go/helios/helioai/agents"
	"github.com/helios-go/helios/helioai/models"
	"github.com/helios-go/helios/helioai/offline"
	"github.com/helios-go/helios/llm"
)

// asked is who a command asks, as its flags say it.
type asked struct {
	provider, model string
	roles           []string
}

func (a *asked) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&a.provider, "provider", "", "who answers: offline, or a `name` that helioai models lists (default $HELIOAI_PROVIDER, or offline)")
	cmd.Flags().StringVar(&a.model, "model", "", "the provider's model that answers, by its `id` (default $HELIOAI_MODEL, or the one that helioai models marks)")
	cmd.Flags().StringArrayVar(&a.roles, "role-model", nil, "another model for one role, as `role=provider/model` (default $HELIOAI_MODEL_<ROLE>)")
	completeProviders(cmd)
}

// completeProviders has a shell offer the names of the providers.
func completeProviders(cmd *cobra.Command) {
	_ = cmd.RegisterFlagCompletionFunc("provider", cobra.FixedCompletions(models.Names(), cobra.ShellCompDirectiveNoFileComp)) // the flag is there
}

// choose says which model a role asks.
func (a *asked) choose(role string) (models.Choice, error) {
	roles, err := models.ParseRoles(a.roles, agents.Roles())
	if err != nil {
		return models.Choice{}, err
	}
	var c models.Config
	return c.Choose(role, &models.Wish{Provider: strings.TrimSpace(a.provider), Model: strings.TrimSpace(a.model), Roles: roles})
}

// openModel makes the model of a choice; the planner answers about arch.
func openModel(ctx context.Context, choice models.Choice, arch archive.Archive, budget llm.Micros) (llm.Model, error) {
	if choice.Provider == models.Offline {
		return offline.New(arch), nil
	}
	var c models.Config
	model, err := c.Open(ctx, choice)
	switch {
	case err != nil:
		return nil, err
	case budget > 0 && !models.Priced(model):
		return nil, fmt.Errorf("the price of %s is not known, so no budget can hold; leave --budget away, or choose a model whose price helioai models shows", oneLine(model.Name()))
	}
	return model, nil
}

// usage marks a mistake in what the user wishes for.
func usage(err error) error {
	if e, ok := errors.AsType[*models.Error](err); ok && e.Usage {
		return &usageError{err}
	}
	return err
}

// parseBudget reads an amount of dollars; "" is none.
func parseBudget(s string) (llm.Micros, error) {
	if s == "" {
		return 0, nil
	}
	dollars, err := strconv.ParseFloat(strings.TrimPrefix(strings.TrimSpace(s), "$"), 64)
	micros := math.Round(dollars * float64(llm.Dollar))
	if err != nil || !(micros >= 1) || micros > math.MaxInt64/2 {
		return 0, &usageError{fmt.Errorf("%q is no budget; write US dollars, as in --budget 0.50", clip(s))}
	}
	return llm.Micros(micros), nil
}

package models_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/helios-go/helios/helioai/models"
	"github.com/helios-go/helios/llm"
)

func asError(err error, e **llm.Error) bool { return errors.As(err, e) }

func TestTheWishGoesBeforeTheEnvironment(t *testing.T) {
	t.Parallel()
	all := []string{"HELIOAI_PROVIDER", "anthropic", "HELIOAI_MODEL", "claude-opus-5-5"}
	for _, tc := range []struct {
		name string
		env  []string
		wish models.Wish
		want string
	}{
		{"nothing said", nil, models.Wish{}, "offline"},
		{"a provider of the environment", all[:2], models.Wish{}, "anthropic"},
		{"both of the environment", all, models.Wish{}, "anthropic/claude-opus-5-5"},
		{"a model that names its provider", []string{"HELIOAI_MODEL", "groq/openai/gpt-oss-120b"}, models.Wish{}, "groq/openai/gpt-oss-120b"},
		{"a model that one catalogue has", []string{"HELIOAI_MODEL", "claude-opus-5-5"}, models.Wish{}, "anthropic/claude-opus-5-5"},
		{"another provider has its own model", all, models.Wish{Provider: "groq"}, "groq"},
		{"the same provider keeps the model", all, models.Wish{Provider: "anthropic"}, "anthropic/claude-opus-5-5"},
		{"another model of the provider", all, models.Wish{Model: "claude-haiku-5-5"}, "anthropic/claude-haiku-5-5"},
		{"a model as the provider calls it", nil, models.Wish{Provider: "openrouter", Model: "anthropic/claude-sonnet-5.5"}, "openrouter/anthropic/claude-sonnet-5.5"},
		{"offline goes before all of it", append(all, "HELIOAI_MODEL_LEAD", "groq"), models.Wish{Provider: "offline"}, "offline"},
		{"a model for a role", append(all, "HELIOAI_MODEL_LEAD", "claude-sonnet-5-5"), models.Wish{}, "anthropic/claude-sonnet-5-5"},
		{"a provider for a role", append(all, "HELIOAI_MODEL_LEAD", "groq"), models.Wish{}, "groq"},
		{"a wish for a role", append(all, "HELIOAI_MODEL_LEAD", "groq"), models.Wish{Roles: map[string]string{"lead": "ollama/qwen3:8b"}}, "ollama/qwen3:8b"},
		{"a wish for another role", all, models.Wish{Roles: map[string]string{"other": "ollama/qwen3:8b"}}, "anthropic/claude-opus-5-5"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got, err := env(tc.env...).Choose("lead", &tc.wish)
			if err != nil || got.String() != tc.want {
				t.Errorf("Choose() = %v, %v; want %s", got, err, tc.want)
			}
		})
	}
}

func TestAChoiceThatCannotBeIsAMistake(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		env  []string
		wish models.Wish
		want string
	}{
		{"a provider with its model", nil, models.Wish{Provider: "ollama/qwen3:8b"}, `there is no provider "ollama/qwen3:8b"; write --provider ollama --model qwen3:8b`},
		{"a misspelt provider", nil, models.Wish{Provider: "antropic"}, `there is no provider "antropic"; did you mean anthropic? There are offline, `},
		{"nothing like a provider", nil, models.Wish{Provider: "zzzzzzzz"}, `there is no provider "zzzzzzzz"; there are offline, `},
		{"a provider in the environment", []string{"HELIOAI_PROVIDER", "grok"}, models.Wish{}, `in HELIOAI_PROVIDER: there is no provider "grok"; did you mean groq?`},
		{"a model of nobody", nil, models.Wish{Model: "sonnet"}, `which provider has the model "sonnet"?`},
		{"a model of nobody for a role", []string{"HELIOAI_MODEL_LEAD", "sonnet"}, models.Wish{}, `in HELIOAI_MODEL_LEAD: which provider has the model "sonnet"?`},
		{"a model of the planner", nil, models.Wish{Provider: "offline", Model: "x"}, "the provider offline has no models to choose from"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			_, err := env(tc.env...).Choose("lead", &tc.wish)
			var e *models.Error
			if !errors.As(err, &e) || !e.Usage || !strings.HasPrefix(e.Text, tc.want) {
				t.Errorf("error %v, want %s", err, tc.want)
			}
		})
	}
}

func TestRolesAreReadAsPairs(t *testing.T) {
	t.Parallel()
	got, err := models.ParseRoles([]string{"lead=groq/openai/gpt-oss-120b"}, []string{"lead"})
	if err != nil || got["lead"] != "groq/openai/gpt-oss-120b" {
		t.Errorf("%v, %v", got, err)
	}
	for pair, want := range map[string]string{"lead": "write ROLE=PROVIDER/MODEL", "lead=": "write ROLE=PROVIDER/MODEL", "leed=x": `no role "leed"; there is lead`} {
		if _, err := models.ParseRoles([]string{pair}, []string{"lead"}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %s", pair, err, want)
		}
	}
}

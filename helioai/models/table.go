package models

import (
	"slices"
	"time"

	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/provider"
	"github.com/helios-go/helios/provider/compat"
)

// Server is the provider for any other server that speaks chat completions.
const Server = "server"

const (
	openAIKey = "OPENAI_API_KEY"
	openAIURL = "OPENAI_BASE_URL"
)

// table is all that can be asked, in the order in which it is shown. What a default
// model costs is known where anything is, so that a budget holds without naming one.
var table = slices.Concat(native, []Provider{
	chat(Provider{Name: "groq", Title: "Groq", Model: "openai/gpt-oss-120b", Keys: []string{"GROQ_API_KEY"}, URLs: []string{"GROQ_BASE_URL"}}),
	chat(Provider{Name: "deepseek", Title: "DeepSeek", Model: "deepseek-flash", Keys: []string{"DEEPSEEK_API_KEY"}, URLs: []string{"DEEPSEEK_BASE_URL"}}),
	chat(Provider{Name: "mistral", Title: "Mistral", Model: "mistral-large-latest", Keys: []string{"MISTRAL_API_KEY"}, URLs: []string{"MISTRAL_BASE_URL"}}),
	chat(Provider{Name: "openrouter", Title: "OpenRouter", Model: "anthropic/claude-sonnet-5.5", Keys: []string{"OPENROUTER_API_KEY"}, URLs: []string{"OPENROUTER_BASE_URL"}}),
	{
		Name: "azure", Title: "Azure OpenAI", ModelVars: []string{"AZURE_OPENAI_DEPLOYMENT"},
		Keys: []string{"AZURE_OPENAI_API_KEY"}, URLs: []string{"AZURE_OPENAI_ENDPOINT"},
		open: func(a *access, model string) llm.Model {
			return compat.Azure(a.address(), model, a.c.env("AZURE_OPENAI_API_VERSION"), a.chat(""))
		},
	},
	chat(Provider{Name: "ollama", Title: "Ollama", Local: true, Keys: []string{"OLLAMA_API_KEY"}, URLs: []string{"OLLAMA_HOST"}}),
	chat(Provider{Name: "vllm", Title: "vLLM", Local: true, Keys: []string{"VLLM_API_KEY"}, URLs: []string{"VLLM_BASE_URL"}}),
	chat(Provider{Name: "llamacpp", Title: "llama.cpp", Local: true, Keys: []string{"LLAMA_API_KEY"}, URLs: []string{"LLAMA_BASE_URL"}}),
	{
		Name: Server, Title: "The server", Local: true,
		Keys: []string{"HELIOAI_API_KEY"}, URLs: []string{"HELIOAI_BASE_URL", openAIURL},
		open: func(a *access, model string) llm.Model {
			return compat.New(Server, model, a.chat(a.base))
		},
	},
})

// chat completes a provider that speaks chat completions, in the dialect of its
// name.
func chat(p Provider) Provider {
	d, _ := compat.Lookup(p.Name) // a test holds that each is there
	p.Home = d.BaseURL
	p.catalogue = func() *provider.Catalogue { return compat.Models(p.Name) }
	p.open = func(a *access, model string) llm.Model {
		return d.New(model, a.chat(a.address()))
	}
	return p
}

// silence is how long an answer may stand still: models think for minutes and show
// nothing of it.
const silence = 5 * time.Minute

// chat are the options of chat completions at an address. A server of the user's own
// loads the model and reads the question before it says anything.
func (a *access) chat(base string) *compat.Options {
	o := &compat.Options{Key: a.key, BaseURL: base, HTTP: a.c.HTTP, IdleTimeout: silence}
	if a.Local {
		o.HeaderTimeout = silence
	}
	return o
}

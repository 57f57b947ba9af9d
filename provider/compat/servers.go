package compat

import (
	"errors"
	"net/url"
	"os"
	"strings"

	"github.com/helios-go/helios/llm"
)

// Azure makes the model of a deployment, which goes by the deployment's name.
// Endpoint is the resource, as in https://my-resource.openai.azure.com; "" is that
// of AZURE_OPENAI_ENDPOINT. Version is the api-version, as in 2025-04-01-preview; ""
// is Azure's v1 interface, which has none.
func Azure(endpoint, deployment, version string, o *Options) *Model {
	d := azure
	if endpoint == "" {
		endpoint = os.Getenv("AZURE_OPENAI_ENDPOINT")
	}
	endpoint = strings.TrimRight(endpoint, "/")
	d.Hint = "check the endpoint (AZURE_OPENAI_ENDPOINT) and the network"
	switch {
	case endpoint == "":
	case version == "":
		d.BaseURL = azureBase(endpoint)
	default:
		d.BaseURL = endpoint + "/openai/deployments/" + url.PathEscape(deployment)
		d.Path = "/chat/completions?api-version=" + url.QueryEscape(version)
	}
	m := d.New(deployment, o)
	if m.err != nil && d.BaseURL == "" && m.o.BaseURL == "" {
		m.err = &llm.Error{Kind: llm.KindInvalidRequest, Provider: d.Name, Err: errors.New("there is no endpoint; set AZURE_OPENAI_ENDPOINT or give compat.Azure one")}
	}
	return m
}

// home is where a dialect's server is by itself. Two of them have a variable for
// that, beside the one for the key.
func (d *Dialect) home() string {
	switch {
	case d.Name == ollama.Name && d.BaseURL == ollama.BaseURL:
		return ollamaHost()
	case d.Name == azure.Name && d.BaseURL == "":
		if endpoint := os.Getenv("AZURE_OPENAI_ENDPOINT"); endpoint != "" {
			return azureBase(endpoint)
		}
	}
	return d.BaseURL
}

// azureBase is the base URL of Azure's v1 interface.
func azureBase(endpoint string) string {
	return strings.TrimSuffix(strings.TrimRight(endpoint, "/"), "/openai/v1") + "/openai/v1"
}

// DeepSeek makes a model of api.deepseek.com, with the key of DEEPSEEK_API_KEY.
func DeepSeek(model string, o *Options) *Model { return deepSeek.New(model, o) }

// Gemini makes a model of Google's compatible endpoint, with the key of
// GEMINI_API_KEY. Package gemini has the whole of Gemini.
func Gemini(model string, o *Options) *Model { return gemini.New(model, o) }

// Groq makes a model of api.groq.com, with the key of GROQ_API_KEY.
func Groq(model string, o *Options) *Model { return groq.New(model, o) }

// LlamaCpp makes a model of a llama-server, by itself on port 8080 of this machine.
func LlamaCpp(model string, o *Options) *Model { return llamaCpp.New(model, o) }

// Mistral makes a model of api.mistral.ai, with the key of MISTRAL_API_KEY.
func Mistral(model string, o *Options) *Model { return mistral.New(model, o) }

// OpenAI makes a model of OpenAI's chat completions, with the key of
// OPENAI_API_KEY. Package openai speaks the newer Responses API.
func OpenAI(model string, o *Options) *Model { return openAI.New(model, o) }

// OpenRouter makes a model of openrouter.ai, with the key of OPENROUTER_API_KEY.
func OpenRouter(model string, o *Options) *Model { return openRouter.New(model, o) }

// VLLM makes a model of a vLLM server, by itself on port 8000 of this machine.
func VLLM(model string, o *Options) *Model { return vLLM.New(model, o) }

// New makes a model of any other server, whose address is Options.BaseURL. Name is
// what it is called in the model's name and in errors.
func New(name, model string, o *Options) *Model {
	d := other
	d.Name = name
	return d.New(model, o)
}

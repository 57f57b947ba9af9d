package compat

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/helios-go/helios/llm"
)

// levels are the names that OpenAI gave to how much a model thinks.
var levels = map[llm.Thinking]string{
	llm.ThinkingNone: "none", llm.ThinkingMinimal: "minimal", llm.ThinkingLow: "low", llm.ThinkingMedium: "medium",
	llm.ThinkingHigh: "high", llm.ThinkingXHigh: "xhigh", llm.ThinkingMax: "max",
}

// three are the levels of servers that know low, medium and high: the others are
// the nearest of them.
var three = map[llm.Thinking]string{
	llm.ThinkingMinimal: "low", llm.ThinkingLow: "low", llm.ThinkingMedium: "medium",
	llm.ThinkingHigh: "high", llm.ThinkingXHigh: "high", llm.ThinkingMax: "high",
}

// onOff are the levels of Qwen at Groq, which refuses others
// (Alishahryar1/free-claude-code#1348).
var onOff = map[llm.Thinking]string{
	llm.ThinkingNone: "none", llm.ThinkingMinimal: "default", llm.ThinkingLow: "default", llm.ThinkingMedium: "default",
	llm.ThinkingHigh: "default", llm.ThinkingXHigh: "default", llm.ThinkingMax: "default",
}

// with is levels and one more.
func with(levels map[llm.Thinking]string, level llm.Thinking, name string) map[llm.Thinking]string {
	more := maps.Clone(levels)
	more[level] = name
	return more
}

// patience is that of servers on one's own machine.
const patience = 10 * time.Minute

// quiet are the members that keep the templates of open models from thinking:
// Qwen and GLM read the one, DeepSeek and Granite the other.
var quiet = json.RawMessage(`{"chat_template_kwargs":{"enable_thinking":false,"thinking":false}}`)

// OpenAI's own server, for models and deployments that have no Responses API.
var openAI = Dialect{
	Name: "openai-chat", BaseURL: "https://api.openai.com/v1", KeyVar: "OPENAI_API_KEY",
	SystemRole: "developer", MaxTokens: "max_completion_tokens", Usage: true,
	Thinking: Levels{Field: "reasoning_effort", Names: levels},
	Output:   OutputSchema, WithTools: true, Strict: true, ForceOne: true, ForceAny: true,
	IDs: IDsPlain, Images: ImagesURL, Files: true, Audio: true,
}

// Azure's form of it: learn.microsoft.com/azure/ai-foundry/openai/how-to/reasoning
// wants developer and max_completion_tokens of models that think.
var azure = Dialect{
	Name: "azure", KeyVar: "AZURE_OPENAI_API_KEY", KeyHeader: "Api-Key",
	SystemRole: "developer", MaxTokens: "max_completion_tokens", Usage: true,
	Thinking: Levels{Field: "reasoning_effort", Names: levels},
	Output:   OutputSchema, WithTools: true, Strict: true, ForceOne: true, ForceAny: true,
	IDs: IDsPlain, Images: ImagesURL, Files: true, Audio: true,
}

// Groq refuses response_format in a stream and beside tools
// (console.groq.com/docs/structured-outputs; langchain-ai/langchain#23629,
// vercel/ai#16540), and takes reasoning back for some models only, with a 400 for
// the others (groq/groq-changelog, 2025-06-12; vercel/ai#8057).
var groq = Dialect{
	Name: "groq", BaseURL: "https://api.groq.com/openai/v1", KeyVar: "GROQ_API_KEY",
	MaxTokens: "max_completion_tokens", Usage: true,
	Thinking:  Levels{Field: "reasoning_effort", Names: with(three, llm.ThinkingNone, "none")},
	EchoField: "reasoning", Output: OutputTool, ForceOne: true, ForceAny: true,
	Images: ImagesURL,
}

// OpenRouter wants reasoning_details back as they came
// (openrouter.ai/docs/use-cases/reasoning-tokens); response_format and tools go to
// models of all kinds, so beside tools the answer is asked for with one.
var openRouter = Dialect{
	Name: "openrouter", BaseURL: "https://openrouter.ai/api/v1", KeyVar: "OPENROUTER_API_KEY",
	Usage:    true,
	Thinking: Levels{Field: "reasoning.effort", Names: with(levels, llm.ThinkingMax, "xhigh")},
	Echo:     EchoLoop, EchoField: "reasoning", Details: true,
	Output: OutputSchema, Strict: true, ForceOne: true, ForceAny: true,
	IDs: IDsPlain, Images: ImagesURL, Files: true, Audio: true, Cache: true,
}

// Ollama as github.com/ollama/ollama v0.17.4, package openai, reads and writes it:
// four levels, images as data only, and no tool_choice, which newer ones know
// (docs.ollama.com/api/openai-compatibility). A format keeps the model from calling
// tools. As with vLLM and llama.cpp, which of its thoughts a model sees again is for
// the template of the model to say, so that all go back.
var ollama = Dialect{
	Name: "ollama", BaseURL: "http://127.0.0.1:11434/v1", KeyVar: "OLLAMA_API_KEY", Keyless: true, Free: true,
	Hint:     "start it with `ollama serve`, or set OLLAMA_HOST or Options.BaseURL",
	Patience: patience,
	Usage:    true, Thinking: Levels{Field: "reasoning_effort", Names: with(three, llm.ThinkingNone, "none")},
	Echo: EchoAll, EchoField: "reasoning", Output: OutputSchema, ForceOne: true, ForceAny: true,
	DropTools: true, Images: ImagesData,
}

// vLLM since late 2025: reasoning has taken the place of reasoning_content, in both
// directions (vllm-project/vllm#27752, #33402). Named and required tools hold since
// 0.8.3 (docs.vllm.ai/en/latest/features/tool_calling).
var vLLM = Dialect{
	Name: "vllm", BaseURL: "http://127.0.0.1:8000/v1", KeyVar: "VLLM_API_KEY", Keyless: true, Free: true,
	Hint:     "start it with `vllm serve MODEL`, or set Options.BaseURL",
	Patience: patience,
	Usage:    true, Thinking: Levels{Field: "reasoning_effort", Names: three, Off: quiet},
	Echo: EchoAll, EchoField: "reasoning", Output: OutputSchema, ForceOne: true, ForceAny: true,
	Images: ImagesURL, Audio: true,
}

// llama.cpp's llama-server, as tools/server/server-common.cpp reads it: a named
// tool counts as auto (ggml-org/llama.cpp#26535), several calls have to be allowed,
// and the level is an argument of the template.
var llamaCpp = Dialect{
	Name: "llamacpp", BaseURL: "http://127.0.0.1:8080/v1", KeyVar: "LLAMA_API_KEY", Keyless: true, Free: true,
	Hint:     "start it with `llama-server -m MODEL.gguf --jinja`, or set Options.BaseURL",
	Patience: patience,
	Usage:    true, Thinking: Levels{Field: "chat_template_kwargs.reasoning_effort", Names: three, Off: quiet},
	Echo: EchoAll, EchoField: "reasoning_content", Output: OutputSchema, ForceAny: true, Parallel: true,
	Images: ImagesURL, Audio: true,
}

// DeepSeek wants the thoughts of every turn with calls back, and says 400 where
// they are missing, even if there were none; beside them a forced choice is refused
// (api-docs.deepseek.com/guides/thinking_mode; deepseek-ai/deepseek-harness
// discussion 739). deepseek-flash sees images (api-docs.deepseek.com/guides/vision).
var deepSeek = Dialect{
	Name: "deepseek", BaseURL: "https://api.deepseek.com/v1", KeyVar: "DEEPSEEK_API_KEY",
	Usage: true,
	Thinking: Levels{
		Field: "reasoning_effort", Off: json.RawMessage(`{"thinking":{"type":"disabled"}}`), On: json.RawMessage(`{"thinking":{"type":"enabled"}}`),
		Names: map[llm.Thinking]string{
			llm.ThinkingMinimal: "low", llm.ThinkingLow: "low", llm.ThinkingMedium: "high",
			llm.ThinkingHigh: "high", llm.ThinkingXHigh: "high", llm.ThinkingMax: "max",
		},
	},
	Echo: EchoTurns, EchoField: "reasoning_content", Output: OutputObject,
	Images: ImagesURL,
}

// Mistral refuses fields that it does not know (editor-code-assistant/eca#231), ids
// of any other form (code 3280, anomalyco/opencode#1680) and a user's message after
// results (code 3230, avante-corp/avante.nvim#2695). It counts tokens by itself, and
// thoughts are parts of the content (docs.mistral.ai/inference/conversations/reasoning).
var mistral = Dialect{
	Name: "mistral", BaseURL: "https://api.mistral.ai/v1", KeyVar: "MISTRAL_API_KEY",
	Seed:     "random_seed",
	Thinking: Levels{Field: "reasoning_effort", Names: with(three, llm.ThinkingNone, "none")},
	Echo:     EchoAll, EchoField: contentField, EchoModel: true,
	Output: OutputSchema, Strict: true, ForceOne: true, ForceAny: true,
	IDs: IDsNine, Images: ImagesURL, ToolMedia: true, ToolName: true, Bridge: true,
}

// Gemini's compatible endpoint: calls have no index and carry a signature in
// extra_content, which goes back with them
// (ai.google.dev/gemini-api/docs/openai, thought-signatures).
var gemini = Dialect{
	Name: "gemini-chat", BaseURL: "https://generativelanguage.googleapis.com/v1beta/openai", KeyVar: "GEMINI_API_KEY",
	Usage: true,
	Thinking: Levels{Field: "reasoning_effort", Names: map[llm.Thinking]string{
		llm.ThinkingNone: "none", llm.ThinkingMinimal: "minimal", llm.ThinkingLow: "low", llm.ThinkingMedium: "medium",
		llm.ThinkingHigh: "high", llm.ThinkingXHigh: "high", llm.ThinkingMax: "high",
	}},
	Output: OutputSchema, ForceOne: true, ForceAny: true,
	Images: ImagesURL, Audio: true,
}

// other is a server of which nothing is known: the form that most of them take.
var other = Dialect{
	Keyless: true, Usage: true,
	Thinking: Levels{Field: "reasoning_effort", Names: levels},
	Output:   OutputSchema, ForceOne: true, ForceAny: true,
	Images: ImagesURL,
}

// contentField is the EchoField of servers that take thoughts as parts of the
// content.
const contentField = "content"

// Dialects are all that are known by name, in the order of the names.
func Dialects() []Dialect {
	all := []Dialect{azure, deepSeek, gemini, groq, llamaCpp, mistral, ollama, openAI, openRouter, vLLM}
	slices.SortFunc(all, func(a, b Dialect) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// Lookup is the dialect of a name.
func Lookup(name string) (Dialect, bool) {
	for _, d := range Dialects() {
		if d.Name == name {
			return d, true
		}
	}
	return Dialect{}, false
}

package compat_test

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/llm/llmtest"
	"github.com/helios-go/helios/provider/compat"
)

// last is where the line with the last finish_reason ends. Behind the blank line
// that follows the answer is whole, whatever happens.
func last(stream string) int {
	at := strings.LastIndex(stream, `"finish_reason":"`)
	return at + strings.IndexAny(stream[at:], "\r\n")
}

func TestAStreamThatBreaksOffIsNoAnswer(t *testing.T) {
	t.Parallel()
	for i := range tapes {
		tp := &tapes[i]
		t.Run(tp.dialect+" "+tp.name, func(t *testing.T) {
			t.Parallel()
			whole := last(tp.stream)
			for n := range len(tp.stream) {
				for how, reply := range map[string]llmtest.Reply{
					"dropped": llmtest.SSE(tp.stream).Dropping(n),
					"ended":   llmtest.SSE(tp.stream[:n]),
				} {
					resp, _, err := ask(t, dialect(t, tp.dialect), reply, nil)
					switch {
					case n < whole && err == nil:
						t.Fatalf("%s after %d of %d bytes: an answer, %+v", how, n, len(tp.stream), resp)
					case n < whole && (!errors.Is(err, llm.ErrTransient) || !errors.Is(err, io.ErrUnexpectedEOF)):
						t.Fatalf("%s after %d bytes: %v", how, n, err)
					case n < whole && len(resp.Message.Calls()) > 0:
						t.Fatalf("%s after %d bytes: a call to run", how, n)
					case n >= whole+4 && err != nil:
						t.Fatalf("%s after %d bytes, %d behind the finish_reason: %v", how, n, n-whole, err)
					}
				}
			}
		})
	}
}

func TestAnErrorInAStreamIsAnError(t *testing.T) {
	t.Parallel()
	const begun = "data: " + `{"choices":[{"index":0,"delta":{"content":"Once"}}]}` + "\n\n"
	for name, tt := range map[string]struct {
		dialect, event string
		kind           error // nil: none of the sentinels
		says           string
	}{
		"a gateway's upstream":    {"openrouter", `{"id":"gen-1","object":"chat.completion.chunk","error":{"code":502,"message":"Provider disconnected unexpectedly"},"choices":[{"index":0,"delta":{"content":""},"finish_reason":"error","native_finish_reason":"error"}]}`, llm.ErrTransient, "Provider disconnected unexpectedly"},
		"a quota":                 {"openrouter", `{"error":{"message":"quota","code":502}}`, llm.ErrTransient, "quota"},
		"a rate limit":            {"openrouter", `{"error":{"code":429,"message":"Rate limit exceeded"}}`, llm.ErrTransient, "Rate limit exceeded"},
		"no credit":               {"openrouter", `{"error":{"code":402,"message":"Insufficient credits"}}`, llm.ErrInvalidRequest, "Insufficient credits"},
		"a code that is a string": {"openai-chat", `{"error":{"message":"The server had an error","type":"server_error","param":null,"code":null}}`, llm.ErrTransient, "The server had an error"},
		"vLLM's":                  {"vllm", `{"error":{"message":"EngineCore encountered an issue","type":"InternalServerError","param":null,"code":500}}`, llm.ErrTransient, "EngineCore"},
		"vLLM's of before":        {"vllm", `{"object":"error","message":"out of memory","type":"InternalServerError","param":null,"code":500}`, llm.ErrTransient, "out of memory"},
		"too long":                {"llamacpp", `{"error":{"code":400,"message":"the request exceeds the available context size, try increasing it","type":"exceed_context_size_error","n_prompt_tokens":1407,"n_ctx":256}}`, llm.ErrContextTooLong, "context size"},
		"too long, in words":      {"vllm", `{"error":{"message":"This model's maximum context length is 16384 tokens. However, you requested 122946 tokens","type":"BadRequestError","code":400}}`, llm.ErrContextTooLong, "16384"},
		"a text":                  {"ollama", `{"error":"model runner has unexpectedly stopped"}`, nil, "model runner has unexpectedly stopped"},
		"Groq's":                  {"groq", `{"choices":[],"x_groq":{"id":"req_1","error":"over capacity"}}`, nil, "over capacity"},
		"a call that failed":      {"groq", `{"error":{"message":"Failed to call a function.","type":"invalid_request_error","code":"tool_use_failed","failed_generation":"<function=x{}>","status_code":400}}`, llm.ErrTransient, "<function=x{}>"},
		"a reason of its own":     {"deepseek", `{"choices":[{"index":0,"delta":{},"finish_reason":"insufficient_system_resource"}]}`, llm.ErrTransient, "insufficient_system_resource"},
		"a reason and nothing":    {"openrouter", `{"choices":[{"index":0,"delta":{},"finish_reason":"error"}]}`, llm.ErrTransient, "finish_reason error"},
		"an aborted one":          {"vllm", `{"choices":[{"index":0,"delta":{},"finish_reason":"abort"}]}`, llm.ErrTransient, "abort"},
		"FastAPI's":               {"vllm", `{"detail":"Internal error"}`, nil, "Internal error"},
		"no JSON":                 {"vllm", `{"choices":[{]}`, llm.ErrTransient, "cannot be read"},
		"no object":               {"vllm", `oops`, llm.ErrTransient, "cannot be read"},
		"the filter":              {"azure", `{"error":{"code":"content_filter","message":"The response was filtered","status":400}}`, llm.ErrRefused, "filtered"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for ending, after := range map[string]string{"the end": "", "[DONE]": "data: [DONE]\n\n"} {
				resp, _, err := ask(t, dialect(t, tt.dialect), llmtest.SSE(begun+"data: "+tt.event+"\n\n"+after), nil)
				var e *llm.Error
				if !errors.As(err, &e) || !strings.Contains(err.Error(), tt.says) || e.Provider != tt.dialect {
					t.Fatalf("before %s: %v, want an error of %s that says %q", ending, err, tt.dialect, tt.says)
				}
				if tt.kind == nil && e.Kind != llm.KindOther || tt.kind != nil && !errors.Is(err, tt.kind) {
					t.Errorf("its kind is %v, want %v", e.Kind, tt.kind)
				}
				if resp.Text() != "Once" {
					t.Errorf("what came before is lost: %q", resp.Text())
				}
			}
		})
	}
}

func TestARefusedRequestSaysWhatToChange(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		dialect string
		status  int
		body    string
		kind    error
		says    []string
	}{
		"a wrong key":             {"groq", 401, `{"error":{"message":"Invalid API Key","type":"invalid_request_error","code":"invalid_api_key"}}`, llm.ErrAuth, []string{"Invalid API Key", "GROQ_API_KEY"}},
		"a bad call":              {"groq", 400, `{"error":{"message":"Failed to call a function. Please adjust your prompt. See 'failed_generation' for more details.","type":"invalid_request_error","code":"tool_use_failed","failed_generation":"<function=web_search{\"q\":1}</function>"}}`, llm.ErrTransient, []string{"<function=web_search"}},
		"more than a minute's":    {"groq", 413, `{"error":{"message":"Request too large for model x on tokens per minute (TPM): Limit 6000, Requested 9000, please reduce your message size and try again.","type":"tokens","code":"rate_limit_exceeded"}}`, llm.ErrContextTooLong, []string{"TPM"}},
		"no such model":           {"ollama", 404, `{"error":{"message":"model 'm' not found","type":"not_found_error","param":null,"code":null}}`, llm.ErrInvalidRequest, []string{"ollama pull m"}},
		"no tools":                {"ollama", 400, `{"error":{"message":"registry.ollama.ai/library/gemma3 does not support tools","type":"invalid_request_error"}}`, llm.ErrInvalidRequest, []string{"does not support tools", "ollama show m"}},
		"no credit":               {"deepseek", 402, `{"error":{"message":"Insufficient Balance","type":"unknown_error","param":null,"code":"invalid_request_error"}}`, llm.ErrAuth, []string{"Insufficient Balance", "DEEPSEEK_API_KEY"}},
		"a quota that is used up": {"openai-chat", 429, `{"error":{"message":"You exceeded your current quota, please check your plan and billing details.","type":"insufficient_quota","param":null,"code":"insufficient_quota"}}`, llm.ErrAuth, []string{"quota", "OPENAI_API_KEY"}},
		"too long for OpenAI":     {"openai-chat", 400, `{"error":{"message":"This model's maximum context length is 8192 tokens. However, your messages resulted in 8227 tokens. Please reduce the length of the messages.","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}`, llm.ErrContextTooLong, nil},
		"too long for vLLM":       {"vllm", 400, `{"object":"error","message":"This model's maximum context length is 131072 tokens. However, you requested 351430 tokens.","type":"BadRequestError","param":null,"code":400}`, llm.ErrContextTooLong, nil},
		"too long for llama.cpp":  {"llamacpp", 400, `{"error":{"code":400,"message":"the request exceeds the available context size. try increasing the context size or enable context shift","type":"exceed_context_size_error","n_prompt_tokens":14429,"n_ctx":8192}}`, llm.ErrContextTooLong, nil},
		"too long for OpenRouter": {"openrouter", 400, `{"error":{"message":"This endpoint's maximum context length is 262000 tokens. However, you requested about 263390 tokens (658 of text input, 732 of tool input, 262000 in the output). Please reduce the length of either one.","code":400,"metadata":{"provider_name":null}}}`, llm.ErrContextTooLong, nil},
		"too long for Mistral":    {"mistral", 400, `{"object":"error","message":"Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length","type":"invalid_request_prompt","param":null,"code":"3051"}`, llm.ErrContextTooLong, nil},
		"a field too many":        {"mistral", 422, `{"object":"error","message":{"detail":[{"type":"extra_forbidden","loc":["body","x"],"msg":"Extra inputs are not permitted","input":1}]},"type":"invalid_request_error","param":null,"code":null}`, llm.ErrInvalidRequest, []string{"extra_forbidden"}},
		"a prompt in the filter":  {"azure", 400, `{"error":{"message":"The response was filtered due to the prompt triggering Azure OpenAI's content management policy.","type":null,"param":"prompt","code":"content_filter","status":400,"innererror":{"code":"ResponsibleAIPolicyViolation"}}}`, llm.ErrRefused, []string{"filtered"}},
		"no such deployment":      {"azure", 404, `{"error":{"code":"DeploymentNotFound","message":"The API deployment for this resource does not exist."}}`, llm.ErrInvalidRequest, []string{"deployment", "m"}},
		"flagged":                 {"openrouter", 403, `{"error":{"code":403,"message":"Your chosen model requires moderation and your input was flagged","metadata":{"reasons":["violence"]}}}`, llm.ErrRefused, []string{"flagged"}},
		"tools without jinja":     {"llamacpp", 500, `{"error":{"code":500,"message":"tools param requires --jinja flag","type":"server_error"}}`, llm.ErrInvalidRequest, []string{"--jinja"}},
		"tools without a parser":  {"vllm", 400, `{"object":"error","message":"\"auto\" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set","type":"BadRequestError","code":400}`, llm.ErrInvalidRequest, []string{"--tool-call-parser", "vllm serve"}},
		"loading":                 {"llamacpp", 503, `{"error":{"code":503,"message":"Loading model","type":"unavailable_error"}}`, llm.ErrTransient, []string{"Loading model"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, _, err := ask(t, dialect(t, tt.dialect), llmtest.JSON(tt.status, tt.body), nil)
			if !errors.Is(err, tt.kind) {
				t.Errorf("%v is not of the kind %v", err, tt.kind)
			}
			for _, want := range tt.says {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("%v does not say %q", err, want)
				}
			}
			if err != nil && strings.Contains(err.Error(), "\n") {
				t.Errorf("it has more than one line: %v", err)
			}
		})
	}
}

func TestAServerThatDoesNotStreamIsReadAllTheSame(t *testing.T) {
	t.Parallel()
	resp, _, err := ask(t, dialect(t, "vllm"), llmtest.JSON(200, `{"id":"x","choices":[{"index":0,"message":{"role":"assistant","content":"Hi","reasoning":"Hm.","tool_calls":[{"id":"c1","type":"function","function":{"name":"now","arguments":"{}"}}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":3,"completion_tokens":2,"total_tokens":5}}`), nil)
	if err != nil || resp.Text() != "Hi" || len(resp.Message.Calls()) != 1 || resp.Usage.Output != 2 {
		t.Errorf("%+v, %v", resp, err)
	}
}

func TestAServerThatIsNotThereIsNamedWithWhatToDo(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"ollama": "ollama serve", "vllm": "vllm serve", "llamacpp": "llama-server", "groq": "Options.BaseURL"} {
		_, _, err := ask(t, dialect(t, name), llmtest.SSE("").Unanswered(), nil)
		if !errors.Is(err, llm.ErrTransient) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v does not say %q", name, err, want)
		}
	}
}

func TestAReaderThatLeavesEndsTheRequest(t *testing.T) {
	t.Parallel()
	wire := llmtest.NewWire(llmtest.SSE(tapes[0].stream).Stalling(len(tapes[0].stream) / 2))
	model := compat.VLLM("m", &compat.Options{HTTP: wire.Client()})
	for chunk, err := range model.Stream(t.Context(), &llm.Request{Messages: []llm.Message{llm.User("hi")}}) {
		if err != nil {
			t.Fatal(err)
		}
		if chunk.Kind == llm.ChunkText {
			break
		}
	}
	if err := wire.Done(); err != nil {
		t.Error(err)
	}
}

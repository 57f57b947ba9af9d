package models_test

import (
	"cmp"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/helios-go/helios/helioai/models"
	"github.com/helios-go/helios/helioai/tools"
	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/llm/llmtest"
	"github.com/helios-go/helios/sandbox"
)

// What each server really says, each in its own words.
func TestEachServersWordsAreUnderstood(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		provider, model string
		status          int
		body            string
		want            string
	}{
		{"openai", "gpt-6.1-soll", 401, `{"error":{"message":"Incorrect API key provided: abc.","type":"invalid_request_error","code":"invalid_api_key"}}`, "OpenAI does not accept the key in OPENAI_API_KEY (Incorrect API key provided: abc); set OPENAI_API_KEY to a valid one"},
		{"openai", "gpt-6.1-soll", 400, `{"error":{"message":"The requested model 'gpt-6.1-soll' does not exist.","type":"invalid_request_error","param":"model","code":"model_not_found"}}`, `OpenAI has no model "gpt-6.1-soll"; did you mean gpt-6.1-sol?`},
		{"openai", "gpt-6.1-sol", 429, `{"error":{"message":"You exceeded your current quota, please check your plan and billing details.","type":"insufficient_quota","code":"insufficient_quota"}}`, "OpenAI: You exceeded your current quota, please check your plan and billing details; add credit to the account"},
		{"openai", "gpt-6.1-sol", 400, `{"error":{"message":"Invalid value for 'x'.","type":"invalid_request_error"}}`, "OpenAI: Invalid value for 'x'"},
		{"openai", "gpt-6.1-sol", 404, "404 page not found", "nothing of OpenAI answers at http://127.0.0.1:"},
		{"gemini", "gemini-3.8-flash", 400, `{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT"}}`, "Google Gemini does not accept the key in GEMINI_API_KEY (API key not valid. Please pass a valid API key); set GEMINI_API_KEY to a valid one"},
		{"gemini", "gemini-3.8-flush", 404, `{"error":{"code":404,"message":"models/gemini-3.8-flush is not found for API version v1beta.","status":"NOT_FOUND"}}`, `Google Gemini has no model "gemini-3.8-flush"; did you mean gemini-3.8-flash?`},
		{"groq", "openai/gpt-oss-121b", 404, "{\"error\":{\"message\":\"The model `openai/gpt-oss-121b` does not exist or you do not have access to it.\",\"type\":\"invalid_request_error\",\"code\":\"model_not_found\"}}", `Groq has no model "openai/gpt-oss-121b"; did you mean openai/gpt-oss-120b?`},
		{"mistral", "mistral-huge", 400, `{"object":"error","message":"Invalid model: mistral-huge","type":"invalid_model","param":null,"code":"1500"}`, `Mistral has no model "mistral-huge"; did you mean mistral-large-4? Choose`},
		{"deepseek", "deepseek-v9", 400, `{"error":{"message":"Model Not Exist","type":"invalid_request_error","param":null,"code":"invalid_request_error"}}`, `DeepSeek has no model "deepseek-v9"`},
		{"deepseek", "deepseek-flash", 402, `{"error":{"message":"Insufficient Balance","type":"unknown_error","param":null,"code":"invalid_request_error"}}`, "DeepSeek: Insufficient Balance; add credit to the account"},
		{"openrouter", "antropic/claude", 400, `{"error":{"message":"antropic/claude is not a valid model ID","code":400}}`, `OpenRouter has no model "antropic/claude"`},
		{"azure", "mine", 404, `{"error":{"code":"DeploymentNotFound","message":"The API deployment for this resource does not exist."}}`, `Azure OpenAI has no model "mine" (The API deployment for this resource does not exist); choose one of your deployments with --model or AZURE_OPENAI_DEPLOYMENT`},
		{"vllm", "x", 404, "{\"object\":\"error\",\"message\":\"The model `x` does not exist.\",\"type\":\"NotFoundError\",\"code\":404}", `vLLM has no model "x"`},
		{"server", "x", 401, `{"detail":"Not authenticated"}`, "The server wants a key (Not authenticated); set HELIOAI_API_KEY"},
	} {
		t.Run(tc.provider+" "+tc.want, func(t *testing.T) {
			t.Parallel()
			p, err := models.Lookup(tc.provider)
			if err != nil {
				t.Fatal(err)
			}
			var pairs []string
			if tc.provider != models.Server {
				pairs = append(pairs, p.Keys[0], "k-secret")
			}
			c := env(append(pairs, p.URLs[0], serve(t, tc.status, tc.body))...)
			m, err := c.Open(t.Context(), models.Choice{Provider: tc.provider, Model: tc.model})
			if err != nil {
				t.Fatal(err)
			}
			_, err = llm.Generate(t.Context(), m, &llm.Request{Messages: []llm.Message{llm.User("hello")}})
			if err == nil || !strings.HasPrefix(err.Error(), tc.want) || strings.Contains(err.Error(), "Options.") || strings.Contains(err.Error(), "secret") {
				t.Errorf("error %v\nwant  %s", err, tc.want)
			}
		})
	}
}

// A stream that breaks off is not a server that cannot be reached.
func TestAnAnswerThatBreaksOffIsToldAsOne(t *testing.T) {
	t.Parallel()
	wire := llmtest.NewWire(llmtest.SSE("data: {\"id\":\"c\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"It \"}}]}\n\n"))
	c := env("HELIOAI_BASE_URL", "http://server.example/v1")
	c.HTTP = wire.Client()
	m, err := c.Open(t.Context(), models.Choice{Provider: models.Server, Model: "m"})
	if err != nil {
		t.Fatal(err)
	}
	_, err = llm.Generate(t.Context(), m, &llm.Request{Messages: []llm.Message{llm.User("hello")}})
	if err == nil || err.Error() != "The server broke off before its answer was whole; ask again" {
		t.Errorf("error %v", err)
	}
}

// trap answers nothing and keeps what was asked.
type trap struct{ body chan []byte }

func (tr trap) RoundTrip(q *http.Request) (*http.Response, error) {
	body := make([]byte, q.ContentLength)
	n := 0
	for n < len(body) {
		k, err := q.Body.Read(body[n:])
		n += k
		if err != nil {
			break
		}
	}
	tr.body <- body[:n]
	return nil, http.ErrHandlerTimeout
}

// The tools of the assistant can be told to every provider.
func TestEachProviderTakesTheAssistantsTools(t *testing.T) {
	t.Parallel()
	all := tools.All(&tools.Env{Dir: t.TempDir(), Sandbox: new(sandbox.Sandbox)})
	req := &llm.Request{System: []llm.Part{llm.Text("Answer.")}, Messages: []llm.Message{llm.User("hello")}}
	for i := range all {
		req.Tools = append(req.Tools, all[i].Spec)
	}
	for _, p := range models.Providers() {
		t.Run(p.Name, func(t *testing.T) {
			t.Parallel()
			c := env(p.Keys[0], "k", p.URLs[0], "http://server.example/v1")
			tr := trap{make(chan []byte, 1)}
			c.HTTP = &http.Client{Transport: tr}
			m, err := c.Open(t.Context(), models.Choice{Provider: p.Name, Model: cmp.Or(p.Model, "m")})
			if err != nil {
				t.Fatal(err)
			}
			for _, err := range m.Stream(t.Context(), req) {
				if err == nil {
					t.Error("there was an answer")
				}
			}
			select {
			case body := <-tr.body:
				for i := range req.Tools {
					if !strings.Contains(string(body), `"`+req.Tools[i].Name+`"`) {
						t.Errorf("%s is not in the request", req.Tools[i].Name)
					}
				}
			default:
				t.Error("no request was made")
			}
		})
	}
}

// A list may hold more than its reader may have.
func TestAModelThatIsListedIsNotSuggestedInItsOwnPlace(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		body := `{"data":[{"id":"qwen3:8b"}]}`
		if q.Method == http.MethodPost {
			w.WriteHeader(http.StatusNotFound)
			body = `{"error":{"message":"model qwen3:8b is not available to you"}}`
		}
		if _, err := w.Write([]byte(body)); err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(srv.Close)
	m, err := env("HELIOAI_BASE_URL", srv.URL+"/v1").Open(t.Context(), models.Choice{Provider: models.Server, Model: "qwen3:8b"})
	if err != nil {
		t.Fatal(err)
	}
	_, err = llm.Generate(t.Context(), m, &llm.Request{Messages: []llm.Message{llm.User("hello")}})
	const want = `The server lists the model "qwen3:8b" and does not answer with it (model qwen3:8b is not available to you); choose another with --model or HELIOAI_MODEL`
	if err == nil || err.Error() != want {
		t.Errorf("error %v\nwant  %s", err, want)
	}
}

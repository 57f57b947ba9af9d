package compat_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/llm/llmtest"
	"github.com/helios-go/helios/provider/compat"
)

func TestModelsOfAServerAreListed(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		dialect, body string
		want          string // ids with their windows
	}{
		"vLLM":       {"vllm", `{"object":"list","data":[{"id":"Qwen/Qwen3-32B","object":"model","max_model_len":32768,"owned_by":"vllm"}]}`, "Qwen/Qwen3-32B 32768/0"},
		"Groq":       {"groq", `{"data":[{"id":"zz-b","context_window":131072,"max_completion_tokens":8192},{"id":"zz-a","context_window":8192}]}`, "zz-a 8192/0, zz-b 131072/8192"},
		"OpenRouter": {"openrouter", `{"data":[{"id":"zz/x","context_length":1048576,"top_provider":{"context_length":262000,"max_completion_tokens":65536},"pricing":{"prompt":"0.000001"}}]}`, "zz/x 262000/65536"},
		"Mistral":    {"mistral", `{"object":"list","data":[{"id":"zz-m","max_context_length":131072}]}`, "zz-m 131072/0"},
		"llama.cpp":  {"llamacpp", `{"models":[{"name":"m.gguf"}],"data":[{"id":"m.gguf","meta":{"n_ctx":4096,"n_ctx_train":131072}}]}`, "m.gguf 4096/0"},
		"a list":     {"vllm", `[{"id":"a"}]`, "a 0/0"},
		"none":       {"ollama", `{"object":"list","data":null}`, ""},
		"odd sizes":  {"vllm", `{"data":[{"id":"a","max_model_len":"big","context_window":-1,"meta":null},{"id":""}]}`, "a 0/0"},
	} {
		wire := llmtest.NewWire(llmtest.JSON(200, tt.body).To("GET", "/v1/models"))
		infos, err := compat.List(t.Context(), *dialect(t, tt.dialect), &compat.Options{HTTP: wire.Client(), Key: "test-key", BaseURL: "http://server.example/v1"})
		var got []string
		for _, i := range infos {
			got = append(got, i.ID+" "+itoa(i.Size.Context)+"/"+itoa(i.Size.MaxOutput))
		}
		if err != nil || strings.Join(got, ", ") != tt.want {
			t.Errorf("%s: %q, %v; want %s", name, got, err, tt.want)
		}
	}
}

func itoa(n int64) string { return strconv.FormatInt(n, 10) }

func TestAServerThatCannotBeListedSaysWhy(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		reply llmtest.Reply
		kind  error
		says  string
	}{
		"a wrong key":  {llmtest.JSON(401, `{"error":{"message":"Invalid API Key"}}`), llm.ErrAuth, "GROQ_API_KEY"},
		"not there":    {llmtest.SSE("").Unanswered(), llm.ErrTransient, "Options.BaseURL"},
		"no such path": {llmtest.JSON(404, `404 page not found`), llm.ErrInvalidRequest, "Options.BaseURL"},
		"a web page":   {llmtest.JSON(200, `<html>`), llm.ErrInvalidRequest, "Options.BaseURL"},
		"busy":         {llmtest.JSON(503, `{"error":{"message":"busy"}}`), llm.ErrTransient, "busy"},
	} {
		wire := llmtest.NewWire(tt.reply)
		_, err := compat.List(t.Context(), *dialect(t, "groq"), &compat.Options{HTTP: wire.Client(), Key: "test-key"})
		if !errors.Is(err, tt.kind) || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s: %v, want %v that says %q", name, err, tt.kind, tt.says)
		}
	}
}

//nolint:paralleltest // it sets the environment
func TestALocalOllamaIsFound(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if q.URL.Path != "/v1/models" {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		if _, err := w.Write([]byte(`{"object":"list","data":[{"id":"qwen3:8b"},{"id":"llama3.2:latest"}]}`)); err != nil {
			t.Error(err)
		}
	}))
	defer srv.Close()
	for _, host := range []string{srv.URL, strings.TrimPrefix(srv.URL, "http://"), srv.URL + "/", srv.URL + "/v1", ` "` + srv.URL + `" `} {
		t.Setenv("OLLAMA_HOST", host)
		base, models, err := compat.FindOllama(t.Context())
		if err != nil || base != srv.URL+"/v1" || strings.Join(models, " ") != "llama3.2:latest qwen3:8b" {
			t.Errorf("OLLAMA_HOST=%s: %s, %q, %v", host, base, models, err)
		}
	}
}

func TestAnOllamaThatIsNotThereSaysHowToStartIt(t *testing.T) {
	srv := httptest.NewServer(http.NotFoundHandler())
	host := srv.Listener.Addr().String()
	srv.Close()
	t.Setenv("OLLAMA_HOST", host)
	_, _, err := compat.FindOllama(t.Context())
	if err == nil || !strings.Contains(err.Error(), "ollama serve") || !strings.Contains(err.Error(), host) {
		t.Errorf("%v", err)
	}
}

func TestLookingForOllamaTakesNotLong(t *testing.T) {
	held := make(chan struct{})
	srv := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-held }))
	defer srv.Close()
	defer close(held)
	t.Setenv("OLLAMA_HOST", srv.URL)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	begun := time.Now()
	_, _, err := compat.FindOllama(ctx)
	if err == nil || ctx.Err() != nil || time.Since(begun) > 10*time.Second {
		t.Errorf("after %s: %v", time.Since(begun), err)
	}
	if !strings.Contains(err.Error(), "300ms") || !strings.Contains(err.Error(), "ollama serve") || !errors.Is(err, llm.ErrTransient) {
		t.Errorf("%v does not say how long was waited", err)
	}
}

//nolint:paralleltest // it sets the environment
func TestWhatOllamaHostMeans(t *testing.T) {
	for host, want := range map[string]string{
		"":                         "http://127.0.0.1:11434/v1",
		"0.0.0.0":                  "http://127.0.0.1:11434/v1",
		"0.0.0.0:8080":             "http://127.0.0.1:8080/v1",
		":8080":                    "http://127.0.0.1:8080/v1",
		"gpu.example":              "http://gpu.example:11434/v1",
		"gpu.example:1234":         "http://gpu.example:1234/v1",
		"http://gpu.example":       "http://gpu.example:80/v1",
		"https://gpu.example":      "https://gpu.example:443/v1",
		"https://gpu.example/a/":   "https://gpu.example:443/a/v1",
		"[::1]:5":                  "http://[::1]:5/v1",
		"::1":                      "http://[::1]:11434/v1",
		"http://127.0.0.1:1234/v1": "http://127.0.0.1:1234/v1",
	} {
		t.Setenv("OLLAMA_HOST", host)
		if got := compat.Ollama("m", nil).Dialect().BaseURL; got != want {
			t.Errorf("%q means %s, want %s", host, got, want)
		}
	}
}

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

func TestPricesOfAGatewayAreRead(t *testing.T) {
	t.Parallel()
	wire := llmtest.NewWire(llmtest.JSON(200, `{"data":[
		{"id":"a/paid","pricing":{"prompt":"0.000003","completion":"0.000015","input_cache_read":"0.0000003","input_cache_write":"0.00000375","image":"0"}},
		{"id":"b/free","pricing":{"prompt":"0","completion":"0"}},
		{"id":"c/auto","pricing":{"prompt":"-1","completion":"-1"}},
		{"id":"d/odd","pricing":{"prompt":3,"completion":null}},
		{"id":"e/none","pricing":"free"}]}`))
	infos, err := compat.List(t.Context(), *dialect(t, "openrouter"), &compat.Options{HTTP: wire.Client(), Key: "test-key"})
	if err != nil || len(infos) != 5 {
		t.Fatalf("%+v, %v", infos, err)
	}
	million := llm.Usage{Input: 1e6, CacheRead: 1e6, CacheWrite: 1e6, Output: 1e6}
	for i, want := range []struct {
		cost  llm.Micros
		known bool
	}{{22_050_000, true}, {0, true}, {0, false}, {0, false}, {0, false}} {
		if cost, known := infos[i].Cost(million); cost != want.cost || known != want.known {
			t.Errorf("%s: %s, %t; want %s, %t", infos[i].ID, cost, known, want.cost, want.known)
		}
	}
	model := compat.OpenRouter("a/paid", &compat.Options{Key: "test-key", Info: &infos[0]})
	if cost, known := model.Cost(llm.Usage{Output: 1e6}); cost != 15*llm.Dollar || !known {
		t.Errorf("a model with what was listed costs %s, %t", cost, known)
	}
}

func TestTheCatalogueHoldsTogether(t *testing.T) {
	t.Parallel()
	for _, d := range compat.Dialects() {
		c := compat.Models(d.Name)
		if len(c.Models) > 0 && (c.AsOf == "" || !strings.HasPrefix(c.Source, "https://")) {
			t.Errorf("%s: as of %q, from %q", d.Name, c.AsOf, c.Source)
		}
		for _, m := range c.Models {
			if p := m.Prices[0].Price; m.Size.Context <= 0 || m.Size.MaxOutput > m.Size.Context || p.Input <= 0 || p.Output < p.Input || p.CacheRead > p.Input {
				t.Errorf("%s/%s: %+v", d.Name, m.ID, m)
			}
		}
	}
	if c := compat.Models("nobody"); c == nil || len(c.Models) > 0 {
		t.Error("a name that nobody has is known")
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

func TestDialectsByNameHeedTheirVariables(t *testing.T) {
	var asked []string
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		asked = append(asked, q.URL.Path)
		if _, err := w.Write([]byte(`{"data":[]}`)); err != nil {
			t.Error(err)
		}
	}))
	defer srv.Close()
	t.Setenv("OLLAMA_HOST", srv.URL)
	t.Setenv("AZURE_OPENAI_ENDPOINT", srv.URL)
	t.Setenv("AZURE_OPENAI_API_KEY", "k")
	for name, want := range map[string]string{"ollama": srv.URL + "/v1", "azure": srv.URL + "/openai/v1"} {
		d, _ := compat.Lookup(name)
		m := d.New("m", nil)
		if got := m.Dialect().BaseURL; got != want || m.Err() != nil {
			t.Errorf("%s is at %s (%v), want %s", name, got, m.Err(), want)
		}
		asked = nil
		if _, err := compat.List(t.Context(), d, nil); err != nil || len(asked) != 1 {
			t.Errorf("%s lists after %q: %v", name, asked, err)
		}
		d.BaseURL = "http://127.0.0.1:1/v1"
		if got := d.New("m", nil).Dialect().BaseURL; got != d.BaseURL {
			t.Errorf("%s with an address of its own is at %s", name, got)
		}
	}
}

package models_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/helios-go/helios/helioai/models"
)

func TestTheSurveySaysWhoAnswersAndWhatIsMissing(t *testing.T) {
	t.Parallel()
	keys := make(chan string, 1)
	anthropic := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		keys <- q.URL.Path + " " + q.Header.Get("X-Api-Key") + " " + q.Header.Get("Anthropic-Version")
		_, _ = w.Write([]byte(`{"data":[{"id":"claude-new"}]}`)) // the client may have gone
	}))
	t.Cleanup(anthropic.Close)
	c := env(
		"ANTHROPIC_API_KEY", "sk-1", "ANTHROPIC_BASE_URL", anthropic.URL,
		"GROQ_API_KEY", "gsk", "GROQ_BASE_URL", serve(t, 401, `{"error":{"message":"Invalid API Key"}}`),
		"OLLAMA_HOST", serve(t, 200, `{"data":[{"id":"qwen3:8b"}]}`),
		"MISTRAL_API_KEY", "m", "MISTRAL_BASE_URL", serve(t, 200, "<html>"),
	)
	told := 0
	found, err := c.Survey(t.Context(), "", func(*models.Status) { told++ })
	if err != nil {
		t.Fatal(err)
	}
	by := map[string]*models.Status{}
	for _, s := range found {
		by[s.Name] = s
	}
	if got := <-keys; got != "/v1/models sk-1 2023-06-01" {
		t.Errorf("Anthropic was asked with %q", got)
	}
	if s := by["anthropic"]; !s.Set || s.Err != nil || len(s.Listed) != 1 || s.Listed[0].ID != "claude-new" || s.Default != "claude-sonnet-5-5" || s.KeyVar != "ANTHROPIC_API_KEY" {
		t.Errorf("anthropic: %+v", s)
	}
	if s := by["groq"]; s.Err == nil || s.Err.Error() != "Groq does not accept the key in GROQ_API_KEY (Invalid API Key); set GROQ_API_KEY to a valid one" {
		t.Errorf("groq: %+v", s)
	}
	if s := by["ollama"]; !s.Set || s.Default != "qwen3:8b" {
		t.Errorf("ollama: %+v", s)
	}
	if s := by["mistral"]; s.Err == nil || !strings.Contains(s.Err.Error(), "MISTRAL_BASE_URL") {
		t.Errorf("mistral: %+v", s)
	}
	for name, want := range map[string]string{
		"deepseek": "set DEEPSEEK_API_KEY", "azure": "set AZURE_OPENAI_ENDPOINT and AZURE_OPENAI_API_KEY", "vllm": "set VLLM_BASE_URL", "server": "set HELIOAI_BASE_URL to any server that speaks chat completions",
	} {
		if s := by[name]; s.Set || s.Asked || s.Missing != want {
			t.Errorf("%s: %+v, want it to say %q", name, s, want)
		}
	}
	if told != 4 {
		t.Errorf("told of %d providers, want the 4 that were asked", told)
	}
	if _, err := c.Survey(t.Context(), "gemni", nil); err == nil {
		t.Error("a provider that does not exist was surveyed")
	}
}

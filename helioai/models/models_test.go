package models_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/helios-go/helios/helioai/models"
	"github.com/helios-go/helios/llm"
)

// env is a Config over these variables, in pairs.
func env(pairs ...string) *models.Config {
	set := map[string]string{}
	for i := 0; i < len(pairs); i += 2 {
		set[pairs[i]] = pairs[i+1]
	}
	return &models.Config{Env: func(name string) string { return set[name] }}
}

// serve is a server that answers everything the same way.
func serve(t *testing.T, status int, body string) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body)) // the client may have gone
	}))
	t.Cleanup(s.Close)
	return s.URL
}

func TestEachProviderCanBeOpenedFromItsVariables(t *testing.T) {
	t.Parallel()
	for _, p := range models.Providers() {
		t.Run(p.Name, func(t *testing.T) {
			t.Parallel()
			var pairs []string
			for _, name := range append(p.Keys[:1:1], p.URLs[:1]...) {
				value := "a-key"
				if !strings.HasSuffix(name, "_KEY") {
					value = "http://127.0.0.1:9/v1"
				}
				pairs = append(pairs, name, value)
			}
			m, err := env(pairs...).Open(t.Context(), models.Choice{Provider: p.Name, Model: "some-model"})
			if err != nil {
				t.Fatal(err)
			}
			if c := p.Catalogue(); len(c.Models) > 0 && (c.AsOf == "" || c.Source == "") {
				t.Error("the catalogue does not say from when and where it is")
			}
			if want := p.Name + "/some-model"; m.Name() != want {
				t.Errorf("Name() = %q, want %q", m.Name(), want)
			}
		})
	}
}

func TestADefaultModelIsKnownAndHasAPrice(t *testing.T) {
	t.Parallel()
	for _, p := range models.Providers() {
		if p.Model == "" || len(p.Catalogue().Models) == 0 {
			continue
		}
		info, ok := p.Catalogue().Find(p.Model)
		if !ok || len(info.Prices) == 0 || info.Size.Context == 0 {
			t.Errorf("%s: the default %s is known as %+v, %v", p.Name, p.Model, info, ok)
		}
	}
}

func TestNothingIsAskedWithoutAKeyOrAnAddress(t *testing.T) {
	t.Parallel()
	for _, p := range models.Providers() {
		if p.Local && p.Home != "" {
			continue // needs neither
		}
		_, err := env().Open(t.Context(), models.Choice{Provider: p.Name, Model: "m"})
		if err == nil || !models.Missing(err) || !strings.Contains(err.Error(), "; set "+p.URLs[0]) && !strings.Contains(err.Error(), "; set "+p.Keys[0]) {
			t.Errorf("%s: error %v; want the variable to set", p.Name, err)
		}
	}
}

func TestTheKeyOfOneServerGoesToNoOther(t *testing.T) {
	t.Parallel()
	seen := make(chan http.Header, 4)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		seen <- q.Header
		_, _ = w.Write([]byte(`{"data":[{"id":"m"}]}`)) // the client may have gone
	}))
	t.Cleanup(s.Close)
	c := env("OPENAI_API_KEY", "secret", "HELIOAI_BASE_URL", s.URL)
	if _, err := c.Open(t.Context(), models.Choice{Provider: models.Server}); err != nil {
		t.Fatal(err)
	}
	if got := (<-seen).Get("Authorization"); got != "" {
		t.Errorf("the key of OpenAI went to HELIOAI_BASE_URL: %q", got)
	}
	c = env("OPENAI_API_KEY", "secret", "OPENAI_BASE_URL", s.URL)
	m, err := c.Open(t.Context(), models.Choice{Provider: models.Server})
	if err != nil {
		t.Fatal(err)
	}
	if got := (<-seen).Get("Authorization"); got != "Bearer secret" || m.Name() != "server/m" {
		t.Errorf("%s was asked with %q; want the key that belongs to OPENAI_BASE_URL", m.Name(), got)
	}
}

func TestALocalServerIsAskedWhatItHas(t *testing.T) {
	t.Parallel()
	ollama := models.Choice{Provider: "ollama"}
	m, err := env("OLLAMA_HOST", serve(t, 200, `{"object":"list","data":[{"id":"qwen3:8b"},{"id":"llama3.2"}]}`)).Open(t.Context(), ollama)
	if err != nil || m.Name() != "ollama/llama3.2" && m.Name() != "ollama/qwen3:8b" {
		t.Errorf("%v, %v; want one that it has", m, err)
	}
	if err == nil && !models.Priced(m) {
		t.Error("what runs on this machine has no price")
	}
	_, err = env("OLLAMA_HOST", serve(t, 200, `{"object":"list","data":null}`)).Open(t.Context(), ollama)
	if err == nil || !strings.Contains(err.Error(), "ollama pull") {
		t.Errorf("error %v; want what to do about an Ollama without models", err)
	}
}

func TestErrorsNameTheSettingToChange(t *testing.T) {
	t.Parallel()
	const id = "claude-sonet-5-5"
	for _, tc := range []struct {
		name   string
		status int
		body   string
		want   string
	}{
		{"a wrong key", 401, `{"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"}}`, "Anthropic does not accept the key in ANTHROPIC_API_KEY (invalid x-api-key); set ANTHROPIC_API_KEY to a valid one"},
		{"a key that may not", 403, `{"type":"error","error":{"type":"permission_error","message":"not for you"}}`, "the key in ANTHROPIC_API_KEY may not do this (not for you); check what it is allowed to, or choose another model"},
		{"a wrong model", 404, `{"type":"error","error":{"type":"not_found_error","message":"model: claude-sonet-5-5"}}`, `Anthropic has no model "claude-sonet-5-5"; did you mean claude-sonnet-5-5? Choose with --model or HELIOAI_MODEL`},
		{"a wrong address", 404, `<html>`, "nothing of Anthropic answers at URL (<html>); check ANTHROPIC_BASE_URL"},
		{"too many requests", 429, `{"type":"error","error":{"type":"rate_limit_error","message":"slow down"}}`, "Anthropic allows no more requests for now (slow down); choose another model, or try again later"},
		{"no money", 400, `{"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low"}}`, "Anthropic: Your credit balance is too low; add credit to the account, or choose another provider"},
		{"overload", 529, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, "Anthropic could not answer (Overloaded); choose another model, or try again later"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			at := serve(t, tc.status, tc.body)
			m, err := env("ANTHROPIC_API_KEY", "sk-secret", "ANTHROPIC_BASE_URL", at).Open(t.Context(), models.Choice{Provider: "anthropic", Model: id})
			if err != nil {
				t.Fatal(err)
			}
			_, err = llm.Generate(t.Context(), m, &llm.Request{Messages: []llm.Message{llm.User("hello")}})
			if want := strings.ReplaceAll(tc.want, "URL (", at+" ("); err == nil || err.Error() != want {
				t.Errorf("error %v\nwant  %s", err, want)
			}
		})
	}
}

func TestAServerThatIsNotThereIsNotTriedAgain(t *testing.T) {
	t.Parallel()
	m, err := env("GROQ_API_KEY", "k", "GROQ_BASE_URL", "http://127.0.0.1:9/openai/v1").Open(t.Context(), models.Choice{Provider: "groq"})
	if err != nil {
		t.Fatal(err)
	}
	_, err = llm.Generate(t.Context(), m, &llm.Request{Messages: []llm.Message{llm.User("hello")}})
	var e *llm.Error
	if err == nil || !strings.Contains(err.Error(), "127.0.0.1:9") || !strings.Contains(err.Error(), "GROQ_BASE_URL") || !asError(err, &e) || e.Retryable() {
		t.Errorf("error %v, retryable %v", err, e)
	}
}

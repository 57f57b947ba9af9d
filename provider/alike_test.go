package provider_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/provider/anthropic"
	"github.com/helios-go/helios/provider/compat"
	"github.com/helios-go/helios/provider/gemini"
	"github.com/helios-go/helios/provider/openai"
)

func TestNoProviderPrintsAKey(t *testing.T) {
	t.Parallel()
	const key, value = "sk-3f9a7c1e5b2d", "of-a-header-8842"
	header := http.Header{"X-Token": {value}}
	a := &anthropic.Options{Key: key, Header: header}
	o := &openai.Options{Key: key, Header: header}
	g := &gemini.Options{Key: key, Header: header}
	c := &compat.Options{Key: key, Header: header}
	for _, v := range []any{
		a, *a, anthropic.New("claude-sonnet-5", a), *anthropic.New("claude-sonnet-5", a),
		o, *o, openai.New("gpt-6-sol", o), *openai.New("gpt-6-sol", o),
		g, *g, gemini.New("gemini-3.8-flash", g), *gemini.New("gemini-3.8-flash", g), gemini.NewFiles(g), *gemini.NewFiles(g),
		c, *c, compat.Groq("m", c), *compat.Groq("m", c),
	} {
		var shown strings.Builder
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%d", "%t", "%e", "%U"} {
			fmt.Fprintf(&shown, verb+" ", v)
			fmt.Fprintf(&shown, verb+" ", []any{v})
		}
		slog.New(slog.NewJSONHandler(&shown, nil)).Info("x", "v", v, "in", []any{v})
		slog.New(slog.NewTextHandler(&shown, nil)).Info("x", "v", v, "in", []any{v})
		if text := shown.String(); strings.Contains(text, key) || strings.Contains(text, value) {
			t.Errorf("%T is printed with a secret: %s", v, text)
		}
	}
	var shown map[string]string
	data, err := json.Marshal(c)
	if err == nil {
		err = json.Unmarshal(data, &shown)
	}
	if err != nil || shown["key"] != "<redacted>" || shown["header"] != "X-Token" {
		t.Errorf("as JSON options are %s (%v)", data, err)
	}
}

func TestZeroValuesSayHowTheyAreMade(t *testing.T) {
	t.Parallel()
	for how, m := range map[string]llm.Model{
		"anthropic.New": new(anthropic.Model), "openai.New": new(openai.Model), "gemini.New": new(gemini.Model), "compat.New": new(compat.Model),
	} {
		_, err := llm.Generate(t.Context(), m, &llm.Request{Messages: []llm.Message{llm.User("hi")}})
		if !errors.Is(err, llm.ErrInvalidRequest) || !strings.Contains(err.Error(), how) {
			t.Errorf("a zero model: %v, want the word %s", err, how)
		}
	}
	if _, err := new(gemini.Files).Get(t.Context(), "files/a"); !errors.Is(err, llm.ErrInvalidRequest) || !strings.Contains(err.Error(), "gemini.NewFiles") {
		t.Errorf("zero files: %v", err)
	}
}

//nolint:paralleltest // it sets the environment
func TestAnAuthorizationHeaderStandsForAKey(t *testing.T) {
	for _, name := range []string{"ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY", "GROQ_API_KEY"} {
		t.Setenv(name, "")
	}
	header := http.Header{"authorization": {"Bearer of-a-login"}}
	for _, m := range []interface{ Err() error }{
		anthropic.New("claude-sonnet-5", &anthropic.Options{Header: header}), openai.New("gpt-6-sol", &openai.Options{Header: header}),
		gemini.New("gemini-3.8-flash", &gemini.Options{Header: header}), compat.Groq("m", &compat.Options{Header: header}),
	} {
		if err := m.Err(); err != nil {
			t.Errorf("%T: %v", m, err)
		}
	}
}

package openai_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/llm/llmtest"
	"github.com/helios-go/helios/provider/openai"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const key = "sk-test-0123456789"

func fixture(t testing.TB, name string) string {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// ask sends a request to a wire of these replies.
func ask(t *testing.T, req *llm.Request, o *openai.Options, id string, replies ...llmtest.Reply) (*llm.Response, *llmtest.Wire, error) {
	t.Helper()
	wire := llmtest.NewWire(replies...)
	var opts openai.Options
	if o != nil {
		opts = *o
	}
	if opts.Key == "" && opts.BaseURL == "" {
		opts.Key = key
	}
	opts.HTTP = wire.Client()
	resp, err := llm.Generate(t.Context(), openai.New(id, &opts), req)
	return resp, wire, err
}

// stream reads an answer that a body of events is.
func stream(t *testing.T, body string) (*llm.Response, error) {
	t.Helper()
	resp, _, err := ask(t, hello(), nil, "gpt-6-sol", llmtest.SSE(body))
	return resp, err
}

// sent is the body of a request that the wire got.
func sent(t *testing.T, req *llm.Request, o *openai.Options, id string) map[string]any {
	t.Helper()
	_, wire, err := ask(t, req, o, id, llmtest.SSE(done))
	if err != nil {
		t.Fatal(err)
	}
	var body map[string]any
	if err := wire.Requests()[0].JSON(&body); err != nil {
		t.Fatal(err)
	}
	return body
}

const done = `data: {"type":"response.completed","response":{"id":"resp_0","status":"completed"}}` + "\n\n"

func hello() *llm.Request { return &llm.Request{Messages: []llm.Message{llm.User("hi")}} }

// same compares a value with JSON.
func same(t *testing.T, what string, got any, want string) {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(want), &v); err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	a, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	var again any
	if err := json.Unmarshal(a, &again); err != nil {
		t.Fatal(err)
	}
	a, _ = json.Marshal(again) // members in one order
	b, _ := json.Marshal(v)
	if string(a) != string(b) {
		t.Errorf("%s is\n%s\nwant\n%s", what, a, b)
	}
}

func TestNothingSecretIsPrinted(t *testing.T) {
	t.Parallel()
	o := openai.Options{Key: key, BaseURL: "https://u:hunter2@h.example/v1?key=hunter2", Header: http.Header{"Api-Key": {"hunter2-hunter2"}}}
	m := openai.New("gpt-6-sol", &o)
	for _, v := range []any{o, &o, m, m.LogValue(), o.LogValue()} {
		for _, f := range []string{"%v", "%+v", "%#v", "%s"} {
			text := fmt.Sprintf(f, v)
			if strings.Contains(text, key) || strings.Contains(text, "hunter2") {
				t.Errorf("%T as %s shows a secret: %s", v, f, text)
			}
		}
	}
	if text := o.String(); !strings.Contains(text, "Api-Key") || !strings.Contains(text, "<redacted>") {
		t.Errorf("%s names neither the header nor that there is a key", text)
	}
}

func TestAModelThatCannotBeAskedSaysSo(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "")
	m := openai.New("gpt-6-sol", nil)
	_, err := llm.Generate(context.Background(), m, hello())
	for _, err := range []error{m.Err(), err} {
		if err == nil || err.Error() != "openai: there is no key; set OPENAI_API_KEY or Options.Key" {
			t.Errorf("%v", err)
		}
	}
	if err := openai.New("", &openai.Options{Key: key}).Err(); err == nil {
		t.Error("a model without a name is fine")
	}
}

// Azure's key goes in a header of its own, and no other key goes to Azure.
func TestAzureGetsItsOwnHeaderOnly(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", key)
	o := &openai.Options{BaseURL: "https://r.openai.azure.com/openai/v1?api-version=preview", Header: http.Header{"api-key": {"azure-0123456789"}}}
	_, wire, err := ask(t, hello(), o, "my-deployment", llmtest.SSE(done).To("POST", "/openai/v1/responses?api-version=preview"))
	if err != nil {
		t.Fatal(err)
	}
	h := wire.Requests()[0].Header
	if h.Get("Authorization") != "" || h.Get("Api-Key") != "azure-0123456789" {
		t.Errorf("the headers are %v", h)
	}
}

func TestWhereAndHowItIsSent(t *testing.T) {
	t.Parallel()
	_, wire, err := ask(t, hello(), &openai.Options{Header: http.Header{"openai-project": {"p"}, "CONTENT-TYPE": {"application/json; a=b"}}}, "gpt-6-sol",
		llmtest.SSE(done).To("POST", "/v1/responses"))
	if err != nil {
		t.Fatal(err)
	}
	q := wire.Requests()[0]
	if q.Host != "api.openai.com" || q.Header.Get("Authorization") != "Bearer "+key || q.Header.Get("Openai-Project") != "p" || q.Header.Get("Content-Type") != "application/json; a=b" {
		t.Errorf("%s %v", q.Host, q.Header)
	}
}

func TestAModelKnowsItsSizeAndPrice(t *testing.T) {
	t.Parallel()
	m := openai.New("gpt-4.1-2025-04-14", nil)
	if m.Name() != "openai/gpt-4.1-2025-04-14" || m.Size() != (llm.Size{Context: 1_047_576, MaxOutput: 32_768}) {
		t.Errorf("%s %v", m.Name(), m.Size())
	}
	m = openai.New("novel-1", nil)
	if _, known := m.Cost(llm.Usage{Input: 1}); known || m.Size() != (llm.Size{}) {
		t.Error("something is known of a model that is not in the table")
	}
}

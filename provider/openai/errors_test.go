package openai_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/llm/llmtest"
	"github.com/helios-go/helios/provider/openai"
)

func TestRefusedRequestsByTheirCode(t *testing.T) {
	t.Parallel()
	refusal := func(code, kind string) string {
		return fmt.Sprintf(`{"error":{"message":"it says why","type":%q,"param":null,"code":%q}}`, kind, code)
	}
	for name, tt := range map[string]struct {
		reply llmtest.Reply
		kind  error // nil: none of the sentinels
		wait  time.Duration
		says  string
	}{
		"slow down":           {llmtest.JSON(429, refusal("rate_limit_exceeded", "tokens")).Header("Retry-After", "2"), llm.ErrTransient, 2 * time.Second, "it says why"},
		"in milliseconds":     {llmtest.JSON(429, refusal("rate_limit_exceeded", "requests")).Header("Retry-After-Ms", "1500").Header("Retry-After", "9"), llm.ErrTransient, 1500 * time.Millisecond, "it says why"},
		"no money":            {llmtest.JSON(429, refusal("insufficient_quota", "insufficient_quota")), nil, 0, "it says why"},
		"too long":            {llmtest.JSON(400, refusal("context_length_exceeded", "invalid_request_error")), llm.ErrContextTooLong, 0, "it says why"},
		"a wrong key":         {llmtest.JSON(401, refusal("invalid_api_key", "invalid_request_error")), llm.ErrAuth, 0, "check OPENAI_API_KEY or Options.Key"},
		"a wrong model":       {llmtest.JSON(404, refusal("model_not_found", "invalid_request_error")), llm.ErrInvalidRequest, 0, "check the model (gpt-6-sol)"},
		"a bad request":       {llmtest.JSON(400, refusal("unsupported_parameter", "invalid_request_error")), llm.ErrInvalidRequest, 0, "it says why"},
		"against the policy":  {llmtest.JSON(400, refusal("invalid_prompt", "invalid_request_error")), llm.ErrRefused, 0, "it says why"},
		"broken":              {llmtest.JSON(500, refusal("", "server_error")), llm.ErrTransient, 0, "it says why"},
		"broken for good":     {llmtest.JSON(500, refusal("", "server_error")).Header("X-Should-Retry", "false"), nil, 0, "it says why"},
		"odd, but once more":  {llmtest.JSON(400, refusal("", "")).Header("X-Should-Retry", "true"), llm.ErrTransient, 0, "it says why"},
		"no JSON":             {llmtest.JSON(503, "upstream gone"), llm.ErrTransient, 0, "upstream gone"},
		"the key in the text": {llmtest.JSON(401, `{"error":{"message":"Incorrect API key provided: `+key+`"}}`), llm.ErrAuth, 0, "<redacted>"},
	} {
		_, _, err := ask(t, hello(), nil, "gpt-6-sol", tt.reply)
		checkError(t, name, err, tt.kind, tt.wait, tt.says)
	}
}

func checkError(t *testing.T, name string, err, kind error, wait time.Duration, says string) {
	t.Helper()
	var e *llm.Error
	if !errors.As(err, &e) || e.Provider != "openai" || e.RetryAfter != wait || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), key) {
		t.Errorf("%s: %v (%+v)", name, err, e)
		return
	}
	if kind != nil && !errors.Is(err, kind) || kind == nil && e.Kind != llm.KindOther {
		t.Errorf("%s: its kind is %v, want %v", name, e.Kind, kind)
	}
}

// A server may fail in the middle, after HTTP 200. What was said stays, and nothing
// of it runs.
func TestFailuresInTheStream(t *testing.T) {
	t.Parallel()
	begun := event(`{"type":"response.output_text.delta","output_index":0,"delta":"partial"}`) +
		event(`{"type":"response.output_item.done","output_index":1,"item":{"type":"function_call","call_id":"c","name":"f","arguments":"{}"}}`)
	for name, tt := range map[string]struct {
		event string
		kind  error
		says  string
	}{
		"slow down":        {`{"type":"error","code":"rate_limit_exceeded","message":"slow down","param":null}`, llm.ErrTransient, "slow down"},
		"nested":           {`{"type":"error","error":{"type":"server_error","code":"server_error","message":"oops"}}`, llm.ErrTransient, "oops"},
		"without a type":   {`{"error":{"message":"quota","code":502}}`, llm.ErrTransient, "quota"},
		"failed":           {`{"type":"response.failed","response":{"status":"failed","error":{"code":"server_error","message":"oops"}}}`, llm.ErrTransient, "oops"},
		"too long":         {`{"type":"response.failed","response":{"status":"failed","error":{"code":"context_length_exceeded","message":"long"}}}`, llm.ErrContextTooLong, "long"},
		"no money":         {`{"type":"response.failed","response":{"status":"failed","error":{"code":"insufficient_quota","message":"pay"}}}`, nil, "pay"},
		"bad image":        {`{"type":"response.failed","response":{"status":"failed","error":{"code":"invalid_image","message":"no image"}}}`, nil, "no image"},
		"policy":           {`{"type":"response.failed","response":{"status":"failed","error":{"code":"bio_policy","message":"no"}}}`, llm.ErrRefused, "no"},
		"with a time":      {`{"type":"error","error":{"code":"rate_limit_exceeded","message":"Limit 9, used 8. Please try again in 1m2.5s. Visit us."}}`, llm.ErrTransient, "Limit 9"},
		"for no reason":    {`{"type":"response.failed","response":{"status":"failed","error":null}}`, nil, "response_failed"},
		"failed, it seems": {`{"type":"response.completed","response":{"status":"failed","error":{"code":"server_error","message":"oops"}}}`, llm.ErrTransient, "oops"},
		"cancelled":        {`{"type":"response.cancelled","response":{"status":"cancelled"}}`, nil, "cancelled"},
		"no JSON":          {`{"type":"response.completed"`, llm.ErrTransient, "cannot be read"},
		"no object":        {`{"type":"response.completed","response":[]}`, llm.ErrTransient, "cannot be read"},
		"no item":          {`{"type":"response.output_item.done","item":null}`, llm.ErrTransient, "cannot be read"},
	} {
		resp, _, err := ask(t, hello(), nil, "gpt-6-sol", llmtest.SSE(begun+event(tt.event)+done))
		var wait time.Duration
		if name == "with a time" {
			wait = 62500 * time.Millisecond
		}
		checkError(t, name, err, tt.kind, wait, tt.says)
		if resp.Text() != "partial" || len(resp.Message.Calls()) > 0 {
			t.Errorf("%s: %+v is left", name, resp.Message)
		}
	}
}

func TestSilenceAndSlowness(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		o := &openai.Options{IdleTimeout: 10 * time.Second, HeaderTimeout: 5 * time.Second}
		body := fixture(t, "tools.sse")
		if _, _, err := ask(t, hello(), o, "gpt-6-sol", llmtest.SSE(body).Cut(llmtest.CutEvents).Every(9*time.Second)); err != nil {
			t.Errorf("a slow answer: %v", err)
		}
		_, _, err := ask(t, hello(), o, "gpt-6-sol", llmtest.SSE(body).Stalling(500))
		if err == nil || !errors.Is(err, llm.ErrTransient) || !strings.Contains(err.Error(), "no more data for 10s") {
			t.Errorf("silence: %v", err)
		}
		_, _, err = ask(t, hello(), o, "gpt-6-sol", llmtest.SSE(body).After(time.Minute))
		if err == nil || !errors.Is(err, llm.ErrTransient) || !strings.Contains(err.Error(), "no answer within 5s") {
			t.Errorf("no answer: %v", err)
		}
	})
}

// Who leaves a stream ends its request, and nothing is left behind (TestMain looks).
func TestLeavingAStreamEndsItsRequest(t *testing.T) {
	t.Parallel()
	ended := make(chan struct{})
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		io.WriteString(w, event(`{"type":"response.output_text.delta","output_index":0,"delta":"a"}`))
		w.(http.Flusher).Flush()
		<-r.Context().Done()
		close(ended)
	}))
	defer srv.Close()
	client := srv.Client()
	defer client.CloseIdleConnections()
	for _, err := range openai.New("gpt-6-sol", &openai.Options{BaseURL: srv.URL, HTTP: client}).Stream(t.Context(), hello()) {
		if err != nil {
			t.Fatal(err)
		}
		break
	}
	<-ended
}

func TestALongEventNamesTheSetting(t *testing.T) {
	t.Parallel()
	body := event(`{"type":"response.output_text.delta","output_index":0,"delta":"` + strings.Repeat("x", 64<<10) + `"}`)
	_, _, err := ask(t, hello(), &openai.Options{MaxEvent: 1 << 10}, "gpt-6-sol", llmtest.SSE(body+done))
	if err == nil || !strings.Contains(err.Error(), "Options.MaxEvent") {
		t.Errorf("%v", err)
	}
}

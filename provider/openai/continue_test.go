package openai_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/llm/llmtest"
	"github.com/helios-go/helios/provider/openai"
)

var stored = &openai.Options{Key: key, Continuation: true}

// first is the first answer of a conversation whose answers are stored.
func first(t *testing.T) llm.Message {
	t.Helper()
	resp, wire, err := ask(t, hello(), stored, "gpt-6-sol", llmtest.SSE(fixture(t, "tools.sse")))
	if err != nil {
		t.Fatal(err)
	}
	var body map[string]any
	if err := wire.Requests()[0].JSON(&body); err != nil {
		t.Fatal(err)
	}
	if body["store"] != true || body["previous_response_id"] != nil {
		t.Errorf("the first request is %v", body)
	}
	return resp.Message
}

func TestAStoredAnswerIsContinued(t *testing.T) {
	t.Parallel()
	m := first(t)
	req := &llm.Request{System: []llm.Part{llm.Text("s")}, Messages: []llm.Message{llm.User("hi"), m, said()}}
	body := sent(t, req, stored, "gpt-6-sol")
	if body["previous_response_id"] != "resp_1" || body["instructions"] != "s" {
		t.Errorf("the request is %v", body)
	}
	same(t, "the input", body["input"], `[`+done2+`]`)
	// And so on: the next answer is of what came before it.
	next := strings.ReplaceAll(fixture(t, "search.sse"), "resp_1", "resp_2")
	resp, _, err := ask(t, req, stored, "gpt-6-sol", llmtest.SSE(next))
	if err != nil {
		t.Fatal(err)
	}
	req.Messages = append(req.Messages, resp.Message, llm.User("hi"))
	body = sent(t, req, stored, "gpt-6-sol")
	if body["previous_response_id"] != "resp_2" {
		t.Errorf("the request is %v", body)
	}
	same(t, "the input", body["input"], `[`+user+`]`)
}

// The server's copy counts only as long as it is ours.
func TestAChangedConversationIsSentWhole(t *testing.T) {
	t.Parallel()
	m := first(t)
	changed := &llm.Request{Messages: []llm.Message{llm.User("a summary"), m, said()}}
	body := sent(t, changed, stored, "gpt-6-sol")
	input, ok := body["input"].([]any)
	if body["previous_response_id"] != nil || !ok || len(input) != 7 {
		t.Fatalf("the request is %v", body)
	}
	// The items that reasoning belongs to are named, as the server has them.
	same(t, "the reasoning", input[1].(map[string]any)["id"], `"rs_1"`)
	same(t, "what followed it", input[2].(map[string]any)["id"], `"msg_1"`)
	same(t, "what came later", input[3].(map[string]any)["id"], `null`)
	body = sent(t, &llm.Request{Messages: []llm.Message{llm.User("hi"), m}}, stored, "gpt-6-sol")
	if input, ok := body["input"].([]any); body["previous_response_id"] != nil || !ok || len(input) != 5 {
		t.Errorf("with nothing new, the request is %v", body)
	}
	// Without the option the answer is nothing special.
	body = sent(t, &llm.Request{Messages: []llm.Message{llm.User("hi"), m, said()}}, nil, "gpt-6-sol")
	same(t, "the input", body["input"], `[`+user+`,`+rs1+`,`+msg1+`,`+call1+`,`+call2+`,`+done2+`]`)
}

func TestAnAnswerThatTheServerForgotIsSent(t *testing.T) {
	t.Parallel()
	req := &llm.Request{Messages: []llm.Message{llm.User("hi"), first(t), said()}}
	gone := llmtest.JSON(400, `{"error":{"message":"Previous response with id 'resp_1' not found.","type":"invalid_request_error","param":"previous_response_id","code":"previous_response_not_found"}}`)
	_, wire, err := ask(t, req, stored, "gpt-6-sol", gone, llmtest.SSE(done))
	if err != nil || len(wire.Requests()) != 2 {
		t.Fatalf("%v after %d requests", err, len(wire.Requests()))
	}
	var body map[string]any
	if err := wire.Requests()[1].JSON(&body); err != nil {
		t.Fatal(err)
	}
	if input, ok := body["input"].([]any); body["previous_response_id"] != nil || !ok || len(input) != 7 {
		t.Errorf("the second request is %v", body)
	}
	// Once only, and for no other reason.
	_, wire, err = ask(t, req, stored, "gpt-6-sol", gone, gone)
	if !errors.Is(err, llm.ErrInvalidRequest) || len(wire.Requests()) != 2 {
		t.Errorf("%v after %d requests", err, len(wire.Requests()))
	}
	_, wire, err = ask(t, req, stored, "gpt-6-sol", llmtest.JSON(429, `{"error":{"message":"slow down"}}`))
	if !errors.Is(err, llm.ErrTransient) || len(wire.Requests()) != 1 {
		t.Errorf("%v after %d requests", err, len(wire.Requests()))
	}
}

// Some servers look for every item with an id, among those that they did not store.
func TestIDsAreLeftOutForServersThatLookForThem(t *testing.T) {
	t.Parallel()
	lost := llmtest.JSON(404, "{\"error\":{\"message\":\"Item with id 'rs_1' not found. Items are not persisted when `store` is set to false.\"}}")
	wire := llmtest.NewWire(lost, llmtest.SSE(done), llmtest.SSE(done), lost)
	m := openai.New("gpt-6-sol", &openai.Options{Key: key, HTTP: wire.Client()})
	req := &llm.Request{Messages: []llm.Message{llm.User("hi"), answer(t, "tools.sse"), said()}}
	for range 2 {
		if _, err := llm.Generate(t.Context(), m, req); err != nil {
			t.Fatal(err)
		}
	}
	for i, named := range []bool{true, false, false} {
		body := string(wire.Requests()[i].Body)
		if strings.Contains(body, `"rs_1"`) != named || strings.Contains(body, `"msg_1"`) != named || !strings.Contains(body, "gAAA-1==") {
			t.Errorf("request %d is %s", i, body)
		}
	}
	if _, err := llm.Generate(t.Context(), m, req); !errors.Is(err, llm.ErrInvalidRequest) {
		t.Errorf("%v, want the server's refusal", err)
	}
}

// One model serves many at a time.
func TestAModelIsSafeForConcurrentUse(t *testing.T) {
	t.Parallel()
	body := fixture(t, "tools.sse")
	const n = 16
	replies := make([]llmtest.Reply, n)
	for i := range replies {
		replies[i] = llmtest.SSE(body)
	}
	wire := llmtest.NewWire(replies...)
	m := openai.New("gpt-6-sol", &openai.Options{Key: key, HTTP: wire.Client()})
	req := hello()
	req.Tools = []llm.ToolSpec{weather}
	errs := make(chan error)
	for range n {
		go func() {
			resp, err := llm.Generate(context.Background(), m, req)
			if err == nil && told(&resp.Message) != toolsTold {
				err = errors.New(told(&resp.Message))
			}
			errs <- err
		}()
	}
	for range n {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
}

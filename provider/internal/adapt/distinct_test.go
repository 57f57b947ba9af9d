package adapt_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/provider/internal/adapt"
)

func turn(ids ...string) []llm.Message {
	calls, results := llm.Message{Role: llm.RoleAssistant}, llm.Message{Role: llm.RoleTool}
	for _, id := range ids {
		calls.Parts = append(calls.Parts, llm.Part{Kind: llm.PartCall, Call: &llm.ToolCall{ID: id, Name: "f", Args: json.RawMessage(`{}`)}})
		results.Parts = append(results.Parts, llm.Part{Kind: llm.PartResult, Result: &llm.ToolResult{ID: id, Name: "f"}})
	}
	return []llm.Message{calls, results}
}

func idsOf(history []llm.Message) string {
	var ids []string
	for _, m := range history {
		for _, p := range m.Parts {
			switch {
			case p.Call != nil:
				ids = append(ids, p.Call.ID)
			case p.Result != nil:
				ids = append(ids, "="+p.Result.ID)
			}
		}
	}
	return strings.Join(ids, " ")
}

func TestRepeatedIDsAreMadeDistinct(t *testing.T) {
	t.Parallel()
	var history []llm.Message
	for _, ids := range [][]string{{"call_0", "call_1"}, {"call_0_2"}, {"call_0", "other"}, {"call_0", "call_1"}, {"last"}} {
		history = append(history, turn(ids...)...)
	}
	before := idsOf(history)
	const want = "call_0 call_1 =call_0 =call_1 call_0_2 =call_0_2 call_0_3 other =call_0_3 =other call_0_4 call_1_2 =call_0_4 =call_1_2 last =last"
	got := adapt.Distinct(&llm.Request{Messages: history}).Messages
	if idsOf(got) != want {
		t.Errorf("got  %s\nwant %s", idsOf(got), want)
	}
	if err := llm.CheckConversation(got); err != nil {
		t.Error(err)
	}
	if idsOf(history) != before {
		t.Errorf("the history that was given has become %s", idsOf(history))
	}
	// What has been sent stays the same when the history grows.
	for n := 2; n <= len(history); n += 2 {
		if part := idsOf(adapt.Distinct(&llm.Request{Messages: history[:n]}).Messages); !strings.HasPrefix(want, part) {
			t.Errorf("the first %d messages have %s", n, part)
		}
	}
}

func TestDistinctIDsAreLeftAlone(t *testing.T) {
	t.Parallel()
	for _, req := range []*llm.Request{{Messages: append(turn("a", "b"), turn("c")...)}, {}} {
		if adapt.Distinct(req) != req {
			t.Error("a request without repeated ids was copied")
		}
	}
}

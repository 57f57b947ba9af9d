package wiretest_test

import (
	"strings"
	"testing"

	"github.com/helios-go/helios/internal/wiretest"
)

func TestHistoriesThatProvidersRefuse(t *testing.T) {
	t.Parallel()
	const (
		thinking     = `{"model":"m","max_tokens":2000,"thinking":{"type":"enabled","budget_tokens":1024},"stream":true,"messages":[%]}`
		messages     = `{"model":"m","max_tokens":9,"stream":true,"messages":[%]}`
		responses    = `{"model":"m","stream":true,"store":false,"input":[%]}`
		interactions = `{"model":"m","stream":true,"input":[%]}`
		chat         = `{"model":"m","stream":true,"messages":[%]}`

		user      = `{"role":"user","content":"a"}`
		userItem  = `{"type":"message","role":"user","content":[{"type":"input_text","text":"a"}]}`
		userStep  = `{"type":"user_input","content":[{"type":"text","text":"a"}]}`
		toolUse   = `{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"f","input":{}}]}`
		toolCalls = `{"role":"assistant","content":null,"tool_calls":[{"id":"t1","type":"function","function":{"name":"f","arguments":"{}"}}]}`
		call      = `{"type":"function_call","call_id":"t1","name":"f","arguments":"{}"}`
		output    = `{"type":"function_call_output","call_id":"t1","output":"x"}`
		reasoning = `{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"x"}`
		callStep  = `{"type":"function_call","id":"t1","name":"f","arguments":{}}`
		result    = `{"type":"function_result","call_id":"t1","result":"x"}`
	)
	forms := map[string]wiretest.Form{
		messages: wiretest.FormMessages, thinking: wiretest.FormMessages, responses: wiretest.FormResponses,
		interactions: wiretest.FormInteractions, chat: wiretest.FormChat,
	}
	for _, test := range []struct{ frame, middle, says string }{
		{messages, user, ""},
		{messages, user + "," + toolUse + `,{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"x"},{"type":"text","text":"and"}]}`, ""},
		{messages, user + "," + toolUse + "," + user, "t1 have no result before a text"},
		{messages, user + "," + toolUse + `,{"role":"user","content":[{"type":"text","text":"and"},{"type":"tool_result","tool_use_id":"t1"}]}`, "have no result before a text"},
		{messages, user + "," + toolUse + `,{"role":"user","content":[{"type":"tool_result","tool_use_id":"t2"}]}`, `call "t2", which does not wait`},
		{messages, user + "," + user, "the speakers take turns"},
		{messages, `{"role":"assistant","content":"a"}`, "the user begins"},
		{messages, user + `,{"role":"assistant","content":"a"}`, "the last message is the assistant's"},
		{messages, user + `,{"role":"assistant","content":[{"type":"text","text":" "}]},` + user, "a text is empty"},
		{messages, user + `,{"role":"assistant","content":[{"type":"thinking","thinking":"a","signature":""},{"type":"text","text":"b"}]},` + user, "no signature"},
		{messages, user + `,{"role":"assistant","content":[{"type":"thinking","thinking":"a","signature":"b"}]},` + user, "the last block is thinking"},
		{messages, user + `,{"role":"assistant","content":[{"type":"tool_use","id":"a.b","name":"f","input":{}}]}`, "does not fit"},
		{messages, user + `,{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"f.g","input":{}}]}`, "whose name no provider takes"},
		{messages, user + `,{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"f","input":"x"}]}`, "no JSON object"},
		{messages, user + `,{"role":"assistant","content":[]}`, "no content"},
		{messages, user + "," + toolUse + `,{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1"}]},` + toolUse, "two calls have the id t1"},
		{messages, `{"role":"user","content":"\ufffd"}`, "a character was broken"},
		{thinking, user + "," + toolUse + `,{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1"}]}`, "does not begin with a thought"},
		{thinking, user + "," + toolUse + `,{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1"},{"type":"text","text":"b"}]}`, ""},

		{responses, userItem, ""},
		{responses, strings.Join([]string{userItem, reasoning, call, output}, ","), ""},
		{responses, strings.Join([]string{userItem, reasoning, output}, ","), "and not by its own item"},
		{responses, strings.Join([]string{userItem, reasoning}, ","), "a reasoning item is the last"},
		{responses, strings.Join([]string{userItem, reasoning, userItem}, ","), "and not by its own item"},
		{responses, userItem + `,{"type":"reasoning","id":"rs_1","encrypted_content":"x"},` + call, "has no summary"},
		{responses, userItem + `,{"type":"reasoning","id":"rs_1","summary":[]},` + call, "no encrypted content"},
		{responses, userItem + "," + call, "t1 have no result before the end"},
		{responses, userItem + "," + call + "," + userItem, "have no result before a message"},
		{responses, userItem + "," + output, "which does not wait"},
		{responses, userItem + `,{"type":"function_call","id":"toolu_1","call_id":"t1","name":"f","arguments":"{}"}`, "does not begin with fc"},
		{responses, userItem + `,{"type":"function_call","call_id":"t1","name":"f","arguments":"x"}`, "no JSON object"},
		{responses, `{"type":"message","role":"assistant","content":[{"type":"input_text","text":"a"}]}`, "not the assistant's"},
		{responses, `{"type":"message","role":"user","content":[{"type":"output_text","text":"a"}]}`, "is the assistant's"},

		{interactions, userStep, ""},
		{interactions, strings.Join([]string{userStep, `{"type":"thought","signature":"x"}`, callStep, result}, ","), ""},
		{interactions, callStep, "the first step is function_call"},
		{interactions, strings.Join([]string{userStep, `{"type":"thought"}`, callStep, result}, ","), "no signature"},
		{interactions, strings.Join([]string{userStep, `{"type":"thought","signature":"x"}`, userStep}, ","), "and not by what it led to"},
		{interactions, strings.Join([]string{userStep, callStep, userStep}, ","), "have no result before user_input"},
		{interactions, strings.Join([]string{userStep, callStep}, ","), "the last step is function_call"},
		{interactions, strings.Join([]string{userStep, result}, ","), "which does not wait"},
		{interactions, userStep + `,{"type":"model_output","content":[]}`, "no content"},

		{chat, user, ""},
		{chat, user + "," + toolCalls + `,{"role":"tool","tool_call_id":"t1","content":""},` + user, ""},
		{chat, user + "," + toolCalls + "," + user, "have no result before the user's message"},
		{chat, user + "," + toolCalls, "the last message is the assistant's"},
		{chat, user + `,{"role":"tool","tool_call_id":"t1","content":"x"}`, "which does not wait"},
		{chat, user + `,{"role":"assistant","content":""},` + user, "a text is empty"},
		{chat, user + `,{"role":"assistant","content":null},` + user, "a text is empty"},
		{chat, user + `,{"role":"system","content":"x"},` + user, "in the middle of the conversation"},
		{chat, user + "," + strings.ReplaceAll(toolCalls, "t1", strings.Repeat("t", 41)), "41 bytes"},
	} {
		err := wiretest.CheckHistory(forms[test.frame], []byte(strings.Replace(test.frame, "%", test.middle, 1)))
		if test.says == "" && err != nil || test.says != "" && (err == nil || !strings.Contains(err.Error(), test.says)) {
			t.Errorf("%s: got %v, want %q", test.middle, err, test.says)
		}
	}
}

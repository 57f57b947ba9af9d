package adapt_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/provider/internal/adapt"
)

func specs(names ...string) []llm.ToolSpec {
	out := make([]llm.ToolSpec, len(names))
	for i, n := range names {
		out[i].Name = n
	}
	return out
}

// history calls tools of these names, under ids that are the names too.
func history(names ...string) []llm.Message {
	var parts, results []llm.Part
	for _, n := range names {
		parts = append(parts, llm.Part{Kind: llm.PartCall, Call: &llm.ToolCall{ID: n, Name: n}})
		results = append(results, llm.Part{Kind: llm.PartResult, Result: &llm.ToolResult{ID: n, Name: n}})
	}
	return []llm.Message{{Role: llm.RoleAssistant, Parts: parts}, {Role: llm.RoleTool, Parts: results}}
}

func TestNamesThatProvidersRefuse(t *testing.T) {
	t.Parallel()
	long := "mcp__" + strings.Repeat("very_", 20) + "long"
	n := adapt.NewNames(specs("get_weather", "admin.tools.list", "a/b", "a.b", "a_b", "9lives", "", "名前", long, long+"2", "-x"), nil, 0)
	for name, want := range map[string]string{
		"get_weather": "get_weather", "admin.tools.list": "admin_tools_list", "a_b": "a_b", "a.b": "a_b_fzztnxeo", "a/b": "a_b_yfgn3qbt", "9lives": "_9lives", "名前": "__", "-x": "_-x",
	} {
		if got := n.Out(name); got != want {
			t.Errorf("%q goes out as %q, want %q", name, got, want)
		}
	}
	if a, b := n.Out(long), n.Out(long+"2"); a == b || len(a) != adapt.MaxName || !strings.HasPrefix(a, "mcp__very_") {
		t.Errorf("two long names go out as %q and %q", a, b)
	}
	if got := n.Back("unheard_of"); got != "unheard_of" {
		t.Errorf("a name of nobody comes back as %q", got)
	}
}

var takes = regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$`)

func TestNamesComeBackAsTheyWere(t *testing.T) {
	t.Parallel()
	name := rapid.OneOf(rapid.StringMatching(`[ab._/]{1,3}`), rapid.StringMatching(`[a-c.]{60,70}`), rapid.StringN(0, 80, -1))
	rapid.Check(t, func(t *rapid.T) {
		live := rapid.SliceOfNDistinct(name, 1, 12, rapid.ID).Draw(t, "tools")
		n := adapt.NewNames(specs(live...), history(rapid.SliceOfN(name, 0, 5).Draw(t, "history")...), 0)
		seen := map[string]string{}
		for _, name := range live {
			wire := n.Out(name)
			if !takes.MatchString(wire) {
				t.Fatalf("%q goes out as %q, which no provider takes", name, wire)
			}
			if other, twice := seen[wire]; twice {
				t.Fatalf("%q and %q both go out as %q", name, other, wire)
			}
			seen[wire] = name
			if back := n.Back(wire); back != name {
				t.Fatalf("%q goes out as %q and comes back as %q", name, wire, back)
			}
		}
		again := adapt.NewNames(specs(rapid.Permutation(live).Draw(t, "order")...), nil, 0)
		for _, name := range live {
			if again.Out(name) != n.Out(name) {
				t.Fatalf("%q goes out as %q with a history and as %q without, in another order", name, n.Out(name), again.Out(name))
			}
		}
	})
}

// TestNamesOfToolsThatAreGone: a history tells of tools that are not there any
// more. None of them may pass for one that is.
func TestNamesOfToolsThatAreGone(t *testing.T) {
	t.Parallel()
	n := adapt.NewNames(specs("a.b"), history("a_b", "c.d", "c_d", "c/d"), 0)
	for name, want := range map[string]string{"a.b": "a_b", "a_b": "a_b_msh2tmy3", "c.d": "c_d"} {
		if got := n.Out(name); got != want {
			t.Errorf("%q goes out as %q, want %q", name, got, want)
		}
	}
	name := rapid.OneOf(rapid.StringMatching(`[ab._/]{1,3}`), rapid.StringMatching(`[a-c.]{60,70}`))
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.IntRange(-1, 80).Draw(t, "limit")
		live := rapid.SliceOfN(name, 0, 4).Draw(t, "tools")
		gone := rapid.SliceOfN(name, 1, 12).Draw(t, "history")
		now := adapt.NewNames(specs(live...), history(gone...), limit)
		early := adapt.NewNames(specs(live...), history(gone[:len(gone)/2]...), limit)
		seen := map[string]string{}
		for _, name := range append(live, gone...) {
			wire := now.Out(name)
			if other, taken := seen[wire]; taken && other != name {
				t.Fatalf("%q and %q both go out as %q", name, other, wire)
			}
			if seen[wire] = name; now.Back(wire) != name {
				t.Fatalf("%q goes out as %q and comes back as %q", name, wire, now.Back(wire))
			}
			if limit > 0 && len(wire) > max(limit, 16) {
				t.Fatalf("%q goes out as %q, with %d characters allowed", name, wire, limit)
			}
		}
		for _, name := range append(live, gone[:len(gone)/2]...) {
			if early.Out(name) != now.Out(name) {
				t.Fatalf("%q goes out as %q and went out as %q in an earlier request", name, now.Out(name), early.Out(name))
			}
		}
	})
}

// TestWhatIsFineCostsNothing: as a rule nothing has to be mapped.
func TestWhatIsFineCostsNothing(t *testing.T) { //nolint:paralleltest // it counts allocations
	tools, messages := specs("read", "write", "grep"), history(strings.Fields(strings.Repeat("read write ", 50))...)
	if n := testing.AllocsPerRun(100, func() {
		if adapt.NewNames(tools, messages, 0).Out("read") != "read" || adapt.NewIDs(adapt.AnthropicIDs, messages).Out("read") != "read" {
			t.Error("what is fine was changed")
		}
	}); n > 2 {
		t.Errorf("%v allocations for names and ids that are fine", n)
	}
}

func TestIDsAgreeAndStay(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		rule  adapt.IDRule
		takes string
		keeps []string
	}{
		"Anthropic": {adapt.AnthropicIDs, `^[a-zA-Z0-9_-]{1,64}$`, []string{"toolu_01A", "call-1"}},
		"OpenAI":    {adapt.OpenAIIDs, `^[ -~]{1,64}$`, []string{"call_1", "fc 1|x"}},
		"Mistral":   {adapt.MistralIDs, `^[a-zA-Z0-9]{9}$`, []string{"abcDEF123"}},
		"any":       {adapt.AnyIDs, `^[ -~]+$`, []string{strings.Repeat("x", 400)}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, id := range tt.keeps {
				if got := adapt.NewIDs(tt.rule, history(id)).Out(id); got != id {
					t.Errorf("%q becomes %q though it is fine", id, got)
				}
			}
			ok := regexp.MustCompile(tt.takes)
			rapid.Check(t, func(t *rapid.T) {
				names := rapid.SliceOfNDistinct(rapid.StringN(0, 80, -1), 1, 20, rapid.ID).Draw(t, "ids")
				for _, id := range names[:len(names)/2] { // some that others were mapped to
					if wire := adapt.NewIDs(tt.rule, history(id)).Out(id); !slices.Contains(names, wire) {
						names = append(names, wire)
					}
				}
				ids, early := adapt.NewIDs(tt.rule, history(names...)), adapt.NewIDs(tt.rule, history(names[:len(names)/2+1]...))
				seen := map[string]bool{}
				for i, id := range names {
					wire := ids.Out(id)
					if !ok.MatchString(wire) || seen[wire] {
						t.Fatalf("%q becomes %q", id, wire)
					}
					seen[wire] = true
					if i <= len(names)/2 && early.Out(id) != wire {
						t.Fatalf("%q becomes %q, and was %q in an earlier request", id, wire, early.Out(id))
					}
				}
			})
		})
	}
}

func TestArgumentsAreAlwaysAnObject(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"":                            `{}`,
		" \n":                         `{}`,
		`{"n":9007199254740993}`:      `{"n":9007199254740993}`,
		" {} ":                        `{}`,
		`{"path":"a","content":"x`:    `{"invalid_arguments":"{\"path\":\"a\",\"content\":\"x"}`,
		`[1]`:                         `{"invalid_arguments":"[1]"}`,
		`"x"`:                         `{"invalid_arguments":"\"x\""}`,
		`null`:                        `{"invalid_arguments":"null"}`,
		"{\"a\":\"\xed\xa0\xbd\"}":    "{\"invalid_arguments\":\"{\\\"a\\\":\\\"\ufffd\\\"}\"}",
		`{"a":"\ud83d"}`:              `{"a":"\ufffd"}`,
		`{"a":"\ud83d\uDD80 \u00e9"}`: `{"a":"\ud83d\uDD80 \u00e9"}`,
		`{"a":"\\ud83d \uDD80\n"}`:    `{"a":"\\ud83d \ufffd\n"}`,
		"{\"a\":1}{\"b\":2}":          `{"invalid_arguments":"{\"a\":1}{\"b\":2}"}`,
		strings.Repeat(`{"a":`, 1001) + "1" + strings.Repeat("}", 1001): "",
	} {
		got := adapt.Args(&llm.ToolCall{Args: json.RawMessage(args)})
		if want != "" && string(got) != want {
			t.Errorf("%q becomes %s, want %s", args, got, want)
		}
		if !json.Valid(got) || !utf8.Valid(got) || got[0] != '{' || llm.Deeper(got, llm.MaxDepth) {
			t.Errorf("%.40q becomes %.40q, which is no object", args, got)
		}
	}
}

func FuzzArgs(f *testing.F) {
	f.Add([]byte(`{"a":[1,2,{"b":null}]}`))
	f.Add([]byte("{\"a\":\"\x80\""))
	f.Fuzz(func(t *testing.T, args []byte) {
		var object map[string]any
		got := adapt.Args(&llm.ToolCall{Args: args})
		if err := json.Unmarshal(got, &object); err != nil || object == nil || !utf8.Valid(got) {
			t.Errorf("%q becomes %q: %v", args, got, err)
		}
		if again := adapt.Args(&llm.ToolCall{Args: got}); !bytes.Equal(again, got) {
			t.Errorf("%q becomes %q, and that %q", args, got, again)
		}
		if bytes.Contains(args, []byte("\uFFFD")) || !utf8.Valid(args) {
			return
		}
		var before map[string]any
		if json.Unmarshal(args, &before) == nil && before != nil && !reflect.DeepEqual(before, object) {
			t.Errorf("%q means something else as %q", args, got)
		}
	})
}

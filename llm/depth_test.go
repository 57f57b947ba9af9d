package llm_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/helios-go/helios/llm"
)

// nested is an array of arrays, n levels deep.
func nested(n int) json.RawMessage {
	return json.RawMessage(strings.Repeat("[", n) + strings.Repeat("]", n))
}

func ExampleDeeper() {
	data := []byte(`{"a":[[1],"[[[["]}`)
	fmt.Println(llm.Deeper(data, 3), llm.Deeper(data, 2))
	// Output: false true
}

func TestDeeperCountsLevelsOfArraysAndObjects(t *testing.T) {
	t.Parallel()
	for text, depth := range map[string]int{
		"": 0, "1": 0, `"[[["`: 0, "[]": 1, "{}": 1, `[{"a":{}},[]]`: 3, `["\"[[", "\\", [1]]`: 2,
		string(nested(50)): 50, `{"[":"{"}`: 1, "[[],[],[]]": 2,
	} {
		if llm.Deeper([]byte(text), depth) || depth > 0 && !llm.Deeper([]byte(text), depth-1) {
			t.Errorf("%s is not seen to nest %d deep", text, depth)
		}
	}
}

// encoding/json is who refuses what is too deep.
func FuzzDeeper(f *testing.F) {
	for _, seed := range []string{`{"a":[1,"]\"",{}]}`, `[[[]]]`, `"\\"`, `[`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if !json.Valid(data) {
			llm.Deeper(data, 1)
			return
		}
		depth, most := 0, 0
		for dec := json.NewDecoder(bytes.NewReader(data)); ; {
			tok, err := dec.Token()
			if err != nil {
				break
			}
			switch tok {
			case json.Delim('['), json.Delim('{'):
				depth++
				most = max(most, depth)
			case json.Delim(']'), json.Delim('}'):
				depth--
			}
		}
		if llm.Deeper(data, most) || most > 0 && !llm.Deeper(data, most-1) {
			t.Errorf("%s is not seen to nest %d deep", data, most)
		}
	})
}

// Whatever a model makes of a call or a block of its own can be written into
// something else, and is read back byte for byte.
func TestDeepCallsAndBlocksAreStoredAsText(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.SampledFrom([]int{1, llm.MaxDepth - 1, llm.MaxDepth, llm.MaxDepth + 1, 9_995, 9_999, 10_000, 10_001, 20_000}).Draw(rt, "depth")
		data := nested(n)
		if rapid.Bool().Draw(rt, "cut") {
			data = data[:len(data)-1]
		}
		msg := llm.Message{Role: llm.RoleAssistant, Parts: []llm.Part{
			{Kind: llm.PartCall, Call: &llm.ToolCall{ID: "a", Name: "f", Args: data}},
			{Kind: llm.PartOpaque, Opaque: &llm.Opaque{Provider: "test", Data: data}},
		}}
		text, err := json.Marshal(msg)
		if err != nil {
			rt.Fatalf("write: %.200v", err)
		}
		var back llm.Message
		if err := json.Unmarshal(text, &back); err != nil {
			rt.Fatalf("read: %.200v", err)
		}
		if got := back.Parts[0].Call.Args; string(got) != string(data) {
			rt.Errorf("the arguments come back with %d bytes, want %d", len(got), len(data))
		}
		if got := back.Parts[1].Opaque.Data; string(got) != string(data) {
			rt.Errorf("the block comes back with %d bytes, want %d", len(got), len(data))
		}
	})
}

func TestOutputThatNestsTooDeepIsNotTaken(t *testing.T) {
	t.Parallel()
	out, err := llm.NewOutput[map[string]any](nil)
	if err != nil {
		t.Fatal(err)
	}
	answer := func(n int) string { return `{"a":` + string(nested(n-1)) + `}` }
	if _, err := out.JSON(answer(llm.MaxDepth)); err != nil {
		t.Errorf("%d levels: %v", llm.MaxDepth, err)
	}
	if _, err := out.JSON(answer(llm.MaxDepth + 1)); err == nil || !strings.Contains(err.Error(), "nests deeper than 1000 levels") {
		t.Errorf("%d levels: %v", llm.MaxDepth+1, err)
	}
}

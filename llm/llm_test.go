package llm_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/llm/llmtest"
)

func Example() {
	model := llmtest.New(llmtest.Text("A stream of charged particles from the Sun."))
	resp, err := llm.Generate(context.Background(), model, &llm.Request{
		System:   []llm.Part{llm.Text("You answer in one sentence.")},
		Messages: []llm.Message{llm.User("What is the solar wind?")},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(resp.Text())
	// Output: A stream of charged particles from the Sun.
}

func ExampleSchemaFor() {
	type query struct {
		City string `json:"city" jsonschema:"the city to look up"`
		Unit string `json:"unit,omitempty" enum:"celsius,kelvin"`
	}
	schema, err := llm.SchemaFor[query]("query")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(string(schema.JSON))
	fmt.Println(schema.Validate([]byte(`{"city":"Toulouse","unit":"kelvn"}`)))
	// Output:
	// {"type":"object","properties":{"city":{"type":"string","description":"the city to look up"},"unit":{"type":"string","enum":["celsius","kelvin"]}},"required":["city"],"additionalProperties":false}
	// unit must be one of "celsius", "kelvin"; did you mean "kelvin"?
}

func ExamplePrice_Cost() {
	price := llm.Price{Input: 3 * llm.Dollar, CacheRead: 30 * llm.Cent, Output: 15 * llm.Dollar} // a million tokens
	fmt.Println(price.Cost(llm.Usage{Input: 1000, CacheRead: 10_000, Output: 500}))
	// Output: $0.0135
}

func chunks(cs ...llm.Chunk) llm.Model { return fixed(cs) }

// fixed is a model that yields the same chunks each time.
type fixed []llm.Chunk

func (fixed) Name() string { return "test/fixed" }
func (f fixed) Stream(context.Context, *llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		for _, c := range f {
			if !yield(c, nil) {
				return
			}
		}
	}
}

func TestPartsArePutTogetherInTheOrderOfTheirIndex(t *testing.T) {
	t.Parallel()
	call := &llm.ToolCall{ID: "c", Name: "f"}
	thought := llm.Part{Kind: llm.PartThinking, Text: "hm", Signature: "sig"}
	resp, err := llm.Generate(t.Context(), chunks(
		llm.Chunk{Kind: llm.ChunkCall, Index: 5, Call: call},
		llm.Chunk{Kind: llm.ChunkThinking, Index: 0, Text: "h"},
		llm.Chunk{Kind: llm.ChunkText, Index: 2, Text: "Hel"},
		llm.Chunk{Kind: llm.ChunkArgs, Index: 5, Text: `{"a"`},
		llm.Chunk{Kind: llm.ChunkPart, Index: 0, Part: &thought},
		llm.Chunk{Kind: llm.ChunkText, Index: 2, Text: "lo"},
		llm.Chunk{Kind: llm.ChunkUsage, Usage: &llm.Usage{Input: 1}},
		llm.Chunk{Kind: llm.ChunkArgs, Index: 5, Text: `:1}`},
		llm.Chunk{Kind: llm.ChunkDone, Usage: &llm.Usage{Input: 2, Output: 3}, Meta: []byte(`{}`)},
		llm.Chunk{Kind: llm.ChunkText, Index: 9, Text: "after the end"},
	), &llm.Request{})
	if err != nil {
		t.Fatal(err)
	}
	parts := resp.Message.Parts
	if len(parts) != 3 || parts[0].Signature != "sig" || parts[1].Text != "Hello" || string(parts[2].Call.Args) != `{"a":1}` {
		t.Errorf("parts = %+v", parts)
	}
	if resp.Finish != llm.FinishStop || resp.Usage != (llm.Usage{Input: 2, Output: 3}) || len(call.Args) != 0 {
		t.Errorf("response = %+v, the chunk's call = %+v", resp, call)
	}
}

func TestAStreamWithoutItsEndIsIncomplete(t *testing.T) {
	t.Parallel()
	whole := llm.Text("One. ")
	resp, err := llm.Generate(t.Context(), chunks(
		llm.Chunk{Kind: llm.ChunkPart, Index: 0, Part: &whole},
		llm.Chunk{Kind: llm.ChunkText, Index: 1, Text: "Two"},
		llm.Chunk{Kind: llm.ChunkThinking, Index: 2, Text: "unsigned"},
		llm.Chunk{Kind: llm.ChunkPart, Index: 3, Part: &llm.Part{Kind: llm.PartCall, Call: &llm.ToolCall{Name: "f"}}},
		llm.Chunk{Kind: llm.ChunkArgs, Index: 4, Text: `{"cut`},
	), &llm.Request{})
	if !errors.Is(err, io.ErrUnexpectedEOF) || !errors.Is(err, llm.ErrTransient) {
		t.Errorf("error = %v", err)
	}
	if resp.Text() != "One. Two" || len(resp.Message.Parts) != 2 {
		t.Errorf("what arrived = %+v", resp.Message.Parts)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("enough"))
	if _, err := llm.Generate(ctx, chunks(), &llm.Request{}); err == nil || err.Error() != "enough" {
		t.Errorf("error after a cancel = %v", err)
	}
}

func TestErrorsMatchTheSentinelOfTheirKind(t *testing.T) {
	t.Parallel()
	cause := errors.New("boom")
	sentinels := []error{llm.ErrTransient, llm.ErrContextTooLong, llm.ErrRefused, llm.ErrAuth, llm.ErrInvalidRequest}
	for kind := llm.KindOther; kind <= llm.KindInvalidRequest+1; kind++ {
		err := fmt.Errorf("ask: %w", &llm.Error{Kind: kind, Provider: "p", Status: 503, RetryAfter: time.Second, Err: cause})
		for i, sentinel := range sentinels {
			if got, want := errors.Is(err, sentinel), int(kind) == i+1; got != want {
				t.Errorf("kind %v is %v: %t, want %t", kind, sentinel, got, want)
			}
		}
		if !errors.Is(err, cause) || err.Error() != "ask: p: HTTP 503: boom" {
			t.Errorf("error = %v", err)
		}
	}
	if got := (&llm.Error{Kind: llm.KindAuth}).Error(); got != "model: not authorised" {
		t.Errorf("a bare error says %q", got)
	}
}

func TestCostsAreExact(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		p    llm.Price
		u    llm.Usage
		want llm.Micros
		text string
	}{
		{llm.Price{Input: 3e6, Output: 15e6}, llm.Usage{Input: 1000, Output: 500}, 10_500, "$0.0105"},
		{llm.Price{Input: 8e5}, llm.Usage{Input: 1}, 0, "$0.00"},
		{llm.Price{Input: 8e5}, llm.Usage{Input: 10}, 8, "$0.000008"},
		{llm.Price{Input: 15e6, CacheWrite: 1875e4, CacheRead: 15e5, Output: 75e6}, llm.Usage{Input: 1e6, CacheRead: 1e6, CacheWrite: 1e6, Output: 1e6}, 110_250_000, "$110.25"},
		{llm.Price{Input: 500_000, Output: 500_000}, llm.Usage{Input: 1, Output: 1}, 1, "$0.000001"}, // rounded once
		{llm.Price{Input: math.MaxInt64}, llm.Usage{Input: math.MaxInt64}, math.MaxInt64, "$9223372036854.775807"},
		{llm.Price{Input: -5}, llm.Usage{Input: -7}, 0, "$0.00"},
	} {
		if got := tt.p.Cost(tt.u); got != tt.want || got.String() != tt.text {
			t.Errorf("cost of %+v at %+v = %d %s, want %d %s", tt.u, tt.p, got, got, tt.want, tt.text)
		}
	}
	if got := llm.Micros(-1_500_000).String(); got != "-$1.50" {
		t.Errorf("a debt is %s", got)
	}
}

func TestUsageAddsUp(t *testing.T) {
	t.Parallel()
	u := llm.Usage{1, 2, 3, 4}.Add(llm.Usage{10, 20, 30, 40})
	if u != (llm.Usage{11, 22, 33, 44}) || u.Total() != 110 {
		t.Errorf("usage = %+v, total %d", u, u.Total())
	}
}

func TestMessagesSurviveJSON(t *testing.T) {
	t.Parallel()
	in := llm.Message{Role: llm.RoleAssistant, Origin: "hook", Parts: []llm.Part{
		{Kind: llm.PartThinking, Text: "hm", Signature: "sig=="},
		{Kind: llm.PartText, Text: "a<b & c", Cache: true},
		{Kind: llm.PartCall, Call: &llm.ToolCall{ID: "1", Name: "f", Args: json.RawMessage(`{"a":1}`)}},
		{Kind: llm.PartCall, Call: &llm.ToolCall{ID: "2", Name: "f", Args: json.RawMessage(`{"cut`)}},
		{Kind: llm.PartCall, Call: &llm.ToolCall{ID: "3", Name: "f"}},
		{Kind: llm.PartMedia, Media: &llm.Media{MIME: "image/png", Data: []byte{0, 255}}},
		{Kind: llm.PartFile, File: &llm.FileRef{URI: "files/1", MIME: "text/csv"}},
		{Kind: llm.PartOpaque, Opaque: &llm.Opaque{Provider: "p", Data: json.RawMessage(`{"x":[1]}`)}},
	}}
	data, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	var out llm.Message
	if err := json.Unmarshal(data, &out); err != nil {
		t.Fatal(err)
	}
	again, err := json.Marshal(out)
	if err != nil || string(again) != string(data) {
		t.Errorf("written again: %s, %v\nwant %s", again, err, data)
	}
	if calls := out.Calls(); len(calls) != 3 || string(calls[1].Args) != `{"cut` || calls[2].Args != nil {
		t.Errorf("calls = %+v", calls)
	}
	if out.Text() != "a<b & c" || (llm.Message{Parts: []llm.Part{llm.Text("a"), llm.Text("b")}}).Text() != "ab" {
		t.Error("texts are not joined")
	}
}

func FuzzToolCallJSON(f *testing.F) {
	for _, seed := range []string{`{}`, `{"a":`, "", "\xff", `"text"`, `null`, " {} "} {
		f.Add("id", seed)
	}
	f.Fuzz(func(t *testing.T, id, args string) {
		data, err := json.Marshal(llm.ToolCall{ID: id, Name: "f", Args: json.RawMessage(args)})
		if err != nil {
			t.Fatalf("args %q: %v", args, err)
		}
		var back llm.ToolCall
		if err := json.Unmarshal(data, &back); err != nil {
			t.Fatalf("%s: %v", data, err)
		}
		if json.Valid([]byte(args)) != json.Valid(back.Args) && strings.TrimSpace(args) != "" {
			t.Errorf("args %q came back as %q", args, back.Args)
		}
	})
}

// A model that was cut inside of an emoji leaves half of a surrogate pair, which
// servers refuse to take back.
func TestArgumentsCanBeSentBack(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		`{"a":"x"}`:                     `{"a":"x"}`,
		`{"a":"\ud83d"}`:                `{"a":"\ufffd"}`,
		`{"a":"\ud83e\udd80 \uD83D"}`:   `{"a":"\ud83e\udd80 \ufffd"}`,
		`{"a":"\udd80\ud83e"}`:          `{"a":"\ufffd\ufffd"}`,
		`{"a":"\\ud83d"}`:               `{"a":"\\ud83d"}`, // a backslash and letters
		`{"a":"\ud83d\n"}`:              `{"a":"\ufffd\n"}`,
		`{"a":"\ud83d\u0041"}`:          `{"a":"\ufffd\u0041"}`,
		"{\"a\":\"\xed\xa0\xbdb\x80\"}": `{"a":"\uFFFDb\uFFFD"}`,
		`{"a":"\ud83`:                   `{"a":"\ud83`,
		`{"a":"\`:                       `{"a":"\`,
		``:                              ``,
	} {
		want = strings.ReplaceAll(want, `\uFFFD`, "\uFFFD")
		call := &llm.ToolCall{ID: "1", Name: "f", Args: json.RawMessage(in)}
		whole := chunks(llm.Chunk{Kind: llm.ChunkPart, Part: &llm.Part{Kind: llm.PartCall, Call: call}}, llm.Chunk{Kind: llm.ChunkDone})
		pieces := chunks(llm.Chunk{Kind: llm.ChunkCall, Call: &llm.ToolCall{ID: "1", Name: "f"}}, llm.Chunk{Kind: llm.ChunkArgs, Text: in}, llm.Chunk{Kind: llm.ChunkDone})
		for name, m := range map[string]llm.Model{"whole": whole, "pieces": pieces} {
			resp, err := llm.Generate(t.Context(), m, &llm.Request{})
			if err != nil || string(resp.Message.Calls()[0].Args) != want {
				t.Errorf("%s %q: %q, %v; want %q", name, in, resp.Message.Calls()[0].Args, err, want)
			}
		}
		if string(call.Args) != in {
			t.Errorf("the chunk's own call was changed to %q", call.Args)
		}
	}
}

// What can be decoded is decoded to the same, and is valid UTF-8 without halves.
func FuzzSoundArgs(f *testing.F) {
	for _, seed := range []string{`{"a":"\ud83d"}`, `{"a":"\ud83e\udd80"}`, `{"a":"\\ud83d\ud83d"}`, "\xed\xa0\xbd", `"\ud8`, `{"\udc00":[1,"\uDBFF\uDFFF"]}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, args string) {
		m := chunks(llm.Chunk{Kind: llm.ChunkPart, Part: &llm.Part{Kind: llm.PartCall, Call: &llm.ToolCall{Args: json.RawMessage(args)}}}, llm.Chunk{Kind: llm.ChunkDone})
		resp, err := llm.Generate(t.Context(), m, &llm.Request{})
		if err != nil {
			t.Fatal(err)
		}
		got := resp.Message.Calls()[0].Args
		if !utf8.Valid(got) || json.Valid(got) != json.Valid([]byte(args)) {
			t.Errorf("%q becomes %q", args, got)
		}
		var a, b any
		if utf8.ValidString(args) && json.Unmarshal([]byte(args), &a) == nil {
			if err := json.Unmarshal(got, &b); err != nil || !reflect.DeepEqual(a, b) {
				t.Errorf("%q is decoded as %v, %q as %v (%v)", args, a, got, b, err)
			}
		}
	})
}

// Tokens of each class are counted once, whatever the provider's sums are.
func TestEachTokenIsCountedOnce(t *testing.T) {
	t.Parallel()
	anthropic := llm.Usage{Input: 7, CacheRead: 9000, CacheWrite: 500}
	openai := llm.Usage{Input: 500, CacheRead: 1500} // input 2000, of which 1500 cached
	price := llm.Price{Input: 3 * llm.Dollar, CacheRead: 30 * llm.Cent, CacheWrite: 375 * llm.Cent, Output: 15 * llm.Dollar}
	if a, o := anthropic.Total(), openai.Total(); a != 9507 || o != 2000 {
		t.Errorf("totals = %d and %d", a, o)
	}
	if a, o := price.Cost(anthropic), price.Cost(openai); a != 21+2700+1875 || o != 1500+450 {
		t.Errorf("costs = %d and %d", a, o)
	}
}

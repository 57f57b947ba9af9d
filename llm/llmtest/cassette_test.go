package llmtest_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/llm/llmtest"
)

// A conversation is recorded once and played from then on.
func ExampleRecord() {
	ctx := context.Background()
	live := llmtest.New(llmtest.Text("It is 22 C.").Using(llm.Usage{Input: 9, Output: 6})) // or a real model
	req := &llm.Request{Messages: []llm.Message{llm.User("Is it warm?")}}

	var tape bytes.Buffer
	if _, err := llm.Generate(ctx, llmtest.Record(live, &tape, nil), req); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(tape.String())

	model, err := llmtest.Replay(&tape, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	req.Messages[0] = llm.User("Is it cold?")
	_, err = llm.Generate(ctx, model, req)
	fmt.Println(err)
	req.Messages[0] = llm.User("Is it warm?")
	resp, err := llm.Generate(ctx, model, req)
	fmt.Println(resp.Text(), err, model.Done())
	// Output:
	// {"cassette":{"model":"test/scripted","version":1}}
	// {"request":{"n":1}}
	// {"message":{"parts":[{"kind":"text","text":"Is it warm?"}],"role":"user"}}
	// {"chunk":{"index":0,"kind":"text","text":"It "}}
	// {"chunk":{"index":0,"kind":"text","text":"is "}}
	// {"chunk":{"index":0,"kind":"text","text":"22 "}}
	// {"chunk":{"index":0,"kind":"text","text":"C."}}
	// {"chunk":{"index":0,"kind":"part","part":{"kind":"text","text":"It is 22 C."}}}
	// {"chunk":{"finish":"stop","index":0,"kind":"done","usage":{"cache_read":0,"cache_write":0,"input":9,"output":6}}}
	// {"end":{}}
	// llmtest: request 1 is not recorded request 1: message 1 (user), parts[0].text is "Is it cold?", recorded as "Is it warm?"; if that is meant, record it again with llmtest.Record: the request is not as it was recorded
	// It is 22 C. <nil> <nil>
}

// In a test, one line opens the cassette, and HELIOS_RECORD=1 records it.
func ExampleCassette() {
	var t testing.T // the test's own
	model := llmtest.Cassette(&t, "testdata/weather.jsonl", func() llm.Model {
		return llmtest.New(llmtest.Text("It is 22 C.")) // a provider's model
	}, nil)
	resp, err := llm.Generate(context.Background(), model, &llm.Request{Messages: []llm.Message{llm.User("Is it warm?")}})
	fmt.Println(resp.Text(), err)
	// Output: It is 22 C. <nil>
}

// everything is a model whose streams hold all that a stream can.
func everything() *llmtest.Model {
	call := &llm.ToolCall{ID: "c1", Name: "f"}
	parts := []llm.Part{
		{Kind: llm.PartThinking, Text: "hm", Signature: "sig=="},
		{Kind: llm.PartOpaque, Opaque: &llm.Opaque{Provider: "p", Data: json.RawMessage(`{"x":[1,2.50,1e3],"y":"<&>"}`)}},
		{Kind: llm.PartCall, Call: &llm.ToolCall{ID: "c1", Name: "f", Args: json.RawMessage(`{"cut`)}},
		{Kind: llm.PartMedia, Media: &llm.Media{MIME: "image/png", Data: bytes.Repeat([]byte{0, 255}, 2000)}},
	}
	chunks := []llm.Chunk{
		{Kind: llm.ChunkThinking, Text: "h"}, {Kind: llm.ChunkThinking, Text: ""}, {Kind: llm.ChunkThinking, Text: "m"},
		{Kind: llm.ChunkPart, Index: 0, Part: &parts[0]}, {Kind: llm.ChunkPart, Index: 1, Part: &parts[1]},
		{Kind: llm.ChunkCall, Index: 2, Call: call}, {Kind: llm.ChunkArgs, Index: 2, Text: `{"c`}, {Kind: llm.ChunkArgs, Index: 2, Text: "ut"},
		{Kind: llm.ChunkPart, Index: 2, Part: &parts[2]}, {Kind: llm.ChunkPart, Index: 3, Part: &parts[3]},
		{Kind: llm.ChunkText, Index: 4, Text: "bytes \xed\xa0\xbd\x80 <&>\u2028"}, {Kind: llm.ChunkUsage, Usage: &llm.Usage{Input: 1}},
	}
	done := llm.Chunk{Kind: llm.ChunkDone, Finish: llm.FinishLength, Usage: &llm.Usage{Input: 1, CacheRead: 2, CacheWrite: 3, Output: 4}, Meta: json.RawMessage(`{"id":"r1"}`)}
	return llmtest.New(
		llmtest.Chunks(append(slices.Clip(chunks), done)...),
		llmtest.Chunks(chunks...),
		llmtest.Chunks(chunks[:3]...).Failing(&llm.Error{Kind: llm.KindTransient, Provider: "p", Status: 529, RetryAfter: 1500 * time.Millisecond, Err: errors.New("overloaded")}),
		llmtest.Fail(fmt.Errorf("read: %w", io.ErrUnexpectedEOF)),
		llmtest.Text("fine"),
	)
}

// stream writes down everything that comes of a request.
func transcript(m llm.Model, req *llm.Request) string {
	var b strings.Builder
	for c, err := range m.Stream(context.Background(), req) {
		var e *llm.Error
		errors.As(err, &e)
		fmt.Fprintf(&b, "%d %d %q %+v %+v %+v %s %s %v %v %t\n", c.Kind, c.Index, c.Text, c.Call, c.Part, c.Usage, c.Finish, c.Meta, err, e, errors.Is(err, io.ErrUnexpectedEOF))
		if c.Part != nil && c.Part.Media != nil {
			fmt.Fprintf(&b, "%x", c.Part.Media.Data)
		}
		if c.Part != nil && c.Part.Opaque != nil {
			fmt.Fprintf(&b, "%s", c.Part.Opaque.Data)
		}
	}
	return b.String()
}

func TestStreamsArePlayedAsTheyWere(t *testing.T) {
	t.Parallel()
	live := everything()
	live.ID, live.Window = "p/model", llm.Size{Context: 1000, MaxOutput: 10}
	var tape bytes.Buffer
	recorder := llmtest.Record(live, &tape, nil)
	request := func(i int) *llm.Request {
		image, err := llm.NewMedia("image/png", bytes.Repeat([]byte{byte(i)}, 5000), "")
		if err != nil {
			t.Fatal(err)
		}
		req := &llm.Request{
			System: []llm.Part{{Kind: llm.PartText, Text: "sys", Cache: true}}, Choice: llm.ToolChoice{Mode: llm.ChoiceAny},
			Tools:   []llm.ToolSpec{{Name: "f", Description: "d", Input: json.RawMessage(`{"type":"object"}`)}},
			Output:  &llm.Schema{Name: "o", JSON: json.RawMessage(`{"type":"object"}`)},
			Options: llm.Options{MaxTokens: 5, Temperature: new(0.5), Thinking: llm.ThinkingXHigh, Provider: map[string]json.RawMessage{"p": json.RawMessage(`{"b":1,"a":2}`)}},
		}
		for n := range i + 1 {
			req.Messages = append(req.Messages, llm.User(fmt.Sprint("question ", n), image))
		}
		return req
	}
	var want []string
	for i := range 5 {
		want = append(want, transcript(recorder, request(i)))
	}
	if err := recorder.Err(); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(tape.String(), "sha256"); n != 15 || tape.Len() > 60_000 {
		t.Errorf("%d media of requests are checksums; %d bytes", n, tape.Len())
	}
	player, err := llmtest.Replay(bytes.NewReader(tape.Bytes()), nil)
	if err != nil {
		t.Fatal(err)
	}
	if player.Name() != "p/model" || player.Size() != live.Window {
		t.Errorf("the player is %s of %+v", player.Name(), player.Size())
	}
	var second bytes.Buffer
	again := llmtest.Record(player, &second, nil)
	for i := range 5 {
		if got := transcript(again, request(i)); got != want[i] {
			t.Errorf("stream %d:\n%s\nwant:\n%s", i, got, want[i])
		}
	}
	if second.String() != tape.String() {
		t.Errorf("recorded from the player:\n%s\nwant:\n%s", &second, &tape)
	}
	if err := player.Done(); err != nil {
		t.Error(err)
	}
}

func tapeOf(t *testing.T, opts *llmtest.CassetteOptions, reqs ...*llm.Request) *bytes.Buffer {
	t.Helper()
	var tape bytes.Buffer
	n := 0
	r := llmtest.Record(llmtest.Func(func(*llm.Request) llmtest.Turn { n++; return llmtest.Text(fmt.Sprint("answer ", n)) }), &tape, opts)
	for _, req := range reqs {
		if _, err := llm.Generate(t.Context(), r, req); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.Err(); err != nil {
		t.Fatal(err)
	}
	return &tape
}

func ask(texts ...string) *llm.Request {
	req := &llm.Request{}
	for _, text := range texts {
		req.Messages = append(req.Messages, llm.User(text))
	}
	return req
}

func TestARequestThatDiffersSaysWhatAndWhere(t *testing.T) {
	t.Parallel()
	base := func() *llm.Request {
		req := ask("one", strings.Repeat("a long text. ", 20)+"the end")
		req.System = []llm.Part{llm.Text("sys")}
		req.Tools = []llm.ToolSpec{{Name: "f", Input: json.RawMessage(`{"type":"object","properties":{"a":{"type":"string"}}}`)}}
		req.Options.MaxTokens = 10
		return req
	}
	tape := tapeOf(t, nil, base()).String()
	for want, change := range map[string]func(*llm.Request){
		`message 1 (user), parts[0].text is "two", recorded as "one"`:                 func(r *llm.Request) { r.Messages[0] = llm.User("two") },
		`message 1 (assistant), role is "assistant", recorded as "user"`:              func(r *llm.Request) { r.Messages[0].Role = llm.RoleAssistant },
		`parts[0].text is "... text. a long text. THE END", recorded as "... text. a`: func(r *llm.Request) { r.Messages[1] = llm.User(strings.Repeat("a long text. ", 20) + "THE END") },
		`message 3 (user) was not recorded: {"parts":[{"kind":"text","text":"more"}]`: func(r *llm.Request) { r.Messages = append(r.Messages, llm.User("more")) },
		"message 2 (user) was recorded, and is missing":                               func(r *llm.Request) { r.Messages = r.Messages[:1] },
		`tool 1 (f), input.properties.b was not recorded: {"type":"string"}`: func(r *llm.Request) {
			r.Tools[0].Input = json.RawMessage(`{"type":"object","properties":{"b":{"type":"string"},"a":{"type":"string"}}}`)
		},
		`tool 1 (g), name is "g", recorded as "f"`:                func(r *llm.Request) { r.Tools[0].Name = "g" },
		"settings 1, options.max_tokens is 11, recorded as 10":    func(r *llm.Request) { r.Options.MaxTokens = 11 },
		"settings 1, options.temperature was not recorded: 0.5":   func(r *llm.Request) { r.Options.Temperature = new(0.5) },
		`message 1 (user) was not recorded there, but settings 1`: func(r *llm.Request) { r.Options.MaxTokens = 0 },
		`system 1, cache was not recorded: true`:                  func(r *llm.Request) { r.System[0].Cache = true },
		`message 1 (user), parts has 2 items, recorded with 1`:    func(r *llm.Request) { r.Messages[0] = llm.User("one", llm.Text("x")) },
	} {
		p, err := llmtest.Replay(strings.NewReader(tape), nil)
		if err != nil {
			t.Fatal(err)
		}
		req := base()
		change(req)
		_, err = llm.Generate(t.Context(), p, req)
		if !errors.Is(err, llmtest.ErrMismatch) || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "record it again") {
			t.Errorf("%v\nwant %s", err, want)
		}
		if err := p.Done(); err == nil || !strings.Contains(err.Error(), "1 of 1 recorded requests were not made") {
			t.Errorf("done = %v", err)
		}
		// The order of an object's members is no difference.
		same := base()
		same.Tools[0].Input = json.RawMessage(`{"properties": {"a":{"type":"string"}}, "type":"object"}`)
		if _, err := llm.Generate(t.Context(), p, same); err != nil {
			t.Errorf("the recorded request: %v", err)
		}
		if _, err := llm.Generate(t.Context(), p, same); !errors.Is(err, llmtest.ErrMismatch) || !strings.Contains(err.Error(), "request 3, but 1 are recorded") {
			t.Errorf("one request more: %v", err)
		}
	}
}

// Equal requests are answered in the order in which they were recorded, others in
// any.
func TestOverlappingRequestsMayComeInAnotherOrder(t *testing.T) {
	t.Parallel()
	p, err := llmtest.Replay(tapeOf(t, nil, ask("a"), ask("b"), ask("a")), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range [][2]string{{"b", "answer 2"}, {"a", "answer 1"}, {"a", "answer 3"}} {
		if resp, err := llm.Generate(t.Context(), p, ask(tt[0])); err != nil || resp.Text() != tt[1] {
			t.Errorf("%s: %s, %v; want %s", tt[0], resp.Text(), err, tt[1])
		}
	}
}

// Streams that overlap are written one after the other, and played to whom they
// belong.
func TestManyStreamsAtOnce(t *testing.T) {
	t.Parallel()
	var tape bytes.Buffer
	all := func(m llm.Model) {
		var group sync.WaitGroup
		for i := range 20 {
			group.Go(func() {
				text := fmt.Sprintf("question %d of many", i)
				if resp, err := llm.Generate(t.Context(), m, ask(text)); err != nil || resp.Text() != "re: "+text {
					t.Errorf("%q, %v", resp.Text(), err)
				}
			})
		}
		group.Wait()
	}
	recorder := llmtest.Record(llmtest.Func(func(r *llm.Request) llmtest.Turn { return llmtest.Text("re: " + r.Messages[0].Text()) }), &tape, nil)
	all(recorder)
	if err := recorder.Err(); err != nil {
		t.Fatal(err)
	}
	player, err := llmtest.Replay(&tape, nil)
	if err != nil {
		t.Fatal(err)
	}
	all(player)
	if err := player.Done(); err != nil {
		t.Error(err)
	}
}

func TestWhatDiffersFromRunToRunIsNormalised(t *testing.T) {
	t.Parallel()
	opts := &llmtest.CassetteOptions{Normalise: func(r *llm.Request) {
		r.Messages[0].Parts[0].Text = "now"
		r.Options.Seed = nil
	}}
	first, second := ask("12:00", "?"), ask("13:00", "?")
	first.Options.Seed, second.Options.Seed = new(int64(1)), new(int64(2))
	p, err := llmtest.Replay(tapeOf(t, opts, first), opts)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := llm.Generate(t.Context(), p, second); err != nil {
		t.Error(err)
	}
	if first.Messages[0].Text() != "12:00" || second.Messages[0].Text() != "13:00" {
		t.Error("the request itself was changed")
	}
}

// No secret gets into the file: not from a request, not in pieces, not in
// arguments as JSON writes them, not from an error.
func TestSecretsAreNotRecorded(t *testing.T) {
	t.Parallel()
	const secret = `a&b<"SENTINEL">`
	escaped, err := json.Marshal(secret)
	if err != nil {
		t.Fatal(err)
	}
	redact := func(s string) string { return strings.ReplaceAll(s, secret, "[secret]") }
	opts := &llmtest.CassetteOptions{Redact: redact}
	args := `{"key":` + string(escaped) + `}`
	live := llmtest.New(
		llmtest.Chunks(
			llm.Chunk{Kind: llm.ChunkText, Text: "the key is " + secret[:5]}, llm.Chunk{Kind: llm.ChunkText, Text: secret[5:] + "."},
			llm.Chunk{Kind: llm.ChunkCall, Index: 1, Call: &llm.ToolCall{ID: "1", Name: "f"}},
			llm.Chunk{Kind: llm.ChunkArgs, Index: 1, Text: args[:15]}, llm.Chunk{Kind: llm.ChunkArgs, Index: 1, Text: args[15:]},
			llm.Chunk{Kind: llm.ChunkPart, Index: 1, Part: &llm.Part{Kind: llm.PartCall, Call: &llm.ToolCall{ID: "1", Name: "f", Args: json.RawMessage(args)}}},
			llm.Chunk{Kind: llm.ChunkDone, Meta: escaped},
		),
		llmtest.Fail(errors.New("wrong key "+secret)),
	)
	var tape bytes.Buffer
	recorder := llmtest.Record(live, &tape, opts)
	req := ask("my key is " + secret)
	req.Messages[0].Parts = append(req.Messages[0].Parts, llm.Text("x"))
	resp, err := llm.Generate(t.Context(), recorder, req)
	if err != nil || !strings.Contains(resp.Text(), secret) {
		t.Fatalf("%s, %v", resp.Text(), err)
	}
	llm.Generate(t.Context(), recorder, ask("?"))
	for _, bad := range []string{"SENTINEL", `a&b<`, `a\u0026b`, secret[5:]} {
		if strings.Contains(tape.String(), bad) {
			t.Errorf("the tape holds %s:\n%s", bad, &tape)
		}
	}
	p, err := llmtest.Replay(&tape, opts)
	if err != nil {
		t.Fatal(err)
	}
	resp, err = llm.Generate(t.Context(), p, req)
	if err != nil || resp.Text() != "the key is [secret]." || string(resp.Message.Calls()[0].Args) != `{"key":"[secret]"}` {
		t.Errorf("played: %v, %v", resp.Message, err)
	}
}

func TestTimingIsKeptWhereItIsAskedFor(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		opts := &llmtest.CassetteOptions{Timing: true}
		var tape bytes.Buffer
		live := llmtest.Record(llmtest.New(llmtest.Text("a b").After(time.Minute).Every(250*time.Millisecond)), &tape, opts)
		if _, err := llm.Generate(t.Context(), live, ask("?")); err != nil {
			t.Fatal(err)
		}
		for _, tt := range []struct {
			opts *llmtest.CassetteOptions
			want time.Duration
		}{{opts, time.Minute + 750*time.Millisecond}, {nil, 0}} {
			p, err := llmtest.Replay(bytes.NewReader(tape.Bytes()), tt.opts)
			if err != nil {
				t.Fatal(err)
			}
			began := time.Now()
			if _, err := llm.Generate(t.Context(), p, ask("?")); err != nil || time.Since(began) != tt.want {
				t.Errorf("played in %v, %v; want %v", time.Since(began), err, tt.want)
			}
		}
		p, err := llmtest.Replay(&tape, opts)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := llm.Generate(ctx, p, ask("?")); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("cancelled in the middle: %v", err)
		}
	})
}

func TestAStreamThatItsReaderLeftCannotGoOn(t *testing.T) {
	t.Parallel()
	var tape bytes.Buffer
	for range llmtest.Record(llmtest.New(llmtest.Text("a b c")), &tape, nil).Stream(t.Context(), ask("?")) {
		break
	}
	p, err := llmtest.Replay(&tape, nil)
	if err != nil {
		t.Fatal(err)
	}
	if resp, err := llm.Generate(t.Context(), p, ask("?")); !errors.Is(err, llmtest.ErrMismatch) || resp.Text() != "a " {
		t.Errorf("%q, %v", resp.Text(), err)
	}
}

func TestFilesThatAreNoCassettesAreRefused(t *testing.T) {
	t.Parallel()
	const head = `{"cassette":{"model":"m","version":1}}` + "\n"
	for file, want := range map[string]string{
		"":                               "it is empty",
		"{}\n":                           "line 1: it has 0 members",
		"x\n":                            "line 1: it is no JSON object",
		`{"request":{"n":1}}`:            "line 1: a cassette has one line",
		`{"cassette":{"version":2}}`:     "version 2, and 1 is known",
		head + head:                      "line 2: a cassette has one line",
		head + `{"chunk":{}}`:            "line 2: chunk: it belongs to no request",
		head + `{"request":{"keep":1}}`:  "it keeps 1 lines of the one before, which has 0",
		head + `{"request":{"keep":-1}}`: "it keeps -1 lines",
		head + `{"request":{}}`:          "it ends in the middle",
		head + `{"request":{}}` + "\n" + `{"request":{}}`:                                      "the one before has no end",
		head + `{"request":{}}` + "\n" + `{"chunk":{"kind":"odd"}}`:                            `a chunk of kind "odd"`,
		head + `{"request":{}}` + "\n" + `{"chunk":{"kind":"text"}}` + "\n" + `{"message":{}}`: "behind the answer",
		head + `{"request":{}}` + "\n" + `{"odd":{}}`:                                          "there is no such line",
		head + `{"request":{}}` + "\n" + `{"end":[]}`:                                          "line 3: end:",
	} {
		if _, err := llmtest.Replay(strings.NewReader(file), nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", file, err, want)
		}
	}
}

// fake is a test whose end can be looked at.
type fake struct {
	errs    []string
	cleanup []func()
}

func (*fake) Helper()             {}
func (*fake) Name() string        { return "TestIt" }
func (f *fake) Failed() bool      { return len(f.errs) > 0 }
func (f *fake) Cleanup(fn func()) { f.cleanup = append(f.cleanup, fn) }
func (f *fake) Errorf(format string, args ...any) {
	f.errs = append(f.errs, fmt.Sprintf(format, args...))
}
func (f *fake) Fatalf(format string, args ...any) { f.Errorf(format, args...); panic(f) }

func (f *fake) run(test func()) string {
	func() {
		defer func() { _ = recover() }()
		test()
	}()
	for _, fn := range f.cleanup {
		fn()
	}
	return strings.Join(f.errs, "\n")
}

func TestACassetteIsRecordedWhenAskedAndPlayedOtherwise(t *testing.T) {
	t.Setenv(llmtest.RecordVariable, "")
	path := filepath.Join(t.TempDir(), "new", "a.jsonl")
	test := func(texts ...string) string {
		f := &fake{}
		return f.run(func() {
			m := llmtest.Cassette(f, path, func() llm.Model {
				return llmtest.Func(func(r *llm.Request) llmtest.Turn { return llmtest.Text("re: " + r.Messages[0].Text()) })
			}, nil)
			for _, text := range texts {
				if resp, err := llm.Generate(t.Context(), m, ask(text)); err != nil || resp.Text() != "re: "+text {
					f.Errorf("%s, %v", resp.Text(), err)
				}
			}
			if len(texts) == 0 {
				f.Fatalf("the test fails")
			}
		})
	}
	if got := test("a"); !strings.Contains(got, "there is no cassette") || !strings.Contains(got, "HELIOS_RECORD=1 go test -run '^TestIt$'") {
		t.Errorf("without a cassette: %s", got)
	}
	t.Setenv(llmtest.RecordVariable, "1")
	if got := test("a", "b"); got != "" {
		t.Errorf("recording: %s", got)
	}
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	test() // a test that fails leaves the cassette alone
	if after, err := os.ReadFile(path); err != nil || !bytes.Equal(after, before) {
		t.Errorf("after a failure: %v\n%s", err, after)
	}
	t.Setenv(llmtest.RecordVariable, "")
	if got := test("a", "b"); got != "" {
		t.Errorf("playing: %s", got)
	}
	if got := test("a"); !strings.Contains(got, "1 of 2 recorded requests were not made") {
		t.Errorf("playing half: %s", got)
	}
	if got := test("a", "c"); !strings.Contains(got, `is "c", recorded as "b"`) || !strings.Contains(got, "go test -run '^TestIt$'") {
		t.Errorf("playing another: %s", got)
	}
	if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := test("a"); !strings.Contains(got, "line 1") {
		t.Errorf("playing a damaged file: %s", got)
	}
}

// Whatever is in the file, it is refused or can be played to its end.
func FuzzReplay(f *testing.F) {
	f.Add([]byte(`{"cassette":{"model":"m","version":1}}` + "\n" + `{"request":{"n":1}}` + "\n" + `{"message":{"parts":[{"kind":"text","text":"?"}],"role":"user"}}` + "\n" +
		`{"chunk":{"kind":"call","index":0}}` + "\n" + `{"chunk":{"kind":"part","index":1,"part":{"kind":"tool_call"}}}` + "\n" + `{"chunk":{"kind":"done"}}` + "\n" + `{"end":{"error":{"text":"x","kind":"refused"}}}`))
	f.Add([]byte(`{"cassette":{"version":1}}` + "\n" + `{"request":{"keep":0}}` + "\n" + `{"tool":[1,{"a":null}]}` + "\n" + `{"end":{"left":true}}` + "\n" + `{"request":{"keep":1}}` + "\n" + `{"end":{"cut":true}}`))
	f.Fuzz(func(t *testing.T, file []byte) {
		p, err := llmtest.Replay(bytes.NewReader(file), nil)
		if err != nil {
			return
		}
		for range 3 {
			resp, err := llm.Generate(t.Context(), p, ask("?"))
			if resp == nil || err == nil && resp.Finish == "" {
				t.Errorf("played as %+v, %v", resp, err)
			}
		}
	})
}

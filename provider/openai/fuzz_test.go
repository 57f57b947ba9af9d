package openai

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"unicode/utf8"

	"github.com/helios-go/helios/llm"
)

type streamed []byte

func (r streamed) RoundTrip(q *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Request: q, Header: http.Header{}, Body: io.NopCloser(bytes.NewReader(r))}, nil
}

// Whatever a server sends, an answer has one end or an error, and what was kept of
// it can be sent back.
func FuzzStream(f *testing.F) {
	files, err := filepath.Glob("testdata/*.sse")
	if err != nil || len(files) == 0 {
		f.Fatal("there are no streams", err)
	}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte("data: {\"type\":\"response.output_item.done\",\"output_index\":9999999999,\"item\":{\"type\":\"x\",\"a\\u0022\":{\"type\":1}}}\n\ndata: {\"object\":\"response\",\"status\":\"completed\",\"output\":[[],{},1,{\"type\":\"reasoning\",\"content\":[{}]}]}\n\n"))
	f.Fuzz(func(t *testing.T, stream []byte) {
		m := New("gpt-6-sol", &Options{Key: "k", Continuation: true, HTTP: &http.Client{Transport: streamed(stream)}})
		var a llm.Accumulator
		var failed error
		ends := 0
		for c, err := range m.Stream(t.Context(), &llm.Request{Messages: []llm.Message{llm.User("hi")}}) {
			if failed != nil || ends > 0 {
				t.Fatal("there is more after the end")
			}
			if failed = err; err == nil {
				a.Add(c)
			}
			if c.Kind == llm.ChunkDone {
				ends++
			}
			if c.Index < 0 {
				t.Fatalf("a part at %d", c.Index)
			}
		}
		if (failed == nil) != (ends == 1) {
			t.Fatalf("%d ends, and the error %v", ends, failed)
		}
		message := a.Response().Message
		c, err := m.call(&llm.Request{Messages: []llm.Message{llm.User("hi"), message}})
		if err != nil {
			t.Fatal(err)
		}
		sent, err := m.conn.Body(&c.body, nil)
		if err != nil || !json.Valid(sent) || !utf8.Valid(sent) {
			t.Fatalf("%v: %q cannot be sent", err, sent)
		}
	})
}

// Objects and lists are read as encoding/json reads them.
func FuzzMembers(f *testing.F) {
	for _, seed := range []string{`{}`, ` { "a" : 1 , "b":[1,{"c":"}\""}],"\u0061\\":"\ud83c\udf1e\ud83c \n\/" }`, `[1]`, `{"a":{"b":[]},"a":null,"é":"é"}`, `{"a":-1.5e3,"b":true}`, "{\"a\":\"\xff\"}"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if llm.Deeper(data, llm.MaxDepth-1) {
			return
		}
		var want map[string]json.RawMessage
		err := json.Unmarshal(data, &want)
		got := members(data)
		if err != nil || want == nil {
			if len(got) > 0 {
				t.Fatalf("%q has members: %q", data, got)
			}
			return
		}
		if !utf8.Valid(data) {
			return // names are made valid there, and stay as they are here
		}
		if len(got) != len(want) {
			t.Fatalf("%q has %d members, want %d", data, len(got), len(want))
		}
		for name, value := range want {
			if !bytes.Equal(got[name], value) {
				t.Fatalf("%q of %q is %q, want %q", name, data, got[name], value)
			}
			var text string
			if json.Unmarshal(value, &text) == nil && got.text(name) != text {
				t.Fatalf("%q is read as %q, want %q", value, got.text(name), text)
			}
			var list []json.RawMessage
			if json.Unmarshal(value, &list) == nil {
				n := 0
				for element := range elements(got[name]) {
					if n >= len(list) || !bytes.Equal(element, list[n]) {
						t.Fatalf("element %d of %q is %q", n, value, element)
					}
					n++
				}
				if n != len(list) {
					t.Fatalf("%q has %d elements, want %d", value, n, len(list))
				}
			}
		}
	})
}

package sdkcheck

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/helios-go/helios/llm/llmtest"
)

//go:embed testdata
var testdata embed.FS

// A Stream is one case of the corpus: the bodies that a server sends, one for each
// request. Most have one.
type Stream struct {
	Name   string
	Bodies []string
}

// Streams are the streams of a wire: the files of testdata/WIRE, where NAME.1.sse,
// NAME.2.sse are the bodies of one case, and two with lines that are long.
func Streams(wire string) ([]Stream, error) {
	files, err := fs.Glob(testdata, "testdata/"+wire+"/*.sse")
	if err != nil {
		return nil, err
	}
	var streams []Stream
	for _, file := range files { // in order of their names
		body, err := testdata.ReadFile(file)
		if err != nil {
			return nil, err
		}
		name, _, _ := strings.Cut(path.Base(file), ".")
		if n := len(streams); n > 0 && streams[n-1].Name == name {
			streams[n-1].Bodies = append(streams[n-1].Bodies, string(body))
			continue
		}
		streams = append(streams, Stream{Name: name, Bodies: []string{string(body)}})
	}
	for _, size := range []struct {
		name  string
		bytes int
	}{{"line_200k", 200 << 10}, {"line_4m", 4 << 20}} {
		body, err := longLine(wire, size.bytes)
		if err != nil {
			return nil, err
		}
		streams = append(streams, Stream{Name: size.name, Bodies: []string{body}})
	}
	return streams, nil
}

// longLine is the wire's stream "text" with one of its words made long: text of
// every width of UTF-8, quotes and line feeds.
func longLine(wire string, size int) (string, error) {
	body, err := testdata.ReadFile("testdata/" + wire + "/text.sse")
	if err != nil {
		return "", err
	}
	filler := "solar wind \"ünter\" 你好 🦀\n"
	long, err := json.Marshal(strings.Repeat(filler, size/len(filler)+1))
	if err != nil {
		return "", err
	}
	const word = ` blows at 400 km/s`
	if !bytes.Contains(body, []byte(word)) {
		return "", fmt.Errorf("testdata/%s/text.sse has no %s to make long", wire, word)
	}
	return strings.ReplaceAll(string(body), word, string(long[1:len(long)-1])), nil
}

// A Variant is a way to send the same stream.
type Variant struct {
	Name  string // "" is as it stands
	Reply func(body string) llmtest.Reply
	Most  int  // bytes of a body that it makes sense for; 0 is any
	Short bool // it ends too early, so that the answer is not the same
}

// Variants are the ways to send each stream: the line ends and forms that a stream
// of events may have, in pieces that split lines and characters anywhere, and two
// that end too early.
func Variants() []Variant {
	return []Variant{
		{Name: "", Reply: llmtest.SSE},
		{Name: "crlf", Reply: func(body string) llmtest.Reply {
			return llmtest.SSE(llmtest.LineEnds(body, "\r\n")).Cut(llmtest.CutCRLF)
		}, Most: 100_000},
		{Name: "cr", Reply: func(body string) llmtest.Reply { return llmtest.SSE(llmtest.LineEnds(body, "\r")) }},
		{Name: "no space", Reply: func(body string) llmtest.Reply {
			return llmtest.SSE(afterColon.ReplaceAllString(body, "$1"))
		}, Most: 1_000_000},
		{Name: "comments", Reply: func(body string) llmtest.Reply {
			return llmtest.SSE(strings.ReplaceAll(body, "\n\n", "\n: keep-alive\n\n:\n\n"))
		}, Most: 1_000_000},
		{Name: "mark", Reply: func(body string) llmtest.Reply {
			_, body, _ = strings.Cut(body, "\n") // the comment that tells of the case, or the mark would do no harm
			return llmtest.SSE("\uFEFF" + body)
		}, Most: 1_000_000},
		{Name: "bytes", Reply: func(body string) llmtest.Reply { return llmtest.SSE(body).Cut(llmtest.CutEvery(1)) }, Most: 100_000},
		{Name: "runes", Reply: func(body string) llmtest.Reply { return llmtest.SSE(body).Cut(llmtest.CutRunes) }, Most: 100_000},
		{Name: "open end", Reply: func(body string) llmtest.Reply { return llmtest.SSE(strings.TrimSuffix(body, "\n")) }, Most: 1_000_000},
		{Name: "ended", Reply: func(body string) llmtest.Reply { return llmtest.SSE(someEvents(body)) }, Most: 1_000_000, Short: true},
		{Name: "broken", Reply: func(body string) llmtest.Reply { return llmtest.SSE(body).Dropping(len(someEvents(body)) + 9) }, Short: true},
	}
}

var afterColon = regexp.MustCompile(`(?m)^(event:|data:|id:|retry:) `)

// someEvents are the first events of a stream, about 6 in 10 of them.
func someEvents(body string) string {
	events := strings.SplitAfter(body, "\n\n")
	events = slices.DeleteFunc(events, func(e string) bool { return e == "" })
	return strings.Join(events[:len(events)*6/10], "")
}

var message = regexp.MustCompile(`"(?:message|error)":\s?"([^"]+)"`)

// words are what the server says went wrong, where it says so.
func (s Stream) words() string {
	found := message.FindAllStringSubmatch(strings.Join(s.Bodies, ""), -1)
	if len(found) == 0 {
		return ""
	}
	return found[len(found)-1][1]
}

package sse_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/helios-go/helios/internal/sse"
)

type event struct {
	name, data string
	cut        bool
}

func read(t testing.TB, src io.Reader, limit int) ([]event, error) {
	t.Helper()
	r := sse.NewReader(src, limit)
	var got []event
	for {
		e, err := r.Next()
		if errors.Is(err, io.EOF) {
			return got, nil
		}
		if err != nil {
			return got, err
		}
		got = append(got, event{string(e.Name), string(e.Data), e.Cut})
	}
}

func TestEventsAreReadAsTheStandardSays(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		stream string
		want   []event
	}{
		"an event":                        {"event: a\ndata: 1\n\n", []event{{"a", "1", false}}},
		"no space behind the colon":       {"data:1\n\n", []event{{"", "1", false}}},
		"only one space belongs":          {"data:  1\n\n", []event{{"", " 1", false}}},
		"several lines of data":           {"data: a\ndata: b\ndata:\ndata: c\n\n", []event{{"", "a\nb\n\nc", false}}},
		"comments, ids and times":         {": hello\nid: 4\nretry: 10\ndata: x\n: more\n\n:\n\n", []event{{"", "x", false}}},
		"an empty event of data":          {"data\n\n", []event{{"", "", false}}},
		"a name without data is nothing":  {"event: ping\n\ndata: x\n\n", []event{{"", "x", false}}},
		"the last name counts":            {"event: a\nevent: b\ndata: x\n\n", []event{{"b", "x", false}}},
		"a mark at the start":             {"\ufeffdata: x\n\n\ufeffdata: y\n\n", []event{{"", "x", false}}},
		"unknown fields":                  {"dat: 1\ndatas: 2\n data: 3\ndata: x\n\n", []event{{"", "x", false}}},
		"blank lines in a row":            {"\n\n\ndata: x\n\n\n\ndata: y\n\n", []event{{"", "x", false}, {"", "y", false}}},
		"a colon in the data":             {"data: {\"a\":1}\n\n", []event{{"", `{"a":1}`, false}}},
		"no blank line at the end":        {"data: x\n\ndata: y\n", []event{{"", "x", false}, {"", "y", true}}},
		"no line feed at the end":         {"data: x\n\ndata: [DONE]", []event{{"", "x", false}, {"", "[DONE]", true}}},
		"a name at the end is nothing":    {"data: x\n\nevent: y", []event{{"", "x", false}}},
		"nothing":                         {"", nil},
		"a comment without an end":        {": keep", nil},
		"data before a name, then joined": {"data: a\nevent: n\ndata: b\n\n", []event{{"n", "a\nb", false}}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, end := range []string{"\n", "\r\n", "\r"} {
				stream := strings.ReplaceAll(tt.stream, "\n", end)
				for cut, src := range map[string]io.Reader{
					"whole":        strings.NewReader(stream),
					"byte by byte": iotest.OneByteReader(strings.NewReader(stream)),
					"with the end": iotest.DataErrReader(strings.NewReader(stream)),
				} {
					got, err := read(t, src, 0)
					if err != nil || !reflect.DeepEqual(got, tt.want) {
						t.Errorf("lines end in %q, %s: %v, %v; want %v", end, cut, got, err, tt.want)
					}
				}
			}
		})
	}
}

func TestALineMayHaveFourMegabytes(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 4<<20)
	got, err := read(t, iotest.HalfReader(strings.NewReader("data: "+long+"\n\ndata: y\n\n")), 0)
	if err != nil || len(got) != 2 || got[0].data != long || got[1].data != "y" {
		t.Errorf("%d events, %v; want the long one and the one behind it", len(got), err)
	}
}

func TestAnEventThatIsTooLongIsAnError(t *testing.T) {
	t.Parallel()
	for name, stream := range map[string]string{
		"one line":   "data: ok\n\ndata: " + strings.Repeat("x", 100_000),
		"many lines": "data: ok\n\n" + strings.Repeat("data: x\n", 50_000),
	} {
		got, err := read(t, strings.NewReader(stream), 64<<10)
		if !errors.Is(err, sse.ErrTooLong) || len(got) != 1 {
			t.Errorf("%s: %d events, error %v; want one event and ErrTooLong", name, len(got), err)
		}
	}
}

// A server may keep a connection alive with comments for hours.
func TestCommentsAreNotKept(t *testing.T) {
	t.Parallel()
	stream := strings.Repeat(": keep-alive\n", 100_000) + "data: x\n\n"
	got, err := read(t, strings.NewReader(stream), 64<<10)
	if err != nil || len(got) != 1 {
		t.Errorf("%d events, %v; want one", len(got), err)
	}
}

// Of two kinds of line ends only one comes, and the buffer is large by then: looking
// for the other one each time would take minutes.
func TestAFloodOfShortLinesIsReadInTime(t *testing.T) {
	t.Parallel()
	for _, end := range []string{"\r", "\n"} {
		stream := "data: " + strings.Repeat("x", 3<<20) + end + end + strings.Repeat(end, 2<<20) + "data: y" + end + end
		began := time.Now()
		got, err := read(t, strings.NewReader(stream), 0)
		if err != nil || len(got) != 2 || got[1].data != "y" {
			t.Fatalf("lines that end in %q: %d events, %v; want two", end, len(got), err)
		}
		if took := time.Since(began); took > 20*time.Second {
			t.Errorf("lines that end in %q took %s", end, took)
		}
	}
}

func TestAnErrorOfTheSourceIsPassedOn(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	src := io.MultiReader(strings.NewReader("data: x\n\ndata: y\n"), iotest.ErrReader(broken))
	got, err := read(t, src, 0)
	if !errors.Is(err, broken) || len(got) != 1 {
		t.Errorf("%v, %v; want the whole event and the error", got, err)
	}
	if _, err := read(t, stuck{}, 0); !errors.Is(err, io.ErrNoProgress) {
		t.Errorf("a source that reads nothing: %v, want io.ErrNoProgress", err)
	}
}

type stuck struct{}

func (stuck) Read([]byte) (int, error) { return 0, nil }

func TestReadingCostsNoAllocations(t *testing.T) { //nolint:paralleltest // it counts what everybody allocates
	stream := []byte(strings.Repeat("event: content_block_delta\ndata: {\"type\":\"text\",\"text\":\"hello\"}\n\n", 1000))
	var src bytes.Reader
	got := testing.AllocsPerRun(10, func() {
		src.Reset(stream)
		r := sse.NewReader(&src, 0)
		for {
			if _, err := r.Next(); err != nil {
				return
			}
		}
	})
	if got > 2 {
		t.Errorf("1000 events took %v allocations, want the reader and its buffer", got)
	}
}

// naive reads events from a stream that is all there, line by line.
func naive(stream string) []event {
	stream = strings.TrimPrefix(stream, "\ufeff")
	stream = strings.ReplaceAll(strings.ReplaceAll(stream, "\r\n", "\n"), "\r", "\n")
	lines := strings.Split(stream, "\n")
	var out []event
	var name string
	var data []string
	flush := func(cut bool) {
		if data != nil {
			out = append(out, event{name, strings.Join(data, "\n"), cut})
		}
		name, data = "", nil
	}
	for i, line := range lines {
		if line == "" {
			if i < len(lines)-1 {
				flush(false)
			}
			continue
		}
		key, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch key {
		case "data":
			data = append(data, value)
		case "event":
			name = value
		}
	}
	flush(true)
	return out
}

func FuzzReader(f *testing.F) {
	for _, s := range []string{
		"event: a\ndata: 1\n\n", "data:1\r\n\r\n:c\r\ndata: 2\r\rdata", "\ufeffdata: x\n\n", "data: a\ndata\n\n\r\n\rdata: b",
		"data: \xff\xfe\n\n", "event:\ndata:\n\n", "\n\r\n\r", "data: 1\r", "\xef\xbb", "event: x\r\ndata: y\r\n",
	} {
		f.Add(s, uint8(3))
	}
	f.Fuzz(func(t *testing.T, stream string, size uint8) {
		want := naive(stream)
		for _, src := range []io.Reader{
			strings.NewReader(stream),
			iotest.OneByteReader(strings.NewReader(stream)),
			&pieces{data: []byte(stream), size: int(size)%7 + 1},
		} {
			got, err := read(t, src, 0)
			if err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%q: %+v, %v; want %+v", stream, got, err, want)
			}
		}
	})
}

// pieces reads size bytes at a time.
type pieces struct {
	data []byte
	size int
}

func (p *pieces) Read(b []byte) (int, error) {
	if len(p.data) == 0 {
		return 0, io.EOF
	}
	n := copy(b[:min(len(b), p.size)], p.data)
	p.data = p.data[n:]
	return n, nil
}

func Example() {
	stream := "event: greeting\ndata: hello\n\n: still there\n\ndata: good\ndata: bye\n\n"
	events := sse.NewReader(strings.NewReader(stream), 0)
	for {
		e, err := events.Next()
		if err != nil {
			break
		}
		fmt.Printf("%s %q\n", e.Name, e.Data)
	}
	// Output:
	// greeting "hello"
	//  "good\nbye"
}

func BenchmarkReader(b *testing.B) {
	stream := []byte(strings.Repeat("event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"hello there\"}}\n\n", 10_000))
	b.SetBytes(int64(len(stream)))
	b.ReportAllocs()
	for b.Loop() {
		r := sse.NewReader(bytes.NewReader(stream), 0)
		for {
			if _, err := r.Next(); err != nil {
				break
			}
		}
	}
}

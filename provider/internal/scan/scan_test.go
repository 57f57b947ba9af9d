package scan_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/helios-go/helios/provider/internal/scan"
)

// readAll goes through a JSON text by asking for everything, and gives back all
// strings but keys.
func readAll(s *scan.Scanner) (texts []string) {
	switch s.Peek() {
	case '{':
		s.Enter('{')
		for s.More('}') {
			s.Key()
			texts = append(texts, readAll(s)...)
		}
	case '[':
		s.Enter('[')
		for s.More(']') {
			texts = append(texts, readAll(s)...)
		}
	case '"':
		texts = append(texts, s.Text())
	default:
		s.Skip()
	}
	return texts
}

// stringsOf are the same as encoding/json sees them, in the order of a decoder.
func stringsOf(t *testing.T, data []byte) (texts []string) {
	t.Helper()
	dec := json.NewDecoder(strings.NewReader(string(data)))
	type level struct{ object, key bool }
	var stack []level
	for {
		tok, err := dec.Token()
		if err != nil {
			return texts
		}
		n := len(stack)
		key := n > 0 && stack[n-1].object && stack[n-1].key
		if n > 0 && stack[n-1].object {
			stack[n-1].key = !stack[n-1].key
		}
		switch tok := tok.(type) {
		case json.Delim:
			switch tok {
			case '{', '[':
				stack = append(stack, level{object: tok == '{', key: true})
			default:
				stack = stack[:n-1]
				if n > 1 && stack[n-2].object { // the token that ends is no member
					stack[n-2].key = true
				}
			}
		case string:
			if !key {
				texts = append(texts, tok)
			}
		}
	}
}

var scans = []string{
	`{"a":"b","c":[1,-2.5e+3,true,false,null,{"d":"\u00e9\n\"\\\/"}]}`, ` [ ] `, `{}`, `{ "a" : { } }`, `"x"`, `0`, `-0.1E-2`, `"😀"`, `"\ud83d"`, `"\ude00\ud83d"`,
	`{"a":1,}`, `[1,]`, `[,1]`, `{"a"}`, `{"a":}`, `{a:1}`, `[1 2]`, `01`, `1.`, `1e`, `-`, `+1`, `tru`, `nul`, `"\x"`, `"\u12"`, "\"\t\"", `"`, `{`, `[`, ``, ` `, `{}{}`, `[]x`, "\x00", "\"\xff\xed\xa0\xbd\"",
}

func TestScannerTakesWhatEncodingJSONTakes(t *testing.T) {
	t.Parallel()
	for _, text := range scans {
		checkScan(t, []byte(text))
	}
}

func checkScan(t *testing.T, data []byte) {
	t.Helper()
	for what, read := range map[string]func(*scan.Scanner) []string{
		"skipped": func(s *scan.Scanner) []string { s.Skip(); return nil },
		"read":    readAll,
	} {
		s := &scan.Scanner{}
		s.Reset(data)
		texts := read(s)
		if got, want := s.End(), json.Valid(data); got != want {
			t.Fatalf("%q %s: valid is %t, want %t", data, what, got, want)
		} else if !want || what == "skipped" {
			continue
		}
		want := stringsOf(t, data)
		if strings.Join(texts, "\x01") != strings.Join(want, "\x01") {
			t.Fatalf("%q: %q, want %q", data, texts, want)
		}
	}
}

func TestScannerEndsInDepth(t *testing.T) {
	t.Parallel()
	s := &scan.Scanner{}
	s.Reset([]byte(strings.Repeat("[", 100_000)))
	if s.Skip(); s.End() {
		t.Error("a hundred thousand levels are no JSON that anybody means")
	}
}

func TestNumbersStayWithinTheirBounds(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int64{
		"12": 12, "-3": -3, "1.9": 1, "1e3": 1000, "9223372036854775807": 9223372036854775807,
		"1e400": 9223372036854775807, "-1e30": -9223372036854775808, `"7"`: 0, "null": 0, "{}": 0,
	} {
		s := &scan.Scanner{}
		s.Reset([]byte(text))
		if got, _ := s.Int(); got != want {
			t.Errorf("%s is %d, want %d", text, got, want)
		}
	}
}

func FuzzScanner(f *testing.F) {
	for _, text := range scans {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if strings.Count(string(data), "[")+strings.Count(string(data), "{") > 900 {
			return // deeper than MaxDepth they differ, on purpose
		}
		checkScan(t, data)
	})
}

func TestWhatIsNoCharacterIsReplaced(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		`"\ud83d\ude00"`: "😀", `"a\ud83d"`: "a\uFFFD", `"\ude00b"`: "\uFFFDb", `"\ud83d\ud83d\ude00"`: "\uFFFD😀",
		"\"a\xff\xffb\"": "a\uFFFD\uFFFDb", "\"\\ud83da\xffb\"": "\uFFFDa\uFFFDb", "\"\xed\xa0\xbd\"": "\uFFFD\uFFFD\uFFFD",
	} {
		var s scan.Scanner
		s.Reset([]byte(in))
		if got := s.Text(); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func TestLookingAheadMovesNothing(t *testing.T) {
	t.Parallel()
	var s scan.Scanner
	s.Reset([]byte(`{"\u0061":"\u0062"}`))
	s.Enter('{')
	s.More('}')
	key := s.Key()
	ahead := s.Ahead()
	if got := ahead.Text(); got != "b" || string(key) != "a" {
		t.Errorf("ahead is %q, the key %q", got, key)
	}
	if got := s.Text(); got != "b" || s.More('}') || !s.End() {
		t.Errorf("the value is %q", got)
	}
}

func TestReadingCostsNoAllocation(t *testing.T) { //nolint:paralleltest // allocations are counted for the whole process
	var s scan.Scanner
	data := []byte(`{"a":[1,2.5,"x\ny",{"b":null}],"c":"é\u00e9"}`)
	if got := testing.AllocsPerRun(100, func() {
		s.Reset(data)
		s.Enter('{')
		for s.More('}') {
			s.Key()
			s.Skip()
		}
		if !s.End() {
			t.Fatal("not JSON")
		}
	}); got > 0 {
		t.Errorf("%v allocations, want none", got)
	}
}

func Example() {
	var s scan.Scanner
	s.Reset([]byte(`{"type":"delta","index":2,"delta":{"text":"caf\u00e9"}}`))
	if s.Enter('{') {
		for s.More('}') {
			switch string(s.Key()) {
			case "index":
				n, _ := s.Int()
				fmt.Println(n)
			case "delta":
				fmt.Printf("%s\n", s.Raw())
			default:
				s.Skip()
			}
		}
	}
	fmt.Println(s.End())
	// Output:
	// 2
	// {"text":"caf\u00e9"}
	// true
}

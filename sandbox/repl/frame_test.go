package repl

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"unicode/utf8"
)

func FuzzFrame(f *testing.F) {
	f.Add([]byte("\x00\x00\x00\x02{}"), 16)
	f.Add([]byte("\x00\x00\x00\x02{"), 16)
	f.Add([]byte("\xff\xff\xff\xff"), 4096)
	f.Add([]byte{}, 1)
	f.Fuzz(func(t *testing.T, data []byte, limit int) {
		limit = 1 + abs(limit)%4096
		r := bytes.NewReader(data)
		var again []byte
		for {
			frame, err := readFrame(r, limit)
			if err != nil {
				if errors.Is(err, io.EOF) && r.Len() != 0 {
					t.Errorf("end of the frames with %d bytes left", r.Len())
				}
				break
			}
			if len(frame) == 0 || len(frame) > limit || !utf8.Valid(frame) {
				t.Fatalf("frame of %d bytes, limit %d", len(frame), limit)
			}
			again = appendFrame(again, frame)
		}
		if !bytes.HasPrefix(data, again) {
			t.Error("what was read is not what was written")
		}
	})
}

func abs(n int) int {
	if n < 0 {
		return -(n + 1)
	}
	return n
}

func FuzzWorkerMessage(f *testing.F) {
	for _, seed := range []string{
		`{"type":"ready"}`, `{"type":"ready","error":"x"}`, `{"type":"call","id":1,"name":"f","args":{"a":[1,null]}}`,
		`{"type":"result","id":2,"exit":1,"bindings":[{"name":"a","type":"int","value":"1"}]}`, `{"type":"result"}`, `null`, `[]`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := decodeWorker(data)
		if err != nil {
			return
		}
		frame, err := encode(m)
		if err != nil {
			t.Fatalf("encode what was decoded: %v", err)
		}
		again, err := decodeWorker(frame[4:])
		if err != nil {
			t.Fatalf("decode it again: %v", err)
		}
		a, _ := json.Marshal(m)
		b, _ := json.Marshal(again)
		if !bytes.Equal(a, b) {
			t.Errorf("%s became %s", a, b)
		}
	})
}

func TestClipKeepsWholeRunes(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		in    string
		limit int
		want  string
		cut   bool
	}{
		{"abc", 3, "abc", false},
		{"abcd", 3, "abc", true},
		{"aéé", 2, "a", true},
		{"aéé", 3, "aé", true},
		{"\xff\xfe", 10, "\uFFFD", false},
		{"€", 2, "", true},
		{"", 0, "", false},
	} {
		if got, cut := clip([]byte(test.in), test.limit); got != test.want || cut != test.cut {
			t.Errorf("clip(%q, %d) = %q, %v; want %q, %v", test.in, test.limit, got, cut, test.want, test.cut)
		}
	}
}

func TestSnapshotHoldsItsLimits(t *testing.T) {
	t.Parallel()
	s := Snapshot{Limits: BindingLimits{Value: 10, Total: 60}}
	s.Add(Binding{Name: "__hidden", Value: "x"})
	s.Add(Binding{Name: "a", Type: "str", Value: strings.Repeat("é", 50)})
	for s.Add(Binding{Name: "b", Type: "int", Value: "1"}) {
	}
	list := s.Bindings()
	if list[0].Value != "ééééé... (len=100)" {
		t.Errorf("first value %q", list[0].Value)
	}
	if last := list[len(list)-1]; last.Name != Truncated || last.Value != "(snapshot exceeded 60 chars; remaining vars dropped)" {
		t.Errorf("last binding %+v", last)
	}
	if again := capBindings(list, &s.Limits); len(again) != len(list) {
		t.Errorf("holding it to the same limits again gives %d bindings, want %d", len(again), len(list))
	}
	flood := make([]Binding, 1000)
	for i := range flood {
		flood[i] = Binding{Name: "forged", Value: strings.Repeat("x", 1000)}
	}
	if again := capBindings(flood, &BindingLimits{Value: 200, Total: 16384}); len(again) > 80 {
		t.Errorf("an interpreter that forgets its limits gets %d bindings through", len(again))
	}
}

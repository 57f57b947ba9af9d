package wire

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"
)

func TestHalvesOfACharacterAreJoined(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ events, want []string }{
		"nothing to do": {
			[]string{`{"a":"b"}`, `{"a":"🌞"}`},
			[]string{`{"a":"b"}`, `{"a":"🌞"}`},
		},
		"whole pairs stay": {
			[]string{`{"a":"\ud83c\udf1e","b":"\uD83C\uDF1E"}`},
			[]string{`{"a":"\ud83c\udf1e","b":"\uD83C\uDF1E"}`},
		},
		"cut in two": {
			[]string{`{"a":"the sun \ud83c"}`, `{"a":"\udf1e shines"}`},
			[]string{`{"a":"the sun "}`, `{"a":"\ud83c\udf1e shines"}`},
		},
		"with another event between": {
			[]string{`{"a":"\uD83C"}`, `{"type":"ping"}`, `{"a":"\uDF1E"}`},
			[]string{`{"a":""}`, `{"type":"ping"}`, `{"a":"\uD83C\uDF1E"}`},
		},
		"one pair after the other": {
			[]string{`{"a":"\ud83c"}`, `{"a":"\udf1e\ud83e"}`, `{"a":"\udd80"}`},
			[]string{`{"a":""}`, `{"a":"\ud83c\udf1e"}`, `{"a":"\ud83e\udd80"}`},
		},
		"twice in an event": {
			[]string{`{"a":"\ud83c","b":["\ud83e"]}`, `{"a":"\udf1e","b":["\udd80"]}`},
			[]string{`{"a":"","b":[""]}`, `{"a":"\ud83c\udf1e","b":["\ud83e\udd80"]}`},
		},
		"text that looks like it": {
			[]string{`{"a":"C:\\ud83c"}`, `{"a":"\\udf1e \" \ud83c"}`},
			[]string{`{"a":"C:\\ud83c"}`, `{"a":"\\udf1e \" "}`},
		},
		"a second half alone": {
			[]string{`{"a":"\udf1e"}`, `{"a":"x\udf1e"}`},
			[]string{`{"a":"\udf1e"}`, `{"a":"x\udf1e"}`},
		},
		"broken off": {
			[]string{`{"a":"\ud8`, `{"a":"\ud83c`, `{"a":"\`, `\ud83c"`},
			[]string{`{"a":"\ud8`, `{"a":"\ud83c`, `{"a":"\`, `\ud83c"`},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var h halves
			for i, e := range test.events {
				if got := string(h.join([]byte(e))); got != test.want[i] {
					t.Errorf("event %d is %s, want %s", i, got, test.want[i])
				}
			}
		})
	}
}

// FuzzHalves cuts a text into events after every few UTF-16 units, as a server
// does that counts so, and wants it back.
func FuzzHalves(f *testing.F) {
	f.Add("🌞 the sun, 👩🏽‍🚀 an astronaut, 🇫🇷", 1)
	f.Add(`a "quote" and a \ud83c of its own`, 3)
	f.Fuzz(func(t *testing.T, text string, n int) {
		var h halves
		h.join([]byte(text)) // whatever it is
		if !utf8.ValidString(text) || n < 1 {
			t.Skip()
		}
		h = halves{}
		var got strings.Builder
		units := utf16.Encode([]rune(text))
		for len(units) > 0 {
			n := min(n, len(units))
			event := append(append([]byte(`{"a":`), quote(units[:n])...), '}')
			units = units[n:]
			var e struct{ A string }
			if err := json.Unmarshal(h.join(event), &e); err != nil {
				t.Fatalf("%s: %v", event, err)
			}
			got.WriteString(e.A)
		}
		if got.String() != text {
			t.Errorf("got %q, want %q", got.String(), text)
		}
	})
}

// quote writes UTF-16 as JSON, half a character as an escape.
func quote(units []uint16) []byte {
	const digits = "0123456789abcdef"
	out := []byte{'"'}
	for i := 0; i < len(units); i++ {
		u := units[i]
		if !utf16.IsSurrogate(rune(u)) {
			c, _ := Marshal(string(rune(u)))
			out = append(out, c[1:len(c)-1]...)
			continue
		}
		if i+1 < len(units) {
			if r := utf16.DecodeRune(rune(u), rune(units[i+1])); r != utf8.RuneError {
				out = utf8.AppendRune(out, r)
				i++
				continue
			}
		}
		out = append(out, '\\', 'u', digits[u>>12], digits[u>>8&15], digits[u>>4&15], digits[u&15])
	}
	return append(out, '"')
}

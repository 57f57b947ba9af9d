package hapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// loose is a JSON value of any kind, read as what is wanted.
type loose json.RawMessage

func (l *loose) UnmarshalJSON(b []byte) error {
	*l = append((*l)[:0], b...)
	return nil
}

func (l loose) null() bool   { return len(l) == 0 || string(l) == "null" }
func (l loose) isText() bool { return len(l) > 0 && l[0] == '"' }

func (l loose) raw() json.RawMessage {
	if l.null() {
		return nil
	}
	return json.RawMessage(l)
}

// text is a string as it is, a number or a truth as it is written, and "" for the
// rest.
func (l loose) text() string {
	if l.null() || l[0] == '{' || l[0] == '[' {
		return ""
	}
	if l.isText() {
		var s string
		if json.Unmarshal(l, &s) != nil {
			return ""
		}
		return s
	}
	return string(l)
}

// texts is a list, nested ones flattened, of one where there is none. null in a list
// is "".
func (l loose) texts() []string {
	if l.null() {
		return nil
	}
	if l[0] != '[' {
		if text := l.text(); text != "" {
			return []string{text}
		}
		return nil
	}
	return l.flatten(nil, maxDimensions)
}

// flatten adds the texts of a list, and of those in it as far as depth goes: reading
// them one in the other takes time that grows with the depth.
func (l loose) flatten(out []string, depth int) []string {
	var list []loose
	if depth == 0 || json.Unmarshal(l, &list) != nil {
		return out
	}
	for _, one := range list {
		if len(one) > 0 && one[0] == '[' {
			out = one.flatten(out, depth-1)
			continue
		}
		out = append(out, one.text())
	}
	return out
}

// list are the elements of a list; a single object is taken for one of them.
func (l loose) list(what string) ([]json.RawMessage, error) {
	switch {
	case l.null():
		return nil, nil
	case l[0] == '{':
		return []json.RawMessage{json.RawMessage(l)}, nil
	case l[0] != '[':
		return nil, fmt.Errorf("its %s are no list", what)
	}
	var list []json.RawMessage
	if err := json.Unmarshal(l, &list); err != nil {
		return nil, describeJSON(err)
	}
	return list, nil
}

// status reads an object, or a bare code or message.
func (l loose) status() Status {
	var w struct{ Code, Message loose }
	if len(l) > 0 && l[0] == '{' {
		if json.Unmarshal(l, &w) != nil {
			return Status{}
		}
		return Status{Code: w.Code.int(), Message: w.Message.text()}
	}
	if code := l.int(); code != 0 {
		return Status{Code: code}
	}
	return Status{Message: l.text()}
}

// int is 0 for what is no whole number.
func (l loose) int() int {
	f, err := strconv.ParseFloat(strings.TrimSpace(l.text()), 64)
	if err != nil || f != math.Trunc(f) || math.Abs(f) > math.MaxInt32 {
		return 0
	}
	return int(f)
}

// quoteNaN puts quotes around the words for numbers that JSON does not have.
func quoteNaN(data []byte) (repaired []byte, changed bool) {
	quoted := false
	for i := 0; i < len(data); i++ {
		c := data[i]
		switch {
		case quoted && c == '\\' && i+1 < len(data):
			repaired = append(repaired, c, data[i+1])
			i++
			continue
		case c == '"':
			quoted = !quoted
		case !quoted:
			if n := wordOfNumber(data[i:]); n > 0 {
				repaired = append(append(append(repaired, '"'), data[i:i+n]...), '"')
				i += n - 1
				changed = true
				continue
			}
		}
		repaired = append(repaired, c)
	}
	return repaired, changed
}

func wordOfNumber(b []byte) int {
	for _, word := range []string{"NaN", "-NaN", "nan", "-nan", "Infinity", "-Infinity", "Inf", "-Inf", "inf", "-inf"} {
		if bytes.HasPrefix(b, []byte(word)) && (len(b) == len(word) || ends(b[len(word)]) || b[len(word)] == '}') {
			return len(word)
		}
	}
	return 0
}

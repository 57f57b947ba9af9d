package code

import (
	"bytes"
	"encoding/json"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// wholePoint finds what may be a whole number that is written with a point or an
// exponent.
var wholePoint = regexp.MustCompile(`[0-9](\.0|[eE])`)

// wholeNumbers writes numbers without a fraction as integers, as far as a float64
// counts without gaps: Python writes 6/2 as 3.0, which a Go integer refuses.
func wholeNumbers(data json.RawMessage) json.RawMessage {
	if !wholePoint.Match(data) {
		return data
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	var v any
	if dec.Decode(&v) != nil || dec.More() {
		return data
	}
	out, err := encode(whole(v))
	if err != nil {
		return data
	}
	return out
}

func whole(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k := range v {
			v[k] = whole(v[k])
		}
	case []any:
		for i := range v {
			v[i] = whole(v[i])
		}
	case json.Number:
		f, err := v.Float64()
		if err == nil && f == math.Trunc(f) && math.Abs(f) <= 1<<53 && strings.ContainsAny(string(v), ".eE") {
			return json.Number(strconv.FormatInt(int64(f), 10))
		}
	}
	return v
}

// encode writes JSON with its characters as they are.
func encode(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimRight(b.Bytes(), "\n"), nil
}

// quoted is a string as JSON, which every string has.
func quoted(s string) json.RawMessage {
	data, err := encode(s)
	if err != nil {
		return json.RawMessage(`""`)
	}
	return data
}

package llmtest

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
)

// differ finds the first difference between a recorded request and another: the
// place, and both values there. No place means that they are equal.
func differ(recorded, asked []line) (where, what string) {
	for i := range max(len(recorded), len(asked)) {
		switch {
		case i >= len(recorded):
			return place(asked, i), "was not recorded: " + brief(asked[i].value)
		case i >= len(asked):
			return place(recorded, i), "was recorded, and is missing: " + brief(recorded[i].value)
		case recorded[i].kind != asked[i].kind:
			return place(asked, i), "was not recorded there, but " + place(recorded, i)
		}
		if path, what := differTree(recorded[i].value, asked[i].value, ""); what != "" {
			where = place(asked, i)
			if path != "" {
				where += ", " + strings.TrimPrefix(path, ".")
			}
			return where, what
		}
	}
	return "", ""
}

// place names a line as a reader would: message 3 (tool).
func place(lines []line, i int) string {
	n := 1
	for _, l := range lines[:i] {
		if l.kind == lines[i].kind {
			n++
		}
	}
	s := fmt.Sprintf("%s %d", lines[i].kind, n)
	if m, ok := lines[i].value.(map[string]any); ok {
		for _, name := range []string{"role", "name"} {
			if text, ok := m[name].(string); ok {
				return s + " (" + text + ")"
			}
		}
	}
	return s
}

// differTree finds the first difference between two JSON trees.
func differTree(a, b any, path string) (where, what string) {
	switch x := a.(type) {
	case map[string]any:
		if y, ok := b.(map[string]any); ok {
			return differMaps(x, y, path)
		}
	case []any:
		if y, ok := b.([]any); ok {
			for i := range min(len(x), len(y)) {
				if where, what = differTree(x[i], y[i], fmt.Sprintf("%s[%d]", path, i)); what != "" {
					return where, what
				}
			}
			if len(x) != len(y) {
				return path, fmt.Sprintf("has %d items, recorded with %d", len(y), len(x))
			}
			return "", ""
		}
	case string:
		if y, ok := b.(string); ok && x != y {
			x, y = around(x, y)
			return path, fmt.Sprintf("is %q, recorded as %q", y, x)
		}
	case json.Number:
		if y, ok := b.(json.Number); ok && sameNumber(x, y) {
			return "", ""
		}
	}
	if brief(a) != brief(b) {
		return path, fmt.Sprintf("is %s, recorded as %s", brief(b), brief(a))
	}
	return "", ""
}

func differMaps(x, y map[string]any, path string) (where, what string) {
	names := slices.AppendSeq(slices.Collect(maps.Keys(x)), maps.Keys(y))
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		a, inX := x[name]
		b, inY := y[name]
		at := path + "." + name
		switch {
		case !inX:
			return at, "was not recorded: " + brief(b)
		case !inY:
			return at, "was recorded, and is missing: " + brief(a)
		}
		if where, what = differTree(a, b, at); what != "" {
			return where, what
		}
	}
	return "", ""
}

// sameNumber takes 1.0 and 1 as one number.
func sameNumber(x, y json.Number) bool {
	a, errA := x.Float64()
	b, errB := y.Float64()
	return x == y || errA == nil && errB == nil && a == b
}

const shown = 60 // bytes of a value in an error

// around cuts two texts to where they begin to differ.
func around(x, y string) (string, string) {
	same := 0
	for same < min(len(x), len(y)) && x[same] == y[same] {
		same++
	}
	from := max(0, same-shown/3)
	return window(x, from), window(y, from)
}

func window(text string, from int) string {
	for from > 0 && !utf8.RuneStart(text[min(from, len(text)-1)]) {
		from--
	}
	cut := text[min(from, len(text)):]
	if from > 0 {
		cut = "..." + cut
	}
	return shorten(cut)
}

func shorten(text string) string {
	n := shown
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n] + "..."
}

// brief is a value in little space. Different values of one kind may look alike
// where they are long, which is why differTree looks into all but scalars.
func brief(v any) string {
	data, err := encodeJSON(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return shorten(string(data))
}

package secret_test

import (
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestJSONStaysJSON(t *testing.T) {
	t.Parallel()
	r := registry(t, "K", "secret-value", "PIN", "12345678", "AMP", "a&b<c>12", "ODD", "1, 2, 3]").Redactor()
	for src, want := range map[string]string{
		`{"a":"secret-value","n":1}`:           `{"a":"<redacted:K>","n":1}`,
		`{"secret-value":[1]}`:                 `{"<redacted:K>":[1]}`,
		`{"n":12345678, "m":1.5e3}`:            `{"n":"<redacted:PIN>", "m":1.5e3}`,
		`[912345678]`:                          `["9<redacted:PIN>"]`,
		`"a\u0026b\u003cc\u003e12"`:            `"<redacted:AMP>"`,
		`"\u0061&b<c>12"`:                      `"<redacted:AMP>"`,
		`["\u0073ecret\u002dvalue", "\u00e9"]`: `["<redacted:K>", "\u00e9"]`,
		`"x\\\u0026 \\a\u0026b<c>12"`:          `"x\\& \\<redacted:AMP>"`,
		`"line\nsecret-value\t\"q\""`:          `"line\n<redacted:K>\t\"q\""`,
		`[1, 2, 3]`:                            `"[<redacted:ODD>"`,
		`secret-value`:                         `"<redacted:K>"`,
		`{"a": null}`:                          `{"a": null}`,
		``:                                     ``,
	} {
		got, counts := r.JSON(json.RawMessage(src))
		if string(got) != want {
			t.Errorf("JSON(%s) = %s, want %s", src, got, want)
		}
		if changed := src != want; changed != (counts.Total() == 1) {
			t.Errorf("JSON(%s): counts %v", src, counts)
		}
	}
}

func TestJSONHidesSecretsHoweverTheyAreEscaped(t *testing.T) {
	t.Parallel()
	r := registry(t, "A", "a&b<c>12", "B", "12345678", "C", "plain/value").Redactor()
	rapid.Check(t, func(t *rapid.T) {
		pieces := rapid.SliceOfN(rapid.SampledFrom([]string{
			"a&b<c>12", "12345678", "plain/value", `\`, `"`, "&", "é", "\n", "x", "u0026",
		}), 0, 8).Draw(t, "pieces")
		src, err := json.Marshal(map[string]any{strings.Join(pieces, ""): pieces, "n": json.Number("12345678")})
		if err != nil {
			t.Fatal(err)
		}
		if rapid.Bool().Draw(t, "slash") {
			src = []byte(strings.ReplaceAll(string(src), "/", `\/`))
		}
		got, _ := r.JSON(src)
		var value any
		if err := json.Unmarshal(got, &value); err != nil {
			t.Fatalf("%s became %s: %v", src, got, err)
		}
		for _, text := range texts(value) {
			if name, leaks := r.Leaks(text); leaks {
				t.Fatalf("%s became %s, which leaks %s", src, got, name)
			}
		}
	})
}

func FuzzJSON(f *testing.F) {
	for _, seed := range []string{
		`{"a\u0026b<c>12":[12345678,true,null]}`, `"plain\/value"`, `[1, 2, 3]`, `"\\\u0026b<c>12"`, `["a&b<c>12]`,
	} {
		f.Add([]byte(seed))
	}
	r := registry(f, "A", "a&b<c>12", "B", "12345678", "C", "plain/value", "D", "1, 2, 3]").Redactor()
	f.Fuzz(func(t *testing.T, src []byte) {
		got, counts := r.JSON(src)
		if name, leaks := r.Leaks(string(got)); leaks {
			t.Fatalf("%q became %q, which leaks %s", src, got, name)
		}
		if counts == nil {
			if string(got) != string(src) {
				t.Fatalf("%q became %q, without a count", src, got)
			}
			return
		}
		var value any
		if err := json.Unmarshal(got, &value); err != nil {
			t.Fatalf("%q became %q: %v", src, got, err)
		}
		for _, text := range texts(value) {
			if name, leaks := r.Leaks(text); leaks {
				t.Fatalf("%q became %q, which leaks %s", src, got, name)
			}
		}
	})
}

// texts are all strings in a decoded value.
func texts(v any) []string {
	var all []string
	switch v := v.(type) {
	case string:
		all = []string{v}
	case []any:
		for _, e := range v {
			all = append(all, texts(e)...)
		}
	case map[string]any:
		for k, e := range v {
			all = append(append(all, k), texts(e)...)
		}
	}
	return all
}

package secret_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/helios-go/helios/secret"
)

func TestRedactorReplacesTheUnionOfMatches(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		secrets    []string
		text, want string
	}{
		{[]string{"T", "abcabcab"}, "abcabcabcabcab", "<redacted:T>"},
		{[]string{"T", "abcabcab"}, "xabcabcabcabcabcy", "x<redacted:T>cy"},
		{[]string{"A", "12345678", "B", "56789012"}, "a1234567890123", "a<redacted:A>3"},
		{[]string{"A", "12345678", "B", "1234567890"}, "1234567890", "<redacted:B>"},
		{[]string{"A", "23456789", "B", "1234567890"}, "x1234567890x", "x<redacted:B>x"},
		{[]string{"A", "secret-value", "B", "secret-value"}, "secret-value", "<redacted:A>"},
		{[]string{"A", "secret-value"}, "secret-value and secret-value", "<redacted:A> and <redacted:A>"},
		{[]string{"A", "secret-value", "B", "othersecret"}, "secret-valuesecret-valueothersecret", "<redacted:A><redacted:A><redacted:B>"},
		{[]string{"A", "secret-value"}, "ésecret-valueé\xff\x00", "é<redacted:A>é\xff\x00"},
		{[]string{"A", "secret-value"}, "secret-valu secret_value", "secret-valu secret_value"},
		{[]string{"A", "secret-value"}, "", ""},
	} {
		r := registry(t, c.secrets...).Redactor()
		src := []byte(c.text)
		got, _ := r.Bytes(src)
		if string(got) != c.want {
			t.Errorf("%q of %q = %q, want %q", c.secrets, c.text, got, c.want)
		}
		if string(src) != c.text {
			t.Errorf("%q was changed to %q", c.text, src)
		}
		if got, _ := r.Text(c.text); got != c.want {
			t.Errorf("Text of %q = %q, want %q", c.text, got, c.want)
		}
	}
}

func TestRedactorKnowsManySecrets(t *testing.T) {
	t.Parallel()
	var pairs []string
	var text, want strings.Builder
	for i := range 200 {
		name, value := fmt.Sprintf("K%03d", i), fmt.Sprintf("value%03d%s", i*7%200, strings.Repeat("x", i%70))
		pairs = append(pairs, name, value)
		text.WriteString(value + " ")
		want.WriteString("<redacted:" + name + "> ")
	}
	got, counts := registry(t, pairs...).Redactor().Text(text.String())
	if got != want.String() || counts.Total() != 200 || len(counts) != 200 {
		t.Errorf("%d replacements:\n%s", counts.Total(), got)
	}
}

func TestCountsAreByNameInOrderOfEncounter(t *testing.T) {
	t.Parallel()
	r := registry(t, "A", "aaaa-value", "B", "bbbb-value").Redactor()
	_, got := r.Text("bbbb-value aaaa-value bbbb-value")
	if want := (secret.Counts{{"B", 2}, {"A", 1}}); !reflect.DeepEqual(got, want) || got.Total() != 3 {
		t.Errorf("counts = %v, want %v", got, want)
	}
	sum := got.Plus(secret.Counts{{"C", 1}, {"A", 4}})
	if want := (secret.Counts{{"B", 2}, {"A", 5}, {"C", 1}}); !reflect.DeepEqual(sum, want) {
		t.Errorf("sum = %v, want %v", sum, want)
	}
	if text, _ := json.Marshal(sum[:1]); string(text) != `[{"name":"B","count":2}]` {
		t.Errorf("JSON = %s", text)
	}
}

func TestRedactorAgreesWithTheNaiveOne(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		agree(t, rapid.SliceOfN(rapid.Byte(), 0, 200).Draw(t, "seed"))
	})
}

func FuzzRedactor(f *testing.F) {
	f.Add([]byte("\x02\x00\x02\x00\x01\x02 some text \xd0\x90\x90\x10\x20\x30"))
	f.Add(bytes.Repeat([]byte{150}, 60))
	f.Fuzz(func(t *testing.T, seed []byte) {
		if len(seed) <= 256 {
			agree(t, seed)
		}
	})
}

type fataler interface {
	Fatalf(format string, args ...any)
}

func agree(t fataler, seed []byte) {
	values, text := draw(seed)
	var r secret.Registry
	for i, v := range values {
		if err := r.Register(label(i), v); err != nil {
			t.Fatalf("Register(%q): %v", v, err)
		}
	}
	red := r.Redactor()
	want := naive(values, text)
	got, counts := red.Text(text)
	if got != want || counts.Total() != strings.Count(want, "<redacted:") {
		t.Fatalf("secrets %q, text %q:\n got %q, %v\nwant %q", values, text, got, counts, want)
	}
	if name, leaks := red.Leaks(got); leaks {
		t.Fatalf("secrets %q, text %q: %q still leaks %s", values, text, got, name)
	}
	var b strings.Builder
	w := red.Writer(&b)
	for rest := text; rest != ""; {
		n := min(len(rest), 1+len(rest)*7%23)
		if k, err := w.Write([]byte(rest[:n])); k != n || err != nil {
			t.Fatalf("Write = %d, %v", k, err)
		}
		rest = rest[n:]
		if !strings.HasPrefix(want, b.String()) {
			t.Fatalf("secrets %q, text %q: the stream shows %q", values, text, b.String())
		}
	}
	if err := w.Close(); err != nil || b.String() != want || w.Counts().Total() != counts.Total() {
		t.Fatalf("secrets %q, text %q: stream\n got %q\nwant %q", values, text, b.String(), want)
	}
}

func TestErrKeepsTheKindAndHidesTheText(t *testing.T) {
	t.Parallel()
	r := registry(t, "KEY", "very-secret-value").Redactor()
	plain := errors.New("nothing in it")
	if got := r.Err(plain); got != plain { //nolint:errorlint // the very same error is promised
		t.Errorf("Err(%v) = %v, want the same", plain, got)
	}
	if r.Err(nil) != nil {
		t.Error("Err(nil) is not nil")
	}
	err := r.Err(fmt.Errorf("open: %w", &fs.PathError{Op: "open", Path: "/very-secret-value", Err: fs.ErrNotExist}))
	if got, want := err.Error(), "open: open /<redacted:KEY>: file does not exist"; got != want {
		t.Errorf("text = %q, want %q", got, want)
	}
	var path *fs.PathError
	if !errors.Is(err, fs.ErrNotExist) || !errors.As(err, &path) {
		t.Error("the redacted error has lost what it is")
	}
	encoded, _ := json.Marshal(err)
	for _, shown := range []string{fmt.Sprintf("%v %+v %#v %s %q", err, err, err, err, err), string(encoded)} {
		if strings.Contains(shown, "very-secret") {
			t.Errorf("printed as %s", shown)
		}
	}
}

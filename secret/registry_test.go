package secret_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/helios-go/helios/secret"
)

func TestRegisterSaysWhichRuleIsBroken(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, value, want string }{
		{"K", "1234567", "7 bytes"},
		{"K", strings.Repeat("k", secret.MaxLen+1), "at most 65536"},
		{"K", "value\"1234", "a quote or a backslash at byte 5"},
		{"K", `value\1234`, "a quote or a backslash at byte 5"},
		{"K", "value1234\n", "control character 0x0a at byte 9"},
		{"K", "value\t1234", "control character 0x09 at byte 5"},
		{"K", "value1234\x7f", "control character 0x7f at byte 9"},
		{"K", "café12345", "not ASCII at byte 3"},
		{"", "value1234", "name is blank"},
		{" \t", "value1234", "name is blank"},
		{"a\nb", "value1234", "not fit to be shown"},
		{"<b>", "value1234", "not fit to be shown"},
		{" a", "value1234", "not fit to be shown"},
		{strings.Repeat("n", 129), "value1234", "not fit to be shown"},
		{"key-value1234", "value1234", "choose another name"},
		{"value1234", "1234", "choose another name"},
		{"K", "redacted", "choose another name"},
		{"of-other-secret", "value1234", "choose another name"},
		{"K", "harmless", "choose another name"},
	} {
		r := registry(t, "OTHER", "other-secret", "a-harmless-name", "a-third-secret")
		err := r.Register(c.name, c.value)
		if err == nil {
			t.Errorf("Register(%q, %q) = nil, want an error with %q", c.name, c.value, c.want)
			continue
		}
		got := err.Error()
		if !strings.Contains(got, c.want) || strings.Contains(got, c.value) || strings.Contains(got, "other-secret") {
			t.Errorf("Register(%q, %q) = %q, want %q in it and no secret", c.name, c.value, got, c.want)
		}
		if r.Len() != 2 {
			t.Errorf("Register(%q, %q) failed and left %d secrets, want 2", c.name, c.value, r.Len())
		}
	}
	if err := new(secret.Registry).Register("K", "12345678"); err != nil {
		t.Errorf("Register of 8 bytes = %v, want nil", err)
	}
	if err := new(secret.Registry).Register("K", "12345678", secret.Encoding(99)); err == nil {
		t.Error("Register with an unknown encoding = nil, want an error")
	}
}

func TestRegisterAgainReplacesTheValue(t *testing.T) {
	t.Parallel()
	r := registry(t, "A", "first-value", "B", "value-of-b", "A", "second-value")
	got, _ := r.Redactor().Text("first-value second-value")
	if want := "first-value <redacted:A>"; got != want {
		t.Errorf("Text = %q, want %q", got, want)
	}
	if got, want := r.Names(), []string{"A", "B"}; !slices.Equal(got, want) || r.Len() != 2 {
		t.Errorf("Names = %q, Len = %d, want %q, 2", got, r.Len(), want)
	}
}

func TestSnapshotDoesNotSeeWhatIsRegisteredLater(t *testing.T) {
	t.Parallel()
	r := registry(t, "A", "first-value")
	before := r.Redactor()
	if before != r.Redactor() {
		t.Error("two redactors between registrations, want one")
	}
	if err := r.Register("B", "second-value"); err != nil {
		t.Fatal(err)
	}
	if got, _ := before.Text("first-value second-value"); got != "<redacted:A> second-value" {
		t.Errorf("earlier redactor: %q", got)
	}
	if got, _ := r.Redactor().Text("first-value second-value"); got != "<redacted:A> <redacted:B>" {
		t.Errorf("later redactor: %q", got)
	}
}

func TestLeaksFindsASecretInsideOtherText(t *testing.T) {
	t.Parallel()
	r := registry(t, "A", "first-value", "B", "a&b<c>12")
	for candidate, want := range map[string]string{
		"--key=first-value":               "A",
		`{"k":"a\u0026b\u003cc\u003e12"}`: "B",
		"first-valu":                      "",
		"":                                "",
	} {
		if got, leaks := r.Leaks(candidate); got != want || leaks != (want != "") {
			t.Errorf("Leaks(%q) = %q, %t, want %q", candidate, got, leaks, want)
		}
	}
}

func TestNilAndZeroFindNothing(t *testing.T) {
	t.Parallel()
	var none *secret.Registry
	for _, r := range []*secret.Redactor{nil, {}, none.Redactor(), new(secret.Registry).Redactor()} {
		text, counts := r.Text("some text")
		if text != "some text" || counts != nil || r.Longest() != 0 {
			t.Errorf("Text = %q, %v", text, counts)
		}
		if got, _ := r.Bytes(nil); got == nil || len(got) != 0 {
			t.Errorf("Bytes(nil) = %#v, want empty", got)
		}
		var b strings.Builder
		w := r.Writer(&b)
		if _, err := w.Write([]byte("some text")); err != nil || w.Close() != nil || b.String() != "some text" {
			t.Errorf("Writer wrote %q, %v", b.String(), err)
		}
		if got, _ := r.JSON([]byte(`{}`)); string(got) != `{}` {
			t.Errorf("JSON = %s", got)
		}
	}
	if _, leaks := none.Leaks("x"); leaks || none.Len() != 0 || none.Names() != nil {
		t.Error("a nil registry holds something")
	}
}

func TestRegistryMayBeUsedAtTheSameTime(t *testing.T) {
	t.Parallel()
	var r secret.Registry
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			value := fmt.Sprintf("value-of-%02d", i)
			if err := r.Register(fmt.Sprintf("K%02d", i), value); err != nil {
				t.Error(err)
			}
			if got, _ := r.Redactor().Text(value); got != fmt.Sprintf("<redacted:K%02d>", i) {
				t.Errorf("Text(%q) = %q right after Register", value, got)
			}
			r.Leaks("nothing")
			r.Names()
		})
	}
	all.Wait()
	if r.Len() != 8 {
		t.Errorf("Len = %d, want 8", r.Len())
	}
}

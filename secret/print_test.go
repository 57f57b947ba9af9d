package secret_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/helios-go/helios/secret"
)

func TestNothingPrintsASecret(t *testing.T) {
	t.Parallel()
	reg := registry(t, "KEY", value)
	red := reg.Redactor()
	var b bytes.Buffer
	w := red.Writer(&b)
	if _, err := w.Write([]byte(value[:12])); err != nil {
		t.Fatal(err)
	}
	type private struct {
		reg secret.Registry
		red *secret.Redactor
		val secret.Value
		ptr *secret.Value
	}
	hidden := secret.NewValue(value)
	holder := &private{red: red, val: hidden, ptr: &hidden}
	if err := holder.reg.Register("KEY", value); err != nil {
		t.Fatal(err)
	}
	holder.reg.Redactor()
	type public struct {
		Val secret.Value
		Map map[string]secret.Value
	}
	digits := strings.Trim(strings.ReplaceAll(fmt.Sprintf("%d", []byte(value[:5])), " ", ", "), "[]")
	for _, x := range []any{
		reg, red, *red, w, hidden, &hidden, holder, *red, private{val: hidden},
		public{hidden, map[string]secret.Value{"k": hidden}}, red.Err(errors.New(value)),
	} {
		var shown strings.Builder
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%t", "%p", "%08b"} {
			fmt.Fprintf(&shown, verb+"\n", x)
		}
		encoded, err := json.Marshal(x)
		if err != nil {
			t.Error(err)
		}
		shown.Write(encoded)
		for _, leak := range []string{"b<c", `b\u003c`, hex.EncodeToString([]byte(value[:5])), digits, strings.ReplaceAll(digits, ",", "")} {
			if strings.Contains(strings.ToLower(shown.String()), leak) {
				t.Errorf("a %T shows %q in\n%s", x, leak, shown.String())
			}
		}
	}
}

func TestValueIsRevealedOnRequestOnly(t *testing.T) {
	t.Parallel()
	type config struct {
		Key   secret.Value
		Other secret.Value `json:",omitzero"`
	}
	var c config
	if err := json.Unmarshal([]byte(`{"Key":"k-123"}`), &c); err != nil || c.Key.Reveal() != "k-123" || c.Key.IsZero() {
		t.Fatalf("read %q, %v", c.Key.Reveal(), err)
	}
	if !c.Other.IsZero() || c.Other.Reveal() != "" || c.Other.String() != "" || !secret.NewValue("").IsZero() {
		t.Error("an unset value is not the zero one")
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(c); err != nil || b.String() != "{\"Key\":\"<redacted>\"}\n" {
		t.Errorf("written as %q, %v", b.String(), err)
	}
	if err := json.Unmarshal(b.Bytes(), &c); err == nil {
		t.Error("<redacted> was read as a secret, want an error")
	}
}

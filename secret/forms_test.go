package secret_test

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"net/url"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/helios-go/helios/secret"
)

func TestRedactorFindsWhatJSONEscapes(t *testing.T) {
	t.Parallel()
	const value = "a&b<c>12"
	r := registry(t, "K", value, "PATH", "one/two+three='4'").Redactor()
	once, _ := json.Marshal(value)
	twice, _ := json.Marshal(string(once))
	for text, want := range map[string]string{
		value:                              "<redacted:K>",
		string(once):                       `"<redacted:K>"`,
		string(twice):                      `"\"<redacted:K>\""`,
		`a\u0026b\u003Cc\u003E12`:          "<redacted:K>",
		`one\/two+three='4'`:               "<redacted:PATH>",
		`one\\/two+three='4'`:              "<redacted:PATH>",
		`one/two+three\u003d\u00274\u0027`: "<redacted:PATH>",
		`one/two\u002Bthree=\u00274\u0027`: "<redacted:PATH>",
	} {
		if got, _ := r.Text(text); got != want {
			t.Errorf("Text(%s) = %s, want %s", text, got, want)
		}
	}
}

func TestEncodedSecretsAreFound(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.StringMatching(`[ !#-\[\]-~]{8,40}`).Draw(t, "value")
		before := rapid.StringMatching(`[a-z:]{0,5}`).Draw(t, "before")
		after := rapid.StringMatching(`[a-z:]{0,5}`).Draw(t, "after")
		var reg secret.Registry
		if err := reg.Register("K", value, secret.Base64, secret.Percent, secret.Hex, secret.Reversed); err != nil {
			t.Skip(err)
		}
		all := before + value + after
		for name, shown := range map[string]string{
			"base64":       base64.StdEncoding.EncodeToString([]byte(all)),
			"base64 URL":   base64.RawURLEncoding.EncodeToString([]byte(all)),
			"query":        url.QueryEscape(all),
			"path":         url.PathEscape(all),
			"path, lower":  lower(url.PathEscape(all)),
			"hex":          hex.EncodeToString([]byte(all)),
			"HEX":          strings.ToUpper(hex.EncodeToString([]byte(all))),
			"reversed":     reversed(all),
			"query values": url.Values{"k": {all}}.Encode(),
		} {
			if _, leaks := reg.Leaks(shown); !leaks {
				t.Errorf("%s %q of %q is not found", name, shown, value)
			}
		}
	})
}

func lower(s string) string {
	var b strings.Builder
	for i, part := range strings.Split(s, "%") {
		if i > 0 {
			part = "%" + strings.ToLower(part[:2]) + part[2:]
		}
		b.WriteString(part)
	}
	return b.String()
}

func reversed(s string) string {
	var b strings.Builder
	for i := len(s) - 1; i >= 0; i-- {
		b.WriteByte(s[i])
	}
	return b.String()
}

func TestBase64IsHiddenAmongItsNeighbours(t *testing.T) {
	t.Parallel()
	var reg secret.Registry
	if err := reg.Register("PASSWORD", "open-sesame", secret.Base64); err != nil {
		t.Fatal(err)
	}
	for _, user := range []string{"", "a", "ab", "abc", "ali:"} {
		header := "Basic " + base64.StdEncoding.EncodeToString([]byte(user+"open-sesame"))
		got, _ := reg.Redactor().Text(header)
		left := strings.NewReplacer("Basic ", "", "<redacted:PASSWORD>", "", "=", "").Replace(got)
		if len(got) == len(header) || len(left) > len(user)*4/3+2 {
			t.Errorf("%s became %s", header, got)
		}
	}
}

func TestOnlyTheEncodingsAskedForAreFound(t *testing.T) {
	t.Parallel()
	r := registry(t, "K", "secret-value").Redactor()
	if name, leaks := r.Leaks(hex.EncodeToString([]byte("secret-value"))); leaks {
		t.Errorf("hex of %s is found, without being asked for", name)
	}
}

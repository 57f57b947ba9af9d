package command

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/helios-go/helios/internal/testdata"
	"github.com/helios-go/helios/secret"
	"pgregory.net/rapid"
)

// setSecret adds a secret to the environment of a grant.
func (g *Grant) setSecret(name, value string) {
	if g.SecretEnv == nil {
		g.SecretEnv = map[string]secret.Value{}
	}
	g.SecretEnv[name] = secret.NewValue(value)
}

const value = "a&b<c>12"

func withSecret(tb testing.TB) Grant {
	tb.Helper()
	g := sh(tb)
	g.Secrets = &secret.Registry{}
	g.setSecret("KEY", value)
	return g
}

func TestGrantedSecretIsRedacted(t *testing.T) {
	t.Parallel()
	g := withSecret(t)
	g.Stderr = true
	tl := open(t, g).Tool()
	res, err := call(t, tl, script(`echo "$KEY"; echo "$KEY$KEY" >&2`))
	if want := "[exit 0]\n<redacted:KEY>\n[stderr]\n<redacted:KEY><redacted:KEY>\n"; err != nil || res.Text() != want {
		t.Errorf("got %q, error %v, want %q", res.Text(), err, want)
	}
	if !strings.Contains(string(res.Data), `"redactions":[{"name":"KEY","count":3}]`) {
		t.Errorf("got data %s, want three replacements", res.Data)
	}
	noTrace(t, res.Text(), string(res.Data))
}

// noTrace fails when the secret shows, in any form that JSON gives it.
func noTrace(tb testing.TB, texts ...string) {
	tb.Helper()
	quoted, err := json.Marshal(value)
	if err != nil {
		tb.Fatal(err)
	}
	for _, text := range texts {
		if strings.Contains(text, value) || strings.Contains(text, strings.Trim(string(quoted), `"`)) {
			tb.Errorf("the secret shows in %q", text)
		}
	}
}

// Whatever registered it, and however the program puts it together.
func TestSecretOfAnotherGrantIsRedacted(t *testing.T) {
	t.Parallel()
	a := withSecret(t)
	open(t, a)
	b := sh(t)
	b.Secrets = a.Secrets
	c := open(t, b)
	res := run(t, c, `A='a&b'; B='<c>12'; printf %s "$A"; printf '%s\n' "$B"; printf '%s %s' "$B" "$A$B"`)
	if want := "<redacted:KEY>\n<c>12 <redacted:KEY>"; res.Stdout != want || res.Redactions.Total() != 2 {
		t.Errorf("got %q with %v, want %q", res.Stdout, res.Redactions, want)
	}
	// One that is registered while the program runs counts too.
	g := sh(t)
	g.Secrets, g.Dir = &secret.Registry{}, t.TempDir()
	c = open(t, g)
	stop := make(chan *Result, 1)
	go func() {
		res, err := c.Run(t.Context(), Input{Args: []string{"-c", `touch up; while [ ! -e go ]; do sleep 0.01; done; echo "$1 secret"`, "sh", "late"}})
		if err != nil {
			t.Error(err)
		}
		stop <- res
	}()
	until(t, "the program", func() bool { _, err := os.Lstat(filepath.Join(g.Dir, "up")); return err == nil })
	if err := g.Secrets.Register("LATE", "late secret"); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(g.Dir, "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if res := <-stop; res == nil || res.Stdout != "<redacted:LATE>\n" {
		t.Errorf("got %q, want it redacted", res.Stdout)
	}
}

func TestSecretInWhatIsGivenIsRefused(t *testing.T) {
	t.Parallel()
	g := withSecret(t)
	g.Stdin = true
	g.Dir = t.TempDir()
	c := open(t, g)
	for _, in := range []Input{
		{Args: []string{"-c", "touch ran", value}},
		{Args: []string{"-c", "touch ran; echo x" + value + "y"}},
		{Args: []string{"-c", "touch ran"}, Stdin: "x" + value},
	} {
		_, err := c.Run(t.Context(), in)
		var leak *SecretError
		if !errors.As(err, &leak) || leak.Secret != "KEY" {
			t.Errorf("got error %v, want a SecretError", err)
		}
		noTrace(t, fmt.Sprint(err))
	}
	if res := run(t, c, "ls"); res.Stdout != "" {
		t.Errorf("a refused call ran: %q", res.Stdout)
	}
}

func TestDerivedEncodingsAreRedactedWhenAskedFor(t *testing.T) {
	t.Parallel()
	g := withSecret(t)
	g.Encodings = []secret.Encoding{secret.Base64, secret.Percent, secret.Hex, secret.Reversed}
	c := open(t, g)
	shown := base64.StdEncoding.EncodeToString([]byte("user:" + value))
	res := run(t, c, `printf 'user:%s' "$KEY" | base64; printf %s "$KEY" | od -An -tx1 | tr -d ' \n'; echo; printf %s "$KEY" | rev`)
	for _, form := range []string{shown[7 : len(shown)-4], fmt.Sprintf("%x", value), "21>c<b&a"} {
		if strings.Contains(res.Stdout, form) {
			t.Errorf("%q shows in %q", form, res.Stdout)
		}
	}
	if res := run(t, c, `echo "a%26$1%3E12"`, "b%3Cc"); res.Stdout != "<redacted:KEY>\n" {
		t.Errorf("got %q with %v", res.Stdout, res.Redactions)
	}
}

// Errors are text for the model too.
func TestErrorsAreRedacted(t *testing.T) {
	t.Parallel()
	g := withSecret(t)
	inner := errors.New("no " + value + " here")
	g.Check = func([]string) error { return inner }
	_, err := open(t, g).Run(t.Context(), Input{})
	noTrace(t, fmt.Sprint(err))
	wantErr(t, "the check", err, inner)
}

// cutSecrets have no byte in common with what stands around them, so each byte
// that is left of one shows.
const secretBytes = "#$%&*+!^"

// A secret lies anywhere about the cap and about the end of what is kept, split
// over any writes. Not one byte of it shows.
func TestNoByteOfASecretSurvivesTheCut(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var secrets secret.Registry
		n := rapid.IntRange(1, 3).Draw(t, "secrets")
		var values []string
		for i := range n {
			v := rapid.StringOfN(rapid.RuneFrom([]rune(secretBytes)), secret.MinLen, 40, -1).Draw(t, "value")
			if err := secrets.Register(fmt.Sprintf("S%d", i), v); err != nil {
				t.Fatal(err)
			}
			values = append(values, v)
		}
		const most, keep = 200, 300
		var stream strings.Builder
		for stream.Len() < keep+100 {
			stream.WriteString(strings.Repeat("x", rapid.IntRange(0, 120).Draw(t, "gap")))
			stream.WriteString(rapid.SampledFrom(values).Draw(t, "secret"))
		}
		checkCut(t, stream.String(), most, keep, &secrets, func() int { return rapid.IntRange(1, 150).Draw(t, "write") })
	})
}

// fataler is a test or a property.
type fataler interface{ Fatalf(string, ...any) }

func checkCut(t fataler, stream string, most, keep int, secrets *secret.Registry, next func() int) {
	c := &capture{keep: keep}
	for rest := stream; rest != ""; {
		n := min(next(), len(rest))
		if _, err := c.Write([]byte(rest[:n])); err != nil {
			t.Fatalf("write: %v", err)
		}
		rest = rest[n:]
	}
	text, cut, _ := c.text(secrets.Redactor(), most)
	if strings.ContainsAny(text, secretBytes) {
		t.Fatalf("a secret shows in %q", text)
	}
	if want := len(stream) > keep; want && !cut {
		t.Fatalf("%d bytes were not cut", len(stream))
	}
}

// Every offset about the cap and about the end of what is kept, and every split
// of the secret over two writes.
func TestEveryOffsetAboutTheCut(t *testing.T) {
	t.Parallel()
	var secrets secret.Registry
	const v = "#$%&*+!^#$&"
	if err := secrets.Register("KEY", v); err != nil {
		t.Fatal(err)
	}
	const most, keep = 60, 90
	for offset := range keep + 20 {
		for split := range len(v) + 1 {
			stream := strings.Repeat("x", offset) + v + strings.Repeat("y", 2*keep)
			sizes := []int{max(1, offset+split), len(stream)}
			checkCut(t, stream, most, keep, &secrets, func() int {
				n := sizes[0]
				sizes = sizes[1:]
				return n
			})
		}
	}
}

// The same from end to end.
func TestSecretAcrossTheCapOfARealProgram(t *testing.T) {
	t.Parallel()
	g := sh(t)
	g.Program, g.MaxOutput, g.Secrets = "/usr/bin/python3", 1024, &secret.Registry{}
	const v = "#$%&*+!^"
	g.setSecret("KEY", v)
	g.Timeout = time.Minute
	c, err := Open(g)
	testdata.Need(t, "Python", err)
	for offset := 1024 - len(v) - 1; offset <= 1025; offset += 3 {
		code := fmt.Sprintf(`
import os, sys
k = os.environ["KEY"]
for f in (1, 2):
    os.write(f, b"x" * %d + k[:3].encode()); os.write(f, k[3:].encode() + b"y" * 200000)`, offset)
		res, err := c.Run(t.Context(), Input{Args: []string{"-I", "-S", "-c", code}})
		if err != nil {
			t.Fatal(err)
		}
		if strings.ContainsAny(res.Stdout+res.Stderr, v) || !res.Truncated {
			t.Errorf("offset %d: a secret shows in %q", offset, res.Stdout[900:])
		}
	}
}

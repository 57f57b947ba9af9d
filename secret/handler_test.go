package secret_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"
	"testing/slogtest"
	"time"

	"github.com/helios-go/helios/secret"
)

const value = "a&b<c>12-very-secret"

// odd shows different things to fmt and to JSON.
type odd struct {
	Shown  string  `json:"-"`
	Nested *string // an address to fmt, the text to JSON
}

type account struct{ key string }

func (a account) String() string       { return "account with " + a.key }
func (a account) LogValue() slog.Value { return slog.StringValue(a.key) }

type stringer struct{ key string }

func (s stringer) String() string { return "stringer with " + s.key }

type panicking struct{}

func (panicking) MarshalJSON() ([]byte, error) { panic("a bug in " + value) }

func TestHandlerLetsNoSecretThrough(t *testing.T) {
	t.Parallel()
	text := value
	for name, handler := range map[string]func(io.Writer) slog.Handler{
		"JSON": func(w io.Writer) slog.Handler { return slog.NewJSONHandler(w, nil) },
		"text": func(w io.Writer) slog.Handler { return slog.NewTextHandler(w, nil) },
	} {
		var b bytes.Buffer
		reg := registry(t, "KEY", value, "PIN", "12345678")
		log := slog.New(secret.NewHandler(handler(&b), reg)).
			With("with", value).WithGroup("g-" + value).With(slog.Group("inner", "k", value))
		log.Info("message "+value,
			"string", value, value, "key", "error", fmt.Errorf("open %s: %w", value, io.EOF),
			"bytes", []byte(value), "raw", json.RawMessage(`"`+value+`"`), "number", 12345678, "float", 12345678.0, "unsigned", uint64(12345678),
			"group", slog.GroupValue(slog.String("a", value)), "list", []string{value},
			"map", map[string]any{value: []any{12345678}}, "odd", odd{Shown: value}, "nested", odd{Nested: &text},
			"valuer", account{value}, "stringer", stringer{value}, "pointer", &odd{Shown: value}, "panic", panicking{},
			"value", secret.NewValue("not registered"), "joined", errors.Join(io.EOF, errors.New(value)))
		got := b.String()
		for _, leak := range []string{"very-secret", "12345678", "not registered"} {
			if strings.Contains(got, leak) {
				t.Errorf("%s: %q is in\n%s", name, leak, got)
			}
		}
		if n := strings.Count(got, "<redacted:"); n < 20 {
			t.Errorf("%s: %d redactions in\n%s", name, n, got)
		}
	}
}

func TestHandlerLeavesInnocentRecordsAsTheyAre(t *testing.T) {
	t.Parallel()
	line := func(wrap bool) string {
		var b bytes.Buffer
		var h slog.Handler = slog.NewJSONHandler(&b, nil)
		if wrap {
			h = secret.NewHandler(h, registry(t, "KEY", value))
		}
		rec := slog.NewRecord(time.Unix(1, 0), slog.LevelInfo, "message", 0)
		rec.Add("n", 1, "d", time.Second, "t", time.Unix(2, 0), "b", true, "e", io.EOF, "s", odd{Shown: "x"}, "nil", nil, "bytes", []byte("x"))
		if err := h.Handle(t.Context(), rec); err != nil {
			t.Error(err)
		}
		return b.String()
	}
	if got, want := line(true), line(false); got != want {
		t.Errorf("got  %swant %s", got, want)
	}
}

func TestHandlerKeepsTheRulesOfSlog(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	slogtest.Run(t, func(*testing.T) slog.Handler {
		b.Reset()
		return secret.NewHandler(slog.NewJSONHandler(&b, nil), registry(t, "KEY", value))
	}, func(t *testing.T) map[string]any {
		var m map[string]any
		if err := json.Unmarshal(b.Bytes(), &m); err != nil {
			t.Fatal(err)
		}
		return m
	})
}

func TestHandlerSeesSecretsRegisteredLater(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	var reg secret.Registry
	log := slog.New(secret.NewHandler(slog.NewTextHandler(&b, nil), &reg)).With("a", 1)
	if err := reg.Register("KEY", value); err != nil {
		t.Fatal(err)
	}
	log.Info(value)
	slog.New(secret.NewHandler(slog.NewTextHandler(&b, nil), nil)).Info("no registry")
	if got := b.String(); strings.Contains(got, value) || !strings.Contains(got, "no registry") {
		t.Errorf("logged %s", got)
	}
}

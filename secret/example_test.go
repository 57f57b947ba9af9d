package secret_test

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"

	"github.com/helios-go/helios/secret"
)

func Example() {
	var secrets secret.Registry
	if err := secrets.Register("API_KEY", "a&b<c>12"); err != nil {
		fmt.Println(err)
	}
	text, counts := secrets.Redactor().Text(`the key is a&b<c>12, in JSON "a\u0026b\u003cc\u003e12"`)
	fmt.Println(text)
	fmt.Println(counts)
	// Output:
	// the key is <redacted:API_KEY>, in JSON "<redacted:API_KEY>"
	// [{API_KEY 2}]
}

// Overlapping matches are replaced together, so that no byte of one is left.
func ExampleRedactor() {
	var secrets secret.Registry
	_ = secrets.Register("T", "abcabcab")
	fmt.Println(secrets.Redactor().Text("abcabcabcabcab"))
	// Output: <redacted:T> [{T 1}]
}

func ExampleRegistry_Register() {
	var secrets secret.Registry
	fmt.Println(secrets.Register("PIN", "1234"))
	fmt.Println(secrets.Register("KEY", "line one\n"))

	_ = secrets.Register("PASSWORD", "open-sesame", secret.Base64)
	header := "Basic " + base64.StdEncoding.EncodeToString([]byte("ali:open-sesame"))
	fmt.Println(secrets.Redactor().Text(header))
	// Output:
	// register secret "PIN": its value has 4 bytes, and innocent text would match it; give it at least 8
	// register secret "KEY": its value has the control character 0x0a at byte 8; trim it, or register each line
	// Basic YWxpOm<redacted:PASSWORD> [{PASSWORD 1}]
}

// A secret is found across writes; what could be the beginning of one is held
// back until more is known.
func ExampleRedactor_Writer() {
	var secrets secret.Registry
	_ = secrets.Register("TOKEN", "hunter2hunter2")
	w := secrets.Redactor().Writer(os.Stdout)
	for _, part := range []string{"it is hunter2", "hunter2, is", " it not?"} {
		fmt.Fprint(w, part)
	}
	fmt.Println(w.Close(), w.Counts())
	// Output: it is <redacted:TOKEN>, is it not?<nil> [{TOKEN 1}]
}

func ExampleRedactor_JSON() {
	var secrets secret.Registry
	_ = secrets.Register("PIN", "12345678")
	out, _ := secrets.Redactor().JSON(json.RawMessage(`{"pin": 12345678, "note": "12345678!"}`))
	fmt.Println(string(out))
	// Output: {"pin": "<redacted:PIN>", "note": "<redacted:PIN>!"}
}

func ExampleRedactor_Err() {
	var secrets secret.Registry
	_ = secrets.Register("KEY", "k-1234567")
	err := fmt.Errorf("GET /?key=k-1234567: %w", os.ErrDeadlineExceeded)
	shown := secrets.Redactor().Err(err)
	fmt.Println(shown, errors.Is(shown, os.ErrDeadlineExceeded))
	// Output: GET /?key=<redacted:KEY>: i/o timeout true
}

func ExampleRegistry_Leaks() {
	var secrets secret.Registry
	_ = secrets.Register("KEY", "k-1234567")
	fmt.Println(secrets.Leaks("--header=X-Key: k-1234567"))
	// Output: KEY true
}

func ExampleNewHandler() {
	var secrets secret.Registry
	_ = secrets.Register("KEY", "k-1234567")
	plain := slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}})
	log := slog.New(secret.NewHandler(plain, &secrets))
	log.Info("call with k-1234567", "headers", map[string]string{"X-Key": "k-1234567"})
	// Output: level=INFO msg="call with <redacted:KEY>" headers="{\"X-Key\":\"<redacted:KEY>\"}"
}

func ExampleValue() {
	config := struct {
		URL string
		Key secret.Value
	}{"https://example.org", secret.NewValue("k-1234567")}
	fmt.Printf("%+v\n", config)
	fmt.Println(config.Key.Reveal())
	// Output:
	// {URL:https://example.org Key:<redacted>}
	// k-1234567
}

package compat

import (
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/helios-go/helios/provider"
	"github.com/helios-go/helios/provider/internal/wire"
)

// Options say how a server is reached. Nil and the zero value are its own address,
// the key of its environment variable, and the dialect's times. Printing them shows no
// key and no value of a header.
type Options struct {
	// Key is the server's key. "" is the value of the dialect's variable, which is
	// sent to the dialect's own address only.
	Key string
	// BaseURL is the address to which /chat/completions is appended, as in
	// http://127.0.0.1:8000/v1. "" is the dialect's.
	BaseURL string
	// Header is sent with every request, in the place of ours of the same name; a name
	// without values removes one.
	Header http.Header
	// HTTP makes the requests. Nil is a client without a limit on the whole answer,
	// which does not follow redirects.
	HTTP *http.Client

	// HeaderTimeout is how long the answer may take to begin, IdleTimeout how long
	// nothing may come in the middle of it. 0 is Dialect.Patience: ten minutes for
	// Ollama, vLLM and llama.cpp, else a minute and two.
	HeaderTimeout, IdleTimeout time.Duration
	MaxEvent                   int // bytes of one event; 0 is 16 MiB

	// Info is what is known of the model, in the place of what [Models] says. Nobody
	// but its owner knows how much a model of a local server takes, or what one of a
	// gateway costs.
	Info *provider.Info
}

// LogValue shows what is set, and nothing secret.
func (o Options) LogValue() slog.Value { return wire.Print(o.Key, o.BaseURL, o.Header) }

// String is LogValue as a text.
func (o Options) String() string { return o.LogValue().String() }

// GoString is String, so that %#v keeps the key back too.
func (o Options) GoString() string { return o.String() }

// Format prints String whatever the verb.
func (o Options) Format(f fmt.State, _ rune) { fmt.Fprint(f, o.String()) }

// MarshalJSON writes what LogValue shows.
func (o Options) MarshalJSON() ([]byte, error) { return wire.JSON(o.LogValue()) }

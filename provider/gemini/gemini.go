// Package gemini is Google's Gemini models, by the Interactions API, and its files.
//
//	model := gemini.New("gemini-3.8-flash", nil) // the key is GEMINI_API_KEY
//	resp, err := llm.Generate(ctx, model, &llm.Request{
//		Messages: []llm.Message{llm.User("What is the solar wind?")},
//	})
//
// A conversation is sent as the steps that the API knows: what the user put in,
// thoughts, texts, calls and their results, in the order in which they came.
// Thoughts go back with their signatures, and what a model did with tools of
// Google's own (searches, fetched pages, unknown steps) goes back as it came.
// Nothing is kept by the server unless [Options.Continuation] says so.
//
// A stream has ended when the server has said how it ended. One that breaks off
// before is an error that matches [llm.ErrTransient] and io.ErrUnexpectedEOF; failed
// requests are for the caller to repeat. An answer that the server gives in several
// pieces, since it writes only so many tokens a request, is one stream here.
//
// Large files are put on the server once and referred to, with [Files]:
//
//	files := gemini.NewFiles(nil)
//	file, err := files.Managed(ctx, "launch.mp4", nil) // uploaded, and ready
//	defer file.Close()                                 // removed again
//	msg := llm.User("What happens here?", file.Part())
//
// Nothing is logged, and no error and no printed value holds a key, or more of a
// request's address than its host.
package gemini

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"regexp"
	"strings"
	"time"

	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/provider"
	"github.com/helios-go/helios/provider/internal/adapt"
	"github.com/helios-go/helios/provider/internal/wire"
)

const (
	vendor          = "gemini"
	home            = "https://generativelanguage.googleapis.com/"
	defaultVersion  = "v1beta"
	defaultRevision = "2026-05-20"
)

// Options say how the models are reached, and what they may do. Nil and the zero
// value are the defaults.
type Options struct {
	Key string // "": GEMINI_API_KEY or GOOGLE_API_KEY, unless BaseURL is set

	// BaseURL is what /interactions is appended to, version included:
	// "https://proxy.example.org/v1beta". "" is Google's own, in the version of
	// Version.
	BaseURL string
	// Version of the API, "v1" or "v1beta"; "" is v1beta. With BaseURL it has no
	// meaning. A request that one version refuses is never sent to another.
	Version string
	// Revision of the API that requests are written to, a date; "" is 2026-05-20.
	Revision string

	Header http.Header  // replaces ours of the same name; no value removes one
	HTTP   *http.Client // nil: one of our own, which follows no redirects

	HeaderTimeout time.Duration // until an answer begins; 0 is a minute
	IdleTimeout   time.Duration // without a byte of it; 0 is two minutes
	MaxEvent      int           // bytes of one event; 0 is 16 MiB

	// Continuation lets the server keep the conversation, so that only what came
	// since its last answer is sent. Without it every request holds the whole
	// history and asks the server to keep nothing. A history that was shortened or
	// edited since is sent whole. How long the server keeps what it was given is
	// its own affair; what it no longer has is sent whole too.
	Continuation bool

	WebSearch bool // the model may search with Google
	WebFetch  bool // the model may read web pages; not together with tools

	// Summary of thoughts: "auto", "none", or "", which asks for one in requests
	// that set a level of thinking. Without them thoughts have a signature only.
	Summary string
}

// String shows the options without the key and the values of headers.
func (o Options) String() string { return o.LogValue().String() }

// GoString is String, so that %#v keeps the key back too.
func (o Options) GoString() string { return o.String() }

// Format prints String whatever the verb.
func (o Options) Format(f fmt.State, _ rune) { fmt.Fprint(f, o.String()) }

// MarshalJSON writes what LogValue shows.
func (o Options) MarshalJSON() ([]byte, error) { return wire.JSON(o.LogValue()) }

// LogValue is what String shows.
func (o Options) LogValue() slog.Value {
	var more []slog.Attr
	for _, s := range []struct{ name, value string }{{"version", o.Version}, {"revision", o.Revision}, {"summary", o.Summary}} {
		if s.value != "" {
			more = append(more, slog.String(s.name, s.value))
		}
	}
	for _, s := range []struct {
		name string
		on   bool
	}{{"continuation", o.Continuation}, {"web_search", o.WebSearch}, {"web_fetch", o.WebFetch}} {
		if s.on {
			more = append(more, slog.Bool(s.name, true))
		}
	}
	return wire.Print(o.Key, o.BaseURL, o.Header, more...)
}

// A Model is one Gemini model. It implements [llm.Model], [llm.Sizer] and
// [llm.Pricer], and is safe for concurrent use.
type Model struct {
	id   string
	o    Options
	conn *wire.Conn
	info provider.Info
	err  error

	schemas *adapt.Cache
}

// New returns the model of an id, such as "gemini-3.8-flash". Ids that this package
// has not heard of work: their price and size are unknown. A setting that cannot be
// used is what [Model.Err] and every stream say.
func New(model string, o *Options) *Model {
	m := &Model{id: strings.TrimPrefix(strings.TrimSpace(model), "models/"), schemas: new(adapt.Cache)}
	if o != nil {
		m.o = *o
		m.o.Header = o.Header.Clone()
	}
	if m.conn, m.err = m.o.connect(m.id); m.err != nil {
		return m
	}
	switch {
	case m.id == "":
		m.err = invalid("name one, such as gemini-3.8-flash", "there is no model")
	case m.o.Summary != "" && m.o.Summary != "auto" && m.o.Summary != "none":
		m.err = invalid("set it to auto or none", "Options.Summary is %q", m.o.Summary)
	}
	catalogue := Models()
	m.info, _ = catalogue.Find(m.id)
	return m
}

var versions = regexp.MustCompile(`^v[0-9][0-9a-z]*$`)

// connect checks the settings that models and files share.
func (o *Options) connect(model string) (*wire.Conn, error) {
	version := o.Version
	if version == "" {
		version = defaultVersion
	}
	if o.BaseURL == "" && !versions.MatchString(version) {
		return nil, invalid("set it to v1 or v1beta", "Options.Version is %q", version)
	}
	return wire.New(&wire.Settings{
		Provider: vendor, Model: model,
		Key: o.Key, KeyVar: keyVariable(), KeyHeader: "X-Goog-Api-Key",
		Home: home + version, BaseURL: o.BaseURL,
		Header: o.Header, HTTP: o.HTTP,
		HeaderTimeout: o.HeaderTimeout, IdleTimeout: o.IdleTimeout, MaxEvent: o.MaxEvent,
		Kinds: kinds,
	})
}

// invalid is the error of what the server could not take, and what to do about it.
func invalid(hint, format string, args ...any) error {
	return &llm.Error{Kind: llm.KindInvalidRequest, Provider: vendor, Err: fmt.Errorf(format, args...), Hint: hint}
}

// keyVariable is the variable that holds the key: Google's own clients read both.
func keyVariable() string {
	if os.Getenv("GEMINI_API_KEY") == "" && os.Getenv("GOOGLE_API_KEY") != "" {
		return "GOOGLE_API_KEY"
	}
	return "GEMINI_API_KEY"
}

// header is what every request carries beside the key.
func (o *Options) header() http.Header {
	revision := o.Revision
	if revision == "" {
		revision = defaultRevision
	}
	return http.Header{"Api-Revision": {revision}}
}

// Name is "gemini/" and the id.
func (m *Model) Name() string { return vendor + "/" + m.id }

// Size is what is known of the model's window.
func (m *Model) Size() llm.Size { return m.info.Size }

// Cost is the price of one answer, if it is known.
func (m *Model) Cost(u llm.Usage) (llm.Micros, bool) { return m.info.Cost(u) }

// Err says why the model cannot be asked: a setting that is missing or wrong. It is
// an [*llm.Error] that names the setting.
func (m *Model) Err() error {
	if m.conn == nil && m.err == nil {
		return wire.Unmade(vendor, "gemini.New")
	}
	return m.err
}

// String is the name with the options, the key kept back.
func (m Model) String() string { return m.Name() + " " + m.o.String() }

// GoString is String.
func (m Model) GoString() string { return m.String() }

// LogValue is String.
func (m Model) LogValue() slog.Value { return slog.StringValue(m.String()) }

// Format prints String whatever the verb.
func (m Model) Format(f fmt.State, _ rune) { fmt.Fprint(f, m.String()) }

// version is the part of the base URL's path that is one, for the metadata.
func (m *Model) version() string {
	path := m.conn.Base().Path
	if last := path[strings.LastIndex(path, "/")+1:]; versions.MatchString(last) {
		return last
	}
	return ""
}

// refine says more of an error of the server than its status does: Google answers
// a wrong key with 400, and puts how long to wait into words.
func refine(err error) error {
	e, ok := errors.AsType[*llm.Error](err)
	if !ok || e.Err == nil {
		return err
	}
	text := e.Err.Error()
	if e.Kind == llm.KindInvalidRequest && (strings.Contains(text, "API key not valid") || strings.Contains(text, "API key expired")) {
		e.Kind = llm.KindAuth
		e.Hint = fmt.Sprintf("check %s or Options.Key", keyVariable())
	}
	if e.Kind == llm.KindTransient && e.RetryAfter == 0 {
		if found := retryIn.FindStringSubmatch(text); found != nil {
			if d, err := time.ParseDuration(found[1] + found[2]); err == nil {
				e.RetryAfter = d
			}
		}
	}
	return err
}

var retryIn = regexp.MustCompile(`(?i)retry in ([0-9]{1,6}(?:\.[0-9]{1,9})?)(ms|s)\b`)

// kinds sorts the API's names of errors, of both the forms that it has.
var kinds = func() map[string]llm.ErrorKind {
	m := map[string]llm.ErrorKind{}
	for kind, codes := range map[llm.ErrorKind]string{
		llm.KindTransient: "rate_limit rate_limit_exceeded resource_exhausted too_many_requests unavailable service_unavailable overloaded " +
			"internal internal_error server_error api_error unknown deadline_exceeded timeout aborted",
		llm.KindInvalidRequest: "invalid_argument invalid_request invalid_request_error failed_precondition out_of_range unimplemented not_found model_not_found",
		llm.KindAuth:           "unauthenticated authentication_error permission_denied permission_error",
		llm.KindRefused:        "safety blocked prohibited_content content_filter recitation spii blocklist",
	} {
		for code := range strings.FieldsSeq(codes) {
			m[code], m[strings.ToUpper(code)] = kind, kind
		}
	}
	return m
}()

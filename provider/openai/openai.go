// Package openai speaks to OpenAI's models, and to servers that speak as they do,
// through the Responses API (POST /v1/responses).
//
//	model := openai.New("gpt-6-sol", nil) // the key is OPENAI_API_KEY
//	resp, err := llm.Generate(ctx, model, &llm.Request{
//		System:   []llm.Part{llm.Text("You answer in one sentence.")},
//		Messages: []llm.Message{llm.User("What is the solar wind?")},
//	})
//
// Azure is the same with another address and the key in a header of its own; the
// model is the name of the deployment:
//
//	openai.New("my-deployment", &openai.Options{
//		BaseURL: "https://NAME.openai.azure.com/openai/v1",
//		Header:  http.Header{"Api-Key": {key}},
//	})
//
// # What is sent
//
// The conversation goes to the server whole with each request, and the server is
// told not to store it. What a model reasoned comes back encrypted; it is kept with
// the message and sent again in its place, so that reasoning goes on across tool
// calls. It is sent only right before the item that followed it, since the server
// refuses it anywhere else, and only to the model that it came from. With
// [Options.Continuation] the server stores the answers instead and is sent what is
// new; what is in the messages stays the truth, and where it is no longer what the
// server knows, everything is sent.
//
// Schemas of tools and outputs are sent as strict ones where they can be: every
// property is required then, an optional one may be null, and the nulls that mean
// "not given" are taken out of what comes back.
//
// # Settings
//
// Thinking becomes reasoning.effort, with a summary of the reasoning as the text of
// the thinking part. A level that the model does not have becomes the nearest one;
// a model that does not reason, or that cannot be told not to, refuses the level
// before anything is sent. While a model reasons, Temperature is left out, since
// none takes it then. The API has neither stop texts nor a seed: they are
// an error. Settings that this package does not know are
// Options.Provider["openai"], an object that is merged into the request:
//
//	Provider: map[string]json.RawMessage{"openai": []byte(`{"service_tier":"flex"}`)}
//
// # What comes back
//
// Text, refusals, reasoning and calls come as deltas and then whole. Items that a
// server makes for itself (web searches, MCP calls, compactions) are opaque parts
// and go back as they came. A stream is whole only at response.completed or
// response.incomplete: one that ends before is an error, and so is response.failed.
// Nothing is retried here; an [llm.Error] says whether that may help, and when.
package openai

import (
	"fmt"
	"log/slog"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/provider"
	"github.com/helios-go/helios/provider/internal/adapt"
	"github.com/helios-go/helios/provider/internal/wire"
)

// providerName is the first half of the models' names, and whose the opaque data
// are.
const providerName = "openai"

// Options say how the server is reached. Nil and the zero value are OpenAI itself
// with the key of the environment. They print without the key and the values of
// headers.
type Options struct {
	Key     string // "": OPENAI_API_KEY, which is sent to OpenAI only and not to another BaseURL
	BaseURL string // to which /responses is appended; "" is https://api.openai.com/v1
	// Header goes with each request: it replaces headers of ours of the same name,
	// in any case; a name without values removes one.
	Header http.Header
	HTTP   *http.Client // nil: one of our own, which does not follow redirects

	HeaderTimeout time.Duration // until an answer begins; 0 is a minute
	IdleTimeout   time.Duration // between two pieces of an answer; 0 is two minutes
	MaxEvent      int           // the longest event in bytes; 0 is 16 MiB

	// Continuation lets the server store each answer, for as long as its operator
	// says, and sends only what is new since the last one.
	Continuation bool
	// PromptCacheKey tells the server which requests begin alike. It helps where many
	// share one long prompt.
	PromptCacheKey string
	// Summary is how the reasoning is told: "auto", "concise" or "detailed"; "none"
	// leaves it out. "" is "auto". It is asked for only together with a level of
	// Thinking.
	Summary string
}

// LogValue tells the settings without the key and the values of headers.
func (o Options) LogValue() slog.Value {
	var more []slog.Attr
	if o.Continuation {
		more = append(more, slog.Bool("continuation", true))
	}
	return wire.Print(o.Key, o.BaseURL, o.Header, more...)
}

// String is LogValue as a text.
func (o Options) String() string { return "openai.Options" + fmt.Sprint(o.LogValue().Group()) }

// GoString is String.
func (o Options) GoString() string { return o.String() }

// Format prints String whatever the verb.
func (o Options) Format(f fmt.State, _ rune) { fmt.Fprint(f, o.String()) }

// MarshalJSON writes what LogValue shows.
func (o Options) MarshalJSON() ([]byte, error) { return wire.JSON(o.LogValue()) }

// A Model is one of OpenAI's models. It is safe for concurrent use.
type Model struct {
	id    string
	opts  Options
	conn  *wire.Conn
	err   error
	info  provider.Info
	known bool

	nameless *atomic.Bool // the server looks for items by their ids in vain

	schemas *adapt.Cache
}

// New returns a model by its id. It never fails: a key that is missing, or a
// setting that cannot work, is what [Model.Err] and the first use say. Nil options
// are the zero value.
func New(model string, o *Options) *Model {
	if o == nil {
		o = &Options{}
	}
	m := &Model{id: model, opts: *o, nameless: new(atomic.Bool), schemas: new(adapt.Cache)}
	catalogue := Models()
	m.info, m.known = catalogue.Find(model)
	m.conn, m.err = wire.New(&wire.Settings{
		Provider: providerName, Model: model,
		Key: o.Key, KeyVar: "OPENAI_API_KEY", KeyHeader: "Authorization", KeyPrefix: "Bearer ",
		Home: "https://api.openai.com/v1", BaseURL: o.BaseURL,
		Header: o.Header, HTTP: o.HTTP, HeaderTimeout: o.HeaderTimeout, IdleTimeout: o.IdleTimeout, MaxEvent: o.MaxEvent,
		Kinds: kinds,
	})
	if m.err == nil && model == "" {
		m.err = m.conn.Invalid("there is no model; give New its id")
	}
	return m
}

// Name is "openai/" and the id.
func (m *Model) Name() string { return providerName + "/" + m.id }

// Size is the model's window, zero where it is not known.
func (m *Model) Size() llm.Size { return m.info.Size }

// Cost is what an answer costs, and whether that is known.
func (m *Model) Cost(u llm.Usage) (llm.Micros, bool) { return m.info.Cost(u) }

// Err says why the model cannot be asked; nil if it can.
func (m *Model) Err() error {
	if m.conn == nil && m.err == nil {
		return wire.Unmade(providerName, "openai.New")
	}
	return m.err
}

// String is the name.
func (m Model) String() string { return m.Name() }

// GoString is the name too.
func (m Model) GoString() string { return m.Name() }

// Format prints the name whatever the verb.
func (m Model) Format(f fmt.State, _ rune) { fmt.Fprint(f, m.Name()) }

// LogValue is the name with the settings.
func (m Model) LogValue() slog.Value {
	return slog.GroupValue(slog.String("model", m.Name()), slog.Any("options", m.opts))
}

// kinds sorts OpenAI's codes of errors, and Azure's.
var kinds = map[string]llm.ErrorKind{
	"rate_limit_exceeded":  llm.KindTransient,
	"server_error":         llm.KindTransient,
	"server_is_overloaded": llm.KindTransient,
	"slow_down":            llm.KindTransient,
	"timeout":              llm.KindTransient,
	"vector_store_timeout": llm.KindTransient,

	// Waiting does not fill an account.
	"insufficient_quota":         llm.KindOther,
	"billing_hard_limit_reached": llm.KindOther,
	"billing_not_active":         llm.KindOther,

	"context_length_exceeded": llm.KindContextTooLong,

	"invalid_api_key":       llm.KindAuth,
	"authentication_error":  llm.KindAuth,
	"account_deactivated":   llm.KindAuth,
	"permission_error":      llm.KindAuth,
	"model_not_found":       llm.KindInvalidRequest,
	"DeploymentNotFound":    llm.KindInvalidRequest,
	"unsupported_parameter": llm.KindInvalidRequest,
	"unsupported_value":     llm.KindInvalidRequest,

	"invalid_prompt":                 llm.KindRefused, // what a prompt that breaks the usage policy is called
	"bio_policy":                     llm.KindRefused,
	"cyber_policy":                   llm.KindRefused,
	"misalignment_policy_violation":  llm.KindRefused,
	"content_policy_violation":       llm.KindRefused,
	"image_content_policy_violation": llm.KindRefused,
	"moderation_blocked":             llm.KindRefused,
	"content_filter":                 llm.KindRefused,
}

// Package anthropic speaks Anthropic's Messages API.
//
//	model := anthropic.New("claude-sonnet-5", nil) // the key is in ANTHROPIC_API_KEY
//	a := agent.Agent{Model: model, Tools: tools, Limits: agent.Limits{Money: 2 * llm.Dollar}}
//	res, err := a.Run(ctx, "Is it warm in Toulouse?")
//
// # What goes back
//
// What Claude thinks, cites and searches goes back to it byte for byte, since the
// API refuses a history in which a signature is missing or changed. A thought is
// bound to the model that had it: another one is not sent it. Newer models bind it
// to what stood before it too; where a history has been changed, as by compaction,
// they are asked to leave the thought out instead of refusing the request. (That is
// a beta: who sets the header Anthropic-Beta names [it] there or goes without.)
// Blocks that this package does not know are kept and sent back as they came.
//
// A history that was made with another provider can be gone on with: its texts, calls
// and results stay, its thoughts and files are left out.
//
// # Thinking
//
// The levels of [llm.Thinking] become what each family understands.
//
//	                                 none            minimal to high         xhigh, max
//	Opus 4.5, 4.6, Sonnet 4.5, 4.6,
//	Haiku 4.5                        says nothing    1,024 to 32,000 tokens  an error
//	Opus 4.7, 4.8, unknown models    says nothing    adaptive, an effort     the same
//	Sonnet 5, Opus 5, Haiku 5.5      disabled        adaptive, an effort     the same
//	Sonnet 5.5                       between_tools   adaptive, an effort     the same
//	Opus 5.5, Fable, Mythos          thinks anyway   an effort               the same
//
// A number of tokens to think is on top of a smaller MaxTokens. It is left out of a
// request that goes on with calls of another model, which have no thought in front,
// and of one that has to call a tool: the API refuses both. Temperature and TopP are
// for the models of the first line, with Version 2023-06-01 and while they do not
// think; they are left out otherwise, as is Seed.
//
// # What else differs
//
// Prompts are cached for five minutes unless [Options] say otherwise. A turn that
// the API pauses, as it does in long searches of its own, is taken up again within
// the same stream, up to eight times. Opus 5.5, Sonnet 5.5 and Fable from 5.1 on
// refuse to be forced to call a tool: naming one tells them in words, wanting any is
// an error. Output is held to its schema by the API where it can do that, and asked
// for in words at other servers, beside a web search, and for open objects.
//
// Nothing is retried: that is the caller's decision, and an [llm.Error] says whether
// it may help. An answer counts only with the event that ends it. The metadata of
// the terminal chunk tell the message's id, why it ended, with the details of a
// refusal, and how often the API's own tools ran.
//
// The API is documented at platform.claude.com/docs/en/api/messages; how its events
// look in practice is in this repository's tests.
//
// [it]: https://platform.claude.com/docs/en/build-with-claude/preserved-thinking/prefix-checks
package anthropic

import (
	"context"
	"fmt"
	"iter"
	"log/slog"
	"net/http"
	"time"

	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/provider"
	"github.com/helios-go/helios/provider/internal/adapt"
	"github.com/helios-go/helios/provider/internal/wire"
)

// DefaultVersion is the version of the API that is spoken unless [Options] name
// another one.
const DefaultVersion = "2026-10-21"

// oldVersion is the version that still takes temperatures.
const oldVersion = "2023-06-01"

// Options say how the API is reached and used. The zero value, and nil, take the
// key from the environment and leave the rest to the defaults. Printed, they show
// neither the key nor the values of headers.
type Options struct {
	Key     string // "": that of ANTHROPIC_API_KEY, which is sent to no BaseURL but Anthropic's own
	BaseURL string // "": https://api.anthropic.com; /v1/messages is appended

	Header http.Header  // replace ours of the same name; a name without a value removes it
	HTTP   *http.Client // nil: one of our own, which follows no redirects

	HeaderTimeout time.Duration // until an answer begins; 0 is a minute
	IdleTimeout   time.Duration // between two pieces of an answer; 0 is two minutes
	MaxEvent      int           // bytes of one event; 0 is 16 MiB

	Version string      // of the API; "" is DefaultVersion
	Cache   CachePolicy // how long prompts are cached; the zero value is five minutes

	// StrictTools asks the API to hold arguments to their schemas, of up to 20 tools
	// whose schemas it can hold to. It makes a grammar of all of them, which takes a
	// while at first, and refuses the request when that becomes too large: so this is
	// for few tools. Arguments are checked here in any case.
	StrictTools bool

	// WebSearch and WebFetch let the model search and read the web by tools that
	// Anthropic runs. No tool of the caller may have the name web_search or
	// web_fetch then.
	WebSearch, WebFetch bool
}

// LogValue shows what is set, the key and the values of headers kept back.
func (o Options) LogValue() slog.Value {
	return wire.Print(o.Key, o.BaseURL, o.Header, slog.String("version", o.version()), slog.String("cache", o.Cache.String()))
}

// String is LogValue as a text.
func (o Options) String() string { return o.LogValue().String() }

// GoString is String, so that %#v keeps the key back too.
func (o Options) GoString() string { return o.String() }

// Format prints String whatever the verb.
func (o Options) Format(f fmt.State, _ rune) { fmt.Fprint(f, o.String()) }

// MarshalJSON writes what LogValue shows.
func (o Options) MarshalJSON() ([]byte, error) { return wire.JSON(o.LogValue()) }

func (o *Options) version() string {
	if o.Version == "" {
		return DefaultVersion
	}
	return o.Version
}

// A Model is one of Anthropic's models. It is safe for concurrent use.
type Model struct {
	id    string
	name  string
	opts  Options
	conn  *wire.Conn
	err   error
	info  provider.Info // zero for a model that is not in the catalogue
	shape shape
	home  bool // the server is Anthropic's own
	binds bool // it is told what to do with thoughts of another conversation

	schemas *adapt.Cache
}

// New returns a model by its id, such as "claude-sonnet-5". Ids that this package
// does not know work: their window and price are unknown. What is wrong with the
// options is told by [Model.Err], and by the first request.
func New(model string, opts *Options) *Model {
	if opts == nil {
		opts = &Options{}
	}
	m := &Model{id: model, name: "anthropic/" + model, opts: *opts, shape: shapeOf(model), schemas: &adapt.Cache{}}
	m.info, _ = catalogue.Find(model)
	m.conn, m.err = wire.New(&wire.Settings{
		Provider: "anthropic", Model: model,
		Key: opts.Key, KeyVar: "ANTHROPIC_API_KEY", KeyHeader: "X-Api-Key",
		Home: "https://api.anthropic.com", BaseURL: opts.BaseURL, Header: opts.Header, HTTP: opts.HTTP,
		HeaderTimeout: opts.HeaderTimeout, IdleTimeout: opts.IdleTimeout, MaxEvent: opts.MaxEvent, Kinds: kinds,
	})
	if m.err == nil {
		m.home = m.conn.Base().Host == "api.anthropic.com"
		m.binds = m.home && m.shape.bound && mayHave(opts.Header, betaBinding)
	}
	switch {
	case m.err != nil:
	case model == "":
		m.err = m.conn.Invalid("there is no model; name one, such as claude-sonnet-5")
	case opts.BaseURL == "" && !claude(model):
		m.err = m.conn.Invalid("%q is no model of Anthropic's: their ids begin with claude-; a server of another kind needs Options.BaseURL", model)
	case opts.Cache > CacheNone:
		m.err = m.conn.Invalid("Options.Cache is %d; use one of the cache policies of this package", opts.Cache)
	}
	return m
}

// Name is "anthropic/" and the model's id.
func (m *Model) Name() string { return m.name }

// Err is why the model cannot be asked: a missing key, an option that cannot be.
func (m *Model) Err() error {
	if m.conn == nil && m.err == nil {
		return wire.Unmade("anthropic", "anthropic.New")
	}
	return m.err
}

// Size is the model's window and its longest answer, zero where they are unknown.
func (m *Model) Size() llm.Size { return m.info.Size }

// Cost is what one answer costs by the list prices of [Models], with the rate that
// the cache policy has for tokens written to the cache. Web searches, which are paid
// by the piece, are not in it: the metadata tell how many there were.
func (m *Model) Cost(u llm.Usage) (cost llm.Micros, known bool) {
	info := m.info
	if m.opts.Cache == CacheHour {
		info = hourly(info)
	}
	return info.Cost(u)
}

// LogValue tells the model and its options, nothing secret among them.
func (m Model) LogValue() slog.Value {
	return slog.GroupValue(slog.String("model", m.name), slog.Any("options", m.opts))
}

// String is the model's name.
func (m Model) String() string { return m.name }

// GoString is String.
func (m Model) GoString() string { return m.name }

// Format prints the name whatever the verb.
func (m Model) Format(f fmt.State, _ rune) { fmt.Fprint(f, m.name) }

// kinds are the API's names of errors (platform.claude.com/docs/en/api/errors).
var kinds = map[string]llm.ErrorKind{
	"invalid_request_error": llm.KindInvalidRequest,
	"authentication_error":  llm.KindAuth,
	"billing_error":         llm.KindAuth,
	"permission_error":      llm.KindAuth,
	"not_found_error":       llm.KindInvalidRequest,
	"request_too_large":     llm.KindContextTooLong,
	"rate_limit_error":      llm.KindTransient,
	"timeout_error":         llm.KindTransient,
	"api_error":             llm.KindTransient,
	"overloaded_error":      llm.KindTransient,
}

// maxPauses is how often one turn may be paused and taken up again.
const maxPauses = 8

// Stream asks the model. A turn that the API pauses is one stream here.
func (m *Model) Stream(ctx context.Context, req *llm.Request) iter.Seq2[llm.Chunk, error] {
	if err := m.Err(); err != nil {
		return wire.Dead(err)
	}
	return func(yield func(llm.Chunk, error) bool) {
		if err := m.stream(ctx, req, yield); err != nil {
			yield(llm.Chunk{}, err)
		}
	}
}

func (m *Model) stream(ctx context.Context, req *llm.Request, yield func(llm.Chunk, error) bool) error {
	e, err := m.encoder(req)
	if err != nil {
		return err
	}
	d := m.decoder(e.names, yield)
	d.args = e.args
	for pauses := 0; ; pauses++ {
		body, err := e.body()
		if err != nil {
			return err
		}
		if err := m.turn(ctx, body, d); d.left {
			return nil
		} else if err != nil {
			return err
		}
		if !d.paused() {
			return nil
		}
		if pauses == maxPauses {
			return &llm.Error{Kind: llm.KindOther, Provider: "anthropic", Hint: "ask for less at once", Err: fmt.Errorf("the turn was paused %d times and is still not over", pauses+1)}
		}
		if err := e.resume(d.segment(), d.container()); err != nil {
			return err
		}
	}
}

// turn makes one request and reads its answer.
func (m *Model) turn(ctx context.Context, body []byte, d *decoder) error {
	header := http.Header{"Anthropic-Version": {m.opts.version()}}
	if m.binds {
		header["Anthropic-Beta"] = []string{betaBinding}
	}
	for event, err := range m.conn.Ask(ctx, "/v1/messages", header, body) {
		if err != nil {
			return err
		}
		if done, err := d.event(event); done || err != nil {
			return err
		}
	}
	return m.conn.Cut()
}

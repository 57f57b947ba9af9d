package compat

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/provider"
	"github.com/helios-go/helios/provider/internal/adapt"
	"github.com/helios-go/helios/provider/internal/wire"
)

// A Model is one model of one server. It is safe for concurrent use.
type Model struct {
	d     Dialect
	id    string
	o     Options
	info  provider.Info
	conn  *wire.Conn
	err   error
	close bool // it is on this machine

	schemas *adapt.Cache
}

// New makes a model that a server of this dialect has. It never fails: what is
// wrong with the settings is what [Model.Err] says.
func (d *Dialect) New(model string, o *Options) *Model {
	m := &Model{d: *d, id: model, schemas: new(adapt.Cache)}
	m.d.BaseURL = d.home()
	if d.Name == groq.Name && strings.Contains(model, "qwen") && maps.Equal(d.Thinking.Names, groq.Thinking.Names) {
		m.d.Thinking.Names = onOff
	}
	if o != nil {
		m.o = *o
	}
	if m.o.Info != nil {
		m.info = *m.o.Info
	} else {
		m.info, _ = Models(d.Name).Find(model)
	}
	m.conn, m.err = m.o.connect(&m.d, model)
	switch {
	case m.err != nil:
	case model == "":
		m.err = m.conn.Invalid("no model is named; give one that the server has, see compat.List")
	default:
		m.close = loopback(m.conn.Base())
	}
	return m
}

// connect is the way to a server.
func (o *Options) connect(d *Dialect, model string) (*wire.Conn, error) {
	s := &wire.Settings{
		Provider: d.Name, Model: model,
		Key: o.Key, KeyVar: d.KeyVar, KeyHeader: d.KeyHeader, Keyless: d.Keyless,
		Home: d.BaseURL, BaseURL: o.BaseURL, Header: o.Header, HTTP: o.HTTP,
		HeaderTimeout: cmp.Or(o.HeaderTimeout, d.Patience), IdleTimeout: cmp.Or(o.IdleTimeout, d.Patience), MaxEvent: o.MaxEvent,
		Kinds: kinds, Hint: d.Hint,
	}
	for name := range o.Header { // whatever stands there is the caller's way to be let in
		s.Keyless = s.Keyless || strings.EqualFold(name, "Authorization")
	}
	if s.KeyHeader == "" {
		s.KeyHeader, s.KeyPrefix = "Authorization", "Bearer "
	}
	return wire.New(s)
}

// loopback reports whether a server is on this machine.
func loopback(u *url.URL) bool {
	ip := net.ParseIP(u.Hostname())
	return u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
}

// Name is the dialect's name and the model's, as in "groq/llama-3.3-70b-versatile".
func (m *Model) Name() string { return m.d.Name + "/" + m.id }

// Size is what is known of the model's windows.
func (m *Model) Size() llm.Size { return m.info.Size }

// Cost is what a request costs, and whether that is known. What runs on this
// machine costs nothing.
func (m *Model) Cost(u llm.Usage) (llm.Micros, bool) {
	if m.d.Free && m.close && len(m.info.Prices) == 0 {
		return 0, true
	}
	return m.info.Cost(u)
}

// Err is what is wrong with the settings, an [*llm.Error], or nil.
func (m *Model) Err() error {
	if m.conn == nil && m.err == nil {
		return wire.Unmade("compat", "compat.New")
	}
	return m.err
}

// Dialect is a copy of the model's.
func (m *Model) Dialect() Dialect { return m.d }

// LogValue is the name and the options without anything secret.
func (m Model) LogValue() slog.Value {
	return slog.GroupValue(slog.String("model", m.Name()), slog.Any("options", m.o.LogValue()))
}

// String is LogValue as a text.
func (m Model) String() string { return m.LogValue().String() }

// GoString is String, so that %#v keeps the key back too.
func (m Model) GoString() string { return m.String() }

// Format prints String whatever the verb.
func (m Model) Format(f fmt.State, _ rune) { fmt.Fprint(f, m.String()) }

// Stream runs one request. See [llm.Model]; errors are [*llm.Error].
func (m *Model) Stream(ctx context.Context, req *llm.Request) iter.Seq2[llm.Chunk, error] {
	if err := m.Err(); err != nil {
		return wire.Dead(err)
	}
	return func(yield func(llm.Chunk, error) bool) {
		b := &builder{d: &m.d, m: m, req: adapt.Distinct(req)}
		body, err := b.body()
		if err != nil {
			yield(llm.Chunk{}, err)
			return
		}
		resp, err := m.conn.Post(ctx, m.path(), nil, body) //nolint:bodyclose // Events closes it
		if err != nil {
			yield(llm.Chunk{}, m.explain(err))
			return
		}
		d := &decoder{model: m.Name(), provider: m.d.Name, real: b.names.Back, submit: b.submit}
		if err := m.read(resp, d, yield); err != nil {
			yield(llm.Chunk{}, err)
		}
	}
}

// errLeft is a reader that wants no more.
var errLeft = errors.New("left")

// read yields what the events of an answer make. The error is the last value to
// yield; nil when the answer was whole, or its reader has gone.
func (m *Model) read(resp *http.Response, d *decoder, yield func(llm.Chunk, error) bool) error {
	switch err := m.events(resp, d, yield); {
	case errors.Is(err, errLeft):
		return nil
	case err != nil:
		return err
	}
	problem, err := d.end()
	switch {
	case errors.Is(err, errCut):
		return m.conn.Cut()
	case problem != nil:
		return m.failed(problem)
	}
	m.tell(d, yield)
	return nil
}

// events yields all but the end. Once the finish_reason was there the answer is
// whole, and a connection that breaks then takes nothing away but the usage.
func (m *Model) events(resp *http.Response, d *decoder, yield func(llm.Chunk, error) bool) error {
	var limit *time.Timer // of what follows a whole answer: comments may come for ever
	defer func() {
		if limit != nil {
			limit.Stop()
		}
	}()
	for event, err := range m.conn.Events(resp) {
		if err != nil {
			if d.whole && errors.Is(err, llm.ErrTransient) {
				return nil
			}
			return err
		}
		last, problem, err := d.event(event.Data)
		switch {
		case err != nil && event.Cut && d.whole:
			return nil
		case err != nil:
			return m.conn.Garbled(event.Cut, err)
		case !m.tell(d, yield):
			return errLeft
		case problem != nil:
			return m.failed(problem)
		case last:
			return nil
		}
		if d.whole && limit == nil {
			limit = time.AfterFunc(cmp.Or(m.o.IdleTimeout, m.d.Patience, time.Minute), func() { resp.Body.Close() })
		}
	}
	return nil
}

func (m *Model) tell(d *decoder, yield func(llm.Chunk, error) bool) bool {
	for i := range d.out {
		if !yield(d.out[i], nil) {
			return false
		}
	}
	return true
}

// path is where requests go, behind the base URL.
func (m *Model) path() string {
	if m.d.Path == "" {
		return "/chat/completions"
	}
	return m.d.Path
}

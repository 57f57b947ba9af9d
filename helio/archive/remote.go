package archive

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/helios-go/helios/helio/cache"
	"github.com/helios-go/helios/helio/internal/polite"
	"github.com/helios-go/helios/helio/tt"
)

// A remote is what all archives on the network have in common.
type remote struct {
	provider string
	base     string // without a slash at the end
	opts     Options
	client   *polite.Client
}

// maxAnswer is how much of an answer is taken that is read whole.
const maxAnswer = 1 << 30

// newRemote prepares an archive that is found at address unless the options say
// otherwise.
func newRemote(provider, address string, opts *Options) *remote {
	r := &remote{provider: provider, base: address}
	if opts != nil {
		r.opts = *opts
	}
	if r.opts.Base != "" {
		r.base = r.opts.Base
	}
	r.base = strings.TrimRight(r.base, "/")
	r.client = &polite.Client{HTTP: r.opts.HTTP, UserAgent: r.opts.UserAgent, Parallel: r.opts.Parallel, Sleep: r.opts.Sleep, Waiting: tellWaiting}
	return r
}

type waitingKey struct{}

// tellWaiting passes what the client says to the fetch under whose context it is.
func tellWaiting(ctx context.Context, w polite.Wait) {
	if tell, ok := ctx.Value(waitingKey{}).(func(string)); ok {
		tell(fmt.Sprintf("%v; again in %v", w.Err, w.For.Round(100*time.Millisecond)))
	}
}

// server names the service in the cache: where it is, without a user or a query.
func (r *remote) server() string {
	u, err := url.Parse(r.base)
	if err != nil {
		return r.provider
	}
	return r.provider + "@" + u.Host + u.Path
}

// failed says what the archive was asked for when it failed.
func (r *remote) failed(doing string, err error) error { return remoteError(r.provider, doing, err) }

// remoteError leaves an error that says so already as it is.
func remoteError(provider, doing string, err error) error {
	if _, ok := errors.AsType[*RemoteError](err); ok {
		return err
	}
	return &RemoteError{Provider: provider, Doing: doing, Err: err}
}

// errOffline is what an archive says that may not ask.
var errOffline = errors.New("it is not in the cache, and the network may not be used (offline)")

// get reads a whole answer. path is put behind the base; a full address is used as
// it is.
func (r *remote) get(ctx context.Context, path string, header http.Header) ([]byte, *http.Response, error) {
	if r.opts.Offline {
		return nil, nil, errOffline
	}
	return r.client.GetAll(ctx, r.address(path), header, maxAnswer)
}

func (r *remote) address(path string) string {
	if strings.HasPrefix(path, "http://") || strings.HasPrefix(path, "https://") {
		return path
	}
	return r.base + path
}

// A kept document is an answer that changes rarely, such as an inventory.
type kept struct {
	key    cache.Key
	maxAge time.Duration // how long it is taken without asking
	// get asks for it; the meta is what the cache knows, so that the request can be
	// conditional. A nil body says that it is unchanged.
	get func(ctx context.Context, known cache.Meta) (body []byte, m cache.Meta, err error)
	// check refuses what is no such document, as the page that a service shows while
	// it is down: it counts as a failure of the service and is not kept.
	check func(body []byte) error
}

// document returns a kept document: from the cache while it is young, else from the
// service, else, where that fails or may not be asked, from the cache after all.
// stale says why an old one was taken; it is nil otherwise.
func (r *remote) document(ctx context.Context, k kept) (body []byte, stale, err error) {
	var known cache.Meta
	have := false
	if c := r.opts.Cache; c != nil {
		if body, known, have, err = c.Get(k.key); err != nil {
			return nil, nil, err
		}
	}
	age := r.opts.now().Sub(known.Checked)
	if have && (age >= 0 && age < k.maxAge) {
		return body, nil, nil
	}
	if r.opts.Offline {
		if have {
			return body, nil, nil
		}
		return nil, nil, errOffline
	}
	fresh, m, err := k.get(ctx, known)
	if err == nil && fresh != nil {
		err = k.check(fresh)
	}
	if err != nil {
		if have && ctx.Err() == nil {
			return body, err, nil
		}
		return nil, nil, err
	}
	if m.Checked.IsZero() {
		m.Checked = r.opts.now()
	}
	if fresh == nil && have {
		return body, nil, r.opts.Cache.Confirm(k.key, m)
	}
	if c := r.opts.Cache; c != nil {
		if err := c.Put(k.key, m, fresh); err != nil {
			return nil, nil, err
		}
	}
	return fresh, nil, nil
}

// conditional returns the header that asks whether a document has changed, and the
// meta of what came.
func conditional(known cache.Meta, header http.Header) http.Header {
	h := header.Clone()
	if h == nil {
		h = http.Header{}
	}
	if known.ETag != "" {
		h.Set("If-None-Match", known.ETag)
	}
	if known.Modified != "" {
		h.Set("If-Modified-Since", known.Modified)
	}
	return h
}

// getKept asks for a document by a conditional GET, for use as kept.get.
func (r *remote) getKept(path string, header http.Header) func(context.Context, cache.Meta) ([]byte, cache.Meta, error) {
	return func(ctx context.Context, known cache.Meta) ([]byte, cache.Meta, error) {
		body, resp, err := r.get(ctx, path, conditional(known, header))
		if err != nil {
			return nil, known, err
		}
		if resp.StatusCode == http.StatusNotModified {
			known.Checked = time.Time{}
			return nil, known, nil
		}
		if body == nil {
			body = []byte{}
		}
		return body, cache.Meta{Modified: resp.Header.Get("Last-Modified"), ETag: resp.Header.Get("ETag")}, nil
	}
}

// compactTime is t as YYYYMMDDThhmmssZ, rounded down.
func compactTime(t tt.Time) string {
	y, mo, d, h, mi, s, _ := t.Calendar()
	return fmt.Sprintf("%04d%02d%02dT%02d%02d%02dZ", y, mo, d, h, mi, min(s, 59))
}

// Address returns where the service is asked.
func (r *remote) Address() string { return r.base }

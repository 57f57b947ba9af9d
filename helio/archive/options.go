package archive

import (
	"context"
	"net/http"
	"time"

	"github.com/helios-go/helios/helio/cache"
)

// Options of the archives on the network. The zero value, like nil, is the public
// service without a cache.
type Options struct {
	HTTP      *http.Client // nil: a pool of connections of its own
	Base      string       // address of the service, where it is another than the public one
	UserAgent string       // who asks; "" says helios
	Cache     *cache.Cache // where answers are kept; nil keeps none
	// Offline asks nobody: what the cache does not hold is an error.
	Offline bool
	// Parallel is how many requests are under way at a time; 0 is four.
	Parallel int
	// User and Password of a private account, for archives that have them. They are
	// sent where they are needed and appear nowhere else.
	User, Password string

	Now   func() time.Time                                    // nil is time.Now
	Sleep func(ctx context.Context, wait time.Duration) error // nil waits
}

func (o *Options) now() time.Time {
	if o.Now == nil {
		return time.Now()
	}
	return o.Now()
}

// Progress tells how far a fetch is. Requests are counted in the pieces that an
// archive takes its data in.
type Progress struct {
	ID      string
	Total   int // pieces of this fetch
	Done    int // pieces that are there
	Cached  int // of these, pieces that were not fetched
	Records int64
	Bytes   int64 // received
	// Waiting says why nothing happens just now, as in "cdaweb.gsfc.nasa.gov is
	// busy, again in 5s"; "" otherwise.
	Waiting string
}

type progressKey struct{}

// WithProgress has f told about every fetch under the context: from whichever
// goroutine it is, one call at a time for each fetch.
func WithProgress(ctx context.Context, f func(Progress)) context.Context {
	return context.WithValue(ctx, progressKey{}, f)
}

// progress returns what WithProgress set, or nothing that does nothing.
func progress(ctx context.Context) func(Progress) {
	if f, ok := ctx.Value(progressKey{}).(func(Progress)); ok && f != nil {
		return f
	}
	return func(Progress) {}
}

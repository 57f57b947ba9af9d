package sandbox

import (
	"context"
	"errors"
	"os"
)

// openLayer tries the layers from the strongest down. There is one so far.
func openLayer(ctx context.Context, opts *Options) (layer, error) {
	b, err := newBubblewrap(opts)
	if err != nil {
		return nil, err
	}
	sweepStages(b.base, os.Getuid(), b.uid)
	err = b.prove(ctx)
	if errors.Is(err, errGroup) {
		// Groups can be made here and not be entered: do without.
		b.groups = controllers{}
		err = b.prove(ctx)
	}
	switch {
	case err == nil:
		return b, nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	}
	return nil, diagnose(err, readFacts())
}

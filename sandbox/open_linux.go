package sandbox

import (
	"context"
	"errors"
	"os"
)

// candidates are the layers of Linux, from the strongest down.
func candidates(w *Worker) []candidate {
	var all []candidate
	if w == nil {
		all = append(all, candidate{"bubblewrap", openBubblewrap})
	}
	all = append(all, candidate{"namespaces", openSpaces}, candidate{"landlock", openAlone})
	if w != nil && w.Intrinsic {
		all = append(all, candidate{"limits", openPlain})
	}
	return all
}

func openBubblewrap(ctx context.Context, opts *Options, _ *Worker) (layer, error) {
	b, err := newBubblewrap(opts)
	if err != nil {
		return nil, err
	}
	sweepStages(b.base, os.Getuid(), b.uid)
	if err := proveWithGroups(b.ground, func() error { return b.prove(ctx) }); err != nil {
		return nil, diagnose(err, readFacts())
	}
	return b, nil
}

// proveWithGroups proves a layer, without cgroups where they can be made and not
// be entered.
func proveWithGroups(g *ground, prove func() error) error {
	err := prove()
	if errors.Is(err, errGroup) {
		g.groups = controllers{}
		err = prove()
	}
	return err
}

// ownWorkers are there in every program, to try the layers.
func ownWorkers() []Worker { return []Worker{spacesCanary, bareCanary, canaryWorker} }

package agent

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// ResumeOptions tune [ResumeAll]; nil is the default.
type ResumeOptions struct {
	// Parallel is how many sessions are worked on at the same time, by default 4.
	Parallel int
}

// A Report says what [ResumeAll] did, by session id.
type Report struct {
	Results map[string]*Result // of those that were worked on until they settled
	Failed  map[string]error   // could not be opened, or not go on
	Leased  []string           // left alone: somebody owns them
	Skipped []string           // find did not want them
}

// ResumeAll goes on with the sessions of a store that have work and no owner:
// those that died in a run, have messages waiting, or have been answered. Find
// tells which agent a session is for, and how to open it; Store and SessionID are
// filled in. Sub-agents' sessions are left to their callers. It returns when all
// have settled, which a run that waits for an answer has, or with an error if the
// store cannot be listed. Two that resume the same store never work on the same
// session. The runs live under ctx: ending it ends them, with StopCancelled.
func ResumeAll(ctx context.Context, st Store, find func(SessionInfo) (Agent, *OpenOptions, bool), opts *ResumeOptions) (Report, error) {
	parallel := 4
	if opts != nil && opts.Parallel > 0 {
		parallel = opts.Parallel
	}
	report := Report{Results: map[string]*Result{}, Failed: map[string]error{}}
	var found []SessionInfo
	for info, err := range st.List(ctx, Filter{States: []SessionState{StateReady, StateRunning, StateQuestion}, Top: true}) {
		if err != nil {
			return report, fmt.Errorf("resume sessions: %w", err)
		}
		found = append(found, info)
	}
	var (
		mu     sync.Mutex
		group  sync.WaitGroup
		places = make(chan struct{}, parallel)
	)
	for _, info := range found {
		if info.Leased(time.Now()) {
			report.Leased = append(report.Leased, info.ID)
			continue
		}
		a, o, ok := find(info)
		if !ok {
			report.Skipped = append(report.Skipped, info.ID)
			continue
		}
		places <- struct{}{}
		group.Go(func() {
			defer func() { <-places }()
			res, err := resumeOne(ctx, st, info.ID, a, o)
			mu.Lock()
			defer mu.Unlock()
			switch {
			case errors.As(err, new(*LeasedError)):
				report.Leased = append(report.Leased, info.ID)
				return
			case err != nil:
				report.Failed[info.ID] = err
			}
			if res != nil {
				report.Results[info.ID] = res
			}
		})
	}
	group.Wait()
	return report, nil
}

func resumeOne(ctx context.Context, st Store, id string, a Agent, o *OpenOptions) (*Result, error) {
	opts := OpenOptions{}
	if o != nil {
		opts = *o
	}
	opts.Store, opts.SessionID = st, id
	s, err := a.Open(ctx, &opts)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	if until := s.leasedUntil(); time.Now().Before(until) { // somebody was faster
		return nil, &LeasedError{Session: id, Until: until}
	}
	return s.Wait(context.WithoutCancel(ctx))
}

// leasedUntil is when somebody else's lease ends, as far as this session knows; the
// zero time if it is the owner.
func (s *Session) leasedUntil() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.loop != nil || s.leased == 0 {
		return time.Time{}
	}
	return time.Unix(0, s.leased)
}

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
	// Patience is how long tools may go on after ctx has ended, by default 10
	// seconds; see [Session.Detach].
	Patience time.Duration
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
// session.
//
// Sessions with questions are among them, since a question may have expired. Ending
// ctx ends no run: the sessions are handed over as by [Session.Detach], and their
// results say so.
func ResumeAll(ctx context.Context, st Store, find func(SessionInfo) (Agent, *OpenOptions, bool), opts *ResumeOptions) (Report, error) {
	parallel, patience := 4, 10*time.Second
	if opts != nil && opts.Parallel > 0 {
		parallel = opts.Parallel
	}
	if opts != nil && opts.Patience > 0 {
		patience = opts.Patience
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
		if ctx.Err() != nil {
			break // the rest is for others
		}
		if info.Leased(time.Now()) {
			mu.Lock()
			report.Leased = append(report.Leased, info.ID)
			mu.Unlock()
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
			res, err := resumeOne(ctx, st, info.ID, a, o, patience)
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

func resumeOne(ctx context.Context, st Store, id string, a Agent, o *OpenOptions, patience time.Duration) (*Result, error) {
	opts := OpenOptions{}
	if o != nil {
		opts = *o
	}
	opts.Store, opts.SessionID = st, id
	s, err := a.Open(context.WithoutCancel(ctx), &opts)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	defer context.AfterFunc(ctx, func() {
		patient, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
		defer cancel()
		_ = s.Detach(patient) // it has nothing to say but nil
	})()
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

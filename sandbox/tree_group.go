package sandbox

import (
	"os/exec"
	"sync"
	"time"
)

// A processGroup is what a [Tree] is where there is no supervisor.
type processGroup struct {
	cmd *exec.Cmd

	mu     sync.Mutex
	reaped bool          // its number may be another's by now
	hard   []*time.Timer // each ends the hard way
}

func startGroup(cmd *exec.Cmd) (*Tree, error) {
	g := &processGroup{cmd: bare(cmd)}
	g.cmd.SysProcAttr = groupAttributes()
	if err := g.cmd.Start(); err != nil {
		return nil, err
	}
	t := &Tree{pid: g.cmd.Process.Pid, done: make(chan struct{}), end: g.end, abandon: func() {}}
	go func() {
		defer close(t.done)
		held := untilWaitable(t.pid)
		if held {
			g.finish()
		}
		t.err = ignoreDelay(g.cmd.Wait())
		if !held {
			g.finish()
		}
		if g.cmd.ProcessState != nil {
			t.exit = exitOf(g.cmd.ProcessState)
		}
	}()
	return t, nil
}

func (g *processGroup) end(grace time.Duration) {
	g.signal(grace <= 0)
	if grace <= 0 {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.reaped {
		g.hard = append(g.hard, time.AfterFunc(grace, func() { g.signal(true) }))
	}
}

func (g *processGroup) signal(kill bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.reaped {
		signalGroup(g.cmd.Process, kill)
	}
}

// finish ends what the program left behind, for the last time.
func (g *processGroup) finish() {
	g.signal(true)
	g.mu.Lock()
	defer g.mu.Unlock()
	g.reaped = true
	for _, timer := range g.hard {
		timer.Stop()
	}
}

package repl

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"
)

const (
	defaultTimeout = 30 * time.Second
	defaultOutput  = 64 << 10
	// rung is how long each step of the ladder is given.
	rung = time.Second
)

// Rejected is what a cell gets on standard error when another one is running.
const rejected = "Concurrent execution rejected - only one execute may run at a time"

// Execute runs one cell and returns what came of it. It returns within
// c.Timeout and 2.1 seconds, and as soon after ctx ends. The error is not nil
// only when ctx had ended before the cell began; there is no Outcome then. A
// dead kernel gives an Outcome that says so.
func (k *Kernel) Execute(ctx context.Context, c Cell) (*Outcome, error) {
	if ctx.Err() != nil {
		return nil, fmt.Errorf("execute a cell: %w", context.Cause(ctx))
	}
	if c.Timeout <= 0 {
		c.Timeout = defaultTimeout
	}
	if c.Output <= 0 {
		c.Output = defaultOutput
	}
	if !k.occupy() {
		return &Outcome{ExitCode: 1, Stderr: rejected, Rejected: true}, nil
	}
	defer k.vacate()
	began := time.Now()
	out := k.run(ctx, &c)
	out.Said = len(out.Stderr)
	for _, note := range out.notes {
		out.Stderr = line(out.Stderr, note)
	}
	out.Wall = time.Since(began)
	return out, nil
}

func (k *Kernel) occupy() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.busy {
		return false
	}
	k.busy = true
	return true
}

func (k *Kernel) vacate() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.busy = false
}

func (k *Kernel) run(ctx context.Context, c *Cell) *Outcome {
	k.proc.Output() // what threads of earlier cells wrote since then is nobody's
	// Handlers learn of the end of a cell after the interpreter has been told, so
	// that none of their errors goes on in a cell that is over.
	calls, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	defer cancel(errors.New("the cell has ended"))
	running, ok := k.begin(calls)
	if !ok {
		return &Outcome{ExitCode: 1, notes: []string{"Sandbox process is not alive"}, Dead: true}
	}
	frame, err := encode(&hostMessage{Type: "execute", ID: running.id, Code: c.Code, Bindings: c.Bindings.withDefaults()})
	if err != nil {
		k.mu.Lock()
		k.cell = nil
		k.mu.Unlock()
		return &Outcome{ExitCode: 1, notes: []string{fmt.Sprintf("the code cannot be handed over: %v", err)}}
	}
	k.out.put(frame, nil)

	out := &Outcome{}
	timer := time.NewTimer(c.Timeout)
	defer timer.Stop()
	select {
	case m := <-running.result:
		return k.finish(out, c, m)
	case <-k.reader:
		return k.died(out, c, running)
	case <-timer.C:
		out.TimedOut = true
	case <-ctx.Done():
		out.Interrupted = true
	}
	for _, step := range []string{"interrupt", "stop"} {
		k.tell(step, running)
		if out.TimedOut {
			cancel(errors.New("the cell ran out of time"))
		} else {
			cancel(context.Cause(ctx))
		}
		if m, over := k.heed(running); m != nil {
			return k.finish(out, c, m)
		} else if over {
			return k.died(out, c, running)
		}
	}
	k.end(errKilled)
	return k.died(out, c, running)
}

// tell asks the interpreter to end the cell.
func (k *Kernel) tell(step string, running *cell) {
	frame, err := encode(&hostMessage{Type: step, ID: running.id})
	if err != nil {
		return
	}
	// The frame comes first: it says which cell is meant, so that a signal that
	// arrives late can do no harm to the next one.
	k.out.put(frame, func() { _ = k.proc.Interrupt() })
}

// heed gives the interpreter a second to end the cell. over means that it has
// died.
func (k *Kernel) heed(running *cell) (m *workerMessage, over bool) {
	timer := time.NewTimer(rung)
	defer timer.Stop()
	select {
	case m := <-running.result:
		return m, false
	case <-k.reader:
		return nil, true
	case <-timer.C:
		return nil, false
	}
}

// finish fills in what a result says.
func (k *Kernel) finish(out *Outcome, c *Cell, m *workerMessage) *Outcome {
	out.ExitCode = m.Exit
	if c.Bindings != nil {
		out.Bindings = capBindings(m.Bindings, c.Bindings.withDefaults())
	}
	k.collect(out, c)
	switch {
	case out.TimedOut:
		out.ExitCode = 1
		out.notes = append(out.notes, "Execution timed out")
	case out.Interrupted:
		out.ExitCode = 1
		out.notes = append(out.notes, "Execution interrupted")
	}
	return out
}

// died fills in what can be known of a cell whose interpreter is gone.
func (k *Kernel) died(out *Outcome, c *Cell, running *cell) *Outcome {
	select {
	case m := <-running.result: // it had finished just before
		k.finish(out, c, m)
		if !out.TimedOut && !out.Interrupted {
			return out
		}
	default:
		k.collect(out, c)
		if out.TimedOut {
			out.notes = append(out.notes, "Execution timed out")
		} else if out.Interrupted {
			out.notes = append(out.notes, "Execution interrupted")
		}
	}
	out.Dead = true
	out.ExitCode = 1
	k.collect(out, c)
	why := k.why()
	if k.awaitProcess() {
		k.postMortem(out, c, why)
	}
	reason := why.Error()
	switch {
	case out.OutOfMemory:
		reason = "the interpreter ran out of memory"
	case out.TimedOut || out.Interrupted:
		reason = errKilled.Error()
	}
	out.notes = append(out.notes, reason+"; its variables are lost")
	return out
}

// postMortem takes what the process said last, and why it ended when it did so
// by itself.
func (k *Kernel) postMortem(out *Outcome, c *Cell, why error) {
	k.collect(out, c)
	res, err := k.proc.Wait()
	if err != nil || res == nil {
		return
	}
	out.add(res.Stdout, res.Stderr, res.StdoutCut, res.StderrCut, c.Output)
	if out.TimedOut || out.Interrupted || errors.Is(why, errClosed) {
		return // it ended because it was told to
	}
	out.Stderr = withoutStacks(out.Stderr)
	out.OutOfMemory = res.OutOfMemory || strings.Contains(out.Stderr, outOfMemory) && (res.ExitCode == exitOutOfMemory || res.ExitCode == exitFatal)
	if res.ExitCode > 0 {
		out.ExitCode = res.ExitCode
	}
}

// stacks begins what a Go program writes after the line that says why it cannot
// go on: stacks of the interpreter, which tell a reader nothing.
var stacks = regexp.MustCompile(`(?m)^fatal error: .*\n\n(goroutine|runtime stack)`)

func withoutStacks(stderr string) string {
	if at := stacks.FindStringIndex(stderr); at != nil {
		return stderr[:at[0]+strings.IndexByte(stderr[at[0]:], '\n')+1]
	}
	return stderr
}

// collect adds what the process wrote since the last time.
func (k *Kernel) collect(out *Outcome, c *Cell) {
	stdout, stderr, cut := k.proc.Output()
	out.add(stdout, stderr, cut && len(stdout) > 0, cut && len(stderr) > 0, c.Output)
}

func (o *Outcome) add(stdout, stderr []byte, stdoutCut, stderrCut bool, limit int) {
	var more bool
	o.Stdout, more = clip(append([]byte(o.Stdout), stdout...), limit)
	o.StdoutCut = o.StdoutCut || stdoutCut || more
	o.Stderr, more = clip(append([]byte(o.Stderr), stderr...), limit)
	o.StderrCut = o.StderrCut || stderrCut || more
}

// clip keeps at most limit bytes, as valid UTF-8.
func clip(b []byte, limit int) (string, bool) {
	cut := len(b) > limit
	if cut {
		b = b[:limit]
		for i := 1; i < utf8.UTFMax && i <= len(b); i++ { // no half rune at the end
			if utf8.RuneStart(b[len(b)-i]) {
				if !utf8.FullRune(b[len(b)-i:]) {
					b = b[:len(b)-i]
				}
				break
			}
		}
	}
	if utf8.Valid(b) {
		return string(b), cut
	}
	return string(bytes.ToValidUTF8(b, []byte("\uFFFD"))), cut
}

// line adds text as a line of its own.
func line(to, text string) string {
	if to != "" && !strings.HasSuffix(to, "\n") {
		to += "\n"
	}
	return to + text
}

package command

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/helios-go/helios/sandbox"
	"github.com/helios-go/helios/secret"
	"github.com/helios-go/helios/tool"
)

// Why a call was refused. Nothing was started then.
var (
	ErrBusy   = errors.New("as many calls as are allowed at a time are running; wait for one to end")
	ErrClosed = errors.New("the command was closed")
)

// A SecretError says that a secret was in what a program was to be given.
type SecretError struct {
	Secret string // its name
	Where  string // such as "argument 2"
}

// Error names the secret, and does not show it.
func (e *SecretError) Error() string {
	return fmt.Sprintf("%s holds the secret %s, which must not be passed on; leave it out", e.Where, e.Secret)
}

// A Command is a granted program. It is safe for concurrent use.
type Command struct {
	grant Grant
	path  string
	env   []string

	closing context.Context
	close   context.CancelCauseFunc
	mu      sync.Mutex
	closed  bool
	running int
	calls   sync.WaitGroup
}

// New returns the tool of a grant. Use [Open] where the program must be able to
// end what is running.
func New(g Grant) (tool.Tool, error) {
	c, err := Open(g)
	if err != nil {
		return tool.Tool{}, err
	}
	return c.Tool(), nil
}

// Open finds the program of a grant and registers its secrets. The error is a
// [*GrantError], or what is wrong with the name of the tool. The maps of the
// grant may be changed afterwards, but for its Secrets it is a copy.
func Open(g Grant) (*Command, error) {
	path, err := findProgram(g.Program, os.Getenv("PATH"))
	if err != nil {
		return nil, err
	}
	if err := g.complete(); err != nil {
		return nil, err
	}
	c := &Command{grant: g, path: path, env: environment(&g)}
	c.closing, c.close = context.WithCancelCause(context.Background())
	if err := c.Tool().Err(); err != nil {
		return nil, &GrantError{Program: g.Program, Field: "Name", Reason: err.Error(), Err: err}
	}
	if err := g.register(); err != nil {
		return nil, err
	}
	c.grant.Env, c.grant.SecretEnv, c.grant.Encodings = nil, nil, nil // no second copy of secrets
	return c, nil
}

func environment(g *Grant) []string {
	path := g.Path
	if path == "" {
		path = defaultPath()
	}
	env := []string{"PATH=" + path}
	for name, value := range g.Env {
		env = append(env, name+"="+value)
	}
	for name, value := range g.SecretEnv {
		env = append(env, name+"="+value.Reveal())
	}
	slices.Sort(env)
	return env
}

// Path is the program that was found.
func (c *Command) Path() string { return c.path }

// An Input is what a program is given.
type Input struct {
	Args    []string // after the program's name
	Stdin   string
	Timeout time.Duration // 0 is the grant's; what is longer than the grant allows is cut down to that
}

// Run runs the program to its end. A program that fails, or that was ended
// because its time was up, is a Result; an error is that it was refused, could not
// be started, or was ended because ctx or the Command was. When Run returns, no
// process of it is left, and the folder that was made for it is gone.
func (c *Command) Run(ctx context.Context, in Input) (*Result, error) {
	res, err := c.run(ctx, in)
	return res, c.grant.Secrets.Redactor().Err(err)
}

func (c *Command) run(ctx context.Context, in Input) (*Result, error) {
	if c.grant.Check != nil {
		if err := c.grant.Check(slices.Clone(in.Args)); err != nil {
			return nil, err
		}
	}
	if err := c.inspect(in); err != nil {
		return nil, err
	}
	if err := c.enter(); err != nil {
		return nil, err
	}
	defer c.leave() // last: what a call has taken is given back by then
	if err := ctx.Err(); err != nil {
		return nil, context.Cause(ctx)
	}
	dir := c.grant.Dir
	if dir == "" {
		f, err := newFolder()
		if err != nil {
			return nil, err
		}
		defer func() { _ = f.remove() }() // the program's doing, if it fails
		dir = f.path
	}
	return c.start(ctx, in, dir)
}

// inspect finds what no program may be given.
func (c *Command) inspect(in Input) error {
	secrets := c.grant.Secrets.Redactor()
	for i, arg := range in.Args {
		if strings.Contains(arg, "\x00") {
			return fmt.Errorf("argument %d holds a zero byte, which no program can be given", i+1)
		}
		if name, leaks := secrets.Leaks(arg); leaks {
			return &SecretError{Secret: name, Where: fmt.Sprintf("argument %d", i+1)}
		}
	}
	if name, leaks := secrets.Leaks(in.Stdin); leaks {
		return &SecretError{Secret: name, Where: "the standard input"}
	}
	return nil
}

func (c *Command) enter() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.closed:
		return ErrClosed
	case c.running >= c.grant.MaxConcurrent:
		return ErrBusy
	}
	c.running++
	c.calls.Add(1)
	return nil
}

func (c *Command) leave() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.running--
	c.calls.Done()
}

// Close ends what is running, waits until it is gone, and refuses what comes
// after. Calls that were running fail with [ErrClosed].
func (c *Command) Close() error {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	c.close(ErrClosed)
	c.calls.Wait()
	return nil
}

func (c *Command) start(ctx context.Context, in Input, dir string) (*Result, error) {
	before := c.grant.Secrets.Redactor()
	keep := c.grant.MaxOutput + margin(before)
	stdout, stderr := &capture{keep: keep}, &capture{keep: keep}
	if c.grant.Progress {
		call, mu := tool.CallFrom(ctx), new(sync.Mutex)
		stdout.watch = newProgress(call, mu, before, c.grant.MaxOutput)
		if c.grant.Stderr {
			stderr.watch = newProgress(call, mu, before, c.grant.MaxOutput)
		}
	}
	cmd := &exec.Cmd{
		Path: c.path, Args: append([]string{c.path}, in.Args...), Env: c.env, Dir: dir,
		Stdout: stdout, Stderr: stderr,
	}
	if in.Stdin != "" {
		cmd.Stdin = strings.NewReader(in.Stdin)
	}
	began := time.Now()
	tree, err := sandbox.StartTree(cmd)
	if err != nil {
		return nil, err
	}
	exit, timedOut, err := c.wait(ctx, tree, c.timeout(in))
	if err != nil {
		return nil, err
	}
	res := &Result{ExitCode: exit.Code, TimedOut: timedOut, Duration: time.Since(began)}
	if timedOut {
		res.ExitCode = -1
	}
	stdout.watch.close()
	stderr.watch.close()
	after := c.grant.Secrets.Redactor()
	var cutOut, cutErr bool
	var more secret.Counts
	res.Stdout, cutOut, res.Redactions = stdout.text(after, c.grant.MaxOutput)
	res.Stderr, cutErr, more = stderr.text(after, c.grant.MaxOutput)
	res.Truncated, res.Redactions = cutOut || cutErr, res.Redactions.Plus(more)
	return res, nil
}

func (c *Command) timeout(in Input) time.Duration {
	if in.Timeout <= 0 {
		return c.grant.Timeout
	}
	return min(in.Timeout, max(c.grant.Timeout, c.grant.MaxTimeout))
}

// wait sees the program to its end, one way or the other.
func (c *Command) wait(ctx context.Context, tree *sandbox.Tree, most time.Duration) (exit sandbox.Exit, timedOut bool, err error) {
	timer := time.NewTimer(most)
	defer timer.Stop()
	select {
	case <-tree.Done():
		exit, err = tree.Wait()
		return exit, false, err
	case <-timer.C:
		if err := tree.Kill(c.grant.Grace); err != nil {
			return exit, true, fmt.Errorf("the program took longer than %v: %w", most, err)
		}
		exit, err = tree.Wait()
		return exit, true, err
	case <-ctx.Done():
		err = context.Cause(ctx)
	case <-c.closing.Done():
		err = ErrClosed
	}
	// Whoever cancels is waiting.
	return exit, false, errors.Join(err, tree.Kill(c.grant.Grace/4))
}

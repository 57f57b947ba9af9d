package code_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/helios-go/helios/sandbox/repl/repltest"
	"github.com/helios-go/helios/tool"
	"github.com/helios-go/helios/tool/code"
)

func TestVariablesStayWithinASession(t *testing.T) {
	t.Parallel()
	c := open(t, nil)
	ctx := in(t.Context(), "a")
	text, _ := run(ctx, t, c, "set x 5")
	wantText(t, "a cell without output", text, "(no output)")
	text, r := run(ctx, t, c, "show x")
	wantText(t, "the next cell", text, "5")
	wantEqual(t, "exit code", r.ExitCode, 0)
	text, _ = run(in(t.Context(), "b"), t, c, "show x")
	wantHas(t, "another session", text, "STDERR: Error: x is not defined", "[exit code 1]")
	wantEqual(t, "interpreters", c.Alive(), 2)
}

func TestVariablesStayAfterACellThatFailed(t *testing.T) {
	t.Parallel()
	c := open(t, nil)
	ctx := in(t.Context(), "a")
	text, r := run(ctx, t, c, "set x 5\nprint before\nfail oops")
	wantText(t, "the failing cell", text, "before\nSTDERR: Error: oops\n[exit code 1]")
	wantEqual(t, "lost", r.Lost, false)
	text, _ = run(ctx, t, c, "show x\nfail again")
	wantText(t, "the next cell", text, "5\nSTDERR: Error: again\n[exit code 1]")
}

func TestABlankCellIsAnError(t *testing.T) {
	t.Parallel()
	c := open(t, nil)
	_, err := execute(in(t.Context(), "a"), c, " \n")
	wantError(t, "a blank cell", err, "blank")
	wantEqual(t, "interpreters", c.Alive(), 0)
}

// gate is a function that tells that it was called and waits.
func gate() (f code.Function, called, open chan struct{}) {
	called, open = make(chan struct{}), make(chan struct{})
	f = code.Func("gate", "waits", func(ctx context.Context, _ struct{}) (string, error) {
		called <- struct{}{}
		select {
		case <-open:
			return "open", nil
		case <-ctx.Done():
			return "", context.Cause(ctx)
		}
	})
	return f, called, open
}

func TestAConcurrentCellIsRejected(t *testing.T) {
	t.Parallel()
	f, called, open := gate()
	c := openWith(t, &repltest.Runtime{}, &code.Options{Functions: []code.Function{f}})
	ctx := in(t.Context(), "a")
	var group sync.WaitGroup
	group.Go(func() {
		text, _ := run(ctx, t, c, "call gate")
		wantText(t, "the first cell", text, `"open"`)
	})
	<-called
	text, r := run(ctx, t, c, "print second")
	wantText(t, "the second cell", text, "STDERR: Concurrent execution rejected - only one execute may run at a time\n[exit code 1]")
	wantEqual(t, "refused", r.Refused, true)
	text, _ = run(in(t.Context(), "b"), t, c, "print other")
	wantText(t, "another session", text, "other")
	close(open)
	group.Wait()
}

func TestASaturatedPoolRefusesAndSaysWhatToDo(t *testing.T) {
	t.Parallel()
	c := open(t, &code.Options{Sessions: 2})
	run(in(t.Context(), "a"), t, c, "print a")
	run(in(t.Context(), "b"), t, c, "print b")
	text, r := run(in(t.Context(), "c"), t, c, "print c")
	wantHas(t, "a third session", text, "pool saturated (cap=2)", "no code was run", "try again later", "Options.Sessions", "[exit code 1]")
	wantEqual(t, "refused", r.Refused, true)
	c.End("a")
	text, _ = run(in(t.Context(), "c"), t, c, "print c")
	wantText(t, "once one has ended", text, "c")
	text, _ = run(in(t.Context(), "b"), t, c, "print b")
	wantText(t, "one that was alive all the time", text, "b")
}

func TestIdleInterpretersAreClosedAndTheModelIsTold(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		rt := &repltest.Runtime{}
		c, err := code.New(rt, &code.Options{Idle: time.Minute, Sessions: 1})
		if err != nil {
			t.Fatal(err)
		}
		ctx := in(t.Context(), "a")
		run(ctx, t, c, "set x 5")
		time.Sleep(59 * time.Second)
		synctest.Wait()
		text, _ := run(ctx, t, c, "show x")
		wantText(t, "a cell within the time", text, "5")
		time.Sleep(59 * time.Second)
		synctest.Wait()
		wantEqual(t, "interpreters before the time is up", c.Alive(), 1)
		time.Sleep(2 * time.Second)
		synctest.Wait()
		wantEqual(t, "interpreters afterwards", c.Alive(), 0)
		wantEqual(t, "processes afterwards", rt.Alive(), 0)
		text, _ = run(in(t.Context(), "b"), t, c, "print b")
		wantText(t, "another session has its place", text, "b")
		c.End("b")
		text, r := run(ctx, t, c, "set y 1")
		wantHas(t, "the next cell", text, "[new interpreter: the last one is gone, because it was closed after 1m0s without use. All variables and functions of earlier cells are lost")
		wantEqual(t, "restarted", r.Restarted, true)
		text, _ = run(ctx, t, c, "show y")
		wantText(t, "the one after", text, "1")
		c.Close()
	})
}

func TestTheClockCanBeTheProgramsOwn(t *testing.T) {
	t.Parallel()
	var fire func()
	stopped := 0
	c := open(t, &code.Options{Idle: time.Hour, After: func(d time.Duration, f func()) func() bool {
		wantEqual(t, "time", d, time.Hour)
		fire = f
		return func() bool { stopped++; return true }
	}})
	run(in(t.Context(), "a"), t, c, "set x 5")
	old := fire
	run(in(t.Context(), "a"), t, c, "set y 5")
	wantEqual(t, "timers that were stopped", stopped, 1)
	old() // fired just before it was stopped
	wantEqual(t, "interpreters", c.Alive(), 1)
	fire()
	wantEqual(t, "interpreters afterwards", c.Alive(), 0)
}

func TestEndForgetsASession(t *testing.T) {
	t.Parallel()
	f, called, _ := gate()
	c := open(t, &code.Options{Functions: []code.Function{f, double()}})
	ctx := in(t.Context(), "a")
	run(ctx, t, c, `call double {"n":2}`)
	wantEqual(t, "calls", c.Calls("a")["double"], 1)
	var group sync.WaitGroup
	group.Go(func() {
		text, r := run(ctx, t, c, "call gate")
		wantHas(t, "the cell that ran", text, "[exit code 1]")
		wantEqual(t, "interrupted", r.Interrupted, true)
	})
	<-called
	for range 2 {
		group.Go(func() { c.End("a") })
	}
	group.Wait()
	c.End("a")
	wantEqual(t, "interpreters", c.Alive(), 0)
	wantEqual(t, "calls", len(c.Calls("a")), 0)
	text, r := run(ctx, t, c, "print again")
	wantText(t, "begun anew", text, "again")
	wantEqual(t, "restarted", r.Restarted, false)
}

func TestCloseEndsAllAndRefusesLaterCalls(t *testing.T) {
	t.Parallel()
	rt := &repltest.Runtime{}
	f, called, _ := gate()
	c := openWith(t, rt, &code.Options{Functions: []code.Function{f}})
	run(in(t.Context(), "idle"), t, c, "set x 1")
	var group sync.WaitGroup
	group.Go(func() {
		text, _ := run(in(t.Context(), "busy"), t, c, "call gate")
		wantHas(t, "the cell that ran", text, "[exit code 1]")
	})
	<-called
	c.Close()
	c.Close()
	group.Wait()
	wantEqual(t, "interpreters", c.Alive(), 0)
	text, r := run(in(t.Context(), "new"), t, c, "print no")
	wantHas(t, "a later cell", text, "the interpreters were closed", "[exit code 1]")
	wantEqual(t, "refused", r.Refused, true)
	wantEqual(t, "started", rt.Started(), 2)
}

func TestAFailingStartupRefusesTheSessionAndReturnsThePermit(t *testing.T) {
	t.Parallel()
	rt := &repltest.Runtime{}
	c := openWith(t, rt, &code.Options{Startup: "print hello\nfail no table", Sessions: 1})
	for range 3 {
		text, r := run(in(t.Context(), "a"), t, c, "print never")
		wantHas(t, "the cell", text, "the session is refused, since its startup code failed (exit code 1): Error: no table", "[exit code 1]")
		wantEqual(t, "refused", r.Refused, true)
		wantEqual(t, "interpreters", c.Alive(), 0)
	}
	wantEqual(t, "started", rt.Started(), 3)
}

func TestAFailingStartupTellsNoSecret(t *testing.T) {
	t.Parallel()
	c := open(t, &code.Options{Startup: "warn xx " + key + "\nfail", KeepBytes: 8, Secrets: registry(t, map[string]string{"KEY": key})})
	text, _ := run(in(t.Context(), "a"), t, c, "print x")
	wantHas(t, "text", text, "startup code failed")
	wantNot(t, "text", text, key[:3])
}

func TestStartupRunsInEveryInterpreter(t *testing.T) {
	t.Parallel()
	f := double()
	c := open(t, &code.Options{Functions: []code.Function{f}, Startup: "call double {\"n\":1}\nset ready true", Inputs: []code.Input{{Name: "table", Value: []byte(`[1,2]`)}}})
	ctx := in(t.Context(), "a")
	text, _ := run(ctx, t, c, "show ready\nshow table")
	wantText(t, "the first cell", text, "true\n[1,2]")
	run(ctx, t, c, "die 1")
	text, _ = run(ctx, t, c, "show ready\nshow table")
	wantHas(t, "in the next interpreter", text, "[new interpreter", "true\n[1,2]")
}

func TestAnInterpreterThatDoesNotStartGivesThePermitBack(t *testing.T) {
	t.Parallel()
	fail := errors.New("no such layer")
	rt := &repltest.Runtime{Fail: func() error { return fail }}
	c := openWith(t, rt, &code.Options{Sessions: 1})
	text, _ := run(in(t.Context(), "a"), t, c, "print x")
	wantHas(t, "the cell", text, "the interpreter does not start: no such layer", "[exit code 1]")
	fail = nil
	text, _ = run(in(t.Context(), "b"), t, c, "print x")
	wantText(t, "later", text, "x")
}

func TestADeadInterpreterIsReplacedAndTheModelIsToldOnce(t *testing.T) {
	t.Parallel()
	c := open(t, nil)
	ctx := in(t.Context(), "a")
	run(ctx, t, c, "set x 5")
	text, r := run(ctx, t, c, "print last words\ndie 3")
	wantHas(t, "the cell that died", text, "last words", "its variables are lost", "[exit code 3]")
	wantEqual(t, "lost", r.Lost, true)
	wantEqual(t, "interpreters", c.Alive(), 0)
	text, r = run(ctx, t, c, "print back")
	wantHas(t, "the next cell", text, "[new interpreter: the last one is gone, because it ended in the middle of a cell. All variables", "\nback")
	wantEqual(t, "restarted", r.Restarted, true)
	text, r = run(ctx, t, c, "print on")
	wantText(t, "the one after", text, "on")
	wantEqual(t, "restarted", r.Restarted, false)
}

func TestACellThatRunsOutOfTimeKeepsVariablesIfItCanBeInterrupted(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, err := code.New(&repltest.Runtime{}, &code.Options{Timeout: 300 * time.Millisecond})
		if err != nil {
			t.Fatal(err)
		}
		ctx := in(t.Context(), "a")
		run(ctx, t, c, "set x 5")
		began := time.Now()
		text, r := run(ctx, t, c, "loop")
		wantEqual(t, "time", time.Since(began), 300*time.Millisecond)
		wantHas(t, "the loop", text, "Execution timed out", "[exit code 1]")
		wantNot(t, "the loop", text, "interrupted")
		wantEqual(t, "timed out", r.TimedOut, true)
		wantEqual(t, "lost", r.Lost, false)
		text, _ = run(ctx, t, c, "show x")
		wantText(t, "the next cell", text, "5")

		began = time.Now()
		text, r = run(ctx, t, c, "hang")
		if took := time.Since(began); took > 2400*time.Millisecond {
			t.Errorf("a cell that cannot be interrupted took %v", took)
		}
		wantHas(t, "the hang", text, "Execution timed out", "its variables are lost", "[exit code 1]")
		wantEqual(t, "lost", r.Lost, true)
		text, _ = run(ctx, t, c, "print back")
		wantHas(t, "the next cell", text, "because a cell ran out of time and had to be killed", "back")
		c.Close()
	})
}

func TestTimeInFunctionsOfTheHostDoesNotCount(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		slow := code.Func("slow", "takes a minute", func(ctx context.Context, _ struct{}) (string, error) {
			time.Sleep(time.Minute)
			return "done", nil
		})
		c, err := code.New(&repltest.Runtime{}, &code.Options{Functions: []code.Function{slow}, Timeout: time.Second, Wall: 150 * time.Second})
		if err != nil {
			t.Fatal(err)
		}
		ctx := in(t.Context(), "a")
		text, _ := run(ctx, t, c, "call slow\ncall slow\nprint end")
		wantText(t, "two slow calls", text, "\"done\"\n\"done\"\nend")
		began := time.Now()
		text, r := run(ctx, t, c, "call slow\nloop")
		wantEqual(t, "time", time.Since(began), 61*time.Second)
		wantHas(t, "a slow call and a loop", text, "Execution timed out")
		wantEqual(t, "timed out", r.TimedOut, true)
		text, _ = run(ctx, t, c, "call slow\ncall slow\ncall slow")
		wantHas(t, "beyond the wall", text, "Execution timed out")
		time.Sleep(time.Minute) // for the function that was left behind
		c.Close()
	})
}

func TestACancelledCellIsRespawnedEmptyAndTheSessionLivesOn(t *testing.T) {
	t.Parallel()
	c := open(t, nil)
	ctx := in(t.Context(), "a")
	run(ctx, t, c, "set x 5")
	cancelled, cancel := context.WithCancelCause(ctx)
	stop := time.AfterFunc(20*time.Millisecond, func() { cancel(errors.New("the user said stop")) })
	defer stop.Stop()
	text, r := run(cancelled, t, c, "hang")
	wantHas(t, "the cancelled cell", text, "Execution interrupted", "its variables are lost")
	wantEqual(t, "interrupted", r.Interrupted, true)
	text, _ = run(ctx, t, c, "print on")
	wantHas(t, "the next cell", text, "because a cell was cancelled and had to be killed", "\non")
	_, err := execute(cancelled, c, "print no")
	wantError(t, "a cell of a call that is over", err, "the user said stop")
}

// An agent that has cancelled a call does not wait for long; the next cell of the
// session waits until the old one has really ended.
func TestACellWaitsForOneThatWasCancelled(t *testing.T) {
	t.Parallel()
	f, called, ajar := gate()
	close(ajar)
	c := open(t, &code.Options{Functions: []code.Function{f}})
	ctx := in(t.Context(), "a")
	cancelled, cancel := context.WithCancel(ctx)
	var group sync.WaitGroup
	group.Go(func() {
		_, r := run(cancelled, t, c, "call gate\nhang")
		wantEqual(t, "interrupted", r.Interrupted, true)
	})
	<-called
	cancel()
	text, _ := run(ctx, t, c, "print next")
	wantHas(t, "the next cell", text, "next")
	wantNot(t, "the next cell", text, "rejected")
	group.Wait()
}

func TestASessionThatWasResumedIsToldThatItsInterpreterIsNew(t *testing.T) {
	t.Parallel()
	c := open(t, nil)
	call := tool.Call{Session: "resumed", Run: "r", Turn: 1, Resumed: true}
	text, r := run(at(t.Context(), call), t, c, "print x")
	wantText(t, "the first cell after a crash", text, "[new interpreter: if there were cells before, their variables and functions are lost; compute again what you need]\nx")
	wantEqual(t, "restarted", r.Restarted, true)
	text, _ = run(at(t.Context(), call), t, c, "print x")
	wantText(t, "the next", text, "x")

	call = tool.Call{Session: "new", Run: "r2", Turn: 7}
	text, r = run(at(t.Context(), call), t, c, "print x")
	wantText(t, "the first cell of a session that is new itself", text, "x")
	wantEqual(t, "restarted", r.Restarted, false)
}

func TestManySessionsAtOnce(t *testing.T) {
	t.Parallel()
	c := open(t, &code.Options{Sessions: 3, Functions: []code.Function{double()}})
	var group sync.WaitGroup
	for i := range 12 {
		group.Go(func() {
			session := fmt.Sprint("s", i)
			for n := range 10 {
				text, r := run(in(t.Context(), session), t, c, fmt.Sprintf("set x %d\nshow x\ncall double {\"n\":%d}", n, n))
				switch {
				case r.Refused:
					wantHas(t, "a refusal", text, "pool saturated")
				default:
					wantText(t, "a cell", text, fmt.Sprintf("%d\n%d", n, 2*n))
				}
				if n := c.Alive(); n > 3 {
					t.Errorf("%d interpreters, want 3 at most", n)
				}
			}
			c.End(session)
		})
	}
	group.Wait()
	wantEqual(t, "interpreters", c.Alive(), 0)
}

package js

import (
	"errors"
	"fmt"

	"github.com/dop251/goja"
)

// unwindDepth is how many generators and async functions can be inside each other
// where a cell is interrupted.
const unwindDepth = 64

// idle does nothing but notice an interruption; settled is a promise that is
// fulfilled when the interpreter still runs its jobs.
var (
	idle    = goja.MustCompile("idle", "0", false)
	settled = goja.MustCompile("settled", "(async () => { await null })()", false)
)

// unwinding runs f, and sees to it that an interruption in it leaves the
// interpreter fit for the next cell. goja leaves the frames of a generator or an
// async function that is interrupted on its stacks, and takes itself to be in
// the middle of a call from then on, so that no promise is ever settled. The
// frames go when an interruption passes through as many calls of Try, made
// before, as there are frames.
func (e *engine) unwinding(f func() error) {
	var deep *goja.StackOverflowError
	broken := false
	var enter func(depth int)
	enter = func(depth int) {
		if depth > 0 {
			_ = e.vm.Try(func() { enter(depth - 1) })
			return
		}
		err := f()
		if e.ctx.Err() == nil && !errors.As(err, &deep) {
			return
		}
		broken = true
		e.interruptHere()
	}
	func() {
		defer func() {
			if p := recover(); p != nil && !broken {
				panic(p)
			}
		}()
		enter(unwindDepth)
	}()
	if broken {
		e.restore()
	}
}

// interruptHere panics as an interruption does.
func (e *engine) interruptHere() {
	e.vm.Interrupt(interrupted)
	if _, err := e.vm.RunProgram(idle); err != nil {
		panic(err)
	}
}

// restore drops the jobs of an interrupted cell, and ends the worker where the
// interpreter is of no more use.
func (e *engine) restore() {
	e.vm.Interrupt(interrupted)
	_, _ = e.vm.RunProgram(idle)
	e.vm.ClearInterrupt()
	v, err := e.vm.RunProgram(settled)
	if err == nil {
		if p, ok := promise(v.ToObject(e.vm)); ok && p.State() == goja.PromiseStateFulfilled {
			return
		}
	}
	fmt.Fprintln(e.stderr, "the cell was ended inside too many async functions, and the interpreter with it")
	e.die(1)
}

// Package repl keeps an interpreter alive between pieces of code, so that what
// one cell computed is there for the next. The interpreter is a confined process
// (package js: JavaScript, package py: Python); this package is the host's side,
// the protocol between the two, and the other side for interpreters written in
// Go.
//
//	kernel, err := runtime.Start(ctx, &repl.Config{ // a *js.Runtime or a *py.Runtime
//		Inputs:    map[string]json.RawMessage{"orders": orders},
//		Functions: []repl.Function{{Name: "lookup", Params: []string{"id"}}},
//		Call:      func(ctx context.Context, name string, args json.RawMessage) (json.RawMessage, error) { ... },
//	})
//	...
//	defer kernel.Close()
//	out, err := kernel.Execute(ctx, repl.Cell{Code: `total = sum(o["price"] for o in orders)`})
//	out, err = kernel.Execute(ctx, repl.Cell{Code: `total`, Timeout: 5 * time.Second})
//	fmt.Println(out.Stdout) // the value of the last expression is echoed
//
// # What a cell may count on
//
// Statements run in order; the first that fails ends the cell, with its
// diagnostics on standard error and exit code 1. Variables stay, also those of a
// cell that failed, was interrupted or ran out of time. Host functions look like
// functions of the language; the error of a handler is raised in the cell, which
// may catch it.
//
// # How a cell is ended
//
// At its timeout, or when its context ends, the interpreter is asked to
// interrupt the cell; a second later to stop it by stronger means; a second
// later the process is killed with all its descendants. So Execute returns
// within its timeout and 2.1 seconds, whatever the program does. Where it had to
// be killed Outcome.Dead says that the variables are lost: a new Kernel has to be
// started, and the program told.
//
// # What is not trusted
//
// Code in the interpreter can reach the descriptor on which the interpreter
// talks, and can write anything there. Frames are limited in size and number,
// decoded strictly, and must fit what the kernel waits for; anything else ends
// the process. By a well-formed forgery a program can call the functions that it
// may call anyway, and end its own cell with a result of its choice. Arguments
// of a call are input from a stranger, whoever wrote the frame.
package repl

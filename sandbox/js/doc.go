// Package js runs JavaScript in a confined child of the program itself, for
// hosts on which nothing else is installed. The interpreter is goja; in reach of
// a program are the language, a few helpers, and what the host binds: no files,
// no network, no process, no clock to wait on.
//
//	func main() {
//		sandbox.Init(js.Worker) // first: the child becomes the interpreter here
//		runtime, err := js.New(ctx, nil)
//		...
//		kernel, err := runtime.Start(ctx, &repl.Config{Inputs: map[string]json.RawMessage{"xs": json.RawMessage(`[1,2,3]`)}})
//		...
//		defer kernel.Close()
//		out, err := kernel.Execute(ctx, repl.Cell{Code: "const total = sum(xs); total"})
//		fmt.Println(out.Stdout) // 6
//	}
//
// What a cell declares at the top level, with const, let, class and function
// too, is there in the next cell and can be declared again. The value of a last
// expression is shown. await works at the top level, for promises that something
// in the cell settles. Errors name the line of the cell.
//
// A host function takes its arguments in order or by name in one object, and
// returns when the host has answered; its error is an Error with the host's
// message. A whole number beyond 2^53 that comes from the host is a BigInt.
//
// The heap is limited (Limits.Memory, 256 MiB): the worker watches it and ends
// itself. Limits of the sandbox stand behind that.
package js

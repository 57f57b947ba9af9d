// Package code makes code a tool: a model writes a cell, an interpreter that keeps
// its variables runs it, and the model sees what it printed. What one cell has
// computed is there for the next, whole, however little of it was shown.
//
//	runtime, err := js.New(ctx, nil) // or py.New(box, nil)
//	lookup := code.Func("lookup", "Orders of a customer",
//		func(ctx context.Context, in struct{ Customer string `json:"customer"` }) ([]Order, error) { ... })
//	cells, err := code.New(runtime, &code.Options{Functions: []code.Function{lookup}})
//	defer cells.Close()
//	a := agent.Agent{
//		Model: model, Instructions: "You analyse orders.\n\n" + cells.Prompt(),
//		Tools: []tool.Tool{cells.Execute()}, Policy: agent.AllowTools("Execute"),
//	}
//
// # Sessions
//
// Each session of an agent ([tool.Call].Session) has an interpreter of its own,
// started at its first cell and closed after some time without one, by [Code.End],
// or by [Code.Close]. At most Options.Sessions are alive at a time. An interpreter
// that was killed, for time, for memory or because the call was cancelled, died or
// was closed is followed by an empty one at the next cell, whose result tells the
// model that its variables are gone. So it is after a crash of the whole program:
// interpreters are not durable, the model is told and computes again.
//
// # Functions of the host
//
// Cells are confined (see the runtime's Describe): they reach the world through
// the functions that the program gives them, see [Func], and nothing else.
// [Predict] lets them ask a model, within a budget; [Submit] hands over the run's
// output, checked against a schema. All are fixed by [New].
//
// A function is called from code that a model wrote, as often as it likes, and no
// policy is asked in between: what needs a permission of its own is a tool, not a
// function. The one permission is that of Execute, whose key is the runtime's name.
//
// # Secrets
//
// What Options.Secrets holds is taken out of output, variables and errors before
// anything is cut to size, and of what the host hands to a cell, so that no program
// can rewrite a secret out of the redactor's sight.
package code

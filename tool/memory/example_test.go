package memory_test

import (
	"context"
	"fmt"
	"os"

	"github.com/helios-go/helios/tool"
	"github.com/helios-go/helios/tool/memory"
	"github.com/helios-go/helios/workspace"
)

// One store for several users, who do not see each other's notes.
func ExampleNew() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	// Strict, the zero Mode, is stronger where the kernel has what it needs.
	ws, err := workspace.Open(dir, &workspace.Options{Mode: workspace.Portable})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer ws.Close()
	notes := memory.New(ws, &memory.Options{Scope: memory.PerUser})

	// In an agent the call comes with the session; here it is made by hand.
	ada := tool.WithCall(context.Background(), &tool.Call{User: "ada"})
	bob := tool.WithCall(context.Background(), &tool.Call{User: "bob"})
	fmt.Println(notes.Create(ada, "/memories/units.md", "Fields are in nT.\n"))
	fmt.Println(notes.Insert(ada, "/memories/units.md", 2, "Densities are in cm^-3."))
	fmt.Println(notes.List(ada, "/memories/"))
	fmt.Println(notes.List(bob, "/memories/"))
	text, err := notes.View(ada, "/memories/units.md")
	fmt.Print(text, err, "\n")
	// Output:
	// <nil>
	// <nil>
	// [/memories/units.md] <nil>
	// [] <nil>
	// Fields are in nT.
	// Densities are in cm^-3.
	// <nil>
}

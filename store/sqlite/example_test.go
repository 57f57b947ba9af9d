package sqlite_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/helios-go/helios/agent"
	"github.com/helios-go/helios/llm/llmtest"
	"github.com/helios-go/helios/store/sqlite"
)

// A conversation that outlives the process: whoever opens the same file and id
// goes on with it.
func Example() {
	dir, err := os.MkdirTemp("", "helios")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	model := llmtest.New(llmtest.Text("Hello Ada."), llmtest.Text("Your name is Ada."))
	for _, question := range []string{"I am Ada.", "What is my name?"} {
		store, err := sqlite.Open(filepath.Join(dir, "sessions.db"), nil)
		if err != nil {
			fmt.Println(err)
			return
		}
		s, err := agent.Agent{Name: "guide", Model: model}.Open(context.Background(), &agent.OpenOptions{Store: store, SessionID: "ada"})
		if err != nil {
			fmt.Println(err)
			return
		}
		res, err := s.Run(context.Background(), question)
		fmt.Println(res.Text, err)
		for info, err := range store.List(context.Background(), agent.Filter{}) {
			if err != nil {
				fmt.Println(err)
				return
			}
			fmt.Println(info.ID, info.Agent, info.State, info.Seq)
		}
		s.Close()
		store.Close()
	}
	// Output:
	// Hello Ada. <nil>
	// ada guide idle 6
	// Your name is Ada. <nil>
	// ada guide idle 11
}

// withStore opens a store of its own for an example.
func withStore(f func(*sqlite.Store) error) {
	dir, err := os.MkdirTemp("", "helios")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	store, err := sqlite.Open(filepath.Join(dir, "sessions.db"), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer store.Close()
	if err := f(store); err != nil {
		fmt.Println(err)
	}
}

package places_test

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/helios-go/helios/helioai/places"
)

func ExampleHome_Workspace() {
	dir, err := os.MkdirTemp("", "helioai-*")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = os.RemoveAll(dir) }()
	home, err := places.Open(dir)
	if err != nil {
		fmt.Println(err)
		return
	}
	label := places.Label("Mean |B| at ACE", "019e2f00-1111-7222-8333-4444551f0c2a")
	workspace, err := filepath.Rel(home.Root(), home.Workspace("cli", label))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(filepath.ToSlash(workspace))
	// Output: users/cli/workspace/mean-b-at-ace_1f0c2a
}

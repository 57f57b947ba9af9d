//go:build linux

package workspace_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/helios-go/helios/workspace"
)

// scratch makes a folder for an example.
func scratch() string {
	dir, err := os.MkdirTemp("", "workspace-")
	if err != nil {
		log.Fatal(err)
	}
	return dir
}

func Example() {
	dir := scratch()
	defer os.RemoveAll(dir)
	ws, err := workspace.Open(dir, nil)
	if err != nil {
		// Where the kernel cannot do it the error names what would work, and
		// whoever runs the program decides.
		fmt.Println(err)
		return
	}
	defer ws.Close()

	created, err := ws.WriteFile("notes/today.txt", []byte("one\n"))
	fmt.Println(created, err)
	text, info, err := ws.ReadFile("notes/today.txt", 1<<20)
	fmt.Printf("%q %v\n", text, err)

	fmt.Println(ws.Replace("notes/today.txt", []byte("two\n"), info))
	fmt.Println(ws.Replace("notes/today.txt", []byte("three\n"), info))

	_, _, err = ws.ReadFile("../../etc/passwd", 1<<20)
	fmt.Println(errors.Is(err, workspace.ErrEscape), err)
	// Output:
	// true <nil>
	// "one\n" <nil>
	// <nil>
	// write "notes/today.txt": the file has changed since it was read; read it again
	// true path "../../etc/passwd": it leads out of the workspace
}

func ExampleRoot_Walk() {
	dir := scratch()
	defer os.RemoveAll(dir)
	ws, err := workspace.Open(dir, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer ws.Close()
	for _, name := range []string{"src/main.go", "src/.cache/x", "README.md"} {
		if err := ws.Create(name, []byte(name)); err != nil {
			fmt.Println(err)
			return
		}
	}
	var buf []byte // used again for each file
	err = ws.Walk(context.Background(), ".", nil, func(f workspace.Found) error {
		if f.Type == workspace.Dir && f.Name[0] == '.' {
			return workspace.SkipDir
		}
		if f.Type != workspace.File {
			return nil
		}
		var err error
		buf, _, err = f.Append(buf[:0], 1<<20)
		fmt.Printf("%s: %d bytes\n", f.Path, len(buf))
		return err
	})
	fmt.Println(err)
	// Output:
	// README.md: 9 bytes
	// src/main.go: 11 bytes
	// <nil>
}

// A corpus is a tree that can only be read.
func ExampleOptions() {
	dir := scratch()
	defer os.RemoveAll(dir)
	if err := os.WriteFile(filepath.Join(dir, "paper.txt"), []byte("text"), 0o600); err != nil {
		fmt.Println(err)
		return
	}
	corpus, err := workspace.Open(dir, &workspace.Options{ReadOnly: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer corpus.Close()
	fmt.Println(corpus.Remove("paper.txt"))
	// Output: remove "paper.txt": it can only be read, not changed
}

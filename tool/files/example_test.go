package files_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/helios-go/helios/secret"
	"github.com/helios-go/helios/tool"
	"github.com/helios-go/helios/tool/files"
	"github.com/helios-go/helios/workspace"
)

// project makes a small workspace in a temporary folder.
func project() (*workspace.Root, func()) {
	dir, err := os.MkdirTemp("", "project")
	if err != nil {
		panic(err)
	}
	for name, text := range map[string]string{
		"main.go":       "package main\n\n// It greets.\nfunc main() {\n\tprintln(\"hello\")\n}\n",
		"docs/guide.md": "# Guide\n",
		"conf/app.ini":  "key = s3cr3t-t0ken\n",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			panic(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			panic(err)
		}
	}
	// Strict, the zero mode, is the one to use where it is possible.
	ws, err := workspace.Open(dir, &workspace.Options{Mode: workspace.Portable})
	if err != nil {
		panic(err)
	}
	return ws, func() { ws.Close(); os.RemoveAll(dir) }
}

// call runs a tool as an agent does, and prints what the model gets.
func call(t tool.Tool, args string) {
	res, err := t.Run(context.Background(), json.RawMessage(args))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(res.Text())
}

func Example() {
	ws, done := project()
	defer done()
	f := files.New(ws, nil)
	call(f.LS(), `{}`)
	call(f.Read(), `{"path":"main.go","offset":4}`)
	call(f.Edit(), `{"path":"main.go","old_string":"hello","new_string":"good morning"}`)
	// Output:
	// conf/
	// docs/
	// main.go
	//
	//      4	func main() {
	//      5		println("hello")
	//      6	}
	//
	// Edited main.go (1 edit). It now reads:
	//      3	// It greets.
	//      4	func main() {
	//      5		println("good morning")
	//      6	}
}

func ExampleFiles_Grep() {
	ws, done := project()
	defer done()
	var secrets secret.Registry
	if err := secrets.Register("TOKEN", "s3cr3t-t0ken"); err != nil {
		panic(err)
	}
	grep := files.New(ws, &files.Options{Secrets: &secrets}).Grep()
	call(grep, `{"pattern":"^(func|key)"}`)
	call(grep, `{"pattern":"s3cr3t"}`) // what is not shown is not found either
	// Output:
	// conf/app.ini:1:key = <redacted:TOKEN>
	// main.go:4:func main() {
}

func ExampleFiles_Glob() {
	ws, done := project()
	defer done()
	call(files.New(ws, nil).Glob(), `{"pattern":"**/*.md"}`)
	// Output:
	// docs/guide.md
}

func ExampleFiles_Write() {
	ws, done := project()
	defer done()
	write := files.New(ws, nil).Write()
	call(write, `{"path":"notes/today.md","content":"# Today\n"}`)
	call(write, `{"path":"main.go","content":"package main\n"}`)
	// Output:
	// Made notes/today.md: 1 line, 8 bytes.
	// Write "main.go": it has not been read in this session; Read it first
}

// Files that a model must not see are hidden from all tools.
func ExampleMatching() {
	ws, done := project()
	defer done()
	hide, err := files.Matching("conf", "**/*.pem")
	if err != nil {
		panic(err)
	}
	f := files.New(ws, &files.Options{Hide: hide})
	call(f.Glob(), `{"pattern":"conf/*"}`)
	call(f.Grep(), `{"pattern":"key","output":"files"}`)
	// Output:
	// Glob "conf": the host keeps it out of reach; do without it
}

// A tree that can only be read shows as a folder at the top.
func ExampleOptions_corpora() {
	ws, done := project()
	defer done()
	papers, removed := project()
	defer removed()
	f := files.New(ws, &files.Options{Corpora: map[string]*workspace.Root{"papers": papers}})
	call(f.LS(), `{}`)
	call(f.Read(), `{"path":"papers/docs/guide.md"}`)
	call(f.Write(), `{"path":"papers/docs/mine.md","content":"x"}`)
	// Output:
	// conf/
	// docs/
	// papers/
	// main.go
	//
	//      1	# Guide
	//
	// Write "papers/docs/mine.md": it can only be read, not changed
}

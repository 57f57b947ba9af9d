// Package swaptest races file tools against a program that swaps folders and
// files for links.
//
//	race := swaptest.New(t)
//	ws, err := workspace.Open(race.Root, nil)
//	...
//	race.Run(10*time.Second,
//		swaptest.Case{Name: "Read", On: swaptest.File, Do: func(name string) (string, error) {
//			data, _, err := ws.ReadFile(name, 1<<20)
//			return string(data), err
//		}},
//		swaptest.Case{Name: "Write", On: swaptest.Fresh, Do: ...})
//
// While the cases run in turn, goroutines exchange (renameat2) folders and files
// of the tree with links that lead to twins of them outside. What escapes is
// seen: the twins hold [Race.Secret] in their contents and in the names of
// their entries, and nothing outside may change. Before that a positive control,
// the check of a resolved path followed by os.ReadFile, has to escape in the same
// tree; if it does not, the race proves nothing and the test fails.
//
// It needs Linux; elsewhere [New] skips the test.
package swaptest

import "time"

// Kind is what the names lead to that a [Case] gets, when no link is in their
// place.
type Kind uint8

const (
	// File names lead to files of two lines, "needle inside" and "end".
	File Kind = iota
	// Fresh names lead to nothing, in folders that are there. For one of them the
	// swapped link dangles: who follows it makes the file outside.
	Fresh
	// Folder names lead to folders; one is ".". Below each are files as for File.
	Folder
	// Gone names lead to nothing, in folders that are not there either.
	Gone
)

// A Case is one operation of a file tool.
type Case struct {
	Name string
	On   Kind
	// Do performs the operation on a name, relative to the root, and returns all
	// that it shows. A failure is fine, and most calls fail; but some call of each
	// case must succeed. What a name of its Kind leads to is put back now and then,
	// before the name is given again for most names.
	Do func(name string) (string, error)
}

// Report is what a race has seen.
type Report struct {
	Control time.Duration // how long the positive control took to escape
	Swaps   int64
	Cases   []CaseReport
}

// A CaseReport is about one case.
type CaseReport struct {
	Name             string
	Calls, Succeeded int
	Escapes          int
	First            string // what the first escape was
	Shown            string // output with the place of the tree on this machine
	Last             error  // of the last call that failed
}

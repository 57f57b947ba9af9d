// Package repocheck holds the repository to its own rules: who may import whom,
// what every package and file must have, and what no file may say.
//
// Nothing imports it; `go test ./internal/repocheck` is how it is used. The rules
// are data with their reasons beside them, so that a failure tells why and not
// only what:
//
//	imports.go       the table of imports, the edges that no chain of imports may make,
//	                 and the packages that own a third-party module
//	packages.go      a package comment everywhere
//	files.go         length, line ends, and words that have no place here
//	links.go         links between pages
//	snippets.go      Go code in pages that is code of this repository
//	parity.go        a proof for every promise of docs/parity.md
//	dependencies.go  a reason for every module in go.mod
//
// Each check is a function from what it looks at to a list of problems, without
// input or output of its own. The tests run it twice: on a small made-up tree that
// breaks the rule, which shows that it can fail, and on this repository.
package repocheck

import "fmt"

// Problem is one thing that breaks a rule. Line is 0 where the whole file or the
// package is meant.
type Problem struct {
	Where string
	Line  int
	What  string
}

func (p Problem) String() string {
	if p.Line == 0 {
		return p.Where + ": " + p.What
	}
	return fmt.Sprintf("%s:%d: %s", p.Where, p.Line, p.What)
}

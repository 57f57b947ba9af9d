package repocheck

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Row says what some packages may import besides the standard library. A
// pattern is "./helio" or, with all that lies below it, "./helio/...".
type Row struct {
	Packages []string
	// May are packages of this repository. A package may import what lies below
	// itself, and its siblings only if they stand here.
	May []string
	// Modules are third-party modules or packages in them.
	Modules []string
	// Because is why what is not named here is forbidden.
	Because string
}

// Edge is a dependency that no chain of imports may make, on any platform.
type Edge struct {
	From, To []string
	// Except are packages in From that may.
	Except  []string
	Because string
}

// Owner names the packages that may import something which the table would
// allow to more of them; where none is named, only tests do.
type Owner struct {
	Of      string
	By      []string
	Because string
}

// CheckImports holds the packages to the first row of the table that matches
// each. A package without a row is a problem too.
func CheckImports(table []Row, packages []Package) []Problem {
	var problems []Problem
	for _, p := range packages {
		i := slices.IndexFunc(table, func(r Row) bool { return matchAny(r.Packages, p.Path) })
		if i < 0 {
			problems = append(problems, Problem{Where: p.Path, What: "has no row in the table of imports; add one, with the reason for what it may not import"})
			continue
		}
		row := table[i]
		for _, imported := range p.Imports {
			if standard(imported) || within(p.Path, imported) || matchAny(row.May, imported) || inModules(row.Modules, imported) {
				continue
			}
			problems = append(problems, Problem{Where: p.Path, What: fmt.Sprintf("imports %s, and it may not: %s", imported, row.Because)})
		}
	}
	return problems
}

// CheckOwners holds the direct imports of what has owners to them.
func CheckOwners(owners []Owner, packages []Package) []Problem {
	var problems []Problem
	for _, p := range packages {
		for _, imported := range p.Imports {
			for _, o := range owners {
				if within(o.Of, imported) && !within(o.Of, p.Path) && !matchAny(o.By, p.Path) {
					problems = append(problems, Problem{Where: p.Path, What: fmt.Sprintf("imports %s, which belongs to %s: %s", imported, orTests(o.By), o.Because)})
				}
			}
		}
	}
	return problems
}

func orTests(owners []string) string {
	if len(owners) == 0 {
		return "tests alone"
	}
	return strings.Join(owners, ", ")
}

// CheckEdges follows every chain of imports and reports the shortest one that
// makes a forbidden edge, once for each package it starts from.
func CheckEdges(edges []Edge, graph Graph) []Problem {
	var problems []Problem
	for _, from := range slices.Sorted(maps.Keys(graph)) {
		for _, e := range edges {
			if !matchAny(e.From, from) || matchAny(e.Except, from) {
				continue
			}
			if chain := shortest(graph, from, e.To); chain != nil {
				problems = append(problems, Problem{Where: from, What: fmt.Sprintf("depends on %s, and it may not: %s", strings.Join(chain, " -> "), e.Because)})
			}
		}
	}
	return problems
}

// shortest returns the packages after from on the shortest way to one that
// matches a pattern, or nil. It stays inside this repository until the last
// step: what other modules import is their own affair.
func shortest(graph Graph, from string, to []string) []string {
	type step struct {
		path string
		way  []string
	}
	seen := map[string]bool{from: true}
	for queue := []step{{path: from}}; len(queue) > 0; queue = queue[1:] {
		here := queue[0]
		for _, next := range graph[here.path] {
			way := append(slices.Clone(here.way), next)
			if matchAny(to, next) || inModules(to, next) {
				return way
			}
			if ours(next) && !seen[next] {
				seen[next] = true
				queue = append(queue, step{next, way})
			}
		}
	}
	return nil
}

func matchAny(patterns []string, path string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		if base, ok := strings.CutSuffix(pattern, "/..."); ok {
			return within(base, path)
		}
		return pattern == path
	})
}

func inModules(modules []string, path string) bool {
	return slices.ContainsFunc(modules, func(m string) bool { return thirdParty(m) && within(m, path) })
}

// within tells whether path is base or lies below it.
func within(base, path string) bool {
	return path == base || strings.HasPrefix(path, base+"/")
}

// ours tells a package of this repository, which is written as "./helio/cdf".
func ours(path string) bool { return strings.HasPrefix(path, "./") }

// thirdParty knows another module's path by the dot in its first element, as
// the go command does.
func thirdParty(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return strings.Contains(first, ".") && !ours(path)
}

// standard tells a package of the standard library.
func standard(path string) bool { return !ours(path) && !thirdParty(path) }

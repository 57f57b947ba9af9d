package repocheck

import (
	"slices"
	"strings"
	"testing"
)

// wantProblems compares the problems with what each must contain, in any order.
func wantProblems(t *testing.T, got []Problem, want ...string) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("got %d problems, want %d:\n%v", len(got), len(want), got)
	}
	for _, w := range want {
		if !slices.ContainsFunc(got, func(p Problem) bool { return strings.Contains(p.String(), w) }) {
			t.Errorf("no problem says %q; got:\n%v", w, got)
		}
	}
}

func TestTableRefusesWhatItDoesNotName(t *testing.T) {
	t.Parallel()
	table := []Row{
		{Packages: []string{"./base"}, Modules: []string{"example.org/schema"}, Because: "it is the base"},
		{Packages: []string{"./tools/..."}, May: []string{"./base"}, Because: "tools know no caller"},
	}
	tests := map[string]struct {
		path    string
		imports []string
		want    []string
	}{
		"the standard library":       {"./base", []string{"fmt", "net/http"}, nil},
		"a module that is named":     {"./base", []string{"example.org/schema/draft"}, nil},
		"a module that is not":       {"./base", []string{"example.org/schemata"}, []string{"./base: imports example.org/schemata, and it may not: it is the base"}},
		"a package that is named":    {"./tools/files", []string{"./base"}, nil},
		"a package below it":         {"./tools/files", []string{"./tools/files/glob"}, nil},
		"a sibling":                  {"./tools/files", []string{"./tools/web"}, []string{"imports ./tools/web"}},
		"upwards":                    {"./base", []string{"./tools/files"}, []string{"it is the base"}},
		"a name with the same start": {"./tools/files", []string{"./baseline"}, []string{"./baseline"}},
		"a package without a row":    {"./other", nil, []string{"./other: has no row"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wantProblems(t, CheckImports(table, []Package{{Path: test.path, Imports: test.imports}}), test.want...)
		})
	}
}

func TestOwnersKeepModulesToThemselves(t *testing.T) {
	t.Parallel()
	owners := []Owner{
		{"example.org/sql", []string{"./store/..."}, "drivers are heavy"},
		{"example.org/rapid", nil, "it is for tests"},
	}
	packages := []Package{
		{Path: "./store/lite", Imports: []string{"example.org/sql/driver"}},
		{Path: "./agent", Imports: []string{"example.org/sql", "example.org/rapid", "example.org/sqlx"}},
	}
	wantProblems(t, CheckOwners(owners, packages),
		"./agent: imports example.org/sql, which belongs to ./store/...: drivers are heavy",
		"./agent: imports example.org/rapid, which belongs to tests alone: it is for tests")
}

func TestEdgesAreFollowedThroughOtherPackages(t *testing.T) {
	t.Parallel()
	graph := Graph{
		"./agent":         {"fmt", "./tool"},
		"./tool":          {"./llm"},
		"./llm":           {"example.org/web", "net/http"},
		"./helper":        {"testing"},
		"fmt":             {"os"},
		"example.org/web": {"os/exec"},
	}
	edges := []Edge{
		{From: []string{"./agent"}, To: []string{"net/http"}, Because: "no network"},
		{From: []string{"./..."}, To: []string{"os/exec"}, Because: "no processes"},
		{From: []string{"./..."}, To: []string{"testing"}, Except: []string{"./helper"}, Because: "no flags"},
	}
	wantProblems(t, CheckEdges(edges, graph), "./agent: depends on ./tool -> ./llm -> net/http, and it may not: no network")
}

func TestGraphAndPackagesSeeOtherPlatforms(t *testing.T) {
	t.Parallel()
	p, err := readPackage("testdata/platforms")
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"./agent", "fmt", "syscall"}; !slices.Equal(p.Imports, want) {
		t.Errorf("imports %v, want %v", p.Imports, want)
	}
	if want := "Package platforms "; !strings.HasPrefix(p.Doc, want) {
		t.Errorf("package comment %q, want it to begin %q", p.Doc, want)
	}
}

func TestReasonsAreGiven(t *testing.T) {
	t.Parallel()
	for _, r := range Imports {
		if r.Because == "" || len(r.Packages) == 0 {
			t.Errorf("row %v has no reason or no packages", r.Packages)
		}
	}
	for _, e := range Forbidden {
		if e.Because == "" || len(e.From) == 0 || len(e.To) == 0 {
			t.Errorf("edge %v to %v lacks a reason or an end", e.From, e.To)
		}
	}
	for _, o := range Owners {
		if o.Because == "" || o.Of == "" {
			t.Errorf("owner of %q has no reason", o.Of)
		}
	}
}

package repocheck

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

const root = "../.."

// report fails the test with every problem, one a line.
func report(t *testing.T, problems []Problem) {
	t.Helper()
	for _, p := range problems {
		t.Error(p)
	}
}

func loadPackages(t *testing.T) []Package {
	t.Helper()
	packages, err := LoadPackages(t.Context(), root)
	if err != nil {
		t.Fatal(err)
	}
	if len(packages) < 5 {
		t.Fatalf("found %d packages, so this looks at the wrong folder", len(packages))
	}
	return packages
}

func loadFiles(t *testing.T) []File {
	t.Helper()
	files, err := LoadFiles(t.Context(), root)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(files, func(f File) bool { return f.Path == "internal/repocheck/repocheck.go" }) {
		t.Fatalf("this package is not among the %d files found", len(files))
	}
	return files
}

func TestImportsFollowTheTable(t *testing.T) {
	t.Parallel()
	packages := loadPackages(t)
	report(t, CheckImports(Imports, packages))
	report(t, CheckOwners(Owners, packages))
	report(t, CheckOwners(helpersOf(), packages))
}

// helpersOf keeps what is for tests out of programs.
func helpersOf() []Owner {
	var owners []Owner
	for _, helper := range TestHelpers {
		owners = append(owners, Owner{helper, slices.Concat(TestHelpers, Generators), "it is for tests"})
	}
	return owners
}

func TestNoChainOfImportsIsForbidden(t *testing.T) {
	t.Parallel()
	for _, goos := range []string{"linux", "darwin", "windows"} {
		graph, _, err := LoadGraph(t.Context(), root, goos, "./...")
		if err != nil {
			t.Fatal(err)
		}
		report(t, CheckEdges(Forbidden, graph))
	}
}

func TestEveryPackageHasAComment(t *testing.T) {
	t.Parallel()
	report(t, CheckComments(loadPackages(t)))
}

func TestFiles(t *testing.T) {
	t.Parallel()
	files := loadFiles(t)
	report(t, CheckLength(files))
	report(t, CheckText(files))
	report(t, CheckWords(Words, files))
	report(t, CheckLinks(files))
}

// page returns the file of a path.
func page(t *testing.T, files []File, path string) File {
	t.Helper()
	i := slices.IndexFunc(files, func(f File) bool { return f.Path == path })
	if i < 0 {
		t.Fatalf("there is no %s", path)
	}
	return files[i]
}

func TestEveryPromiseHasItsProof(t *testing.T) {
	t.Parallel()
	files := loadFiles(t)
	report(t, CheckParity(page(t, files, "docs/parity.md"), LoadTests(files), ParityIDs()))
}

func TestThePagesShowTestedCode(t *testing.T) {
	t.Parallel()
	report(t, CheckSnippets(loadFiles(t)))
}

func TestEveryDependencyIsExplained(t *testing.T) {
	t.Parallel()
	required, err := LoadRequired(t.Context(), root)
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(root, "docs", "rationale.md"))
	if err != nil {
		t.Fatal(err)
	}
	report(t, CheckDependencies(File{"docs/rationale.md", data}, required))
}

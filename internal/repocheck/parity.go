package repocheck

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"regexp"
	"slices"
	"strings"
)

// Areas are where what is not there yet belongs: the words behind "later:".
var Areas = []string{"HTTP", "MCP"}

// ParityIDs are what docs/parity.md has a row for: the acceptance cases, the inputs
// that broke others, the cases of interpreters, and the defects that are not to be
// made again.
func ParityIDs() []string {
	var ids []string
	for _, group := range []struct {
		prefix      string
		first, last int
	}{{"", 1, 128}, {"G", 1, 25}, {"P", 1, 85}, {"D", 1, 39}} {
		for i := group.first; i <= group.last; i++ {
			ids = append(ids, fmt.Sprint(group.prefix, i))
		}
	}
	return ids
}

// Tests are the names of the test, example and fuzz functions of each package, by
// its path from the root.
type Tests map[string][]string

var testName = regexp.MustCompile(`^(?:Test|Example|Fuzz)(?:[^a-z].*)?$`)

// LoadTests finds the tests in files of Go. A file that cannot be parsed has none;
// the compiler says why.
func LoadTests(files []File) Tests {
	tests := Tests{}
	for _, f := range files {
		if !strings.HasSuffix(f.Path, "_test.go") || f.fixture() {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), f.Path, f.Data, parser.SkipObjectResolution)
		if err != nil {
			continue
		}
		dir := path.Dir(f.Path)
		for _, d := range parsed.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && testName.MatchString(fn.Name.Name) {
				tests[dir] = append(tests[dir], fn.Name.Name)
			}
		}
	}
	return tests
}

var parityRow = regexp.MustCompile(`^\| ([GDP]?[0-9]+) \|(.*)\|$`)

// CheckParity holds the page to what it claims. Each id has one row of three
// cells: the id, what is expected, and the proof. A proof is one or several of
// these, with semicolons between:
//
//	agent TestSomething, TestMore    a package and tests that are in it
//	restated: a sentence             another decision was made here
//	later: providers                 one of [Areas] owns it
func CheckParity(page File, tests Tests, ids []string) []Problem {
	var problems []Problem
	found := map[string]bool{}
	for number, text := range proseLines(string(page.Data)) {
		m := parityRow.FindStringSubmatch(text)
		if m == nil {
			continue
		}
		bad := func(format string, args ...any) {
			problems = append(problems, Problem{Where: page.Path, Line: number + 1, What: "row " + m[1] + " " + fmt.Sprintf(format, args...)})
		}
		switch {
		case !slices.Contains(ids, m[1]):
			bad("is no id of the list")
		case found[m[1]]:
			bad("is there twice")
		}
		found[m[1]] = true
		expected, proof, ok := strings.Cut(m[2], "|")
		if !ok || strings.TrimSpace(expected) == "" || strings.Contains(proof, "|") {
			bad("needs three cells: the id, what is expected, and the proof")
			continue
		}
		for _, what := range checkProof(proof, tests) {
			bad("%s", what)
		}
	}
	for _, id := range ids {
		if !found[id] {
			problems = append(problems, Problem{Where: page.Path, What: "has no row " + id})
		}
	}
	return problems
}

// checkProof says what is wrong with the last cell of a row.
func checkProof(proof string, tests Tests) []string {
	if strings.TrimSpace(proof) == "" {
		return []string{"has no test, no restatement and no owner"}
	}
	var wrong []string
	for claim := range strings.SplitSeq(proof, ";") {
		claim = strings.TrimSpace(claim)
		word, rest, _ := strings.Cut(claim, " ")
		switch {
		case word == "restated:":
			if strings.TrimSpace(rest) == "" {
				wrong = append(wrong, "is restated without a sentence")
			}
		case word == "later:":
			if !slices.Contains(Areas, rest) {
				wrong = append(wrong, fmt.Sprintf("is left for %q, which is none of: %s", rest, strings.Join(Areas, "; ")))
			}
		case tests[word] == nil:
			wrong = append(wrong, fmt.Sprintf("says %q, which begins with no package that has tests", claim))
		default:
			for name := range strings.SplitSeq(rest, ",") {
				if name = strings.TrimSpace(name); !slices.Contains(tests[word], name) {
					wrong = append(wrong, fmt.Sprintf("names %s, and package %s has no such test", name, word))
				}
			}
		}
	}
	return wrong
}

package repocheck

import (
	"strings"
	"testing"
)

func TestTestsAreFoundByPackage(t *testing.T) {
	t.Parallel()
	tests := LoadTests([]File{
		{"agent/a_test.go", []byte("package agent_test\nfunc TestA(t *testing.T) {}\nfunc Example() {}\nfunc helper() {}\nfunc Testing() {}\n")},
		{"agent/b_test.go", []byte("package agent\nfunc FuzzB(f *testing.F) {}\nfunc (x) TestMethod() {}\nfunc ExampleX_second() {}\n")},
		{"agent/c.go", []byte("package agent\nfunc TestNoTest() {}\n")},
		{"agent/broken_test.go", []byte("package agent\nfunc TestBroken( {\n")},
		{"agent/testdata/d_test.go", []byte("package d\nfunc TestD() {}\n")},
	})
	if got := strings.Join(tests["agent"], " "); len(tests) != 1 || got != "TestA Example FuzzB ExampleX_second" {
		t.Errorf("tests = %v", tests)
	}
}

func TestParityNeedsProof(t *testing.T) {
	t.Parallel()
	page := File{"docs/parity.md", []byte(`
| case | expected | proof |
|---|---|---|
| 1 | one | agent TestA, TestB |
| 2 | two | agent TestGone; restated: we do it in another way |
| 3 | three | |
| 4 | four | restated: |
| 5 | five | later: never |
| 5 | five again | later: MCP |
| 6 | | later: HTTP |
| 7 | seven | stores TestA |
| G1 | an input | agent TestA; later: HTTP |
| G9 | nobody asked | agent TestB |
`)}
	ids := []string{"1", "2", "3", "4", "5", "6", "7", "G1", "D1"}
	wantProblems(t, CheckParity(page, Tests{"agent": {"TestA", "TestB"}}, ids),
		"docs/parity.md:5: row 2 names TestGone, and package agent has no such test",
		"docs/parity.md:6: row 3 has no test, no restatement and no owner",
		"docs/parity.md:7: row 4 is restated without a sentence",
		`docs/parity.md:8: row 5 is left for "never"`,
		"docs/parity.md:9: row 5 is there twice",
		"docs/parity.md:10: row 6 needs three cells",
		`docs/parity.md:11: row 7 says "stores TestA"`,
		"docs/parity.md:13: row G9 is no id of the list",
		"docs/parity.md: has no row D1")
	if ids := ParityIDs(); len(ids) != 128+25+85+39 || ids[0] != "1" || ids[len(ids)-1] != "D39" {
		t.Errorf("%d ids, from %s to %s", len(ids), ids[0], ids[len(ids)-1])
	}
}

func TestSnippetsAreTestedCode(t *testing.T) {
	t.Parallel()
	files := []File{
		{"a/example_test.go", []byte("package a\n\nfunc Example() {\n\ta := 1\n\n\tb := 2\n\tc := 3\n}\n")},
		{"a/testdata/x.go", []byte("d := 4\n")},
		{"README.md", []byte("```go\na := 1\nb := 2\n```\n```sh\nls\n```\n```go\na := 1\nc := 3\n```\n")},
		{"docs/a.md", []byte("1. Do this:\n   ```go\n   b := 2\n\n   c := 3\n   ```\n```\nplain\n```\n```go\nd := 4\n```\n```go\nb :=\n```\n")},
		{"docs/old/b.md", []byte("```go\nnot there\n```\n")},
	}
	wantProblems(t, CheckSnippets(files), "README.md:8: this Go code", "docs/a.md:10: this Go code", "docs/a.md:13: this Go code")
}

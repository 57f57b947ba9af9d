package sdkcheck

import (
	"slices"
	"strings"
	"testing"
)

func TestATableListsAndMissesDifferences(t *testing.T) {
	t.Parallel()
	tables, err := ReadTables(`# Page

## Streams: x

| case | field | ours | theirs | why |
|---|---|---|---|---|
| a | error | none | cut | one |
| * (cr) | part * | text "*" | (none) | any |
| b | stop | stop |  | empty |
`)
	if err != nil {
		t.Fatal(err)
	}
	table := tables["Streams: x"]
	for _, c := range []struct {
		found Difference
		want  bool
	}{
		{Difference{Case: "a", Field: "error", Ours: "none", Theirs: "cut"}, true},
		{Difference{Case: "a", Field: "error", Ours: "cut", Theirs: "none"}, false},
		{Difference{Case: "aa", Field: "error", Ours: "none", Theirs: "cut"}, false},
		{Difference{Case: "a (cr)", Field: "part 1", Ours: "text \"x\ny\"", Theirs: "(none)"}, true},
		{Difference{Case: "a (crlf)", Field: "part 1", Ours: `text "x"`, Theirs: "(none)"}, false},
	} {
		if got := table.Lists(c.found); got != c.want {
			t.Errorf("%v is listed: %t, want %t", &c.found, got, c.want)
		}
	}
	if !table.ListsOf("a", Difference{Case: "a (bytes)", Field: "error", Ours: "none", Theirs: "cut"}) {
		t.Error("a difference of the stream as it stands is not known when it is sent otherwise")
	}
	if gone := table.Gone(); len(gone) != 1 || gone[0].Case != "b" {
		t.Errorf("gone are %v, want the row of b", gone)
	}
	for _, bad := range []string{"| a | error | none | cut |", "| a | error | none | cut | |"} {
		if _, err := ReadTables(bad); err == nil {
			t.Errorf("%s: no error", bad)
		}
	}
}

// A heading with a mistake in it would leave its rows unread.
func TestEveryTableIsOfAWire(t *testing.T) {
	t.Parallel()
	tables, err := ReadTables(differences)
	if err != nil {
		t.Fatal(err)
	}
	var known []string
	for _, w := range Wires() {
		known = append(known, "Streams: "+w.Name, "Requests: "+w.Name)
	}
	for section := range tables {
		if !slices.Contains(known, section) {
			t.Errorf("DIFFERENCES.md has a section %q, want one of %s", section, strings.Join(known, ", "))
		}
	}
}

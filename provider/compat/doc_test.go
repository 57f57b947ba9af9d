package compat_test

import (
	"cmp"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/helios-go/helios/provider/compat"
)

// TestThePackageCommentsTableIsTrue holds the table to the values.
func TestThePackageCommentsTableIsTrue(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string][]string{}
	for line := range strings.Lines(string(page)) {
		if cells := strings.Fields(strings.TrimPrefix(line, "//\t")); len(cells) > 3 {
			rows[cells[0]] = cells[1:]
		}
	}
	for _, d := range compat.Dialects() {
		key, limit := d.KeyVar, cmp.Or(d.MaxTokens, "max_tokens")
		if d.Keyless {
			key = "none"
		}
		row := rows[d.Name]
		if len(row) < 3 || row[0] != key || row[1] != limit {
			t.Errorf("%s: the row is %q, want %s and %s in front", d.Name, row, key, limit)
			continue
		}
		for word, want := range map[string]bool{
			"never":       d.Echo == compat.EchoNever && !d.Details && d.Name != "gemini-chat",
			"all":         d.Echo == compat.EchoAll && !d.EchoModel,
			"json_schema": d.Output == compat.OutputSchema && !d.WithTools,
			"json_object": d.Output == compat.OutputObject,
			"too":         d.WithTools,
		} {
			got := slices.ContainsFunc(row, func(cell string) bool { return strings.TrimRight(cell, ";") == word })
			if got != want {
				t.Errorf("%s: %q is in the row: %t, want %t", d.Name, word, got, want)
			}
		}
	}
}

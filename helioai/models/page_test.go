package models_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/helios-go/helios/helioai/models"
)

func TestThePageOfModelsNamesEachProviderWithItsVariables(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "models.md"))
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]string{}
	for line := range strings.Lines(string(page)) {
		if cells := strings.Split(line, "|"); len(cells) > 4 {
			rows[strings.Trim(cells[1], " `")] = line
		}
	}
	for _, p := range models.Providers() {
		row := rows[p.Name]
		wants := append(append([]string{p.Model}, p.URLs...), p.ModelVars...)
		if p.Name != "ollama" { // its key is for a gateway before it
			wants = append(wants, p.Keys...)
		}
		for _, want := range wants {
			if row == "" || !strings.Contains(row, want) {
				t.Errorf("docs/models.md: the row of %s does not name %q", p.Name, want)
			}
		}
	}
}

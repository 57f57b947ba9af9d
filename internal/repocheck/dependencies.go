package repocheck

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"regexp"
	"slices"
	"strings"
)

// LoadRequired returns the modules that go.mod of the module at root requires
// for this module's own imports.
func LoadRequired(ctx context.Context, root string) ([]string, error) {
	cmd := exec.CommandContext(ctx, "go", "mod", "edit", "-json")
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go mod edit -json in %s: %w", root, err)
	}
	var mod struct {
		Require []struct {
			Path     string
			Indirect bool
		}
	}
	if err := json.NewDecoder(bytes.NewReader(out)).Decode(&mod); err != nil {
		return nil, fmt.Errorf("go mod edit -json in %s: %w", root, err)
	}
	var direct []string
	for _, r := range mod.Require {
		if !r.Indirect {
			direct = append(direct, r.Path)
		}
	}
	return direct, nil
}

var modulePath = regexp.MustCompile(`\b[a-z0-9-]+(?:\.[a-z0-9-]+)+/[A-Za-z0-9._~/-]+`)

// CheckDependencies wants a row for each required module in the tables of the
// page given, which have the columns "for", "module" and "why", and no row
// without a module or a reason.
func CheckDependencies(page File, required []string) []Problem {
	var problems []Problem
	var explained []string
	for number, text := range proseLines(string(page.Data)) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(text), "|"), "|")
		if !strings.HasPrefix(text, "|") || len(cells) < 3 {
			continue
		}
		for _, m := range modulePath.FindAllString(cells[1], -1) {
			if strings.TrimSpace(cells[0]) == "" || strings.TrimSpace(cells[2]) == "" {
				problems = append(problems, Problem{Where: page.Path, Line: number + 1, What: m + " has a row without what it is for, or without why"})
			}
			explained = append(explained, m)
			if !slices.ContainsFunc(required, func(r string) bool { return within(r, m) }) {
				problems = append(problems, Problem{Where: page.Path, Line: number + 1, What: m + " is explained, and go.mod does not require it for this module's own imports"})
			}
		}
	}
	for _, r := range required {
		if !slices.ContainsFunc(explained, func(m string) bool { return within(r, m) }) {
			problems = append(problems, Problem{Where: "go.mod", What: fmt.Sprintf("requires %s, and no table in %s says what for and why this one", r, page.Path)})
		}
	}
	return problems
}

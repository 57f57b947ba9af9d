// Package recipes is the shelf of methods: Python files that a scientist can
// read, keep and cite, each with its reference.
//
//	recipe, err := recipes.Find("mvab")
//	if err != nil {
//		return err
//	}
//	fmt.Println(recipe.Reference)
//
// A recipe reads its inputs from names that are bound before it runs, exports
// its results with their units, and refuses with a sentence and no number. With
// nothing bound it exports nothing. Its version changes with its behaviour, and
// the ledger keeps version and SHA-256 of what ran.
//
// The header of a file says all of this:
//
//	# name: mvab
//	# version: 1.0.0
//	# description: Minimum variance analysis of the magnetic field: the direction
//	#   in which the field varies least ...
//	# inputs: B = (N, 3) magnetic field in nT ...
//	# outputs: mvab_normal (1, three components) ...
//	# reference: Sonnerup and Scheible (1998) ...
//
// The shelf is embedded, fixed, and safe for concurrent use.
package recipes

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
)

//go:embed shelf/*.py
var shelf embed.FS

// A Recipe is one method.
type Recipe struct {
	Name        string // also its file name without .py
	Version     string // semantic: 1.0.0
	Description string
	Inputs      string // names to bind, with shapes and units
	Outputs     string // names that it exports, with units
	Reference   string // where the method is published

	// Names are the names that the source looks for, in order: bound["B"] or
	// bound.get("B").
	Names []string

	Source string // the file as it is
	SHA256 string // of the source, in hex
}

// All returns the recipes in order of their names. The caller must not change
// what it returns.
func All() []Recipe { return load() }

// Find returns the recipe of that name. The error says which there are.
func Find(name string) (*Recipe, error) {
	var known []string
	for _, r := range load() {
		if r.Name == name {
			return &r, nil
		}
		known = append(known, r.Name)
	}
	return nil, fmt.Errorf("recipe %.60q not found; there are %s", name, strings.Join(known, ", "))
}

var load = sync.OnceValue(func() []Recipe {
	names, err := fs.Glob(shelf, "shelf/*.py")
	if err != nil {
		panic("recipes: " + err.Error()) // the pattern is a constant
	}
	all := make([]Recipe, len(names))
	for i, name := range names {
		source, err := shelf.ReadFile(name)
		if err != nil {
			panic("recipes: " + err.Error()) // the file is part of this package
		}
		r, err := Parse(string(source))
		if err != nil {
			panic("recipes: " + name + ": " + err.Error()) // held by a test
		}
		if r.Name != strings.TrimSuffix(path.Base(name), ".py") {
			panic("recipes: " + name + " calls itself " + r.Name)
		}
		all[i] = *r
	}
	return all
})

var lookup = regexp.MustCompile(`\bbound(?:\.get\(|\[)"(\w+)"`)

// Parse reads a recipe with its header: comment lines "# key: text" at the top
// of the file, each continued by lines that begin with "#" and two or more
// spaces. All six keys are needed, once each.
func Parse(source string) (*Recipe, error) {
	r := &Recipe{Source: source}
	fields := map[string]*string{
		"name": &r.Name, "version": &r.Version, "description": &r.Description,
		"inputs": &r.Inputs, "outputs": &r.Outputs, "reference": &r.Reference,
	}
	var current *string
	for line := range strings.Lines(source) {
		text, comment := strings.CutPrefix(strings.TrimRight(line, " \t\r\n"), "#")
		if !comment {
			break
		}
		if strings.HasPrefix(text, "  ") && current != nil {
			*current += " " + strings.TrimSpace(text)
			continue
		}
		key, value, ok := strings.Cut(text, ":")
		key = strings.TrimSpace(key)
		field := fields[key]
		if !ok || field == nil {
			return nil, fmt.Errorf("read a recipe: the header line %.60q is not one of name, version, description, inputs, outputs, reference", line)
		}
		if *field != "" {
			return nil, fmt.Errorf("read a recipe: the header says %s twice", key)
		}
		current = field
		*current = strings.TrimSpace(value)
	}
	for _, key := range []string{"name", "version", "description", "inputs", "outputs", "reference"} {
		if *fields[key] == "" {
			return nil, fmt.Errorf("read a recipe: the header does not say %s", key)
		}
	}
	for _, m := range lookup.FindAllStringSubmatch(source, -1) {
		if !slices.Contains(r.Names, m[1]) {
			r.Names = append(r.Names, m[1])
		}
	}
	sum := sha256.Sum256([]byte(source))
	r.SHA256 = hex.EncodeToString(sum[:])
	return r, nil
}

package repocheck

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/build/constraint"
	"go/parser"
	"go/token"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Module is the path of the module, the prefix of every package in it.
const Module = "github.com/helios-go/helios"

// Package is one package of this repository, as far as the rules look at it.
type Package struct {
	// Path is "./helio/cdf", relative to the module.
	Path string
	// Name is what the package clause says.
	Name string
	// Doc is the package comment, of any of its files.
	Doc string
	// Imports are the paths that its files import, test files left out and files
	// for every platform and build tag included; those of this module are written
	// as Path is.
	Imports []string
}

// LoadPackages reads the packages of the module whose root is the directory given.
func LoadPackages(ctx context.Context, root string) ([]Package, error) {
	listed, err := goList(ctx, root, nil, "-e", "./...")
	if err != nil {
		return nil, err
	}
	var packages []Package
	for _, l := range listed {
		p, err := readPackage(l.Dir)
		if err != nil {
			return nil, err
		}
		p.Path = relative(l.ImportPath)
		packages = append(packages, p)
	}
	return packages, nil
}

// readPackage parses the files themselves, because the go command would show
// the imports for one platform only.
func readPackage(dir string) (Package, error) {
	var p Package
	entries, err := os.ReadDir(dir)
	if err != nil {
		return p, err
	}
	imports := map[string]bool{}
	for _, e := range entries {
		name := e.Name()
		if e.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasPrefix(name, "_") || strings.HasPrefix(name, ".") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, name), nil, parser.ImportsOnly|parser.ParseComments)
		if err != nil {
			return p, err
		}
		if neverBuilt(file) {
			continue
		}
		if doc := file.Doc.Text(); doc != "" && p.Doc == "" {
			p.Doc = doc
		}
		if strings.HasSuffix(name, "_test.go") {
			if p.Name == "" {
				p.Name = strings.TrimSuffix(file.Name.Name, "_test")
			}
			continue
		}
		p.Name = file.Name.Name
		for _, spec := range file.Imports {
			path, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return p, err
			}
			imports[relative(path)] = true
		}
	}
	p.Imports = slices.Sorted(maps.Keys(imports))
	return p, nil
}

// neverBuilt tells the file of a program that is run by its name, outside the
// package: `//go:build ignore`.
func neverBuilt(file *ast.File) bool {
	for _, group := range file.Comments {
		for _, c := range group.List {
			if expr, err := constraint.Parse(c.Text); err == nil {
				tag, ok := expr.(*constraint.TagExpr)
				return ok && tag.Tag == "ignore"
			}
		}
	}
	return false
}

// Graph maps each package of a program to its imports, those of the standard
// library and of other modules included.
type Graph map[string][]string

// LoadGraph returns what the packages named by the patterns, and all that they
// import in turn, import when they are built for the operating system given.
// It also returns the third-party modules that this compiles, sorted.
func LoadGraph(ctx context.Context, root, goos string, patterns ...string) (Graph, []string, error) {
	env := []string{"GOOS=" + goos, "GOARCH=amd64", "CGO_ENABLED=0"}
	listed, err := goList(ctx, root, env, append([]string{"-e", "-deps"}, patterns...)...)
	if err != nil {
		return nil, nil, err
	}
	graph := Graph{}
	modules := map[string]bool{}
	for _, l := range listed {
		from := relative(l.ImportPath)
		graph[from] = []string{}
		for _, to := range l.Imports {
			graph[from] = append(graph[from], relative(to))
		}
		if l.Module != nil && l.Module.Path != Module {
			modules[l.Module.Path] = true
		}
	}
	return graph, slices.Sorted(maps.Keys(modules)), nil
}

// listed is the part of `go list -json` that is used here.
type listed struct {
	Dir, ImportPath string
	Imports         []string
	Module          *struct{ Path string }
}

func goList(ctx context.Context, root string, env []string, args ...string) ([]listed, error) {
	cmd := exec.CommandContext(ctx, "go", append([]string{"list", "-json=Dir,ImportPath,Imports,Module"}, args...)...)
	cmd.Dir = root
	cmd.Env = append(os.Environ(), env...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list %s: %w: %s", strings.Join(args, " "), err, stderr.String())
	}
	var all []listed
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var l listed
		if err := dec.Decode(&l); errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return nil, fmt.Errorf("go list %s: %w", strings.Join(args, " "), err)
		}
		all = append(all, l)
	}
}

// relative writes a path of this module as "./helio/cdf", so that it cannot be
// taken for one of the standard library or of another module.
func relative(path string) string {
	if path == Module {
		return "./"
	}
	if below, ok := strings.CutPrefix(path, Module+"/"); ok {
		return "./" + below
	}
	return path
}

// CheckComments wants a package comment that begins as Go's do, so that every
// package says what it is for.
func CheckComments(packages []Package) []Problem {
	var problems []Problem
	for _, p := range packages {
		switch {
		case p.Doc == "":
			problems = append(problems, Problem{Where: p.Path, What: "no file has a package comment; say what the package is for, how it is used, and what it promises"})
		case p.Name != "main" && !strings.HasPrefix(p.Doc, "Package "+p.Name+" "):
			problems = append(problems, Problem{Where: p.Path, What: fmt.Sprintf("the package comment begins %q, not %q", firstWords(p.Doc), "Package "+p.Name+" ")})
		}
	}
	return problems
}

func firstWords(text string) string {
	return strings.Join(strings.Fields(text)[:min(3, len(strings.Fields(text)))], " ")
}

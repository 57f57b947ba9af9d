// Command generate writes the demonstration data and their truths again:
//
//	go run ./helioai/demo/generate
//
// from the root of the repository, or go generate ./helioai/demo.
//
// The data are one day of solar wind with an interplanetary shock and a magnetic
// cloud behind it, and a crossing of a magnetopause, none of it measured.
// Everything follows from the numbers in these files: a shock that satisfies the
// jump conditions of magnetohydrodynamics, a rotation about a known normal, slow
// waves, noise from a generator of its own, missing samples and a gap. What is
// written is the same every time; a test compares it with what is committed.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	dir := filepath.Join("helioai", "demo")
	if _, err := os.Stat("demo.go"); err == nil {
		dir = "."
	} else if _, err := os.Stat(dir); err != nil {
		return fmt.Errorf("write the demonstration data: run this from the root of the repository or in helioai/demo: %w", err)
	}
	files, err := written()
	if err != nil {
		return err
	}
	for name, data := range files {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(file, data, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// written returns what is to be written, by path below helioai/demo.
func written() (map[string][]byte, error) {
	files, found, err := makeAll()
	if err != nil {
		return nil, fmt.Errorf("make the demonstration data: %w", err)
	}
	text, err := json.MarshalIndent(found, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("write the truths: %w", err)
	}
	out := map[string][]byte{"truths.json": append(text, '\n')}
	for name, data := range files {
		out[filepath.Join("data", name)] = data
	}
	return out, nil
}

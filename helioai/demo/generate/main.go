// Command generate writes the demonstration data and their truths again:
//
//	go run ./helioai/demo/generate
//
// from the root of the repository, or go generate ./helioai/demo. What it
// writes is the same every time; a test compares it with what is committed.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/helios-go/helios/helioai/demo/internal/synth"
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
	files, truths, err := synth.Make()
	if err != nil {
		return fmt.Errorf("make the demonstration data: %w", err)
	}
	text, err := json.MarshalIndent(truths, "", "  ")
	if err != nil {
		return fmt.Errorf("write the truths: %w", err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "data"), 0o755); err != nil {
		return err
	}
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(dir, "data", name), data, 0o644); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(dir, "truths.json"), append(text, '\n'), 0o644)
}

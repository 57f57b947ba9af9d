// Package python is the Python side of HelioAI: the program that runs a script
// in the sandbox, the helpers that the script finds, and the sources that a
// notebook inlines to run the same script again.
//
//	script := python.Script{Index: 3, Code: code}
//	result, err := box.Run(ctx, &sandbox.Job{Files: script.Files(nil), Main: python.Main, Dir: dir})
//	if err != nil {
//		return err
//	}
//	report := python.Read(script.Index, result.Frames)
//	for _, value := range report.Values {
//		fmt.Println(value.Name, value.Units)
//	}
//
// What a script made arrives as frames on a descriptor of its own; its standard
// output is only text. A script can forge frames, so [Read] takes them as input
// to be checked: names, kinds, sizes and file names that the runtime would never
// send are dropped and counted.
//
// The helpers (load_data, export, clean, magnitude, interp_to, plot_series,
// save_path) are the files of the folder prelude, executed one after the other
// in one namespace. A notebook holds the very same text, so a script computes
// the same there. All functions are safe for concurrent use.
package python

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"strings"
)

//go:embed runtime/*.py prelude/*.py notebook/*.py
var sources embed.FS

// Main is the file of [Script.Files] that is run.
const Main = "main.py"

// prelude lists the helpers' files in the order in which they are executed.
var prelude = []string{"values.py", "data.py", "figures.py"}

// A Script is one piece of Python of a session.
type Script struct {
	Index int    // its number in the session, from 0
	Code  string // as the model or the user wrote it
}

// Name is the file name of the script, as in "code_3.py".
func (s Script) Name() string { return fmt.Sprintf("code_%d.py", s.Index) }

// Files returns what the sandbox places beside [Main]. fonts is matplotlib's
// font list from an earlier run ([LoadFonts]); nil makes the script build one
// when it draws, which takes a fraction of a second or, with many fonts, more.
func (s Script) Files(fonts map[string][]byte) map[string][]byte {
	files := map[string][]byte{"user.py": []byte(s.Code)}
	job, err := json.Marshal(map[string]any{"index": s.Index, "name": s.Name(), "prelude": prelude})
	if err != nil {
		panic("python: " + err.Error()) // numbers and strings always encode
	}
	files["job.json"] = job
	for _, dir := range []string{"runtime", "prelude"} {
		names, err := fs.Glob(sources, dir+"/*.py")
		if err != nil {
			panic("python: " + err.Error()) // the pattern is a constant
		}
		for _, name := range names {
			files[path.Base(name)] = source(name)
		}
	}
	maps.Copy(files, fonts)
	return files
}

// Prelude returns the source of the helpers, as a notebook inlines it.
func Prelude() string {
	var b strings.Builder
	for i, name := range prelude {
		if i > 0 {
			b.WriteString("\n\n")
		}
		b.Write(source("prelude/" + name))
	}
	return b.String()
}

// Reproduce returns the source with which a notebook runs recorded steps again
// and compares what they give with the record. It builds on [Prelude].
func Reproduce() string { return string(source("notebook/reproduce.py")) }

// Formulary returns the source of the plasma formulas for a notebook, which
// builds on [Reproduce].
func Formulary() string { return string(source("notebook/formulary.py")) }

// Quote writes a string as a Python literal on one line.
func Quote(s string) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil {
		panic("python: " + err.Error()) // strings always encode
	}
	// JSON's escapes are Python's, as JSON here escapes nothing beyond the basic
	// plane, which it would write in two halves.
	return strings.TrimSuffix(b.String(), "\n")
}

func source(name string) []byte {
	data, err := sources.ReadFile(name)
	if err != nil {
		panic("python: " + err.Error()) // the files are part of this package
	}
	return data
}

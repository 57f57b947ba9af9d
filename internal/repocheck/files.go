package repocheck

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// MaxLines is the length from which a Go file is refused. A file that needs a
// table of contents is two files long before that.
const MaxLines = 1000

// File is one file under version control; its path has slashes and is relative
// to the root.
type File struct {
	Path string
	Data []byte
}

// text tells a text file as git does: by a zero byte near its beginning.
func (f File) text() bool {
	return !bytes.Contains(f.Data[:min(len(f.Data), 8000)], []byte{0})
}

// fixture tells input for tests, which may be malformed on purpose.
func (f File) fixture() bool {
	return slices.Contains(strings.Split(path.Dir(f.Path), "/"), "testdata")
}

// LoadFiles reads the files that git knows below the root. Where there is no
// git, as in an unpacked archive of the sources, it reads all of them.
func LoadFiles(ctx context.Context, root string) ([]File, error) {
	names, err := tracked(ctx, root)
	if err != nil {
		return nil, err
	}
	var files []File
	for _, name := range names {
		data, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		if errors.Is(err, fs.ErrNotExist) {
			continue // removed, and not yet committed
		}
		if err != nil {
			return nil, err
		}
		files = append(files, File{Path: name, Data: data})
	}
	return files, nil
}

func tracked(ctx context.Context, root string) ([]string, error) {
	if _, err := os.Stat(filepath.Join(root, ".git")); err == nil {
		// Only names are read, so it does not matter whose the clone is.
		cmd := exec.CommandContext(ctx, "git", "-c", "safe.directory=*", "ls-files", "-z")
		cmd.Dir = root
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		if err != nil {
			return nil, fmt.Errorf("git ls-files in %s: %w: %s", root, err, stderr.String())
		}
		return strings.Split(strings.TrimRight(string(out), "\x00"), "\x00"), nil
	}
	var names []string
	err := fs.WalkDir(os.DirFS(root), ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			names = append(names, name)
		}
		return err
	})
	return names, err
}

// CheckLength refuses Go files of more than [MaxLines] lines.
func CheckLength(files []File) []Problem {
	var problems []Problem
	for _, f := range files {
		if lines := bytes.Count(f.Data, []byte("\n")); strings.HasSuffix(f.Path, ".go") && lines > MaxLines {
			problems = append(problems, Problem{Where: f.Path, What: fmt.Sprintf("%d lines, and %d is the most; find the second noun in it and give it a file", lines, MaxLines)})
		}
	}
	return problems
}

// CheckText wants text to be UTF-8, with lines that end in LF, the last one too.
func CheckText(files []File) []Problem {
	var problems []Problem
	for _, f := range files {
		switch {
		case !f.text() || f.fixture() || len(f.Data) == 0:
		case !utf8.Valid(f.Data):
			problems = append(problems, Problem{Where: f.Path, What: "is not UTF-8"})
		case bytes.Contains(f.Data, []byte("\r")):
			problems = append(problems, Problem{Where: f.Path, Line: line(f.Data, bytes.IndexByte(f.Data, '\r')), What: "a carriage return; lines end in LF alone"})
		case !bytes.HasSuffix(f.Data, []byte("\n")):
			problems = append(problems, Problem{Where: f.Path, What: "the last line has no end"})
		}
	}
	return problems
}

// Word is something that no text file may say.
type Word struct {
	// Parts are what a match holds one of; they are looked for first, because
	// that is a hundred times faster than the pattern.
	Parts   []string
	Pattern *regexp.Regexp
	// Except are files that have a reason to; a pattern of package path.
	Except  []string
	Because string
}

// Words are the words without a place here. This file is the one that says them.
var Words = []Word{
	{
		Parts:   []string{"TODO", "FIXME", "XXX"},
		Pattern: regexp.MustCompile(`(?:^|[^.\w])(?:TODO|FIXME|XXX)\b`),
		Except:  []string{"internal/repocheck/files*.go", ".golangci.yml"},
		Because: "what is left to do is an issue, where others can find it",
	},
	{
		Parts:   []string{"/home/", "/Users/", "/root/"},
		Pattern: regexp.MustCompile(`(?:^|[^\w.~])/(?:home|Users|root)/\w`),
		Except:  []string{"internal/repocheck/files*.go"},
		Because: "that folder exists on one machine only",
	},
	{
		Parts:   []string{"GOPROXY", "PIP_INDEX_URL", "npm_config_registry", "sources.list"},
		Pattern: regexp.MustCompile(`\b(?:GOPROXY|PIP_INDEX_URL|npm_config_registry)\s*=\s*\S|\bsources\.list\b`),
		Except:  []string{"internal/repocheck/files*.go"},
		Because: "which registry a machine fetches from is its own configuration",
	},
}

// CheckWords looks for the words in the text files.
func CheckWords(words []Word, files []File) []Problem {
	var problems []Problem
	for _, f := range files {
		if !f.text() {
			continue
		}
		for _, w := range words {
			if slices.ContainsFunc(w.Except, func(pattern string) bool { ok, err := path.Match(pattern, f.Path); return ok && err == nil }) {
				continue
			}
			if !slices.ContainsFunc(w.Parts, func(part string) bool { return bytes.Contains(f.Data, []byte(part)) }) {
				continue
			}
			for _, at := range w.Pattern.FindAllIndex(f.Data, -1) {
				word := strings.TrimSpace(string(f.Data[at[0]:at[1]]))
				problems = append(problems, Problem{Where: f.Path, Line: line(f.Data, at[1]-1), What: fmt.Sprintf("says %q: %s", word, w.Because)})
			}
		}
	}
	return problems
}

// line returns the number of the line that holds the byte.
func line(data []byte, offset int) int {
	return 1 + bytes.Count(data[:offset], []byte("\n"))
}

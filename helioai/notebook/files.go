package notebook

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
)

type buffer = bytes.Buffer

const sumsFile = "SHA256SUMS"

// readData reads the data of the session and holds them to what was recorded.
// Model-written programs work in that folder, so nothing but a plain file below
// it is read.
func (f *folded) readData(workspace string) (map[string][]byte, error) {
	root, err := os.OpenRoot(workspace)
	if err != nil {
		return nil, fmt.Errorf("open the session's folder: %w", err)
	}
	defer func() { _ = root.Close() }() // nothing is written through it
	all := map[string][]byte{}
	for _, d := range f.datasets {
		if d.File != path.Base(d.File) || !strings.HasSuffix(d.File, ".npz") {
			return nil, fmt.Errorf("the data file %.60q has no plain name", d.File)
		}
		data, err := readPlain(root, "data/"+d.File)
		if err != nil {
			return nil, fmt.Errorf("read the data of %s: %w", d.Key, err)
		}
		if hash(data) != d.SHA256 {
			return nil, fmt.Errorf("data/%s is not the file that was recorded: its SHA-256 differs; fetch %s again in a new session", d.File, d.ParamID)
		}
		all[d.Key] = data
	}
	return all, nil
}

// readPlain reads a plain file, and no link that stands in its place.
func readPlain(root *os.Root, name string) ([]byte, error) {
	info, err := root.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a plain file", name)
	}
	file, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	opened, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if !os.SameFile(info, opened) {
		return nil, fmt.Errorf("%s was replaced while it was opened", name)
	}
	return io.ReadAll(io.LimitReader(file, opened.Size())) // what grows meanwhile is cut, and its sum then differs
}

// writer writes the files of the folder and remembers their sums. After an
// error it does nothing more.
type writer struct {
	root *os.Root
	sums map[string]string
	err  error
}

func (w *writer) writeJSON(name string, v any) {
	data, err := marshal(v)
	if err != nil && w.err == nil {
		w.err = fmt.Errorf("write %s: %w", name, err)
	}
	w.write(name, data)
}

// write replaces a file, so that it is there whole or as before.
func (w *writer) write(name string, data []byte) {
	if w.err != nil {
		return
	}
	temp := path.Join(path.Dir(name), ".new-"+rand.Text())
	file, err := w.root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err == nil {
		_, err = file.Write(data)
		err = errors.Join(err, file.Close())
	}
	if err == nil {
		err = w.root.Rename(temp, name)
	}
	if err != nil {
		_ = w.root.Remove(temp)
		w.err = fmt.Errorf("write %s: %w", name, err)
		return
	}
	if w.sums == nil {
		w.sums = map[string]string{}
	}
	w.sums[name] = hash(data)
}

// writeSums lists the files of this export. Lines of earlier ones stay for the
// files that are still there.
func (w *writer) writeSums() {
	if w.err != nil {
		return
	}
	all := w.readSums()
	maps.Copy(all, w.sums)
	var lines []string
	for name, sum := range all {
		if _, err := w.root.Lstat(name); err == nil {
			lines = append(lines, sum+"  "+name+"\n")
		}
	}
	slices.SortFunc(lines, func(a, b string) int { return strings.Compare(a[64:], b[64:]) })
	w.write(sumsFile, []byte(strings.Join(lines, "")))
}

func (w *writer) readSums() map[string]string {
	all := map[string]string{}
	data, err := readPlain(w.root, sumsFile)
	if err != nil {
		return all
	}
	for line := range strings.Lines(string(data)) {
		if sum, name, ok := strings.Cut(strings.TrimSpace(line), "  "); ok && len(sum) == 64 {
			all[name] = sum
		}
	}
	return all
}

// freeName returns the name under which the notebook can be written without
// losing anybody's work: a notebook that is not as it was exported was run or
// changed by its reader.
func (w *writer) freeName(name string) string {
	name = plainName(name)
	sums := w.readSums()
	for n := 1; ; n++ {
		stem := name
		if n > 1 {
			stem += "_" + strconv.Itoa(n)
		}
		data, err := readPlain(w.root, stem+".ipynb")
		if errors.Is(err, os.ErrNotExist) || err == nil && hash(data) == sums[stem+".ipynb"] {
			return stem
		}
	}
}

// plainName keeps letters, digits, dots, dashes and underscores.
func plainName(name string) string {
	name = strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '_', r == '.':
			return r
		}
		return '_'
	}, name)
	name = strings.Trim(name, "._")
	if name == "" {
		return "notebook"
	}
	return name[:min(len(name), 80)]
}

func hash(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

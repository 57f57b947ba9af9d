// Package ledger records every value that a session computes, with where it
// came from, so that the numbers of an answer can be traced.
//
//	l, err := ledger.Open(filepath.Join(session, "data", "provenance.json"))
//	origin := ledger.Origin{Tool: "get_timeseries", Inputs: []ledger.Input{{ID: id, SHA256: sum}}}
//	err = l.Add(
//		ledger.NewNumber("magnitude_mean", 3.6705, "nT", origin),
//		ledger.NewCount("magnitude_n_missing", 0, "", origin),
//		ledger.NewTime("magnitude_max_time", at, 16*time.Second, origin),
//	)
//
// Values computed by sandboxed code arrive as export frames, which are
// untrusted input: [FromExport] describes their JSON exactly and turns one into
// an [Entry] or refuses it.
//
// # The file
//
// A ledger is one JSON file, {"version":1,"values":[...]} with an entry per
// line, replaced as a whole and atomically at each [Ledger.Add]. A file that is
// absent or damaged reads as empty and [Ledger.Note] says so; a damaged one is
// set aside under the same name with ".damaged" when the first entry is added.
// NaN and infinities are written as the strings "NaN", "Infinity" and
// "-Infinity", so that the file is always valid JSON.
//
// Keep the file where sandboxed programs cannot write. Sizes are capped
// everywhere: see the constants.
package ledger

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"
)

// What a ledger and an entry may hold.
const (
	MaxEntries   = 10_000    // entries in one ledger
	MaxName      = 128       // bytes of a name
	MaxUnits     = 64        // bytes of a unit
	MaxText      = 4096      // bytes of a text value
	MaxSample    = 8         // values kept of a series
	MaxDims      = 8         // dimensions of a series
	MaxInputs    = 256       // inputs of an origin
	MaxFrame     = 64 << 10  // bytes of an export frame
	maxFile      = 256 << 20 // bytes of a ledger file that is read back
	maxTolerance = 366 * 24 * time.Hour
)

// ErrFull is returned by [Ledger.Add] when the ledger holds [MaxEntries].
var ErrFull = errors.New("the ledger is full")

// Ledger is the record of one session. The zero value is an empty ledger in
// memory. A Ledger is safe for concurrent use; a file belongs to one Ledger at
// a time.
type Ledger struct {
	// Now gives the time that Add puts into entries without one; nil means
	// time.Now. Set it before use.
	Now func() time.Time

	mu      sync.Mutex
	path    string
	entries []Entry
	lines   [][]byte // the entries as they stand in the file
	note    string
	damaged bool // the file at path is to be set aside before it is replaced
}

// Open reads the ledger at path and makes its folder if there is none. Absent
// and damaged files give an empty ledger with a note; an error means that
// nothing could be kept there.
func Open(path string) (*Ledger, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("open ledger: %w; choose a folder that can be written", err)
	}
	l := &Ledger{path: path}
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		l.note = "no ledger yet; it begins empty"
		return l, nil
	case err != nil:
		return nil, fmt.Errorf("open ledger: %w", err)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("open ledger %s: not a regular file; move it away", path)
	case info.Size() > maxFile:
		l.damaged, l.note = true, fmt.Sprintf("the ledger was not read: %d bytes are more than it can hold; it begins empty", info.Size())
		return l, nil
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("open ledger: %w", err)
	}
	l.read(data)
	return l, nil
}

// read takes over what can be read of a file.
func (l *Ledger) read(data []byte) {
	var file struct {
		Values []json.RawMessage `json:"values"`
	}
	if err := json.Unmarshal(data, &file); err != nil {
		l.damaged, l.note = true, fmt.Sprintf("the ledger was damaged (%v); it begins empty", err)
		return
	}
	dropped := 0
	for _, raw := range file.Values {
		var e Entry
		if len(l.entries) >= MaxEntries || json.Unmarshal(raw, &e) != nil || e.validate() != nil {
			dropped++
			continue
		}
		line, err := json.Marshal(e)
		if err != nil {
			dropped++
			continue
		}
		l.entries, l.lines = append(l.entries, e), append(l.lines, line)
	}
	if dropped > 0 {
		l.damaged, l.note = true, fmt.Sprintf("%d of %d ledger entries could not be read and were left out", dropped, len(file.Values))
	}
}

// Note says what was remarkable when the ledger was opened; empty when nothing
// was.
func (l *Ledger) Note() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.note
}

// Add appends entries, all or none, and replaces the file. An entry without a
// time of creation gets the present one. The error names the entry that is
// refused, wraps [ErrFull], or says why the file could not be replaced.
func (l *Ledger) Add(entries ...Entry) error {
	if len(entries) == 0 {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.entries)+len(entries) > MaxEntries {
		return fmt.Errorf("record %q: %w with %d entries; begin a new session", entries[0].Name, ErrFull, len(l.entries))
	}
	now := l.Now
	if now == nil {
		now = time.Now
	}
	added, lines := make([]Entry, 0, len(entries)), make([][]byte, 0, len(entries))
	for _, e := range entries {
		e = e.clone()
		if e.Created.IsZero() {
			e.Created = now().UTC().Truncate(time.Millisecond)
		}
		if err := e.validate(); err != nil {
			return err
		}
		line, err := json.Marshal(e)
		if err != nil {
			return fmt.Errorf("record %q: %w", e.Name, err)
		}
		added, lines = append(added, e), append(lines, line)
	}
	all := slices.Concat(l.lines, lines)
	if l.path != "" {
		if err := l.replace(all); err != nil {
			return fmt.Errorf("record %q: %w", entries[0].Name, err)
		}
	}
	l.lines, l.entries = all, append(l.entries, added...)
	return nil
}

// replace writes the file anew beside the old one and renames it over it, so
// that a reader or a crash sees the old or the new one, whole.
func (l *Ledger) replace(lines [][]byte) (err error) {
	if l.damaged {
		if err := os.Rename(l.path, l.path+".damaged"); err != nil {
			return fmt.Errorf("set the damaged ledger aside: %w", err)
		}
		l.damaged = false
	}
	f, err := os.CreateTemp(filepath.Dir(l.path), ".provenance-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = f.Close()
			_ = os.Remove(f.Name())
		}
	}()
	body := bytes.Join(lines, []byte(",\n"))
	for _, part := range [][]byte{[]byte("{\"version\":1,\"values\":[\n"), body, []byte("\n]}\n")} {
		if _, err = f.Write(part); err != nil {
			return err
		}
	}
	if err = f.Sync(); err != nil {
		return err
	}
	if err = f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), l.path)
}

// Entries returns copies of all entries, oldest first.
func (l *Ledger) Entries() []Entry {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := make([]Entry, len(l.entries))
	for i, e := range l.entries {
		out[i] = e.clone()
	}
	return out
}

// Latest returns a copy of the newest entry of that name.
func (l *Ledger) Latest(name string) (Entry, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, e := range slices.Backward(l.entries) {
		if e.Name == name {
			return e.clone(), true
		}
	}
	return Entry{}, false
}

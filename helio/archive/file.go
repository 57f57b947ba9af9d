package archive

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/helios-go/helios/helio/series"
	"github.com/helios-go/helios/helio/tt"
)

// Provider is the first part of every id of a [Local].
const Provider = "local"

// errUnknown is what a format returns for a parameter that it does not have;
// it never leaves the package.
var errUnknown = errors.New("unknown parameter")

// A file is one dataset.
type file struct {
	id     string
	path   string
	format format
	open   func() (*handle, error)
	strict bool // it must be readable, or the archive is an error

	mu      sync.Mutex
	dataset *Dataset // nil until it was described

	hash     string // of the bytes that hashOf was taken of
	hashOf   stamp
	hashDone bool
}

// A request is what Fetch was asked for.
type request struct {
	id, name    string
	start, stop tt.Time
}

// A format reads one kind of file.
type format interface {
	// describe reads headers and time axes.
	describe(f *file, h *handle) (*Dataset, error)
	// fetch reads one parameter. errUnknown means that there is none.
	fetch(f *file, h *handle, r request) (*series.Series, error)
}

// formatOf goes by the ending of the name; nil where it is none of ours.
func formatOf(name string) format {
	switch strings.ToLower(path.Ext(filepath.ToSlash(name))) {
	case ".cdf":
		return cdfFormat{}
	case ".csv":
		return csvFormat{}
	}
	return nil
}

// A handle is a file opened for reading.
type handle struct {
	io.ReaderAt
	stamp
	io.Closer
}

// A stamp tells whether a file is still the one that was seen.
type stamp struct {
	size int64
	time time.Time
}

func openOS(name string) func() (*handle, error) {
	return func() (*handle, error) {
		// Looked at before it is opened: opening a pipe waits for a writer.
		if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
			return nil, errIrregular
		}
		f, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		return newHandle(f)
	}
}

// errIrregular refuses pipes, devices and the like, which have no size.
var errIrregular = errors.New("it is not a regular file")

func openFS(fsys fs.FS, name string) func() (*handle, error) {
	return func() (*handle, error) {
		f, err := fsys.Open(name)
		if err != nil {
			return nil, err
		}
		return newHandle(f)
	}
}

func newHandle(f fs.File) (*handle, error) {
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errIrregular
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	h := &handle{stamp: stamp{size: info.Size(), time: info.ModTime()}, Closer: f}
	if r, ok := f.(io.ReaderAt); ok {
		h.ReaderAt = r
		return h, nil
	}
	// A file system that only streams; its files are small enough to hold.
	all, err := io.ReadAll(f)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	h.ReaderAt, h.size = bytes.NewReader(all), int64(len(all))
	return h, nil
}

// describe returns the dataset, from memory once it has been read.
func (f *file) describe() (*Dataset, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.dataset != nil {
		return f.dataset, nil
	}
	h, err := f.open()
	if err != nil {
		return nil, &MissingError{Path: f.path, Err: err}
	}
	defer h.Close()
	d, err := f.format.describe(f, h)
	if err != nil {
		return nil, err
	}
	d.finish(f)
	if !h.time.IsZero() {
		d.Modified = h.time.UTC().Format(time.RFC3339)
	}
	f.dataset = d
	return d, nil
}

// finish adds what follows from the parameters.
func (d *Dataset) finish(f *file) {
	d.ID, d.Provider, d.Source = f.id, Provider, f.path
	d.Start, d.Stop = tt.Fill, tt.Fill
	for i := range d.Parameters {
		p := &d.Parameters[i]
		p.ID, p.Dataset, p.Mission = JoinID(Provider, f.id, p.Name), f.id, d.Mission
		if p.Records == 0 {
			continue
		}
		if d.Start == tt.Fill || p.Start < d.Start {
			d.Start = p.Start
		}
		d.Stop = max(d.Stop, p.Stop)
		if p.Records > d.Records {
			d.Records, d.Cadence = p.Records, p.Cadence
		}
	}
}

func (f *file) fetch(r request) (*series.Series, error) {
	h, err := f.open()
	if err != nil {
		return nil, &MissingError{Path: f.path, Err: err}
	}
	defer h.Close()
	s, err := f.format.fetch(f, h, r)
	if err != nil {
		return nil, err
	}
	s.ID = r.id
	s.Meta.Dataset = f.id
	s.Meta.Source = path.Base(filepath.ToSlash(f.path))
	s.Meta.SHA256, err = f.sum(h)
	return s, err
}

// sum returns the SHA-256 of an open file, from memory while the file has the
// size and time that it had.
func (f *file) sum(h *handle) (string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.hashDone && f.hashOf == h.stamp {
		return f.hash, nil
	}
	hash := sha256.New()
	if _, err := io.Copy(hash, io.NewSectionReader(h, 0, h.size)); err != nil {
		return "", fmt.Errorf("compute the checksum of %q: %w", f.path, err)
	}
	f.hash, f.hashOf, f.hashDone = hex.EncodeToString(hash.Sum(nil)), h.stamp, true
	return f.hash, nil
}

// checkWindow refuses a window that is inverted. first and last are the
// coverage for the error.
func (r request) checkWindow(first, last tt.Time) error {
	if r.start != tt.Fill && r.stop != tt.Fill && r.stop <= r.start {
		return &WindowError{ID: r.id, Start: r.start, Stop: r.stop, First: first, Last: last}
	}
	return nil
}

// extent returns the first and last instant of an axis in any order, and how
// many there are besides fill.
func extent(axis []tt.Time) (first, last tt.Time, n int) {
	first, last = tt.Fill, tt.Fill
	for _, t := range axis {
		if t == tt.Fill {
			continue
		}
		if n == 0 || t < first {
			first = t
		}
		last = max(last, t)
		n++
	}
	return first, last, n
}

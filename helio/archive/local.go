package archive

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/helios-go/helios/helio/series"
	"github.com/helios-go/helios/helio/tt"
)

// maxFiles is how many files a folder may hold; more is taken for a mistake,
// such as a whole disk.
const maxFiles = 10_000

// Local is an archive of .cdf and .csv files, each of them one dataset named
// as the file without its ending. Files are opened for each reading and closed
// after it, so they may be replaced meanwhile; what the inventory found stays
// as it was first seen. A Local needs no closing and is safe for concurrent
// use.
type Local struct {
	name  string
	files []*file

	mu      sync.Mutex
	skipped []error
}

var _ Archive = (*Local)(nil)

// OpenLocal makes an archive of the files and folders at paths; folders are
// searched with what is below them, except for hidden ones. A file that is
// named and cannot be read is an error ([MissingError], [FormatError]); one
// that is found in a folder is left out and told by [Local.Skipped]. A folder
// without any is a [NothingError].
//
// Files of equal name in different folders get the ids name, name_2, name_3.
func OpenLocal(paths []string) (*Local, error) {
	if len(paths) == 0 {
		return nil, errors.New("open local data: no path is given; name a .cdf or .csv file or a folder of them")
	}
	var files []*file
	var infos []fs.FileInfo
	// add leaves out what another path has already named.
	add := func(f *file, info fs.FileInfo) {
		if slices.ContainsFunc(infos, func(other fs.FileInfo) bool { return os.SameFile(info, other) }) {
			return
		}
		files, infos = append(files, f), append(infos, info)
	}
	for _, p := range paths {
		info, err := os.Stat(p)
		if err != nil {
			return nil, &MissingError{Path: p, Err: err}
		}
		if !info.IsDir() {
			f, err := named(p)
			if err != nil {
				return nil, err
			}
			add(f, info)
			continue
		}
		found, err := search(os.DirFS(p), p)
		if err != nil {
			return nil, err
		}
		for _, name := range found {
			full := filepath.Join(p, filepath.FromSlash(name))
			info, err := os.Stat(full)
			if err != nil || info.IsDir() {
				continue // a link to nowhere, or to a folder
			}
			add(&file{path: full, format: formatOf(full), open: openOS(full)}, info)
		}
	}
	return newLocal("local files", files)
}

// named is a file that the caller named: it must be readable.
func named(p string) (*file, error) {
	f := &file{path: p, format: formatOf(p), open: openOS(p), strict: true}
	if f.format == nil {
		return nil, &FormatError{Path: p, Reason: "its name ends neither in .cdf nor in .csv, so it is not known how to read it"}
	}
	return f, nil
}

// OpenFS makes an archive of the .cdf and .csv files of a file system, such as
// an embed.FS. Here every file must be readable. The title is what
// [Local.Name] returns.
func OpenFS(fsys fs.FS, title string) (*Local, error) {
	found, err := search(fsys, title)
	if err != nil {
		return nil, err
	}
	var files []*file
	for _, name := range found {
		files = append(files, &file{path: name, format: formatOf(name), open: openFS(fsys, name), strict: true})
	}
	return newLocal(title, files)
}

func newLocal(name string, files []*file) (*Local, error) {
	giveIDs(files)
	for _, f := range files {
		if !f.strict {
			continue
		}
		if _, err := f.describe(); err != nil {
			return nil, err
		}
	}
	return &Local{name: name, files: files}, nil
}

// search lists the data files of a folder and those below it, in order.
func search(fsys fs.FS, where string) ([]string, error) {
	var found []string
	err := fs.WalkDir(fsys, ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil && name == ".":
			return err
		case err != nil:
			// A folder below that may not be read.
			return fs.SkipDir
		case name != "." && strings.HasPrefix(entry.Name(), ".") && entry.IsDir():
			return fs.SkipDir
		case entry.IsDir() || formatOf(name) == nil:
			return nil
		}
		if found = append(found, name); len(found) > maxFiles {
			return fmt.Errorf("it holds more than %d data files; name a smaller folder", maxFiles)
		}
		return nil
	})
	if err != nil {
		return nil, &MissingError{Path: where, Err: err}
	}
	if len(found) == 0 {
		return nil, &NothingError{Path: where}
	}
	return found, nil
}

// giveIDs names each dataset after its file, and the second of a name with _2.
func giveIDs(files []*file) {
	taken := map[string]bool{}
	var again []*file
	for _, f := range files {
		base := path.Base(filepath.ToSlash(f.path))
		f.id = strings.TrimSuffix(base, path.Ext(base))
		if f.id == "" || taken[f.id] {
			again = append(again, f)
			continue
		}
		taken[f.id] = true
	}
	for _, f := range again {
		stem := f.id
		for n := 2; f.id == "" || taken[f.id]; n++ {
			f.id = fmt.Sprintf("%s_%d", stem, n)
		}
		taken[f.id] = true
	}
}

// Name returns "local files", or the title given to [OpenFS].
func (l *Local) Name() string { return l.name }

// Inventory lists one dataset per file, in the order of the paths and within a
// folder by name. It reads headers and time axes.
func (l *Local) Inventory(ctx context.Context) ([]Dataset, error) {
	out := make([]Dataset, 0, len(l.files))
	var skipped []error
	for _, f := range l.files {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("list %s: %w", l.name, err)
		}
		d, err := f.describe()
		switch {
		case err == nil:
			out = append(out, *d)
		case f.strict:
			return nil, err
		default:
			skipped = append(skipped, err)
		}
	}
	l.mu.Lock()
	l.skipped = skipped
	l.mu.Unlock()
	if len(out) == 0 && len(skipped) > 0 {
		return nil, skipped[0]
	}
	return out, nil
}

// Describe returns the dataset of one file.
func (l *Local) Describe(ctx context.Context, dataset string) (*Dataset, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("read about %s: %w", dataset, err)
	}
	i := slices.IndexFunc(l.files, func(f *file) bool { return f.id == dataset })
	if i < 0 {
		return nil, &UnknownError{ID: dataset}
	}
	return l.files[i].describe()
}

// Skipped returns why files of a folder were left out of the last
// [Local.Inventory], one error each.
func (l *Local) Skipped() []error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.skipped)
}

// Fetch reads one parameter, as [Archive] says. A parameter without any record
// gives an empty series; a window without a record of one that has some is an
// [EmptyError].
func (l *Local) Fetch(ctx context.Context, id string, start, stop tt.Time) (*series.Series, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("read %s: %w", id, err)
	}
	provider, dataset, name, err := SplitID(id)
	if err != nil || provider != Provider {
		return nil, l.unknown(ctx, id)
	}
	i := slices.IndexFunc(l.files, func(f *file) bool { return f.id == dataset })
	if i < 0 {
		return nil, l.unknown(ctx, id)
	}
	s, err := l.files[i].fetch(request{id: id, name: name, start: start, stop: stop})
	if errors.Is(err, errUnknown) {
		return nil, l.unknown(ctx, id)
	}
	return s, err
}

// unknown makes the error for an id that leads nowhere, with the nearest.
func (l *Local) unknown(ctx context.Context, id string) error {
	datasets, err := l.Inventory(ctx)
	if err != nil {
		return err
	}
	return Unknown(datasets, id)
}

// SHA256 returns, in hex, the checksum of the file behind a dataset. It is
// computed when it is first asked for, and again when the file has changed.
func (l *Local) SHA256(ctx context.Context, dataset string) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", fmt.Errorf("compute the checksum of %s: %w", dataset, err)
	}
	i := slices.IndexFunc(l.files, func(f *file) bool { return f.id == dataset })
	if i < 0 {
		return "", &UnknownError{ID: dataset}
	}
	h, err := l.files[i].open()
	if err != nil {
		return "", &MissingError{Path: l.files[i].path, Err: err}
	}
	defer h.Close()
	return l.files[i].sum(h)
}

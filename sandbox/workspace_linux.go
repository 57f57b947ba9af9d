package sandbox

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// maxDepth is how deep folders of a workspace may lie in each other.
const maxDepth = 40

// maxRefusals is how many refusals a Result lists.
const maxRefusals = 100

// A workspace is the copy of a job's Dir that its program works on. Copying has
// one set of rules for every caller: the program never sees the folder itself,
// so that nothing that it plants is ever in the way of another program of the
// host, and what comes back is regular files alone.
type workspace struct {
	outside, inside *os.File // the folder on the host, its copy
	readOnly        []string // names that are not brought back
	mounted         []string // those of them that exist, which the program cannot change
	limits          Limits
	uid, gid        int // who owns the copy
	chown           bool

	stamps  map[string]stamp // of the files that were copied in
	files   int
	bytes   int64
	refused []Refusal
	changed []string
}

// A stamp tells whether a file was written since it was copied in. A program
// can set a file's mtime and not its ctime.
type stamp struct {
	inode uint64
	size  int64
	ctime unix.Timespec
}

func stampOf(st *unix.Stat_t) stamp { return stamp{st.Ino, st.Size, st.Ctim} }

// takeIn copies the folder on the host to where the program will see it.
func (w *workspace) takeIn(ctx context.Context) error {
	var st unix.Stat_t
	if err := unix.Fstat(int(w.outside.Fd()), &st); err != nil {
		return fmt.Errorf("look at the workspace %s: %w", w.outside.Name(), err)
	}
	err := w.takeFolder(ctx, w.outside, w.inside, "", st.Dev, 0)
	if err != nil {
		return fmt.Errorf("copy the workspace %s into the sandbox: %w", w.outside.Name(), err)
	}
	return nil
}

func (w *workspace) takeFolder(ctx context.Context, from, to *os.File, prefix string, device uint64, depth int) error {
	entries, err := names(from, w.limits.Files)
	if err != nil {
		return err
	}
	slices.Sort(entries)
	for _, name := range entries {
		if err := ctx.Err(); err != nil {
			return err
		}
		if w.files++; w.files > w.limits.Files {
			return fmt.Errorf("it holds more than %d files; remove some or raise Limits.Files", w.limits.Files)
		}
		if err := w.takeEntry(ctx, from, to, prefix+name, device, depth); err != nil {
			return err
		}
	}
	return nil
}

func (w *workspace) takeEntry(ctx context.Context, from, to *os.File, full string, device uint64, depth int) error {
	name := path.Base(full)
	pinned, st, err := pin(from, name)
	if err != nil {
		w.refuse(full, err.Error())
		return nil
	}
	defer pinned.Close()
	kind := st.Mode & unix.S_IFMT
	if st.Dev != device {
		w.refuse(full, "it is on another file system")
		return nil
	}
	if kind == unix.S_IFDIR {
		if depth == maxDepth {
			w.refuse(full, "it lies too deep")
			return nil
		}
		inner, err := openDir(from, name)
		if err != nil {
			w.refuse(full, err.Error())
			return nil
		}
		defer inner.Close()
		made, err := makeDir(to, name, w.own)
		if err != nil {
			return err
		}
		defer made.Close()
		w.noteReadOnly(full)
		return w.takeFolder(ctx, inner, made, full+"/", device, depth+1)
	}
	if reason := unfit(&st); reason != "" {
		w.refuse(full, reason)
		return nil
	}
	return w.takeFile(pinned, to, full)
}

func (w *workspace) takeFile(pinned, to *os.File, full string) error {
	source, err := reopen(pinned)
	if err != nil {
		w.refuse(full, "it cannot be read")
		return nil
	}
	defer source.Close()
	made, err := create(to, path.Base(full))
	if err != nil {
		return err
	}
	defer made.Close()
	// A file that grows meanwhile is held to the limit like any other.
	n, err := io.Copy(made, io.LimitReader(source, w.limits.Workspace-w.bytes+1))
	if err != nil {
		return fmt.Errorf("%s: %w", full, err)
	}
	if w.bytes += n; w.bytes > w.limits.Workspace {
		return fmt.Errorf("it holds more than %d bytes; remove some files or raise Limits.Workspace", w.limits.Workspace)
	}
	if err := w.own(made); err != nil {
		return err
	}
	var st unix.Stat_t
	if err := unix.Fstat(int(made.Fd()), &st); err != nil {
		return err
	}
	w.stamps[full] = stampOf(&st)
	w.noteReadOnly(full)
	return nil
}

// noteReadOnly notes that a name which was to be read-only is there. A name that
// is not needs no mount, and is not brought back all the same.
func (w *workspace) noteReadOnly(full string) {
	if slices.Contains(w.readOnly, full) {
		w.mounted = append(w.mounted, full)
	}
}

func (w *workspace) own(f *os.File) error {
	if !w.chown {
		return nil
	}
	return unix.Fchown(int(f.Fd()), w.uid, w.gid)
}

// unfit says why an entry that is no folder is not one to copy; "" if it is.
func unfit(st *unix.Stat_t) string {
	switch kind := st.Mode & unix.S_IFMT; {
	case kind == unix.S_IFLNK:
		return "it is a symbolic link"
	case kind != unix.S_IFREG:
		return "it is not a regular file"
	case st.Nlink != 1:
		return "it has another name (a hard link)"
	case st.Mode&(unix.S_ISUID|unix.S_ISGID) != 0:
		return "it is set to run as its owner (setuid or setgid)"
	}
	return ""
}

func (w *workspace) refuse(name, reason string) {
	if len(w.refused) < maxRefusals {
		w.refused = append(w.refused, Refusal{Name: strings.ToValidUTF8(name, "?"), Reason: reason})
	}
}

// usage adds up what the copy holds now, while the program runs. Counting stops
// where a limit is passed.
func (w *workspace) usage() (bytes int64, files int, err error) {
	err = w.count(w.inside, 0, &bytes, &files)
	return bytes, files, err
}

func (w *workspace) count(dir *os.File, depth int, bytes *int64, files *int) error {
	if depth > maxDepth {
		*files = math.MaxInt
		return nil
	}
	entries, err := names(dir, w.limits.Files)
	if err != nil {
		return nil // it was removed or shut meanwhile
	}
	for _, name := range entries {
		if *files > w.limits.Files {
			return nil
		}
		*files++
		var st unix.Stat_t
		if unix.Fstatat(int(dir.Fd()), name, &st, unix.AT_SYMLINK_NOFOLLOW) != nil {
			continue
		}
		*bytes += st.Blocks * 512
		if st.Mode&unix.S_IFMT != unix.S_IFDIR {
			continue
		}
		inner, err := openDir(dir, name)
		if err != nil {
			continue
		}
		err = w.count(inner, depth+1, bytes, files)
		_ = inner.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

// bringBack copies what the program made or wrote to the folder on the host.
// The program and all its children are dead by now.
func (w *workspace) bringBack(ctx context.Context) error {
	w.files, w.bytes = 0, 0
	if err := w.bringFolder(ctx, w.inside, "", 0); err != nil {
		return fmt.Errorf("bring files back to %s: %w", w.outside.Name(), err)
	}
	return nil
}

func (w *workspace) bringFolder(ctx context.Context, dir *os.File, prefix string, depth int) error {
	entries, err := names(dir, w.limits.Files)
	if err != nil {
		w.refuse(path.Clean(prefix), "it cannot be read")
		return nil
	}
	slices.Sort(entries)
	for _, name := range entries {
		if err := ctx.Err(); err != nil {
			return err
		}
		if w.files++; w.files > w.limits.Files {
			w.refuse(prefix+name, fmt.Sprintf("there are more than %d files", w.limits.Files))
			return nil
		}
		if err := w.bringEntry(ctx, dir, prefix+name, depth); err != nil {
			return err
		}
	}
	return nil
}

func (w *workspace) bringEntry(ctx context.Context, dir *os.File, full string, depth int) error {
	pinned, st, err := pin(dir, path.Base(full))
	if err != nil {
		w.refuse(full, err.Error())
		return nil
	}
	defer pinned.Close()
	if slices.Contains(w.readOnly, full) {
		if !slices.Contains(w.mounted, full) {
			w.refuse(full, "its name is read-only")
		}
		return nil
	}
	if st.Mode&unix.S_IFMT == unix.S_IFDIR {
		if depth == maxDepth {
			w.refuse(full, "it lies too deep")
			return nil
		}
		inner, err := openDir(dir, path.Base(full))
		if err != nil {
			w.refuse(full, "it cannot be read")
			return nil
		}
		defer inner.Close()
		return w.bringFolder(ctx, inner, full+"/", depth+1)
	}
	if before, was := w.stamps[full]; was && before == stampOf(&st) {
		return nil
	}
	if reason := w.unwanted(&st); reason != "" {
		w.refuse(full, reason)
		return nil
	}
	source, err := reopen(pinned)
	if err != nil {
		w.refuse(full, "it cannot be read")
		return nil
	}
	defer source.Close()
	return w.place(source, full, st.Size)
}

// unwanted says why a program's file is not brought back.
func (w *workspace) unwanted(st *unix.Stat_t) string {
	if reason := unfit(st); reason != "" {
		return reason
	}
	if int(st.Uid) != w.uid {
		return "it belongs to somebody else"
	}
	if st.Size > w.limits.FileSize {
		return fmt.Sprintf("it is over the limit of %d bytes", w.limits.FileSize)
	}
	if w.bytes += st.Size; w.bytes > w.limits.Workspace {
		w.bytes -= st.Size
		return fmt.Sprintf("the files together are over the limit of %d bytes", w.limits.Workspace)
	}
	return ""
}

// place puts a file where it belongs on the host, whole or not at all. What has
// that name there, be it a link, is replaced and not followed.
func (w *workspace) place(source *os.File, full string, size int64) error {
	dir, err := makeDirs(w.outside, path.Dir(full), nil)
	if errors.Is(err, unix.ENOTDIR) || errors.Is(err, unix.ELOOP) {
		w.refuse(full, "its folder's name is that of something else on the host")
		return nil
	}
	if err != nil {
		return fmt.Errorf("%s: %w", full, err)
	}
	defer dir.Close()
	name := path.Base(full)
	temp := ".helios-" + rand.Text()
	made, err := create(dir, temp)
	if err != nil {
		return fmt.Errorf("%s: %w", full, err)
	}
	n, err := io.Copy(made, io.LimitReader(source, size))
	err = errors.Join(err, made.Close())
	if err == nil && n != size {
		err = fmt.Errorf("only %d of %d bytes could be read", n, size)
	}
	if err == nil {
		err = unix.Renameat(int(dir.Fd()), temp, int(dir.Fd()), name)
	}
	if err != nil {
		_ = unix.Unlinkat(int(dir.Fd()), temp, 0)
	}
	if errors.Is(err, unix.EISDIR) {
		w.refuse(full, "there is a folder of that name on the host")
		return nil
	}
	if err != nil {
		return fmt.Errorf("%s: %w", full, err)
	}
	w.changed = append(w.changed, full)
	return nil
}

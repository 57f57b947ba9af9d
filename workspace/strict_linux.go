package workspace

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// beneath is how the kernel walks a name: below the folder, never through a link
// of any kind, never over a mount.
const beneath = unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_MAGICLINKS | unix.RESOLVE_NO_XDEV

// openat2 opens a name below a descriptor. The kernel gives up with EAGAIN when
// something is renamed or mounted while it walks; then it walks again.
func openat2(at int, name string, flags uint64, mode uint64) (int, error) {
	how := unix.OpenHow{Flags: flags | unix.O_CLOEXEC, Mode: mode, Resolve: beneath}
	for tries := 0; ; tries++ {
		fd, err := unix.Openat2(at, name, &how)
		if err == unix.EINTR || err == unix.EAGAIN && tries < 1000 {
			continue
		}
		return fd, err
	}
}

// strictFolder is a folder of a strict tree. Only fd belongs to it alone.
type strictFolder struct {
	fd     int
	file   *os.File // owns fd, so that a Root that is dropped gives it back
	device uint64   // of the top
	proc   *procfs
}

// procfs is /proc/self/fd, held open: what has been looked at through a
// descriptor is opened again through it, whatever its name leads to by then.
type procfs struct {
	fd   int
	file *os.File
}

func openStrict(dir string) (folder, error) {
	fd, err := ignoringEINTR(func() (int, error) {
		return unix.Open(dir, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	})
	if err != nil {
		return nil, cause(err)
	}
	f := &strictFolder{fd: fd, file: os.NewFile(uintptr(fd), ".")}
	if err := f.probe(); err != nil {
		f.close()
		return nil, err
	}
	return f, nil
}

// probe finds out whether the kernel keeps what this mode promises, by asking it
// for what it must refuse.
func (f *strictFolder) probe() error {
	fd, err := openat2(f.fd, ".", unix.O_PATH|unix.O_DIRECTORY, 0)
	if err != nil {
		return &UnsupportedError{fmt.Sprintf("the system call openat2 (Linux 5.6) fails with %q", err.Error())}
	}
	unix.Close(fd)
	if fd, err := openat2(f.fd, "..", unix.O_PATH, 0); err == nil {
		unix.Close(fd)
		return &UnsupportedError{"the system call openat2 walks out of a folder that it should stay in"}
	}
	proc, err := unix.Open("/proc/self/fd", unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return &UnsupportedError{fmt.Sprintf("/proc/self/fd cannot be opened (%s), and files are opened through it; mount /proc", err)}
	}
	f.proc = &procfs{proc, os.NewFile(uintptr(proc), "/proc/self/fd")}
	var kind unix.Statfs_t
	if err := unix.Fstatfs(proc, &kind); err != nil || kind.Type != unix.PROC_SUPER_MAGIC {
		return &UnsupportedError{"/proc is not the file system of that name, and files are opened through it"}
	}
	if fd, err := openat2(proc, strconv.Itoa(f.fd), unix.O_PATH, 0); err == nil {
		unix.Close(fd)
		return &UnsupportedError{"the system call openat2 follows links although it is told not to"}
	}
	var here, again unix.Stat_t
	fd, err = f.proc.reopen(f.fd, unix.O_PATH|unix.O_DIRECTORY)
	if err == nil {
		err = errors.Join(unix.Fstat(f.fd, &here), unix.Fstat(fd, &again))
		unix.Close(fd)
	}
	if err != nil || here.Dev != again.Dev || here.Ino != again.Ino {
		return &UnsupportedError{"/proc/self/fd does not lead to open files, and files are opened through it"}
	}
	f.device = here.Dev
	return nil
}

// reopen opens what a descriptor stands for.
func (p *procfs) reopen(fd int, flags int) (int, error) {
	return ignoringEINTR(func() (int, error) {
		return unix.Openat(p.fd, strconv.Itoa(fd), flags|unix.O_CLOEXEC|unix.O_NOCTTY, 0)
	})
}

// ignoringEINTR calls again what a signal has interrupted.
func ignoringEINTR(call func() (int, error)) (int, error) {
	for {
		n, err := call()
		if err == nil || !errors.Is(err, unix.EINTR) {
			return n, err
		}
	}
}

// pin holds an entry without opening it: nothing is triggered in a device, and
// no FIFO waits for its other end.
func (f *strictFolder) pin(name string) (int, unix.Stat_t, error) {
	var st unix.Stat_t
	fd, err := openat2(f.fd, name, unix.O_PATH|unix.O_NOFOLLOW, 0)
	if err != nil {
		return -1, st, err
	}
	if err := unix.Fstat(fd, &st); err != nil {
		unix.Close(fd)
		return -1, st, err
	}
	return fd, st, nil
}

// regular opens a file for reading: pinned, looked at, opened.
func (f *strictFolder) regular(name string) (int, Info, error) {
	pinned, st, err := f.pin(name)
	if err != nil {
		return -1, Info{}, err
	}
	defer unix.Close(pinned)
	is := infoOf(&st)
	if err := check(is, 0); err != nil {
		return -1, is, err
	}
	// A lease or a lock that is held on the file must not keep us waiting.
	fd, err := f.proc.reopen(pinned, unix.O_RDONLY|unix.O_NONBLOCK)
	return fd, is, err
}

func (f *strictFolder) open(name string) (*os.File, Info, error) {
	fd, is, err := f.regular(name)
	if err != nil {
		return nil, is, err
	}
	return os.NewFile(uintptr(fd), name), is, nil
}

func (f *strictFolder) read(buf []byte, name string, limit int64) ([]byte, Info, error) {
	fd, is, err := f.regular(name)
	if err != nil {
		return buf, is, err
	}
	defer unix.Close(fd)
	// An os.File would register with the poller and cost as much as the rest.
	buf, err = slurp(buf, is.Size, limit, func(p []byte) (int, error) {
		return ignoringEINTR(func() (int, error) { return unix.Read(fd, p) })
	})
	return buf, is, err
}

func (f *strictFolder) stat(name string) (Info, error) {
	// An entry of the folder itself takes one call in place of three, and is not
	// followed either. What another file system covers is left to the pin.
	var st unix.Stat_t
	if !strings.Contains(name, "/") && unix.Fstatat(f.fd, name, &st, unix.AT_SYMLINK_NOFOLLOW|unix.AT_NO_AUTOMOUNT) == nil && st.Dev == f.device {
		return infoOf(&st), nil
	}
	fd, st, err := f.pin(name)
	if err != nil {
		return Info{}, err
	}
	unix.Close(fd)
	return infoOf(&st), nil
}

func (f *strictFolder) link(string) (string, error) { return "", ErrLink }

func (f *strictFolder) folder(name string) (folder, error) {
	// A FIFO or a device is no directory: the kernel says so without opening it.
	return f.below(name, unix.O_RDONLY)
}

func (f *strictFolder) parent(name string) (folder, error) {
	// Who may change a folder need not be able to list it.
	return f.below(name, unix.O_PATH)
}

func (f *strictFolder) below(name string, flags uint64) (folder, error) {
	// Without O_NOFOLLOW a link is refused as what it is, not as no directory.
	fd, err := openat2(f.fd, name, flags|unix.O_DIRECTORY, 0)
	if err != nil {
		return nil, err
	}
	return &strictFolder{fd: fd, device: f.device, proc: f.proc}, nil
}

func (f *strictFolder) target(name string) (Info, error) {
	fd, st, err := f.pin(name)
	if err != nil {
		return Info{}, err
	}
	defer unix.Close(fd)
	is := infoOf(&st)
	if err := check(is, 0); err != nil {
		return is, err
	}
	again, err := f.proc.reopen(fd, unix.O_WRONLY|unix.O_NONBLOCK)
	if err == nil {
		err = unix.Close(again)
	}
	return is, err
}

func (f *strictFolder) create(name string) (*os.File, error) {
	fd, err := openat2(f.fd, name, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL|unix.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), name), nil
}

func (f *strictFolder) rename(from, to string) error {
	return unix.Renameat(f.fd, from, f.fd, to)
}

func (f *strictFolder) place(from, to string) error {
	err := unix.Renameat2(f.fd, from, f.fd, to, unix.RENAME_NOREPLACE)
	if err == unix.EINVAL || err == unix.ENOSYS {
		return errors.ErrUnsupported
	}
	return err
}

func (f *strictFolder) places() bool { return true }

func (f *strictFolder) mkdir(name string) error { return unix.Mkdirat(f.fd, name, 0o700) }

func (f *strictFolder) remove(name string) error {
	err := unix.Unlinkat(f.fd, name, 0)
	if err == unix.EISDIR {
		err = unix.Unlinkat(f.fd, name, unix.AT_REMOVEDIR)
	}
	return err
}

func (f *strictFolder) close() error {
	if f.file == nil {
		fd := f.fd
		f.fd = -1 // the number is soon that of something else
		return unix.Close(fd)
	}
	if f.proc != nil {
		f.proc.file.Close()
	}
	return f.file.Close()
}

// listBuffers hold what getdents returns: large enough that most folders take one
// call.
var listBuffers = sync.Pool{New: func() any { b := make([]byte, 32<<10); return &b }}

// list reads the folder from its start. The descriptor is read by one caller.
func (f *strictFolder) list(limit int) ([]dirent, error) {
	var found []dirent
	buf := listBuffers.Get().(*[]byte)
	defer listBuffers.Put(buf)
	for {
		n, err := ignoringEINTR(func() (int, error) { return unix.Getdents(f.fd, *buf) })
		if err != nil || n <= 0 {
			return found, err
		}
		for rest := (*buf)[:n]; len(rest) > 0; {
			// struct linux_dirent64: inode, offset, length, type, name
			length := binary.NativeEndian.Uint16(rest[16:])
			kind, name := rest[18], rest[19:length]
			rest = rest[length:]
			for i, c := range name {
				if c == 0 {
					name = name[:i]
					break
				}
			}
			if string(name) == "." || string(name) == ".." {
				continue
			}
			if len(found) == limit {
				return nil, errManyEntries
			}
			e := dirent{name: string(name)}
			switch kind {
			case unix.DT_REG:
				e.kind = File
			case unix.DT_DIR:
				e.kind = Dir
			case unix.DT_LNK:
				e.kind = Symlink
			case unix.DT_UNKNOWN:
				is, err := f.stat(e.name)
				if err != nil {
					continue // gone since
				}
				e.kind = is.Type()
			default:
				e.kind = Other
			}
			found = append(found, e)
		}
	}
}

// infoOf translates what the system says of a file.
func infoOf(st *unix.Stat_t) Info {
	mode := fs.FileMode(st.Mode & 0o777)
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFREG:
	case unix.S_IFDIR:
		mode |= fs.ModeDir
	case unix.S_IFLNK:
		mode |= fs.ModeSymlink
	case unix.S_IFIFO:
		mode |= fs.ModeNamedPipe
	case unix.S_IFSOCK:
		mode |= fs.ModeSocket
	case unix.S_IFBLK:
		mode |= fs.ModeDevice
	case unix.S_IFCHR:
		mode |= fs.ModeDevice | fs.ModeCharDevice
	default:
		mode |= fs.ModeIrregular
	}
	if st.Mode&unix.S_ISUID != 0 {
		mode |= fs.ModeSetuid
	}
	if st.Mode&unix.S_ISGID != 0 {
		mode |= fs.ModeSetgid
	}
	if st.Mode&unix.S_ISVTX != 0 {
		mode |= fs.ModeSticky
	}
	return Info{
		Size: st.Size, Mode: mode, ModTime: time.Unix(st.Mtim.Unix()),
		id: identity{
			device: st.Dev, inode: st.Ino, links: uint64(st.Nlink), uid: st.Uid, gid: st.Gid, //nolint:unconvert // it has 32 bits on other machines
			changed: st.Ctim.Nano(), known: true,
		},
	}
}

package sandbox

import (
	"os"
	"strconv"
	"strings"
)

// Descriptors that the launcher and the program get. The third is the only one
// above 2 that the program keeps: for frames, or the socket.
const (
	fdThird   = 3
	fdArgs    = 4
	fdSeccomp = 5
	fdStatus  = 6
	fdBlock   = 7
	fdSync    = 8
	fdConfig  = 9
	fdGroups  = 10 // the first of those that are for joining cgroups
)

// innerID is the user and group that a program sees itself as, whoever called.
const innerID = 65534

// dataDirs are folders of the host, beside the interpreter's own, that numpy,
// scipy and matplotlib read: fonts, style sheets, time zones, and the links
// through which Debian chooses a BLAS. A host without one of them needs it not.
var dataDirs = []string{
	"/usr/share/matplotlib", "/usr/share/fonts", "/usr/share/fontconfig", "/usr/share/zoneinfo",
	"/usr/share/javascript", "/etc/ld.so.cache", "/etc/alternatives", "/etc/matplotlibrc", "/etc/fonts",
}

// A mount is a path of the host that a program sees.
type mount struct {
	from, to string
	write    bool
}

// A profile is one confinement, as arguments of bwrap.
type profile struct {
	python  *interpreter
	dirs    []string // more folders of the host, read-only
	mounts  []mount  // the program's own files and workspace
	env     map[string]string
	temp    int64 // bytes of /tmp
	chdir   string
	command []string
}

// sharedMemory is the size of /dev/shm, where multiprocessing keeps semaphores.
const sharedMemory = 64 << 20

// args returns the options of bwrap. The root is an empty tmpfs: what is not
// bound into it does not exist inside.
func (p *profile) args() []string {
	var a []string
	add := func(more ...string) { a = append(a, more...) }
	add("--unshare-user", "--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup")
	add("--disable-userns", "--die-with-parent", "--new-session", "--hostname", "sandbox", "--cap-drop", "ALL")
	add("--uid", strconv.Itoa(innerID), "--gid", strconv.Itoa(innerID))
	add("--seccomp", strconv.Itoa(fdSeccomp), "--json-status-fd", strconv.Itoa(fdStatus))
	add("--block-fd", strconv.Itoa(fdBlock), "--sync-fd", strconv.Itoa(fdSync))
	add("--clearenv")
	for _, name := range sortedKeys(p.env) {
		add("--setenv", name, p.env[name])
	}
	for _, dir := range p.visible() {
		add("--ro-bind", dir, dir)
	}
	a = append(a, p.links()...)
	add("--proc", "/proc", "--dev", "/dev")
	add("--size", strconv.FormatInt(p.temp, 10), "--tmpfs", "/tmp")
	add("--size", strconv.Itoa(sharedMemory), "--tmpfs", "/dev/shm")
	for _, dir := range p.dirs {
		add("--ro-bind", dir, dir)
	}
	for _, m := range p.mounts {
		if m.write {
			add("--bind", m.from, m.to)
		} else {
			add("--ro-bind", m.from, m.to)
		}
	}
	// These three come last: nothing can be mounted below them afterwards. The
	// first is there because /dev is a tmpfs without a size, the second because
	// /proc/sys of a launcher that ran as root would be writable.
	add("--remount-ro", "/dev", "--remount-ro", "/proc", "--remount-ro", "/")
	add("--chdir", p.chdir)
	return a
}

// visible are the paths of the host that every program may read.
func (p *profile) visible() []string {
	paths := append([]string{p.python.real}, p.python.dirs...)
	for _, path := range dataDirs {
		if _, err := os.Stat(path); err == nil {
			paths = append(paths, path)
		}
	}
	return append(paths, p.python.loader)
}

// links rebuilds the links that lead to the visible paths, such as /lib64 to
// usr/lib64 and /usr/bin/python3 to /usr/bin/python3.11.
func (p *profile) links() []string {
	var a []string
	for _, name := range []string{"/bin", "/lib", "/lib64"} {
		if to, err := os.Readlink(name); err == nil {
			a = append(a, "--symlink", to, name)
		}
	}
	if p.python.command != p.python.real {
		a = append(a, "--symlink", p.python.real, p.python.command)
	}
	return a
}

func topOf(dir string) string {
	rest, _, _ := strings.Cut(strings.TrimPrefix(dir, "/"), "/")
	return "/" + rest
}

package sandbox

import (
	"errors"
	"fmt"
	"os"
	"path"

	"golang.org/x/sys/unix"
)

// A rootPlan is the root that a program sees, as a child in a mount namespace of
// its own builds it. Its zero value is an empty root with /proc.
type rootPlan struct {
	Binds []bindPlan  // in this order
	Links [][2]string // where a link leads, and its name
	Temp  int64       // bytes of /tmp; 0 means that there is none
}

// A bindPlan shows a path of the host at a path of the new root.
type bindPlan struct {
	From, To string
	Write    bool
	Run      bool // its files may be run, and mapped as code
	Device   bool // it is a device that may be used
}

// build makes the root and enters it. The calling process has CAP_SYS_ADMIN in
// its user namespace and a mount namespace to itself. Nothing of the old root is
// left to be found.
func (r *rootPlan) build(dir string) error {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("part with the mounts of the host: %w", err)
	}
	// All trees are taken hold of first: the new root may hide where they are.
	trees := make([]*os.File, len(r.Binds))
	defer func() { closeFiles(trees...) }()
	for i, b := range r.Binds {
		tree, err := b.take()
		if err != nil {
			return fmt.Errorf("show %s: %w", b.From, err)
		}
		trees[i] = tree
	}
	at, err := r.top()
	if err != nil {
		return err
	}
	for i, b := range r.Binds {
		if err := b.put(trees[i], at); err != nil {
			return fmt.Errorf("show %s at %s: %w", b.From, b.To, err)
		}
	}
	if err := r.furnish(at); err != nil {
		return err
	}
	if err := unix.Chdir(at); err != nil {
		return fmt.Errorf("enter the new root: %w", err)
	}
	if err := unix.PivotRoot(".", "."); err != nil {
		return fmt.Errorf("change the root: %w", err)
	}
	if err := unix.Unmount(".", unix.MNT_DETACH); err != nil {
		return fmt.Errorf("leave the old root: %w", err)
	}
	attr := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}
	if err := unix.MountSetattr(unix.AT_FDCWD, "/", 0, &attr); err != nil {
		return fmt.Errorf("make the root read-only: %w", err)
	}
	if err := unix.Chdir(dir); err != nil {
		return fmt.Errorf("enter %s: %w", dir, err)
	}
	return nil
}

// top mounts the new root over a folder that any host has.
func (r *rootPlan) top() (string, error) {
	var last error
	for _, at := range []string{"/tmp", "/usr", "/proc"} {
		last = unix.Mount("root", at, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, "size=1m,nr_inodes=1k,mode=755")
		if last == nil {
			return at, nil
		}
	}
	return "", fmt.Errorf("mount a new root: %w", last)
}

// take returns a copy of the tree at From that can be mounted, and that no
// program can do more with than the plan says.
func (b *bindPlan) take() (*os.File, error) {
	fd, err := unix.OpenTree(unix.AT_FDCWD, b.From, unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_RECURSIVE)
	if err != nil {
		return nil, err
	}
	tree := os.NewFile(uintptr(fd), b.From)
	attr := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_NOSUID}
	if !b.Write {
		attr.Attr_set |= unix.MOUNT_ATTR_RDONLY
	}
	if !b.Run {
		attr.Attr_set |= unix.MOUNT_ATTR_NOEXEC
	}
	if !b.Device {
		attr.Attr_set |= unix.MOUNT_ATTR_NODEV
	}
	if err := unix.MountSetattr(fd, "", unix.AT_EMPTY_PATH|unix.AT_RECURSIVE, &attr); err != nil {
		_ = tree.Close()
		return nil, err
	}
	return tree, nil
}

// put mounts a tree below the new root, on a folder or file that it makes where
// there is none.
func (b *bindPlan) put(tree *os.File, root string) error {
	target := path.Join(root, b.To)
	var st unix.Stat_t
	if err := unix.Fstat(int(tree.Fd()), &st); err != nil {
		return err
	}
	if _, err := os.Lstat(target); errors.Is(err, os.ErrNotExist) {
		if err := os.MkdirAll(path.Dir(target), 0o755); err != nil {
			return err
		}
		if st.Mode&unix.S_IFMT == unix.S_IFDIR {
			err = os.Mkdir(target, 0o755)
		} else {
			err = os.WriteFile(target, nil, 0o444)
		}
		if err != nil {
			return err
		}
	}
	return unix.MoveMount(int(tree.Fd()), "", unix.AT_FDCWD, target, unix.MOVE_MOUNT_F_EMPTY_PATH)
}

// furnish adds what is not of the host: links, /proc of the own processes alone,
// and folders for temporary files.
func (r *rootPlan) furnish(root string) error {
	type mounted struct {
		name, kind, data string
		flags            uintptr
	}
	const closed = unix.MS_NOSUID | unix.MS_NODEV | unix.MS_NOEXEC
	all := []mounted{{"/proc", "proc", "subset=pid", closed | unix.MS_RDONLY}}
	if r.Temp > 0 {
		all = append(all,
			mounted{"/tmp", "tmpfs", fmt.Sprintf("size=%d,mode=700", r.Temp), closed},
			mounted{"/dev/shm", "tmpfs", fmt.Sprintf("size=%d,mode=700", sharedMemory), closed})
	}
	for _, m := range all {
		if err := os.MkdirAll(path.Join(root, m.name), 0o755); err != nil {
			return fmt.Errorf("make %s: %w", m.name, err)
		}
		if err := unix.Mount(m.kind, path.Join(root, m.name), m.kind, m.flags, m.data); err != nil {
			return fmt.Errorf("mount %s: %w", m.name, err)
		}
	}
	for _, l := range r.Links {
		name := path.Join(root, l[1])
		if err := os.MkdirAll(path.Dir(name), 0o755); err != nil {
			return fmt.Errorf("make %s: %w", path.Dir(l[1]), err)
		}
		if err := os.Symlink(l[0], name); err != nil {
			return fmt.Errorf("make the link %s: %w", l[1], err)
		}
	}
	return nil
}

// planRoot is the root of a Python program: what the profile of bubblewrap
// shows, with the difference that nothing that can be written can be run.
func planRoot(p *profile) *rootPlan {
	plan := &rootPlan{Temp: p.temp}
	for _, dir := range p.visible() {
		plan.Binds = append(plan.Binds, bindPlan{From: dir, To: dir, Run: true})
	}
	for _, name := range devices {
		if _, err := os.Stat(name); err == nil {
			plan.Binds = append(plan.Binds, bindPlan{From: name, To: name, Write: true, Device: true})
		}
	}
	for _, dir := range p.dirs {
		plan.Binds = append(plan.Binds, bindPlan{From: dir, To: dir, Run: true})
	}
	for _, m := range p.mounts {
		plan.Binds = append(plan.Binds, bindPlan{From: m.from, To: m.to, Write: m.write})
	}
	links := p.links()
	for i := 0; i+2 < len(links); i += 3 { // each is --symlink, target, name
		plan.Links = append(plan.Links, [2]string{links[i+1], links[i+2]})
	}
	for n, name := range []string{"/dev/stdin", "/dev/stdout", "/dev/stderr"} {
		plan.Links = append(plan.Links, [2]string{fmt.Sprintf("/proc/self/fd/%d", n), name})
	}
	plan.Links = append(plan.Links, [2]string{"/proc/self/fd", "/dev/fd"})
	return plan
}

// rules are what Landlock leaves a program in this root. As to reading and
// writing they are a second wall behind the mounts; nothing but Python is run.
func (r *rootPlan) rules(version int, python *interpreter) *ruleset {
	rules := &ruleset{
		Version: version, Execute: []string{python.real, python.loader},
		Read: []string{"/"}, Change: []string{"/tmp", "/dev/shm"},
	}
	for _, b := range r.Binds {
		switch {
		case b.Device:
			rules.Use = append(rules.Use, b.To)
		case b.Write:
			rules.Change = append(rules.Change, b.To)
		}
	}
	return rules
}

//go:build unix

package workspace

// identity is what tells one file from another, and a file from what it was.
type identity struct {
	device, inode, links uint64
	uid, gid             uint32
	changed              int64 // ns; 0 where it is not known
	known                bool
}

// is reports whether both are the same file.
func (i identity) is(o identity) bool {
	return i.known && o.known && i.device == o.device && i.inode == o.inode
}

// same reports whether both are the same file, and not changed in between.
func (i identity) same(o identity) bool { return i.is(o) && i.changed == o.changed }

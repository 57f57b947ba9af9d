//go:build !unix

package workspace

import (
	"io/fs"
	"os"
)

// identity is what tells one file from another. Here there is no number of names,
// no owner and no device: what rests on them does not hold.
type identity struct {
	device, links uint64
	uid, gid      uint32
	file          fs.FileInfo
}

func (i identity) is(o identity) bool {
	return i.file != nil && o.file != nil && os.SameFile(i.file, o.file)
}

func (i identity) same(o identity) bool { return i.is(o) }

func identityOf(is fs.FileInfo) identity { return identity{file: is} }

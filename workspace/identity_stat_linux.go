package workspace

import (
	"io/fs"
	"syscall"
)

func identityOf(is fs.FileInfo) identity {
	st, ok := is.Sys().(*syscall.Stat_t)
	if !ok {
		return identity{}
	}
	return identity{
		device: st.Dev, inode: st.Ino, links: uint64(st.Nlink), uid: st.Uid, gid: st.Gid, //nolint:unconvert // it has 32 bits on other machines
		changed: st.Ctim.Nano(), known: true,
	}
}

package workspace

import (
	"io/fs"
	"os"
)

// likeOld gives a file the owner and the permissions of the one it will replace.
// An owner that the system does not let us set stays ours; if it is the group,
// what was for the old group is for nobody.
func likeOld(f *os.File, old *Info) error {
	is, err := f.Stat()
	if err != nil {
		return err
	}
	mode, now := old.Mode.Perm(), identityOf(is)
	if now.uid != old.id.uid || now.gid != old.id.gid {
		if f.Chown(int(old.id.uid), int(old.id.gid)) != nil && now.gid != old.id.gid && f.Chown(-1, int(old.id.gid)) != nil {
			mode &^= fs.FileMode(0o070)
		}
	}
	if is.Mode().Perm() == mode {
		return nil
	}
	return f.Chmod(mode)
}

package workspace_test

import (
	"os"
	"syscall"
	"testing"

	"github.com/helios-go/helios/workspace"
)

// TestAReplacedFileKeepsItsOwner: a program in a sandbox under another user must
// still be able to read what the host has edited.
func TestAReplacedFileKeepsItsOwner(t *testing.T) {
	t.Parallel()
	inEachMode(t, func(t *testing.T, opts workspace.Options) {
		if os.Geteuid() != 0 {
			t.Log("only root may give files away, so there was nothing to keep")
			return
		}
		in, _ := trees(t)
		must(t, os.Chown(in+"/file.txt", 65534, 65533))
		must(t, os.Chmod(in+"/file.txt", 0o640))
		ws := open(t, in, &opts)
		_, err := ws.WriteFile("file.txt", []byte("new"))
		must(t, err)
		is, err := os.Lstat(in + "/file.txt")
		must(t, err)
		st := is.Sys().(*syscall.Stat_t)
		if st.Uid != 65534 || st.Gid != 65533 || is.Mode() != 0o640 {
			t.Errorf("now %v of %d:%d", is.Mode(), st.Uid, st.Gid)
		}
	})
}

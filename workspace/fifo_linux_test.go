package workspace_test

import (
	"errors"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/helios-go/helios/workspace"
	"golang.org/x/sys/unix"
)

// TestAFIFOThatTakesThePlaceOfAFileIsNotWaitedFor: whoever waited for its other
// end would wait until the test is stopped.
func TestAFIFOThatTakesThePlaceOfAFileIsNotWaitedFor(t *testing.T) {
	t.Parallel()
	inEachMode(t, func(t *testing.T, opts workspace.Options) {
		in, _ := trees(t)
		file, folder, fifo := filepath.Join(in, "file.txt"), filepath.Join(in, "sub"), filepath.Join(in, "fifo")
		must(t, syscall.Mkfifo(fifo, 0o600))
		ws := open(t, in, &opts)
		var swapper sync.WaitGroup
		var ended atomic.Bool
		swapper.Go(func() {
			for n := 0; !ended.Load(); n++ {
				name := file
				if n%4 > 1 { // twice each, so that everything is where it was
					name = folder
				}
				unix.Renameat2(unix.AT_FDCWD, name, unix.AT_FDCWD, fifo, unix.RENAME_EXCHANGE)
			}
		})
		seen := map[bool]int{}
		for end := time.Now().Add(200 * time.Millisecond); time.Now().Before(end); {
			for range 100 {
				data, _, err := ws.ReadFile("file.txt", 100)
				if err == nil && string(data) != insideText || err != nil && !errors.Is(err, workspace.ErrNotRegular) {
					t.Errorf("read %q, %v", data, err)
				}
				seen[err == nil]++
			}
			for range 10 {
				ws.ReadDir("sub")
				ws.Mkdir("sub/new")
			}
		}
		ended.Store(true)
		swapper.Wait()
		t.Logf("read %d times, refused %d times", seen[true], seen[false])
	})
}

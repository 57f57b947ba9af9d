//go:build unix

package workspace_test

import (
	"bytes"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/helios-go/helios/workspace"
)

// crashVariable names the folder in which a child of the test writes until it is
// killed.
const crashVariable = "HELIOS_TEST_WORKSPACE_CRASH"

func TestMain(m *testing.M) {
	if dir := os.Getenv(crashVariable); dir != "" {
		writeForEver(dir)
	}
	os.Exit(m.Run())
}

func versions(i int) []byte { return bytes.Repeat([]byte{byte('a' + i%26)}, 200_000) }

func writeForEver(dir string) {
	ws, err := workspace.Open(dir, &workspace.Options{Mode: here()[0]})
	if err != nil {
		panic(err)
	}
	os.Stdout.WriteString("x")
	for i := 0; ; i++ {
		if _, err := ws.WriteFile("f", versions(i)); err != nil {
			panic(err)
		}
	}
}

// TestAKilledProcessLeavesTheOldContentOrTheNew, and at worst a temporary file
// that is known by its name.
func TestAKilledProcessLeavesTheOldContentOrTheNew(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ws := open(t, dir, &workspace.Options{Mode: here()[0]})
	left := 0
	for range 10 {
		cmd := exec.CommandContext(t.Context(), os.Args[0])
		cmd.Env = append(os.Environ(), crashVariable+"="+dir)
		out, err := cmd.StdoutPipe()
		must(t, err)
		must(t, cmd.Start())
		if _, err := out.Read(make([]byte, 1)); err != nil {
			t.Fatal(err)
		}
		for deadline := time.Now().Add(30 * time.Second); ; { // at least one write, then at any point of another
			if _, err := ws.Stat("f"); err == nil {
				break
			}
			if time.Now().After(deadline) {
				t.Fatal("nothing was written")
			}
		}
		must(t, cmd.Process.Kill())
		cmd.Wait()
		data, _, err := ws.ReadFile("f", 1<<20)
		if err != nil || !bytes.Equal(data, versions(int(data[0]-'a'))) {
			t.Fatalf("it holds %d bytes, %v", len(data), err)
		}
		entries, err := ws.ReadDir(".")
		must(t, err)
		for _, e := range entries {
			if e.Name == "f" {
				continue
			}
			if !workspace.IsTemp(e.Name) {
				t.Errorf("%s was left", e.Name)
			}
			left++
			must(t, ws.Remove(e.Name))
		}
	}
	t.Logf("10 processes were killed, %d temporary files stayed behind", left)
}

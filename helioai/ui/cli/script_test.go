package cli_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/helios-go/helios/helioai/ui/cli"
	"github.com/helios-go/helios/internal/testdata"
	"github.com/helios-go/helios/sandbox"
)

func TestMain(m *testing.M) {
	sandbox.Init()
	testscript.Main(m, map[string]func(){
		"helioai": func() { os.Exit(cli.Main(os.Args[1:])) },
		// The same, and an error when a process that it started is left.
		"helioai-alone": func() {
			cli.Main(os.Args[1:])
			lists, _ := filepath.Glob("/proc/self/task/*/children")
			for _, list := range lists {
				if left, _ := os.ReadFile(list); len(left) > 0 {
					fmt.Printf("left running: %s\n", left)
					os.Exit(1)
				}
			}
		},
	})
}

// TestScripts runs the program as its users do. A script that begins with
// "needs-sandbox" wants Python under a working sandbox, "needs-data" the real
// files. $SERVER is the address of [modelServer].
func TestScripts(t *testing.T) {
	t.Parallel()
	server := modelServer(t)
	for _, group := range []struct {
		name string
		need func(t *testing.T)
	}{
		{"plain", func(*testing.T) {}},
		{"sandbox", func(t *testing.T) { needSandbox(t) }},
		{"realdata", func(t *testing.T) {
			needSandbox(t)
			testdata.File(t, "data/ac_h0_mfi_20230102_v07.cdf")
		}},
	} {
		t.Run(group.name, func(t *testing.T) {
			t.Parallel()
			group.need(t)
			testscript.Run(t, testscript.Params{
				Dir:                 filepath.Join("testdata", "script", group.name),
				RequireExplicitExec: true,
				Setup: func(env *testscript.Env) error {
					env.Setenv("HELIOAI_DATA_DIR", filepath.Join(env.WorkDir, "home"))
					env.Setenv("SERVER", server)
					env.Setenv("REAL", filepath.Join(testdata.Dir(), "data"))
					return nil
				},
			})
		})
	}
}

func needSandbox(t *testing.T) {
	t.Helper()
	_, err := sandbox.Open(t.Context(), nil)
	testdata.Need(t, "Python under the sandbox", err)
}

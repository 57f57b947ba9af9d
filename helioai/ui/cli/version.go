package cli

import (
	"fmt"
	"io"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

func newVersion(stdout io.Writer) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  takesNoWords,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintf(stdout, "helioai %s (%s, %s/%s)\n", version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return err
		},
	}
}

// version is the module version the program was built from, with the commit
// when it was built in a checkout.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	for _, setting := range info.Settings {
		if setting.Key == "vcs.revision" && info.Main.Version == "(devel)" && len(setting.Value) >= 12 {
			return "devel " + setting.Value[:12]
		}
	}
	return info.Main.Version
}

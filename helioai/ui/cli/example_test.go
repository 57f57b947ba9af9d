package cli_test

import (
	"context"
	"fmt"
	"os"

	"github.com/helios-go/helios/helioai/ui/cli"
)

// A command line that cannot be done ends with one sentence and an exit code.
func ExampleRun() {
	code := cli.Run(context.Background(), []string{"data", "--data", "missing.cdf"}, os.Stdout, os.Stdout)
	fmt.Println("exit code", code)
	// Output:
	// helioai: open "missing.cdf": no such file or directory; check the path
	// exit code 1
}

// Command helioai answers questions about spacecraft data with numbers that
// can be traced. See `helioai help`.
package main

import (
	"os"

	"github.com/helios-go/helios/helioai/ui/cli"
	"github.com/helios-go/helios/sandbox"
)

func main() {
	sandbox.Init()
	os.Exit(cli.Main(os.Args[1:]))
}

// Package cli is the helioai command line.
//
//	func main() {
//		sandbox.Init()
//		os.Exit(cli.Main(os.Args[1:]))
//	}
//
// Answers, tables and JSON go to standard output, live activity and errors to
// standard error. A command ends with 0 when it did what was asked, 1 when it
// could not (one sentence says why), 2 when the command line itself is wrong,
// and 130 when it was interrupted. With --json standard output is one JSON object
// in each case; what went wrong is its "error". Nothing is left half written.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
)

// Exit codes.
const (
	exitOK          = 0
	exitFailed      = 1
	exitUsage       = 2
	exitInterrupted = 130
)

// Main runs the command line with the process's streams and returns the exit
// code.
func Main(args []string) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return Run(ctx, args, os.Stdout, os.Stderr)
}

// Run runs one command line and returns its exit code.
func Run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	root := newRoot(stdout, stderr)
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return exitOK
	}
	code, message := exitFailed, oneLine(err.Error())
	var quiet *reported
	var usage *usageError
	switch {
	case errors.As(err, &quiet):
		return exitFailed
	case ctx.Err() != nil:
		code = exitInterrupted
		if errors.Is(err, context.Canceled) {
			message = "interrupted"
		}
	case errors.As(err, &usage):
		code = exitUsage
	}
	fmt.Fprintf(stderr, "helioai: %s\n", message)
	if printed := new(printedError); wantsJSON(args) && !errors.As(err, &printed) {
		// Who reads JSON gets JSON, whatever happens.
		_ = writeJSON(stdout, map[string]string{"error": message})
	}
	return code
}

// wantsJSON reports whether the command line asks for JSON, also where it
// cannot be understood otherwise.
func wantsJSON(args []string) bool {
	for _, arg := range args {
		switch arg {
		case "--":
			return false
		case "--json", "--json=true":
			return true
		}
	}
	return false
}

// reported marks a failure that the command has already put into words.
type reported struct{}

func (*reported) Error() string { return "already reported" }

// printedError marks a failure that came after the command's JSON was printed.
type printedError struct{ error }

func (e *printedError) Unwrap() error { return e.error }

// usageError marks a command line that cannot be understood.
type usageError struct{ error }

func (e *usageError) Unwrap() error { return e.error }

// takesNoWords refuses words behind a command that has only flags.
func takesNoWords(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return &usageError{fmt.Errorf("%s takes no %q; see %s --help", cmd.CommandPath(), args[0], cmd.CommandPath())}
	}
	return nil
}

func newRoot(stdout, stderr io.Writer) *cobra.Command {
	root := &cobra.Command{
		Use:   "helioai",
		Short: "Ask questions about spacecraft data; get numbers that can be traced",
		Long: `HelioAI answers questions about spacecraft data in plain words.

It finds the parameter, reads the data, computes in a sandbox, and returns an
answer whose every number is traced to the computation behind it, a figure, and
a notebook that reproduces them.

  helioai data --data FILE.cdf
  helioai ask --data FILE.cdf "mean and maximum of the field magnitude, and when"

Without --data it works on synthetic demo data that come with the program, and
without --provider a built-in planner answers that needs no network and no key.`,
		SilenceUsage:  true,
		SilenceErrors: true,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return &usageError{fmt.Errorf("there is no command %q; to ask a question write: helioai ask \"...\"", args[0])}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetOut(stdout)
	root.SetErr(stderr)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return &usageError{fmt.Errorf("%w; see %s --help", err, cmd.CommandPath())}
	})
	root.AddCommand(newAsk(stdout, stderr), newData(stdout, stderr), newGet(stdout, stderr), newCatalog(stdout, stderr), newHAPI(stderr), newModels(stdout, stderr), newVersion(stdout))
	return root
}

package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/helios-go/helios/helioai"
	"github.com/helios-go/helios/helioai/agents"
	"github.com/helios-go/helios/helioai/demo"
	"github.com/helios-go/helios/helioai/models"
	"github.com/helios-go/helios/helioai/places"
	"github.com/helios-go/helios/sandbox"
	"github.com/helios-go/helios/store/sqlite"
)

// user is who asks on the command line.
const user = "cli"

type askFlags struct {
	data    []string
	asked   asked
	budget  string
	session string
	json    bool
}

func newAsk(stdout, stderr io.Writer) *cobra.Command {
	var f askFlags
	cmd := &cobra.Command{
		Use:   `ask [--data FILE|DIR]... ["question"]`,
		Short: "Ask a question about the data",
		Long: `Ask a question in plain words.

The answer comes with a verdict on each of its numbers, the figures, and a
notebook that computes the same numbers without this program. Without --data the
question goes to the synthetic demo data, and without a question a built-in one
is asked.

The provider "offline" answers unless another is chosen, here or with
HELIOAI_PROVIDER and HELIOAI_MODEL. It needs no network and no key. It is a
planner, not a language model: it reads questions about statistics, thresholds,
times of extremes, missing samples, plots, plasma formulas, minimum variance and
shock normals, and says so when a question needs more.

Any other provider is a language model with the same tools, the same check and
the same notebook. What it reads leaves this machine: the question, names and
statistics of the data, and what programs print. "helioai models" lists the
providers, what they cost, and the variable that each of them needs.`,
		Example: `  helioai ask
  helioai ask --data ac_h0_mfi_20230102_v07.cdf "mean and maximum of the field magnitude, and when"
  helioai ask --session storm "and the minimum Bz GSM?"
  helioai ask --provider anthropic --budget 0.50 "where does the field rotate, and is it a shock?"`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return ask(cmd.Context(), &f, strings.TrimSpace(strings.Join(args, " ")), len(args) > 0, stdout, stderr)
		},
	}
	cmd.Flags().StringArrayVar(&f.data, "data", nil, dataFlagHelp+"; a continued session remembers its data")
	f.asked.flags(cmd)
	cmd.Flags().StringVar(&f.budget, "budget", "", "stop once the answer has cost this much, in `USD`")
	cmd.Flags().StringVar(&f.session, "session", "", "continue this session (id, or a unique prefix), or start one of this name")
	cmd.Flags().BoolVar(&f.json, "json", false, "print the answer as one JSON object")
	return cmd
}

func ask(ctx context.Context, f *askFlags, question string, given bool, stdout, stderr io.Writer) error {
	if given && question == "" {
		return &usageError{errors.New("the question is empty; write it between quotes")}
	}
	budget, err := parseBudget(f.budget)
	if err != nil {
		return err
	}
	choice, err := f.asked.choose(agents.RoleLead)
	if err != nil {
		return usage(err)
	}
	// The sandbox proves itself while the data are opened.
	boxCtx, cancel := context.WithCancel(ctx)
	box := openSandbox(boxCtx)
	// A launcher that is left half started would outlive this program.
	defer func() { cancel(); box() }()

	home, err := places.Open("")
	if err != nil {
		return err
	}
	store, err := sqlite.Open(home.SessionsDB(), nil)
	if err != nil {
		return err
	}
	defer store.Close()

	data, err := sessionData(ctx, store, f)
	if err != nil {
		return err
	}
	arch, err := openArchive(data)
	if err != nil {
		return err
	}
	if question == "" {
		if len(data) > 0 {
			return &usageError{errors.New(`there is no question; write one between quotes: helioai ask --data FILE "..."`)}
		}
		question = demo.Question
	}

	model, err := openModel(ctx, choice, arch, budget)
	if err != nil {
		return usage(err)
	}

	live := newActivity(stderr)
	name := ""
	if choice.Provider != models.Offline {
		name = model.Name()
	}
	live.open(question, name, len(data) == 0)
	tellSkipped(ctx, arch, live.note)
	sandboxed := box()
	assistant := &helioai.Assistant{
		Home: home, Store: store, User: user, Archive: arch, Model: model,
		Sandbox: sandboxed.box, SandboxNote: sandboxed.note, Program: "helioai " + version(),
	}
	answer, err := assistant.Ask(ctx, &helioai.Question{Text: question, Session: f.session, Data: data, Budget: budget, Watch: live.event})
	live.close()
	if answer == nil {
		return err
	}
	if f.json {
		if jsonErr := writeJSON(stdout, answer); jsonErr != nil {
			return jsonErr
		}
	} else if showErr := showAnswer(stdout, answer); showErr != nil {
		return showErr
	}
	if err != nil {
		if ctx.Err() != nil {
			err = ctx.Err()
		}
		err = errors.New(helioai.Failed(err))
	}
	switch {
	case err != nil && f.json:
		return &printedError{err}
	case err != nil:
		return err
	case answer.Unanswered:
		return &reported{}
	}
	return nil
}

// sessionData is where the data of this question come from: the flags, else
// what the session remembers. Paths are made absolute, so that a session can be
// continued from another folder.
func sessionData(ctx context.Context, store *sqlite.Store, f *askFlags) ([]string, error) {
	if len(f.data) == 0 && f.session != "" {
		return helioai.SessionData(ctx, store, user, f.session)
	}
	var paths []string
	for _, p := range f.data {
		if p == "" {
			return nil, errNoPath
		}
		abs, err := filepath.Abs(p)
		if err != nil {
			return nil, fmt.Errorf("find %q: %w", p, err)
		}
		paths = append(paths, abs)
	}
	return paths, nil
}

type sandboxed struct {
	box  *sandbox.Sandbox
	note string
}

// openSandbox opens the sandbox beside what else has to be done. The function
// that it returns waits for it, each time with the same result.
func openSandbox(ctx context.Context) func() sandboxed {
	ready := make(chan sandboxed, 1)
	go func() {
		box, err := sandbox.Open(ctx, nil)
		var missing *sandbox.Unavailable
		switch {
		case err == nil:
			ready <- sandboxed{box: box}
		case errors.As(err, &missing):
			ready <- sandboxed{note: fmt.Sprintf("Figures and analyses in Python were skipped: %s; %s.", missing.Reason, missing.Remedy)}
		default:
			ready <- sandboxed{note: fmt.Sprintf("Figures and analyses in Python were skipped: %v.", err)}
		}
	}()
	return sync.OnceValue(func() sandboxed { return <-ready })
}

// shortPath writes a path below the home directory with a tilde.
func shortPath(p string) string {
	home, err := os.UserHomeDir()
	if err != nil || home == "/" {
		return p
	}
	if rest, ok := strings.CutPrefix(p, home+string(filepath.Separator)); ok {
		return filepath.Join("~", rest)
	}
	return p
}

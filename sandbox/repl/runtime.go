package repl

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"regexp"
	"strings"
	"time"

	"github.com/helios-go/helios/sandbox"
)

// A Runtime starts interpreters of one language. It is safe for concurrent use.
type Runtime interface {
	// Name is the language in lower case: "javascript", "python".
	Name() string
	// Start starts an interpreter with its functions and inputs bound. ctx bounds
	// the start alone. The caller closes the Kernel.
	Start(ctx context.Context, cfg *Config) (*Kernel, error)
	// Help is what a model must know to write code for it: language, helpers,
	// limits, in a few lines.
	Help() string
	// Describe says in words, for people, what confines the interpreter.
	Describe() string
}

// A Function is a function of the host that cells can call.
type Function struct {
	Name   string   `json:"name"`   // an identifier: [A-Za-z_][A-Za-z0-9_]*, not starting with two underscores
	Params []string `json:"params"` // identifiers, in positional order; may be empty
}

// CallFunc answers a call of a host function. args is a JSON object whose keys
// are among the function's parameters; parameters that the cell left out are
// absent. It comes from a stranger: check it. The result is JSON, nil meaning
// null. The text of an error is raised in the cell as it is. A panic is an error
// too. ctx has the values of Execute's, and ends when the cell is being ended; an
// answer that comes later is dropped. Calls may come at the same time, at most 8.
type CallFunc func(ctx context.Context, name string, args json.RawMessage) (json.RawMessage, error)

// Config is what an interpreter starts with. The zero value (and nil) is an
// interpreter without functions and inputs.
type Config struct {
	Functions []Function                 // bound as globals before the first cell
	Inputs    map[string]json.RawMessage // variables bound before the first cell; names are identifiers as in Function
	Limits    sandbox.Limits             // of the process; Wall 0 is no limit on its life; Stdout and Stderr bound what one cell can say
	Call      CallFunc                   // answers calls; needed when there are Functions

	MaxFrame int           // bytes in one frame from the program, so in the arguments of a call; 1 MiB
	MaxCalls int           // calls of host functions in one cell; 1,000
	Startup  time.Duration // for the interpreter to say that it is ready; 10 s
}

const (
	defaultMaxFrame = 1 << 20
	defaultMaxCalls = 1000
	defaultStartup  = 10 * time.Second
	// maxHostFrame bounds what the host sends: inputs, code and answers, which it
	// chose itself.
	maxHostFrame = 256 << 20
)

var identifier = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// Identifier reports whether name can be that of a function, a parameter or an
// input in every runtime: ASCII letters, digits and underscores, no digit first
// and no two underscores first.
func Identifier(name string) bool {
	return len(name) <= 128 && identifier.MatchString(name) && !strings.HasPrefix(name, "__")
}

// withDefaults returns a copy with the zero fields filled, or says what is wrong.
func (c *Config) withDefaults() (*Config, error) {
	out := Config{}
	if c != nil {
		out = *c
	}
	if out.MaxFrame == 0 {
		out.MaxFrame = defaultMaxFrame
	}
	if out.MaxCalls == 0 {
		out.MaxCalls = defaultMaxCalls
	}
	if out.Startup == 0 {
		out.Startup = defaultStartup
	}
	if out.MaxFrame < 1024 || out.MaxFrame > maxHostFrame {
		return nil, fmt.Errorf("Config.MaxFrame is %d; it can be 1,024 to %d bytes", out.MaxFrame, maxHostFrame)
	}
	if out.MaxCalls < 0 || out.Startup < 0 {
		return nil, errors.New("Config.MaxCalls and Config.Startup cannot be negative")
	}
	if len(out.Functions) > 0 && out.Call == nil {
		return nil, errors.New("Config.Functions are given but no Config.Call that answers them")
	}
	return &out, out.checkNames()
}

func (c *Config) checkNames() error {
	seen := map[string]bool{}
	for _, f := range c.Functions {
		if !Identifier(f.Name) {
			return fmt.Errorf("function name %q: it must be an identifier of ASCII letters, digits and underscores", f.Name)
		}
		if seen[f.Name] {
			return fmt.Errorf("function %s is given twice", f.Name)
		}
		seen[f.Name] = true
		params := map[string]bool{}
		for _, p := range f.Params {
			if !Identifier(p) || params[p] {
				return fmt.Errorf("function %s: parameter %q is given twice or is no identifier", f.Name, p)
			}
			params[p] = true
		}
	}
	for name, value := range c.Inputs {
		switch {
		case !Identifier(name):
			return fmt.Errorf("input %q: it must be an identifier of ASCII letters, digits and underscores", name)
		case seen[name]:
			return fmt.Errorf("%s is both a function and an input", name)
		case !json.Valid(value):
			return fmt.Errorf("input %s is not JSON", name)
		}
	}
	return nil
}

// A Cell is a piece of code to run.
type Cell struct {
	Code    string
	Timeout time.Duration // 30 s; the time that host functions take counts
	// Bindings, when not nil, asks for the variables after the cell, also after
	// one that failed.
	Bindings *BindingLimits
	// Output is how many bytes of each stream are kept, from the start; 64 KiB.
	// The limits of the process (Config.Limits) may be lower.
	Output int
}

// BindingLimits bound a picture of the variables, in bytes. Zero fields mean the
// defaults.
type BindingLimits struct {
	Value int `json:"value"` // of one value's text; 200. What is longer is cut, and says how long it was
	Total int `json:"total"` // of all names and texts together; 16,384. Then one binding named __truncated__ says that the rest is missing
}

// A Binding is a variable as text.
type Binding struct {
	Name  string `json:"name"`
	Type  string `json:"type"`  // in the words of the language: "int", "DataFrame", "Array"
	Value string `json:"value"` // as the language shows it; `<error: Type: message>` when showing it failed
}

// Truncated is the name of the binding that stands for those left out.
const Truncated = "__truncated__"

// An Outcome is what came of a cell. A cell that fails is an Outcome too.
type Outcome struct {
	Stdout, Stderr       string // valid UTF-8
	StdoutCut, StderrCut bool   // more was written than is kept
	Said                 int    // how much of Stderr the program wrote; what follows is the kernel's own
	ExitCode             int    // 0, or 1 for a cell that failed, or what the program asked for
	TimedOut             bool   // ended at Cell.Timeout
	Interrupted          bool   // ended because the context of Execute did
	Dead                 bool   // the interpreter ended or was killed: variables are lost, further cells are refused
	OutOfMemory          bool   // it died of its memory limit
	Rejected             bool   // not run, since another cell was running
	Bindings             []Binding
	Wall                 time.Duration

	notes []string // of the kernel, for the end of Stderr
}

// A Process is an interpreter's process as the Kernel needs it.
// *sandbox.Process is one.
type Process interface {
	// Conn is the host's end of the socket on which the interpreter talks.
	Conn() net.Conn
	// Interrupt sends what SIGINT is to the interpreter, and does not wait.
	Interrupt() error
	// Output is what the process wrote to its standard output and error since the
	// last call. What it wrote before it sent a frame is in once the frame is here.
	Output() (stdout, stderr []byte, cut bool)
	// Kill ends it and every descendant at once.
	Kill()
	// Done is closed when it has ended.
	Done() <-chan struct{}
	// Wait returns after Done what came of it.
	Wait() (*sandbox.Result, error)
}

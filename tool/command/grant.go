package command

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/helios-go/helios/secret"
	"github.com/helios-go/helios/tool"
)

// A Grant says which program a model may run, and how.
type Grant struct {
	// Program is an absolute path, or a name that is looked up on the PATH of the
	// host when the tool is made, and then stays what was found.
	Program string

	Name   string      // of the tool; "" is the last part of Program, with _ for what a name cannot hold
	Doc    string      // what the model is told that it is for
	Effect tool.Effect // of the worst that Check lets through
	Kind   tool.Kind   // KindDefault is KindExecute

	// Check says which arguments are granted. The text of its error is what the
	// model is told, so it should say what is granted instead. It may be called
	// several times at once. nil grants all.
	Check func(args []string) error

	// Key is the permission key of a call. With [Line] it is the command line, so
	// that a rule such as git(status **) can be written. Such rules spare
	// questions and are no security boundary, as there are many ways to write a
	// command: git -c alias.status='!rm x' status. nil is a tool without keys.
	Key func(args []string) (string, error)

	// Env and SecretEnv are the environment, with Path as PATH, and nothing else.
	// The values of SecretEnv are registered with Secrets under their names, to be
	// found also in the Encodings; what [secret.Registry.Register] does not take
	// is an error.
	Env       map[string]string
	SecretEnv map[string]secret.Value
	Encodings []secret.Encoding
	Path      string // "" is /usr/local/bin:/usr/bin:/bin, on Windows what the system has

	// Secrets are redacted in what the program writes, and refused in what it is
	// given. Those count that are registered when a call is made (in what it is
	// given) or has ended (in what it wrote). nil is a registry that holds
	// SecretEnv alone.
	Secrets *secret.Registry

	// Dir is the working folder, absolute, which must exist. "" is a new folder for
	// each call, empty and removed afterwards.
	Dir string

	Stdin  bool // the model may give text for standard input; without, it is empty
	Stderr bool // the model sees standard error, not only the program that reads Data

	Timeout    time.Duration // of a call; 0 is 30 s
	MaxTimeout time.Duration // the model may set a timeout up to this; 0: it may not set one
	Grace      time.Duration // from SIGTERM to SIGKILL; 0 is 2 s; a quarter of it when a call is cancelled

	MaxOutput     int  // bytes kept of each stream; 0 is 50,000, at least 1,024
	MaxConcurrent int  // calls at a time; 0 is 4; one more is refused
	Progress      bool // whoever watches the call sees output as it comes, as far as the model will
}

// A GrantError says what is wrong with a [Grant].
type GrantError struct {
	Program string // as it was given
	Field   string // of the Grant
	Reason  string
	Err     error // what was behind it, or nil
}

// Error is one sentence.
func (e *GrantError) Error() string {
	return fmt.Sprintf("grant of program %q: %s: %s", e.Program, e.Field, e.Reason)
}

// Unwrap returns what was behind it.
func (e *GrantError) Unwrap() error { return e.Err }

const (
	defaultTimeout    = 30 * time.Second
	defaultGrace      = 2 * time.Second
	defaultOutput     = 50_000
	leastOutput       = 1024
	defaultConcurrent = 4
)

// complete fills in the defaults, and says what is wrong with the rest.
func (g *Grant) complete() error {
	bad := func(field, reason string, args ...any) error {
		return &GrantError{Program: g.Program, Field: field, Reason: fmt.Sprintf(reason, args...)}
	}
	for _, d := range []struct {
		name  string
		value *time.Duration
		zero  time.Duration
	}{{"Timeout", &g.Timeout, defaultTimeout}, {"Grace", &g.Grace, defaultGrace}, {"MaxTimeout", &g.MaxTimeout, 0}} {
		if *d.value < 0 {
			return bad(d.name, "a time must be more than 0, and this is %v", *d.value)
		}
		if *d.value == 0 {
			*d.value = d.zero
		}
	}
	if g.MaxTimeout != 0 && g.MaxTimeout < g.Timeout {
		return bad("MaxTimeout", "%v is less than the Timeout of %v", g.MaxTimeout, g.Timeout)
	}
	if g.MaxOutput == 0 {
		g.MaxOutput = defaultOutput
	}
	if g.MaxOutput < leastOutput {
		return bad("MaxOutput", "%d bytes are too few to tell anything; give it at least %d", g.MaxOutput, leastOutput)
	}
	if g.MaxConcurrent == 0 {
		g.MaxConcurrent = defaultConcurrent
	}
	if g.MaxConcurrent < 0 {
		return bad("MaxConcurrent", "it must be at least 1, and this is %d", g.MaxConcurrent)
	}
	if g.Secrets == nil {
		g.Secrets = &secret.Registry{}
	}
	if g.Dir != "" {
		if !filepath.IsAbs(g.Dir) {
			return bad("Dir", "%q is not absolute", g.Dir)
		}
		if err := isFolder(g.Dir); err != nil {
			return &GrantError{Program: g.Program, Field: "Dir", Reason: err.Error(), Err: err}
		}
	}
	return g.checkEnv(bad)
}

func (g *Grant) checkEnv(bad func(field, reason string, args ...any) error) error {
	check := func(field, name string, value string) error {
		switch {
		case strings.TrimSpace(name) == "" || strings.TrimSpace(name) != name || strings.ContainsAny(name, "=\x00"):
			return bad(field, "%q is not the name of a variable", name)
		case name == "PATH":
			return bad(field, "PATH is given as Path")
		case strings.Contains(value, "\x00"):
			return bad(field, "the value of %s holds a zero byte", name)
		}
		return nil
	}
	for name, value := range g.Env {
		if err := check("Env", name, value); err != nil {
			return err
		}
	}
	for name, value := range g.SecretEnv {
		if err := check("SecretEnv", name, value.Reveal()); err != nil {
			return err
		}
		if _, twice := g.Env[name]; twice {
			return bad("SecretEnv", "%s is in Env too", name)
		}
	}
	if strings.Contains(g.Path, "\x00") {
		return bad("Path", "it holds a zero byte")
	}
	return nil
}

// register comes last, so that a grant that is refused has registered nothing,
// but for the secrets before the one that is refused.
func (g *Grant) register() error {
	for name, value := range g.SecretEnv {
		if err := g.Secrets.Register(name, value.Reveal(), g.Encodings...); err != nil {
			return &GrantError{Program: g.Program, Field: "SecretEnv", Reason: err.Error(), Err: err}
		}
	}
	return nil
}

var notInNames = regexp.MustCompile(`[^A-Za-z0-9_-]+`)

// toolName is the name for a program found at path.
func (g *Grant) toolName(path string) string {
	if g.Name != "" {
		return g.Name
	}
	return notInNames.ReplaceAllString(strings.TrimSuffix(filepath.Base(path), ".exe"), "_")
}

package prompt

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// A Registry keeps versions of prompts. It is safe for concurrent use, and the
// durable ones by several processes. prompttest.TestRegistry checks an
// implementation.
//
// Names are compared byte for byte. Versions of a name count from 1 without gaps,
// however many register at the same time, and at most one of them is active.
type Registry interface {
	// Register adds the next version and makes it the active one.
	Register(ctx context.Context, name, content string) (Prompt, error)
	// Draft adds the next version and leaves the active one as it is.
	Draft(ctx context.Context, name, content string) (Prompt, error)
	// Activate makes a version the active one: a draft, or an older one to roll
	// back to. Activating it again is no error; one that there is not is an
	// *UnknownError.
	Activate(ctx context.Context, name string, version int) (Prompt, error)
	// Resolve returns the active version, or an *UnknownError.
	Resolve(ctx context.Context, name string) (Prompt, error)
	// Version returns a version, or an *UnknownError.
	Version(ctx context.Context, name string, version int) (Prompt, error)
	// Versions returns all versions in ascending order, none for a name that was
	// never used.
	Versions(ctx context.Context, name string) ([]Prompt, error)
}

// An UnknownError says that a registry does not have what it was asked for.
type UnknownError struct {
	Name    string
	Version int
	Active  bool // the active version was asked for, and there is none
}

// Error says what there is not, and what to do about it.
func (e *UnknownError) Error() string {
	if e.Active {
		return fmt.Sprintf("prompt %q has no active version: register one, or activate a draft", e.Name)
	}
	return fmt.Sprintf("prompt %q has no version %d", e.Name, e.Version)
}

// Check reports what a registry refuses: a blank name, no content, and either
// that is not valid UTF-8, which no model takes.
func Check(name, content string) error {
	switch {
	case strings.TrimSpace(name) == "":
		return errors.New("register prompt: it has no name")
	case !utf8.ValidString(name):
		return fmt.Errorf("register prompt %q: its name is not valid UTF-8", name)
	case content == "":
		return fmt.Errorf("register prompt %q: it has no content", name)
	case !utf8.ValidString(content):
		return fmt.Errorf("register prompt %q: its content is not valid UTF-8", name)
	}
	return nil
}

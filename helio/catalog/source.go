package catalog

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
)

// A Source is where catalogues come from. Implementations are safe for concurrent
// use.
type Source interface {
	// Catalogs lists what there is, in a stable order. The caller must not change it.
	Catalogs(ctx context.Context) ([]Summary, error)
	// Catalog reads one. The caller may change what it gets. The error for one that
	// is not there is an [*UnknownError].
	Catalog(ctx context.Context, id string) (*Catalog, error)
}

// A Summary is what a list says about a catalogue.
type Summary struct {
	ID          string // as in "amda/sharedcatalog_22"
	Name        string
	Kind        Kind
	Events      int     // -1 where the source does not say
	Survey      *Window // nil where the source does not say
	Description string
	Citation    string
}

// Summary says in short what the catalogue is. The survey is its span.
func (c *Catalog) Summary() Summary {
	s := Summary{ID: c.ID, Name: c.Name, Kind: c.KindOf(), Events: len(c.Events), Description: c.Description, Citation: c.Citation}
	if w, ok := c.Span(); ok {
		s.Survey = &w
	}
	return s
}

// Find returns the summaries of one kind ("" is any) that have a text in their id,
// name or description, without regard to case; those of most events first.
func Find(all []Summary, kind Kind, text string) []Summary {
	text = strings.ToLower(text)
	var out []Summary
	for _, s := range all {
		if (kind == "" || s.Kind == kind) && strings.Contains(strings.ToLower(s.ID+"\n"+s.Name+"\n"+s.Description), text) {
			out = append(out, s)
		}
	}
	slices.SortStableFunc(out, func(a, b Summary) int { return cmp.Compare(b.Events, a.Events) })
	return out
}

// UnknownError says that a source has no such catalogue.
type UnknownError struct {
	ID  string
	Has []string // some that it has
}

func (e *UnknownError) Error() string {
	if len(e.Has) == 0 {
		return fmt.Sprintf("there is no catalogue %q; list what there is with helioai catalog", e.ID)
	}
	return fmt.Sprintf("there is no catalogue %q; there are %s", e.ID, strings.Join(e.Has, ", "))
}

// FormatError says that a text is no catalogue.
type FormatError struct {
	Format Format
	Line   int    // from 1; 0 where it is not known
	Reason string // one clause
	Err    error  // the cause; may be nil
}

func (e *FormatError) Error() string {
	if e.Line > 0 {
		return fmt.Sprintf("read a catalogue as %s: line %d: %s", e.Format, e.Line, e.Reason)
	}
	return fmt.Sprintf("read a catalogue as %s: %s", e.Format, e.Reason)
}

// Unwrap returns the cause.
func (e *FormatError) Unwrap() error { return e.Err }

package trace

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"time"

	"github.com/helios-go/helios/agent"
)

// Author says what made an annotation.
type Author string

// The authors.
const (
	Human  Author = "human"
	Model  Author = "model"
	System Author = "system"
)

// AnnotationEvent is the name of the custom events that hold an [Annotation].
const AnnotationEvent = "trace.annotation"

// An Annotation is what somebody thinks, or knows, of a run or of a span in it. It
// is kept in the log of the session as a custom event.
//
// Of several with the same subject, facet, label and author the last one counts, so
// that a changed mind is no second vote. Those without an AuthorID each count.
type Annotation struct {
	Subject  string         `json:"subject"`         // id of a run or of a span
	Facet    string         `json:"facet,omitempty"` // what it is about: "quality", "prompt"
	Label    string         `json:"label"`           // "helpful", "answer@3"
	Author   Author         `json:"author"`
	AuthorID string         `json:"author_id,omitempty"`
	Rating   *float64       `json:"rating,omitempty"` // above 0 is a thumb up, below 0 one down
	Comment  string         `json:"comment,omitempty"`
	Metadata map[string]any `json:"metadata,omitempty"`

	Created time.Time `json:"-"` // of the first one, from the log
	Updated time.Time `json:"-"` // of the last one
}

// Validate says what is wrong with an annotation.
func (a *Annotation) Validate() error {
	switch {
	case a.Subject == "":
		return errors.New("an annotation needs a subject, the id of a run or of a span")
	case a.Label == "":
		return errors.New("an annotation needs a label")
	case a.Author != Human && a.Author != Model && a.Author != System:
		return fmt.Errorf("an annotation is made by %s, %s or %s, not by %q", Human, Model, System, a.Author)
	case a.Rating != nil && (math.IsNaN(*a.Rating) || math.IsInf(*a.Rating, 0)):
		return errors.New("the rating of an annotation is a number")
	}
	return nil
}

// PromptUsed is the annotation that says which prompt a run was made with, for
// [ByFacet]("prompt").
func PromptUsed(run, name, version string) Annotation {
	if version != "" {
		name += "@" + version
	}
	return Annotation{Subject: run, Facet: "prompt", Label: name, Author: System, AuthorID: "prompt"}
}

// Annotate adds an annotation to the log of a session. It needs no lease: the
// session may be running, or have ended long ago. With a [agent.Session] at hand,
// Custom(ctx, AnnotationEvent, a) does the same.
func Annotate(ctx context.Context, st agent.Store, session string, a Annotation) error {
	if err := a.Validate(); err != nil {
		return err
	}
	data, err := marshal(a)
	if err != nil {
		return fmt.Errorf("annotate %s: %w", a.Subject, err)
	}
	for _, err := range st.Read(ctx, session, 1) {
		if err != nil {
			return fmt.Errorf("annotate %s: %w", a.Subject, err)
		}
		e := agent.Event{Time: time.Now().UTC().Truncate(time.Millisecond), Data: &agent.Custom{Name: AnnotationEvent, Data: data}}
		if _, err := st.Post(ctx, session, []agent.Event{e}); err != nil {
			return fmt.Errorf("annotate %s: %w", a.Subject, err)
		}
		return nil
	}
	return fmt.Errorf("annotate %s: there is no session %q", a.Subject, session)
}

// annotations are those of a fold, by their subject.
type annotations map[string][]Annotation

// add takes the annotation of an event, and reports whether it has one.
func (all *annotations) add(e *agent.Event, d *agent.Custom) bool {
	var a Annotation
	if d.Name != AnnotationEvent || json.Unmarshal(d.Data, &a) != nil || a.Validate() != nil {
		return false
	}
	a.Created, a.Updated = e.Time, e.Time
	if *all == nil {
		*all = make(annotations)
	}
	same := (*all)[a.Subject]
	for i := range same {
		b := &same[i]
		if a.AuthorID != "" && a.AuthorID == b.AuthorID && a.Facet == b.Facet && a.Label == b.Label {
			a.Created = b.Created
			*b = a
			return true
		}
	}
	(*all)[a.Subject] = append(same, a)
	return true
}

// about returns copies of those about a span; a run has two ids.
func (all annotations) about(s *Span) []Annotation {
	found := append([]Annotation(nil), all[s.ID]...)
	if s.Kind == KindRun && s.Run != "" {
		found = append(found, all[s.Run]...)
	}
	for i := range found {
		found[i].Metadata = maps.Clone(found[i].Metadata)
	}
	return found
}

func (all annotations) forget(subject string) { delete(all, subject) }

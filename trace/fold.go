package trace

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/helios-go/helios/agent"
	"github.com/helios-go/helios/llm"
)

// A Fold makes spans of events. It takes them one by one, of any number of
// sessions, from [agent.Session.Events] while they happen or from
// [agent.Store.Read] at any time later, each session's in order. Events that it
// has had already, and those that are only shown live, are skipped, so a log may
// be read again from its beginning.
//
// The zero value is empty and ready. A Fold is a [Sink] and safe for concurrent
// use. It keeps what it was given until [Fold.Forget].
type Fold struct {
	mu       sync.Mutex
	sessions map[string]*session
	adopted  map[string]bool // sub-agents' sessions that a span stands for
	marks    annotations
}

// session is what the fold knows of one session.
type session struct {
	id        string
	seq       agent.Seq
	opened    *agent.SessionOpened
	forked    string
	runs      []*run
	inbox     map[agent.Seq]llm.Message // that no turn has taken
	questions map[string]*Span          // that have no answer
	tools     map[string]bool           // by name: those that there are
}

// Put takes the next event of a session. It never fails.
func (f *Fold) Put(id string, e agent.Event) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if e.Data == nil || e.Ephemeral() {
		return nil
	}
	s := f.session(id)
	if e.Seq != 0 && e.Seq <= s.seq {
		return nil
	}
	s.seq = e.Seq
	switch d := e.Data.(type) {
	case *agent.SessionOpened:
		if s.opened == nil {
			s.opened = d
		}
	case *agent.SessionForked:
		s.forked = d.Session
	case *agent.RunStarted:
		s.begin(&e)
	case *agent.UserMessage:
		s.message(&e, d)
	case *agent.QuestionAnswered:
		if q := s.questions[d.ID]; q != nil {
			q.close(e.Time, OK, "")
			delete(s.questions, d.ID)
		}
	case *agent.Custom:
		if !f.marks.add(&e, d) {
			s.note(&e, map[string]string{"name": d.Name})
		}
	case *agent.MessageBlocked:
		delete(s.inbox, d.Message)
		s.note(&e, map[string]string{"hook": d.Hook})
	default:
		s.ofRun(f, &e)
	}
	return nil
}

func (f *Fold) session(id string) *session {
	s := f.sessions[id]
	if s == nil {
		s = &session{id: id, inbox: make(map[agent.Seq]llm.Message), questions: make(map[string]*Span), tools: make(map[string]bool)}
		if f.sessions == nil {
			f.sessions, f.adopted = make(map[string]*session), make(map[string]bool)
		}
		f.sessions[id] = s
	}
	return s
}

// begin opens the span of a run.
func (s *session) begin(e *agent.Event) *run {
	if r := s.open(); r != nil { // a log never says so; its end was not seen
		r.span.close(e.Time, Lost, "its end is not in the log")
	}
	key := []string{"run", s.id, e.Run}
	if s.opened != nil && s.opened.Parent != nil && len(s.runs) == 0 {
		key = []string{"child", s.id} // the id that it has in its caller's log
	}
	span := &Span{ID: spanID(key...), Kind: KindRun, Start: e.Time, Session: s.id, Run: e.Run}
	if _, ok := e.Data.(*agent.RunStarted); ok {
		span.Seq = e.Seq
	}
	if o := s.opened; o != nil {
		span.Name, span.Model = o.Agent, o.Model
		span.set("user", o.User)
		if o.Parent != nil {
			span.set("parent_session", o.Parent.Session)
			span.set("parent_call", o.Parent.Call)
		}
	}
	span.set("forked_from", s.forked)
	r := &run{s: s, span: span, last: e.Time}
	s.runs = append(s.runs, r)
	return r
}

// open is the run that has not ended, nil if there is none.
func (s *session) open() *run {
	if n := len(s.runs); n > 0 && s.runs[n-1].span.IsOpen() {
		return s.runs[n-1]
	}
	return nil
}

// message keeps a message until a turn takes it. A run that goes on takes note of
// when it came.
func (s *session) message(e *agent.Event, d *agent.UserMessage) {
	switch {
	case d.Replaces > 0:
		s.inbox[d.Replaces] = d.Message
		return
	case d.Origin != agent.OriginInterrupt:
		s.inbox[e.Seq] = d.Message
	}
	s.note(e, map[string]string{"origin": d.Origin, "delivery": string(d.Delivery), "at": string(d.At)})
}

// note adds a note to the turn, or the run, that is going on.
func (s *session) note(e *agent.Event, attrs map[string]string) {
	r := s.open()
	if r == nil {
		return
	}
	for k, v := range attrs {
		if v == "" {
			delete(attrs, k)
		}
	}
	at := r.span
	if r.turn != nil {
		at = r.turn
	}
	at.Notes = append(at.Notes, Note{Time: e.Time, Name: string(e.Kind()), Attrs: attrs})
}

// ofRun finds the run of an event. A fold that did not see its beginning begins it
// here, so that the spans of a log read from its middle are those that are in it.
func (s *session) ofRun(f *Fold, e *agent.Event) {
	if e.Run == "" {
		return
	}
	r := s.find(e.Run)
	if r == nil {
		r = s.begin(e)
	}
	r.apply(f, e)
	r.last = later(e.Time, r.last)
}

// find looks for a run, the latest first.
func (s *session) find(id string) *run {
	for _, r := range slices.Backward(s.runs) {
		if r.span.Run == id {
			return r
		}
	}
	return nil
}

// Runs returns a copy of the spans so far: the runs by start, except those of
// sub-agents, which stand below the call that made them if the fold has that. A
// sub-agent whose own events the fold was not given is a span without children
// that has the usage and the cost its caller was told.
func (f *Fold) Runs() []*Span {
	f.mu.Lock()
	defer f.mu.Unlock()
	var roots []*Span
	for id, s := range f.sessions {
		if f.adopted[id] {
			continue
		}
		for _, r := range s.runs {
			roots = append(roots, f.copy(r.span, nil)...)
		}
	}
	sortSpans(roots)
	return roots
}

// Forget drops a session's runs that have ended, and those of their sub-agents, for
// a fold that follows sessions without end. They are not in Runs any more, nor are
// the annotations made about them.
func (f *Fold) Forget(id string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.forget(id)
}

func (f *Fold) forget(id string) {
	s := f.sessions[id]
	if s == nil {
		return
	}
	s.runs = slices.DeleteFunc(s.runs, func(r *run) bool {
		if r.span.IsOpen() {
			return false
		}
		f.marks.forget(r.span.Run)
		for _, span := range r.span.All() {
			f.marks.forget(span.ID)
			if span.child != "" {
				f.forget(span.child)
				delete(f.sessions, span.child)
				delete(f.adopted, span.child)
			}
		}
		return true
	})
}

// copy copies a span and what is below it, with the runs of sub-agents in their
// place, all within the time of their parent.
func (f *Fold) copy(s, parent *Span) []*Span {
	if sub := f.sessions[s.child]; s.child != "" && sub != nil && len(sub.runs) > 0 {
		var runs []*Span
		for _, r := range sub.runs {
			runs = append(runs, f.copy(r.span, parent)...)
		}
		return runs
	}
	c := *s
	c.Attrs = maps.Clone(s.Attrs)
	c.Notes = slices.Clone(s.Notes)
	c.Annotations = f.marks.about(s)
	c.Usage, c.Cost = plus(nil, s.Usage), plusCost(nil, s.Cost)
	c.Children = nil
	if parent != nil {
		within(&c, parent)
	}
	for _, child := range s.Children {
		c.Children = append(c.Children, f.copy(child, &c)...)
	}
	sortSpans(c.Children)
	return []*Span{&c}
}

// within keeps a span inside its parent. What the log of one session says is in
// order; that of a sub-agent may go on after it was given up, and clocks differ.
func within(s, parent *Span) {
	s.Start = later(s.Start, parent.Start)
	if parent.IsOpen() {
		return
	}
	if s.Start.After(parent.End) {
		s.Start = parent.End
	}
	switch {
	case s.IsOpen():
		s.End, s.Outcome = parent.End, Unended
		s.Err = "the " + string(parent.Kind) + " ended before it did"
	case s.End.After(parent.End):
		s.set("ended", s.End.UTC().Format("2006-01-02T15:04:05.000Z07:00"))
		s.End = parent.End
	}
	s.End = later(s.End, s.Start)
}

func sortSpans(spans []*Span) {
	slices.SortStableFunc(spans, func(a, b *Span) int {
		if c := a.Start.Compare(b.Start); c != 0 || a.Session == b.Session {
			return c
		}
		return strings.Compare(a.Session, b.Session)
	})
}

// spanID is the same for the same names.
func spanID(names ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(names, "\x00")))
	return hex.EncodeToString(sum[:8])
}

func itoa[N ~int | ~int64](n N) string { return strconv.FormatInt(int64(n), 10) }

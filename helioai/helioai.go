// Package helioai is an assistant for space physicists: it answers questions
// about spacecraft data with numbers that can be traced, figures, and a
// notebook that reproduces them.
//
//	a := &helioai.Assistant{Home: home, Store: store, User: "cli",
//		Archive: arch, Model: offline.New(arch), Sandbox: box}
//	answer, err := a.Ask(ctx, &helioai.Question{Text: "mean field at ACE on 2 January 2023"})
//	if err != nil {
//		return err
//	}
//	fmt.Println(answer.Text)               // every number in it
//	fmt.Println(answer.Verdict.Summary())  // has its verdict
//
// The loop is the framework's ([agent.Session]); this package wires the tools,
// the session's directory and the lead agent together, and folds the session's
// log into an [Answer]. Front ends differ only in what they show.
package helioai

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/helios-go/helios/agent"
	"github.com/helios-go/helios/helio/archive"
	"github.com/helios-go/helios/helioai/agents"
	"github.com/helios-go/helios/helioai/check"
	"github.com/helios-go/helios/helioai/ledger"
	"github.com/helios-go/helios/helioai/notebook"
	"github.com/helios-go/helios/helioai/places"
	"github.com/helios-go/helios/helioai/tools"
	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/sandbox"
)

// An Assistant answers questions. All fields but Sandbox are needed. It is safe
// for concurrent use on different sessions.
type Assistant struct {
	Home    *places.Home
	Store   agent.Store
	User    string // whose sessions these are
	Archive archive.Archive
	Model   llm.Model

	// Sandbox runs code; nil where there is none, and then the tools that run
	// code are not offered. SandboxNote says why, in one sentence.
	Sandbox     *sandbox.Sandbox
	SandboxNote string

	Program string           // name and version, for the notebook
	Clock   func() time.Time // nil: time.Now
}

func (a *Assistant) now() time.Time {
	if a.Clock != nil {
		return a.Clock()
	}
	return time.Now()
}

// A Question is what a user asks.
type Question struct {
	Text    string
	Session string   // id, a unique prefix of one, or a new name; "" starts a session
	Data    []string // where the archive's data come from, remembered for the session; nil is as before

	// Budget is what the answer may cost; 0 is no limit. It needs a model whose price
	// is known ([llm.Pricer]). One call of the model may overspend it.
	Budget llm.Micros

	// Watch, when not nil, sees each event of the run as it happens, from one
	// goroutine: all that are stored, and of those that are only shown live (such
	// as pieces of text) what comes once it is there.
	Watch func(agent.Event)
}

// An Answer is what became of a question.
type Answer struct {
	Session    string         `json:"session"`
	Question   string         `json:"question"`
	Text       string         `json:"answer"`
	Unanswered bool           `json:"unanswered"` // Text says why there is no answer
	Verdict    *check.Verdict `json:"verdict"`    // nil when there is nothing to check
	Figures    []string       `json:"figures"`    // paths of PNG and PDF files
	Notebook   string         `json:"notebook,omitempty"`
	Workspace  string         `json:"workspace"`
	Model      string         `json:"model"`
	Usage      llm.Usage      `json:"usage"`
	Cost       llm.Micros     `json:"cost_micros"`
	Priced     bool           `json:"priced"`            // the price of the model is known, and Cost is what it cost
	Skipped    string         `json:"skipped,omitempty"` // what the host did not allow, in one sentence
	Error      string         `json:"error,omitempty"`   // why less was done than was asked, in one sentence
}

// Ask runs one question to its end. The answer is not nil even when the run
// stopped short, as long as the session could be opened: it says what was done,
// and why no more. [Failed] words the error the same way. While a session is
// asked, by this process or another one, asking it again is an error.
func (a *Assistant) Ask(ctx context.Context, q *Question) (*Answer, error) {
	s, unlock, err := a.hold(ctx, q)
	if err != nil {
		return nil, err
	}
	defer unlock()
	answer, err := a.run(ctx, q, s)
	if err != nil && answer != nil {
		answer.Error = Failed(err)
	}
	return answer, err
}

// run asks the question in its session's place.
func (a *Assistant) run(ctx context.Context, q *Question, s *place) (*Answer, error) {
	if err := makeFolder(s.dir); err != nil {
		return nil, err
	}
	defer tidy(s.dir)
	book, err := ledger.Open(filepath.Join(s.dir, "data", "provenance.json"))
	if err != nil {
		return nil, err
	}
	env := &tools.Env{
		User: a.User, Session: s.id, Dir: s.dir, Question: q.Text, Archive: a.Archive, Ledger: book,
		Sandbox: a.Sandbox, SandboxNote: a.SandboxNote, CacheDir: a.Home.Cache(), Clock: a.Clock,
	}
	lead := agents.Lead(a.Model, tools.All(env))
	lead.Limits.Money = q.Budget
	session, err := lead.Open(ctx, &agent.OpenOptions{
		Store: a.Store, SessionID: s.id, User: a.User,
		// A script that was cut off by a crash only ever touched its own copy.
		Unsafe: agent.TellModel,
		// Nobody else has the session, see hold: who was killed is dead.
		Lease: lease,
	})
	if err != nil {
		return nil, fmt.Errorf("open session %s: %w", s.id, err)
	}
	defer session.Close()
	if s.fresh || len(q.Data) > 0 && !slices.Equal(q.Data, s.data) {
		if err := session.Custom(ctx, sessionNote, note{Label: s.label, Data: q.Data}); err != nil {
			return nil, fmt.Errorf("open session %s: %w", s.id, err)
		}
	}
	asked, err := session.Send(ctx, llm.User(q.Text), agent.Steer)
	if err != nil {
		return nil, fmt.Errorf("ask in session %s: %w", s.id, err)
	}
	result, err := wait(ctx, session, asked, q.Watch)
	answer := a.answer(q, s, result)
	var drawnErr error
	answer.Figures, drawnErr = a.figures(context.WithoutCancel(ctx), s, asked)
	if err == nil {
		err = drawnErr
	}
	if err == nil && !answer.Unanswered && answer.Verdict == nil {
		// The model closed in plain words instead of final_answer.
		answer.Verdict, err = a.checkProse(ctx, session, answer, book)
	}
	if err != nil {
		return answer, err
	}
	return answer, a.conclude(ctx, s, answer)
}

// wait returns the result of the run that answers the message of that place in
// the log; the result is never nil. watch sees the events as they come.
func wait(ctx context.Context, session *agent.Session, asked agent.Seq, watch func(agent.Event)) (*agent.Result, error) {
	if watch == nil {
		return session.Wait(ctx)
	}
	watched := make(chan struct{})
	watchCtx, stop := context.WithCancel(ctx)
	defer stop()
	go func() {
		defer close(watched)
		taken := false // a run that was cut short may have to end first
		for event, err := range session.Events(watchCtx, asked) {
			if err != nil {
				return
			}
			watch(event)
			switch d := event.Data.(type) {
			case *agent.TurnStarted:
				taken = taken || slices.Contains(d.Took, asked)
			case *agent.RunEnded:
				if taken {
					return
				}
			}
		}
	}()
	result, err := session.Wait(ctx)
	if err != nil {
		stop() // there may be no end of a run to wait for
	}
	<-watched
	return result, err
}

func (a *Assistant) answer(q *Question, s *place, result *agent.Result) *Answer {
	answer := &Answer{
		Session: s.id, Question: q.Text, Text: result.Text, Workspace: s.dir, Model: a.Model.Name(),
		Usage: result.Usage, Cost: result.Cost, Skipped: a.SandboxNote,
	}
	if p, ok := a.Model.(llm.Pricer); ok {
		_, answer.Priced = p.Cost(result.Usage)
	}
	var final tools.Data
	if len(result.Output) > 0 && json.Unmarshal(result.Output, &final) == nil && final.Tool == "final_answer" {
		answer.Text, answer.Unanswered, answer.Verdict = final.Answer, final.Unanswered, final.Verdict
	}
	return answer
}

func (a *Assistant) checkProse(ctx context.Context, session *agent.Session, answer *Answer, book *ledger.Ledger) (*check.Verdict, error) {
	verdict := check.Answer(check.Input{Question: answer.Question, Answer: answer.Text, Entries: book.Entries()})
	if err := session.Custom(ctx, notebook.VerdictEvent, verdict); err != nil {
		return nil, fmt.Errorf("record the verdict: %w", err)
	}
	return verdict, nil
}

// Failed reports the error that a run's stop reason stands for, in words for a
// person.
func Failed(err error) string {
	switch {
	case errors.Is(err, agent.ErrTurns):
		return "the question took more steps than one run allows; ask a narrower one, or continue the session"
	case errors.Is(err, agent.ErrWall):
		return "the question took longer than one run allows; ask a narrower one, or continue the session"
	case errors.Is(err, agent.ErrMoney):
		return "the budget of the question is spent; give it more, or ask a narrower question"
	case errors.Is(err, agent.ErrInterrupted), errors.Is(err, context.Canceled):
		return "interrupted; what was finished is kept in the session"
	case errors.Is(err, agent.ErrLength):
		return "the model's answer was cut off at its output limit; ask a narrower question, or choose another model"
	case errors.Is(err, agent.ErrRefused):
		return "the model declined to answer; ask in other words, or choose another model"
	}
	if e, ok := errors.AsType[*llm.Error](err); ok && strings.Contains(e.Hint, "Limits.Idle") {
		return "the model said nothing for minutes; ask again, or choose another model"
	}
	if stop, ok := errors.AsType[*agent.StopError](err); ok && stop.Err != nil {
		return stop.Err.Error()
	}
	return err.Error()
}

package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/secret"
	"github.com/helios-go/helios/tool"
)

// OpenOptions say how a session is opened. Nil and the zero value are a new
// session in memory.
type OpenOptions struct {
	// Store keeps the log; nil is a memory store of the session's own.
	Store Store
	// SessionID is 1 to 64 of A-Z a-z 0-9 _ -. A session that the store knows is
	// continued, any other is new; [Attach] tells which. "" is a new UUIDv7.
	SessionID string
	// User is whom the session belongs to; tools, policies and hooks see it. It is not
	// checked who opened the session before: whoever takes ids from users does that,
	// see [Filter].User.
	User string
	// Approver answers questions. Nil denies what would be asked; [Later] leaves
	// questions to Session.Answer.
	Approver Approver
	// RedactLog hides the agent's Secrets also in what users and models say, as it
	// is written to the log: nothing after that sees them, not the model, not the
	// tools, not whoever reads the log. Without it only what tools, hooks and errors
	// say is redacted.
	RedactLog bool
	// Unsafe says what happens to calls that may or may not have happened when
	// the process that made them died.
	Unsafe UnsafePolicy
	// Logger gets what has no place in the log, such as the stacks of panics. Nil
	// is silent.
	Logger *slog.Logger
	// Clock stamps the events; nil is time.Now.
	Clock func() time.Time
	// Lease is how long the session stays owned after its process has died, by
	// default 30 seconds, and at least a tenth of a second. It is renewed at each
	// quarter of it while a run goes on, so a short one costs writes, and an owner
	// that stands still for longer than it has lost the session.
	Lease time.Duration
	// Poll is how often a store that is not a [Notifier] is asked for what other
	// processes have posted, by default 200 milliseconds.
	Poll time.Duration
}

// UnsafePolicy says what resuming a session does about calls of tools that are
// neither ReadOnly nor Idempotent, and that had started and not ended when their
// process died.
type UnsafePolicy uint8

const (
	// FailLoud refuses to resume: Open returns an *UnsafeResumeError, or Wait does
	// where the dead process's lease had to end first.
	FailLoud UnsafePolicy = iota
	// TellModel ends each such call with an error result, "outcome unknown: the
	// process stopped while this call ran; it may or may not have taken effect, so
	// check before repeating it", and goes on. Give the model a tool to check with.
	TellModel
)

// An UnsafeResumeError names the calls whose outcome nobody knows. Find out what
// happened, then open the session with [TellModel].
type UnsafeResumeError struct {
	Session string
	Calls   []*llm.ToolCall
}

// Error names the calls.
func (e *UnsafeResumeError) Error() string {
	calls := make([]string, len(e.Calls))
	for i, c := range e.Calls {
		calls[i] = c.Name + "[" + c.ID + "]"
	}
	return fmt.Sprintf("resume session %s: the process died while these calls ran, and they may or may not have taken effect: %s; open it with Unsafe: agent.TellModel once that is cleared up",
		e.Session, strings.Join(calls, ", "))
}

// A Session is a conversation over a log. It is safe for concurrent use. Idle,
// it has no goroutine and holds no lease; several sessions, also of several
// processes, may be open on one id, and one of them runs it at a time.
type Session struct {
	id     string
	agent  Agent
	opts   OpenOptions
	parent *Parent
	above  *Session        // the caller's, for a sub-agent's
	owner  string          // of our leases
	ctx    context.Context // of Open; its end stops the run
	loops  sync.WaitGroup

	writing sync.Mutex // held while the log is written or caught up with; before mu

	mu       sync.Mutex
	st       state
	resting  *packed       // the conversation and the last result, while nobody asks
	feed     *feed         // for the readers, nil without any
	loop     *loop         // set while this session is, or tries to become, the owner
	settled  chan struct{} // made for whoever waits, closed when the loop ends or waits for an answer
	pending  []pending     // open questions that were asked here
	broken   *StopError    // why the last loop could not go on
	leased   int64         // somebody else is the owner until then, in unix nanoseconds
	fates    []*fate       // of the messages of those in Run
	waiters  int32         // callers of Wait
	private  bool          // nobody else can reach the store
	guest    bool          // it runs nothing itself
	opening  bool          // Open is not done yet
	resumed  bool          // its log was begun by another process, or before this one opened it
	closed   bool
	leaving  bool    // closed, but its run is left open
	perToken float64 // tokens that the model counts for one that is estimated
}

// validID reports whether an id can name a session in any store.
func validID(id string) bool {
	if len(id) == 0 || len(id) > 64 {
		return false
	}
	for i := range len(id) {
		switch c := id[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '_', c == '-':
		default:
			return false
		}
	}
	return true
}

// Open starts a session, or continues the one that the store knows by
// SessionID. A run that was cut short there, by a crash, goes on at once, and
// questions that were open are asked again. While the lease of the process that
// died lasts, Open does not wait and nothing runs: [Session.Wait] takes over when it
// has ended. Nothing else does, so whoever only reads Events calls Wait too.
//
// The session's runs live under ctx: when it ends they stop, with StopCancelled,
// and are over. The log of a new session is empty until something is sent to it.
// Every session is to be closed, or detached.
func (a Agent) Open(ctx context.Context, opts *OpenOptions) (*Session, error) {
	return a.open(ctx, opts, opts == nil || opts.Store == nil, nil, nil)
}

// called is the agent in errors: it need not have a name.
func (a *Agent) called() string {
	if a.Name == "" {
		return "agent"
	}
	return fmt.Sprintf("agent %q", a.Name)
}

func (a Agent) open(ctx context.Context, opts *OpenOptions, private bool, above *Session, parent *Parent) (*Session, error) {
	if err := a.check(); err != nil {
		return nil, fmt.Errorf("open %s: %w", a.called(), err)
	}
	s := &Session{agent: a, private: private, parent: parent, above: above}
	if opts != nil {
		s.opts = *opts
	}
	if s.opts.SessionID == "" {
		s.opts.SessionID = NewID()
	}
	s.id = s.opts.SessionID
	if !validID(s.id) {
		return nil, fmt.Errorf("open session %q: an id is 1 to 64 of A-Z a-z 0-9 _ -", s.id)
	}
	s.prepare()
	s.ctx = ctx
	if err := s.resume(ctx); err != nil {
		return nil, err
	}
	return s, nil
}

func (s *Session) prepare() {
	o := &s.opts
	if o.Store == nil {
		o.Store = NewMemoryStore()
	}
	if o.Lease <= 0 {
		o.Lease = 30 * time.Second
	}
	o.Lease = max(o.Lease, 100*time.Millisecond)
	if o.Poll <= 0 {
		o.Poll = 200 * time.Millisecond
	}
	s.agent.Limits = s.agent.Limits.withDefaults()
	if o.Logger != nil && s.agent.Secrets != nil {
		o.Logger = slog.New(secret.NewHandler(o.Logger.Handler(), s.agent.Secrets))
	}
	if s.agent.Policy == nil {
		s.agent.Policy = PolicyFunc(decideByEffect)
	}
}

// ID returns the session's id.
func (s *Session) ID() string { return s.id }

// History returns the conversation as the model sees it. The parts are shared
// with the session: read only.
func (s *Session) History() []llm.Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	history, _ := s.memory()
	return slices.Clip(history)
}

// Send adds a user message; how a running session takes it is the delivery's
// business. It returns once the message is in the log, with its Seq there; ctx
// bounds only that. An accepted message is never lost. With too many messages
// waiting it returns [ErrFull], after Close [ErrClosed]. A message has at least one
// part; its role may be left out.
func (s *Session) Send(ctx context.Context, m llm.Message, d Delivery) (Seq, error) {
	seq, err := s.send(ctx, "", m, d)
	if err == nil {
		s.kick(true)
	}
	return seq, err
}

// SendOnce is Send for those who may try again: of the messages that are sent to
// the session with one key, by whichever process, the first counts, and the Seq is
// that one's. A task that is started again after a crash sends itself so, and then
// waits: for the answer of the run that goes on, or that was had before. The key is
// the session's, and never forgotten.
func (s *Session) SendOnce(ctx context.Context, key string, m llm.Message, d Delivery) (Seq, error) {
	if key == "" {
		return 0, fmt.Errorf("send to session %s: no key", s.id)
	}
	key = s.shownKey(key)
	if err := s.catchUp(ctx); err != nil {
		return 0, fmt.Errorf("send to session %s: %w", s.id, err)
	}
	if seq := s.sent(key); seq > 0 {
		s.kick(true)
		return seq, nil
	}
	if _, err := s.send(ctx, key, m, d); err != nil {
		return 0, err
	}
	s.kick(true)
	return s.sent(key), nil
}

// sent is the Seq of the message that was sent with a key, 0 if none was.
func (s *Session) sent(key string) Seq {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.st.once.first(key)
}

// send is Send up to where the message is in the log.
func (s *Session) send(ctx context.Context, key string, m llm.Message, d Delivery) (Seq, error) {
	if m.Role == "" {
		m.Role = llm.RoleUser
	}
	switch err := checkUser(&m); {
	case err != nil:
		return 0, fmt.Errorf("send to session %s: %w", s.id, err)
	case d != Steer && d != Queue && d.preempts() == "":
		return 0, fmt.Errorf("send to session %s: no delivery %q", s.id, d)
	}
	if n := s.waiting(); n >= s.agent.Limits.Waiting {
		return 0, fmt.Errorf("send to session %s: %w: %d messages", s.id, ErrFull, n)
	}
	seq, err := s.post(ctx, &UserMessage{Message: m, Delivery: d, Origin: OriginUser, Key: key})
	if err != nil {
		return 0, fmt.Errorf("send to session %s: %w", s.id, err)
	}
	return seq, nil
}

// ErrFull is what Send returns when too many messages wait already, see
// [Limits].Waiting. Try again when the session has taken some.
var ErrFull = errors.New("too many messages are waiting")

func (s *Session) waiting() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.st.inbox)
}

// checkUser reports why a message cannot be a user's.
func checkUser(m *llm.Message) error {
	if m.Role != llm.RoleUser || len(m.Parts) == 0 {
		return errors.New("a message needs the user's role and at least one part")
	}
	for i := range m.Parts {
		switch k := m.Parts[i].Kind; k {
		case llm.PartCall, llm.PartResult, llm.PartThinking:
			return fmt.Errorf("part %d: a %s is no part of a user's message", i, k)
		}
	}
	return m.Validate()
}

// Run sends a message with [Queue] and waits as [Session.Wait] does: until the
// session is idle, or until its run waits for an answer, with StopQuestion and no
// error. Look at Result.Stop, not at the error alone. The result is that of the run
// that has taken the message, also where others send too. Where a hook has dropped
// the message it stops with StopBlocked.
func (s *Session) Run(ctx context.Context, prompt string) (*Result, error) {
	seq, err := s.send(ctx, "", llm.User(prompt), Queue)
	if err != nil {
		return &Result{Session: s.id, Stop: StopFailed, Err: err}, err
	}
	fate := s.follow(seq)
	s.kick(true)
	res, err := s.Wait(ctx)
	return s.unfollow(fate, res, err)
}

// runHere is Run in a session that nobody else knows, under the context of which it
// was opened: the caller does the work itself, instead of waiting for it.
func (s *Session) runHere(ctx context.Context, prompt string) (*Result, error) {
	seq, err := s.send(ctx, "", llm.User(prompt), Queue)
	if err != nil {
		return &Result{Session: s.id, Stop: StopFailed, Err: err}, err
	}
	var message *fate
	if len(s.agent.Hooks) > 0 {
		message = s.follow(seq)
	}
	s.waits() // so that nothing is packed that is about to be dropped
	defer s.unwait()
	if l := s.claim(true); l != nil {
		s.work(l)
	}
	res, err := s.wait(ctx)
	if message != nil {
		return s.unfollow(message, res, err)
	}
	return res, err
}

// Interrupt stops what runs at a safe point, whichever process runs it. The run
// ends with StopInterrupted; the model is told the reason in the next one, which
// begins at once where messages wait. It returns when the wish is in the log, before
// the run has ended. Nothing to interrupt is no error.
func (s *Session) Interrupt(ctx context.Context, at SafePoint, reason string) error {
	if at.urgency() == 0 {
		return fmt.Errorf("interrupt session %s: no safe point %q", s.id, at)
	}
	if err := s.catchUp(ctx); err != nil {
		return fmt.Errorf("interrupt session %s: %w", s.id, err)
	}
	s.mu.Lock()
	idle := s.st.run == nil && len(s.st.inbox) == 0
	s.mu.Unlock()
	if idle {
		return nil
	}
	msg := llm.Message{Role: llm.RoleUser, Origin: OriginInterrupt}
	if reason != "" {
		msg.Parts = []llm.Part{llm.Text(reason)}
	}
	if _, err := s.post(ctx, &UserMessage{Message: msg, Origin: OriginInterrupt, At: at}); err != nil {
		return fmt.Errorf("interrupt session %s: %w", s.id, err)
	}
	s.kick(true)
	return nil
}

// ErrNoQuestion is what Answer returns for a question that was never asked, is
// answered already, has expired, or whose call is over.
var ErrNoQuestion = errors.New("no such open question")

// Answer answers an open question, whichever process asked it, also after a
// restart. The first answer counts. The answer has to fit the question, see
// [tool.Answer.Fits].
func (s *Session) Answer(ctx context.Context, id string, a tool.Answer) error {
	if err := s.catchUp(ctx); err != nil {
		return fmt.Errorf("answer in session %s: %w", s.id, err)
	}
	s.mu.Lock()
	q := s.st.question(id)
	err := ErrNoQuestion
	if q != nil && q.answer == nil && !q.q.Expired(time.Now()) {
		err = a.Fits(q.q)
	}
	s.mu.Unlock()
	if err == nil {
		_, err = s.post(ctx, &QuestionAnswered{ID: id, Answer: a})
	}
	if err != nil {
		return fmt.Errorf("answer question %q in session %s: %w", id, s.id, err)
	}
	s.kick(true)
	return nil
}

// Questions returns the questions that wait for an answer, the first asked first.
func (s *Session) Questions() []*tool.Question {
	s.mu.Lock()
	defer s.mu.Unlock()
	var open []*tool.Question
	if s.st.run == nil {
		return nil
	}
	for _, a := range s.st.run.asked {
		if a.answer == nil && !a.q.Expired(time.Now()) {
			open = append(open, a.q)
		}
	}
	return open
}

// Custom adds an event of the application's own to the log. The data is written
// as JSON. The agent does not look at it.
func (s *Session) Custom(ctx context.Context, name string, data any) error {
	raw, err := marshalShallow(data)
	if err == nil {
		_, err = s.post(ctx, &Custom{Name: name, Data: json.RawMessage(raw)})
	}
	if err != nil {
		return fmt.Errorf("custom event %q in session %s: %w", name, s.id, err)
	}
	return nil
}

// Close stops the run if there is one, waits for it, and ends the readers of
// Events once they have seen what is in the log, without an error. The run is over
// then, with StopCancelled, its calls closed, and what waits in the log is taken
// when the session is next opened; to have the run itself go on elsewhere, use
// [Session.Detach]. A parked run, on which nobody works, goes on waiting. The log
// stays in its store, and History and Questions may still be asked. Closing twice
// is no error, and the error is always nil.
func (s *Session) Close() error {
	s.mu.Lock()
	s.closed = true
	if s.loop != nil && s.loop.cancel != nil && !s.leaving {
		s.loop.cancel(ErrClosed)
	}
	s.mu.Unlock()
	s.loops.Wait()
	s.mu.Lock()
	s.wakeWaiters()
	s.wakeReaders()
	s.mu.Unlock()
	return nil
}

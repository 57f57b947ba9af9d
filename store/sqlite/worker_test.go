package sqlite_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/helios-go/helios/agent"
	"github.com/helios-go/helios/agent/agenttest"
	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/llm/llmtest"
	"github.com/helios-go/helios/store/sqlite"
	"github.com/helios-go/helios/tool"
)

// A worker is this test binary, started again: a process that works on the
// sessions of a store, and that tests kill, stop and talk to.
//
// What it does is told in the environment: HELIOS_TEST_WORKER is its part,
// HELIOS_TEST_DIR the folder of the store, HELIOS_TEST_ARG depends on the part.

func TestMain(m *testing.M) {
	dir, arg := os.Getenv("HELIOS_TEST_DIR"), os.Getenv("HELIOS_TEST_ARG")
	var err error
	switch part := os.Getenv("HELIOS_TEST_WORKER"); part {
	case "":
		os.Exit(m.Run())
	case "calm":
		err = work(dir, arg, nil)
	case "restless":
		seed, _ := strconv.ParseUint(arg, 10, 64)
		err = work(dir, sessionNames, rand.New(rand.NewPCG(seed, 0)))
	case "owner":
		err = own(dir)
	case "clerk":
		err = attend(dir)
	case "resume":
		err = resumeAll(dir)
	case "prompts":
		err = registerPrompts(dir)
	default:
		err = fmt.Errorf("no part %q", part)
	}
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println("finished")
}

type worker struct {
	*exec.Cmd

	out strings.Builder
}

// start starts a worker. Whoever starts it waits for it.
func start(t *testing.T, part, dir, arg string) *worker {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	w := &worker{Cmd: exec.Command(self)}
	w.Env = append(os.Environ(), "HELIOS_TEST_WORKER="+part, "HELIOS_TEST_DIR="+dir, "HELIOS_TEST_ARG="+arg,
		"GOCOVERDIR="+dir, "GORACE=atexit_sleep_ms=0") // the race detector would wait for a second at the end
	w.Stdout, w.Stderr = &w.out, &w.out
	if err := w.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Process.Kill() })
	return w
}

// finished reports whether a worker that has been waited for came to its end by
// itself.
func (w *worker) finished() bool { return strings.HasSuffix(w.out.String(), "finished\n") }

// sessionNames are those that a restless worker works on at the same time.
const sessionNames = "s0,s1,s2"

// work goes on with sessions, begins those that are new, and returns when all
// are idle. With chance it also answers late, sends messages and interrupts;
// without, it answers at once.
func work(dir, sessions string, chance *rand.Rand) error {
	st, err := sqlite.Open(filepath.Join(dir, "s.db"), nil)
	if err != nil {
		return err
	}
	defer st.Close()
	var (
		group sync.WaitGroup
		mu    sync.Mutex
		errs  []error
	)
	for id := range strings.SplitSeq(sessions, ",") {
		j := &job{dir: dir, id: id, st: st}
		if chance != nil {
			j.chance = rand.New(rand.NewPCG(chance.Uint64(), 1))
		}
		group.Go(func() {
			if err := j.do(context.Background()); err != nil {
				mu.Lock()
				defer mu.Unlock()
				errs = append(errs, fmt.Errorf("session %s: %w", j.id, err))
			}
		})
	}
	group.Wait()
	return errors.Join(errs...)
}

// job is one session of a worker.
type job struct {
	dir, id string
	lease   time.Duration // 0: 300 ms, so that the next process need not wait for long
	st      *sqlite.Store
	chance  *rand.Rand // nil: none; for the goroutine of the job
	invalid error      // what a request to the model had wrong
	asked   sync.Map   // the questions that were asked in this process
}

// note adds a line to a file that all processes write to.
func (j *job) note(file, format string, args ...any) error {
	f, err := os.OpenFile(filepath.Join(j.dir, file), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(f, format+"\n", args...)
	return errors.Join(err, f.Close())
}

// notes are the lines of a file, without those of other sessions; a file that
// was never written has none.
func notes(dir, file string) []string {
	data, err := os.ReadFile(filepath.Join(dir, file))
	if err != nil {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
}

// pause is a moment of up to a millisecond and a half.
func pause() { time.Sleep(time.Duration(rand.IntN(1500)) * time.Microsecond) }

// effect is a tool that does something to the world: a line in "effects", with
// the call's key.
func (j *job) effect(name string, e tool.Effect) tool.Tool {
	return tool.New(name, "", func(ctx context.Context, _ struct{}) (string, error) {
		pause()
		err := j.note("effects", "%s %s %s", j.id, name, tool.CallFrom(ctx).IdempotencyKey)
		pause()
		return fmt.Sprint(name, " done by ", os.Getpid()), err
	}, tool.WithEffect(e))
}

// ask is a tool that needs to know something from the user.
func ask() tool.Tool {
	return tool.New("ask", "", func(ctx context.Context, _ struct{}) (string, error) {
		a, err := tool.CallFrom(ctx).Ask(ctx, tool.Question{Text: "Which one?"})
		return a.Text, err
	}, tool.WithEffect(tool.ReadOnly))
}

// script is what the model does, turn by turn, over and over. It goes by the
// conversation alone, so it does not mind who asks.
func script(req *llm.Request) llmtest.Turn {
	n := 0
	for _, m := range req.Messages {
		if m.Role == llm.RoleAssistant {
			n++
		}
	}
	turn := []llmtest.Turn{
		llmtest.Call("read", ``).And("read", ``).And("write", ``),
		llmtest.Call("ask", ``).And("put", ``),
		llmtest.Text("Well then.").And("write", ``).And("read", ``).And("put", ``),
		llmtest.Call("write", ``).And("ask", ``).And("write", ``),
		llmtest.Text("All done."),
	}[n%5]
	return turn.Using(llm.Usage{Input: 2, Output: 1}).After(time.Duration(rand.IntN(800)) * time.Microsecond)
}

func (j *job) agent() agent.Agent {
	return agent.Agent{
		Model:  agenttest.Checked(llmtest.Func(script), func(err error) { j.invalid = errors.Join(j.invalid, err) }),
		Policy: agent.AllowAll(),
		Tools:  []tool.Tool{j.effect("read", tool.ReadOnly), j.effect("write", tool.Mutating), j.effect("put", tool.Idempotent), ask()},
		Limits: agent.Limits{Turns: 60},
	}
}

func (j *job) options() *agent.OpenOptions {
	return &agent.OpenOptions{
		Store: j.st, SessionID: j.id, Unsafe: agent.TellModel, Lease: cmp.Or(j.lease, 300*time.Millisecond), Poll: 10 * time.Millisecond,
		Approver: agent.ApproverFunc(func(_ context.Context, q *tool.Question) (tool.Answer, error) {
			if err := j.note("asked", "%s %s %d", j.id, q.ID, os.Getpid()); err != nil {
				return tool.Answer{}, err
			}
			j.asked.Store(q.ID, true)
			return tool.Answer{}, agent.ErrLater
		}),
	}
}

func (j *job) do(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute) // a test that waits in vain should say where
	defer cancel()
	log, err := agenttest.Log(ctx, j.st, j.id)
	if err != nil {
		return err
	}
	s, err := j.agent().Open(context.WithoutCancel(ctx), j.options())
	if err != nil {
		return err
	}
	defer func() { s.Close() }()
	if len(log) == 0 {
		if err := j.send(ctx, s, agent.Steer); err != nil {
			return err
		}
	}
	if j.chance != nil {
		time.Sleep(time.Duration(j.chance.IntN(30_000)) * time.Microsecond)
		if err := j.disturb(ctx, s); err != nil {
			return err
		}
	}
	for {
		res, err := s.Wait(ctx)
		switch {
		case res.Stop == agent.StopQuestion && !j.wasAsked(res.Question.ID):
			// It was left open by a process whose lease is not over: try again.
			s.Close()
			time.Sleep(5 * time.Millisecond)
			if s, err = j.agent().Open(context.WithoutCancel(ctx), j.options()); err != nil {
				return err
			}
		case res.Stop == agent.StopQuestion:
			if err := j.answer(ctx, s, res.Question.ID); err != nil {
				return err
			}
		case res.Stop != agent.StopDone && res.Stop != agent.StopInterrupted:
			return fmt.Errorf("the run stopped as %q: %w", res.Stop, err)
		default:
			return j.invalid
		}
		if ctx.Err() != nil {
			return fmt.Errorf("the run is still at %q", res.Stop)
		}
	}
}

func (j *job) wasAsked(id string) bool {
	_, ok := j.asked.Load(id)
	return ok
}

// send notes the messages that were accepted.
func (j *job) send(ctx context.Context, s *agent.Session, d agent.Delivery) error {
	text := fmt.Sprintf("%s %d %d", j.id, os.Getpid(), time.Now().UnixNano())
	if _, err := s.Send(ctx, llm.User(text), d); err != nil {
		return err
	}
	return j.note("sent", "%s", text)
}

// disturb sends a message, interrupts, or lets things be.
func (j *job) disturb(ctx context.Context, s *agent.Session) error {
	switch j.chance.IntN(8) {
	case 0:
		return j.send(ctx, s, agent.Steer)
	case 1:
		return j.send(ctx, s, agent.Queue)
	case 2:
		return j.send(ctx, s, agent.Preempt)
	case 3:
		at := []agent.SafePoint{agent.Now, agent.AfterModel, agent.AfterTools}[j.chance.IntN(3)]
		return s.Interrupt(ctx, at, "enough")
	}
	return nil
}

// answer answers a question: in a while, if there is chance.
func (j *job) answer(ctx context.Context, s *agent.Session, id string) error {
	if j.chance != nil {
		time.Sleep(time.Duration(j.chance.IntN(60_000)) * time.Microsecond)
	}
	err := s.Answer(ctx, id, tool.Answer{Text: strconv.Itoa(os.Getpid())})
	if errors.Is(err, agent.ErrNoQuestion) {
		return nil // its call is over
	}
	return err
}

package sqlite_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/helios-go/helios/agent"
	"github.com/helios-go/helios/agent/agenttest"
	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/llm/llmtest"
	"github.com/helios-go/helios/store/sqlite"
	"github.com/helios-go/helios/tool"
)

// The worker is this test binary, started again: a process that works on a
// session until it is done, and that tests kill.

func TestMain(m *testing.M) {
	if dir := os.Getenv("HELIOS_TEST_WORKER"); dir != "" {
		if err := work(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

const workTurns = 4

// work opens the session in dir, begins it if it is new, and waits for its end.
// What the tools do to the world is a line each in the file "effects".
func work(dir string) error {
	st, err := sqlite.Open(filepath.Join(dir, "s.db"), nil)
	if err != nil {
		return err
	}
	defer st.Close()
	effect := func(name string, e tool.Effect) tool.Tool {
		return tool.New(name, "", func(ctx context.Context, _ struct{}) (string, error) {
			time.Sleep(3 * time.Millisecond)
			if err := note(dir, name+" "+tool.CallFrom(ctx).IdempotencyKey); err != nil {
				return "", err
			}
			time.Sleep(3 * time.Millisecond)
			return name + " done", nil
		}, tool.WithEffect(e))
	}
	model := llmtest.Func(func(req *llm.Request) llmtest.Turn {
		turn := 1
		for _, m := range req.Messages {
			if m.Role == llm.RoleAssistant {
				turn++
			}
		}
		if turn > workTurns {
			return llmtest.Text("All done.").Using(llm.Usage{Input: 1, Output: 1})
		}
		return llmtest.Call("read", ``).And("read", ``).And("write", ``).And("put", ``).Using(llm.Usage{Input: 1, Output: 1})
	})
	var invalid error
	a := agent.Agent{
		Model:  agenttest.Checked(model, func(err error) { invalid = errors.Join(invalid, err) }),
		Policy: agent.AllowAll(),
		Tools:  []tool.Tool{effect("read", tool.ReadOnly), effect("write", tool.Mutating), effect("put", tool.Idempotent)},
	}
	ctx := context.Background()
	s, err := a.Open(ctx, &agent.OpenOptions{
		Store: st, SessionID: "s", Unsafe: agent.TellModel, Lease: 400 * time.Millisecond, Poll: 20 * time.Millisecond,
	})
	if err != nil {
		return err
	}
	defer s.Close()
	if os.Getenv("HELIOS_TEST_BEGIN") != "" {
		if _, err := s.Send(ctx, llm.User("go"), agent.Steer); err != nil {
			return err
		}
	}
	res, err := s.Wait(ctx)
	if err == nil && res.Text != "All done." {
		err = fmt.Errorf("result %+v", res)
	}
	return errors.Join(err, invalid)
}

func note(dir, line string) error {
	f, err := os.OpenFile(filepath.Join(dir, "effects"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(line + "\n")
	return errors.Join(err, f.Close())
}

func effects(t *testing.T, dir string) map[string]int {
	t.Helper()
	f, err := os.Open(filepath.Join(dir, "effects"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	times := map[string]int{}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		times[lines.Text()]++
	}
	return times
}

type worker struct {
	*exec.Cmd
	out strings.Builder
}

func start(t *testing.T, dir string, begin bool) *worker {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	w := &worker{Cmd: exec.Command(self)}
	w.Env = append(os.Environ(), "HELIOS_TEST_WORKER="+dir, "GOCOVERDIR="+t.TempDir())
	if begin {
		w.Env = append(w.Env, "HELIOS_TEST_BEGIN=1")
	}
	w.Stdout, w.Stderr = &w.out, &w.out
	if err := w.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Process.Kill() })
	return w
}

// reaches waits until the log has a seq, or the process has ended.
func (w *worker) reaches(t *testing.T, st *sqlite.Store, seq agent.Seq) {
	t.Helper()
	for range 20_000 {
		for i, err := range st.List(t.Context(), agent.Filter{}) {
			if err != nil {
				t.Fatal(err)
			}
			if i.Seq >= seq {
				return
			}
		}
		time.Sleep(time.Millisecond)
	}
	t.Fatalf("the log never reached event %d: %s", seq, w.out.String())
}

// check holds the finished session to what was promised.
func check(t *testing.T, dir string, st *sqlite.Store) {
	t.Helper()
	events, err := agenttest.Log(t.Context(), st, "s")
	if err != nil {
		t.Fatal(err)
	}
	if err := agenttest.CheckLog(events); err != nil {
		t.Errorf("log: %v", err)
	}
	if left := agenttest.Untaken(events); len(left) > 0 {
		t.Errorf("messages %v were never seen", left)
	}
	starts := map[string]int{}
	for _, e := range events {
		switch d := e.Data.(type) {
		case *agent.ToolStarted:
			starts[d.Call.Name+" "+d.IdempotencyKey]++
		case *agent.RunEnded:
			if d.Result.Turns != workTurns+1 || d.Result.ToolCalls != 4*workTurns {
				t.Errorf("result = %+v", d.Result)
			}
		}
	}
	for call, times := range effects(t, dir) {
		if times > starts[call] {
			t.Errorf("%s took effect %d times, but started %d times", call, times, starts[call])
		}
		if strings.HasPrefix(call, "write ") && times > 1 {
			t.Errorf("the mutating call %s took effect %d times", call, times)
		}
	}
}

// TestKilledAtAnyPointASessionGoesOn kills the process with no chance to clean
// up, several times in the life of one session.
func TestKilledAtAnyPointASessionGoesOn(t *testing.T) {
	t.Parallel()
	for _, points := range [][]agent.Seq{{2, 11, 24}, {5, 16, 30}, {7, 8, 9}, {40}} {
		t.Run(fmt.Sprint(points), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			st := open(t, filepath.Join(dir, "s.db"))
			begin := true
			for i, seq := range points {
				w := start(t, dir, begin)
				w.reaches(t, st, seq)
				time.Sleep(time.Duration(i) * 2 * time.Millisecond) // into a tool, now and then
				if err := w.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
					t.Fatal(err)
				}
				w.Wait()
				begin = false
			}
			last := start(t, dir, false)
			if err := last.Wait(); err != nil {
				t.Fatalf("the last worker: %v: %s", err, last.out.String())
			}
			check(t, dir, st)
		})
	}
}

// TestOthersMaySendAndInterruptWhileAProcessOwnsTheSession posts to a session
// that another process runs.
func TestOthersMaySendAndInterruptWhileAProcessOwnsTheSession(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	st := open(t, filepath.Join(dir, "s.db"))
	w := start(t, dir, true)
	w.reaches(t, st, 8)
	s, err := agent.Agent{Model: llmtest.New()}.Open(t.Context(), &agent.OpenOptions{Store: st, SessionID: "s", Poll: 10 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for i := range 3 {
		if _, err := s.Send(t.Context(), llm.User("and "+strconv.Itoa(i)), agent.Steer); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Interrupt(t.Context(), agent.Now, "enough"); err != nil {
		t.Fatal(err)
	}
	seen := agent.Seq(0)
	for e, err := range s.Events(t.Context(), 0) { // live, though another process writes them
		if err != nil {
			t.Fatal(err)
		}
		if seen++; e.Seq != seen {
			t.Errorf("event %d comes as number %d", e.Seq, seen)
		}
		if e.Kind() == agent.KindRunEnded {
			break
		}
	}
	w.Wait() // the run is interrupted, and what was sent may start the next one
	if res, err := s.Wait(t.Context()); res.Run == "" {
		t.Errorf("result = %+v, %v", res, err)
	}
	events, err := agenttest.Log(t.Context(), st, "s")
	if err != nil {
		t.Fatal(err)
	}
	if err := agenttest.CheckLog(events); err != nil {
		t.Errorf("log: %v", err)
	}
	stops := []agent.StopReason{}
	for _, e := range events {
		if d, ok := e.Data.(*agent.RunEnded); ok {
			stops = append(stops, d.Result.Stop)
		}
	}
	if len(stops) == 0 || stops[0] != agent.StopInterrupted {
		t.Errorf("runs stopped as %v, want the first to be interrupted", stops)
	}
}

package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/helios-go/helios/agent"
	"github.com/helios-go/helios/agent/agenttest"
	"github.com/helios-go/helios/store/sqlite"
	"github.com/helios-go/helios/tool"
)

// TestAnotherProcessSendsAnswersAndInterrupts has one process run a session that
// leaves its questions open, and another one send messages, answer the first
// question, read along, and interrupt at the second question.
func TestAnotherProcessSendsAnswersAndInterrupts(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	st := open(t, filepath.Join(dir, "s.db"))
	owner := start(t, "owner", dir, "")
	reaches(t, owner, st, 3)
	clerk := start(t, "clerk", dir, "")
	if err := clerk.Wait(); err != nil {
		t.Fatalf("the clerk: %v: %s", err, clerk.out.String())
	}
	owner.Process.Kill()
	owner.Wait()

	events, err := agenttest.Log(t.Context(), st, "s")
	if err != nil {
		t.Fatal(err)
	}
	if err := agenttest.CheckLog(events); err != nil {
		t.Errorf("log: %v", err)
	}
	if left := agenttest.Untaken(events); len(left) > 0 {
		t.Errorf("messages %v were never taken", left)
	}
	var answers, results []string
	texts := map[string]int{}
	for _, e := range events {
		switch d := e.Data.(type) {
		case *agent.UserMessage:
			texts[d.Message.Text()]++
		case *agent.QuestionAnswered:
			answers = append(answers, d.Answer.Text)
		case *agent.ToolEnded:
			results = append(results, d.Result.Text())
		case *agent.RunEnded:
			if d.Result.Stop != agent.StopInterrupted || d.Result.Err == nil || !strings.Contains(d.Result.Err.Error(), "enough") {
				t.Errorf("the run ended as %s: %v", d.Result.Stop, d.Result.Err)
			}
		}
	}
	for _, text := range notes(dir, "sent") {
		if texts[text] != 1 {
			t.Errorf("the message %q is there %d times", text, texts[text])
		}
	}
	if n := len(notes(dir, "sent")); n != 4 {
		t.Errorf("%d messages were accepted, want 4", n)
	}
	if want := strconv.Itoa(clerk.Process.Pid); len(answers) != 1 || answers[0] != want {
		t.Errorf("answered by %v, want the clerk, %s", answers, want)
	}
	for _, text := range results {
		if _, by, ok := strings.Cut(text, " done by "); ok && by != strconv.Itoa(owner.Process.Pid) {
			t.Errorf("the tool was run by process %s, want the owner, %d", by, owner.Process.Pid)
		}
	}
}

// reaches waits until a log has a seq.
func reaches(t *testing.T, w *worker, st *sqlite.Store, seq agent.Seq) {
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

// own begins session s and owns it for as long as there is work. It answers
// nothing.
func own(dir string) error {
	return with(dir, func(ctx context.Context, j *job, s *agent.Session) error {
		if err := j.send(ctx, s, agent.Steer); err != nil {
			return err
		}
		for ctx.Err() == nil { // until it is killed
			s.Wait(ctx)
			time.Sleep(time.Millisecond)
		}
		return ctx.Err()
	})
}

// attend is what the clerk does.
func attend(dir string) error {
	return with(dir, func(ctx context.Context, j *job, s *agent.Session) error {
		seen := make(chan error, 1)
		go func() { seen <- readAlong(ctx, s) }()
		for range 3 {
			if err := j.send(ctx, s, agent.Steer); err != nil {
				return err
			}
		}
		first, err := question(ctx, s, "")
		if err != nil {
			return err
		}
		if err := s.Answer(ctx, first, tool.Answer{Text: strconv.Itoa(os.Getpid())}); err != nil {
			return err
		}
		if err := s.Answer(ctx, first, tool.Answer{Text: "too late"}); !errors.Is(err, agent.ErrNoQuestion) {
			return fmt.Errorf("a second answer: %w", err)
		}
		if _, err := question(ctx, s, first); err != nil {
			return err
		}
		if err := s.Interrupt(ctx, agent.Now, "enough"); err != nil {
			return err
		}
		if err := <-seen; err != nil {
			return err
		}
		if res, err := s.Wait(ctx); res.Stop != agent.StopInterrupted {
			return fmt.Errorf("the result is %q: %w", res.Stop, err)
		}
		return nil
	})
}

// question waits for a question that is not the one before.
func question(ctx context.Context, s *agent.Session, before string) (string, error) {
	for {
		res, err := s.Wait(ctx)
		if res.Stop != agent.StopQuestion {
			return "", fmt.Errorf("no question, but %q: %w", res.Stop, err)
		}
		if res.Question.ID != before {
			return res.Question.ID, nil
		}
		time.Sleep(time.Millisecond)
	}
}

// readAlong reads the events from the first to the end of the run.
func readAlong(ctx context.Context, s *agent.Session) error {
	last := agent.Seq(0)
	for e, err := range s.Events(ctx, 0) {
		if err != nil {
			return err
		}
		if last++; e.Seq != last {
			return fmt.Errorf("event %d comes as number %d", e.Seq, last)
		}
		if e.Kind() == agent.KindRunEnded {
			return nil
		}
	}
	return errors.New("the events end before the run does")
}

// with opens session s.
func with(dir string, f func(context.Context, *job, *agent.Session) error) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	st, err := sqlite.Open(filepath.Join(dir, "s.db"), nil)
	if err != nil {
		return err
	}
	defer st.Close()
	j := &job{dir: dir, id: "s", st: st, lease: 20 * time.Second}
	s, err := j.agent().Open(context.Background(), j.options())
	if err != nil {
		return err
	}
	defer s.Close()
	return errors.Join(f(ctx, j, s), j.invalid)
}

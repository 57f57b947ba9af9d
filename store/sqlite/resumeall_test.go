package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
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

const (
	toResume       = 24
	resumeParallel = 3
)

// TestProcessesResumeSessionsTogether has three processes resume the same store
// at the same time: each session is worked on once, by one of them, and none of
// them works on more at a time than it was told to.
func TestProcessesResumeSessionsTogether(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	st := open(t, filepath.Join(dir, "s.db"))
	for i := range toResume {
		opened := agent.Event{Data: &agent.SessionOpened{Agent: "worker"}}
		if i%6 == 5 {
			opened = agent.Event{Data: &agent.SessionOpened{Agent: "unknown"}}
		}
		if _, err := st.Post(t.Context(), fmt.Sprintf("s%02d", i), append([]agent.Event{opened}, said("go")...)); err != nil {
			t.Fatal(err)
		}
	}
	workers := []*worker{start(t, "resume", dir, ""), start(t, "resume", dir, ""), start(t, "resume", dir, "")}
	for _, w := range workers {
		if err := w.Wait(); err != nil {
			t.Errorf("a process: %v: %s", err, w.out.String())
		}
	}
	for i := range toResume {
		id := fmt.Sprintf("s%02d", i)
		events, err := agenttest.Log(t.Context(), st, id)
		if err != nil {
			t.Fatal(err)
		}
		if err := agenttest.CheckLog(events); err != nil {
			t.Errorf("%s: %v", id, err)
		}
		want := 1
		if i%6 == 5 {
			want = 0 // nobody knows its agent
		}
		if n := runsIn(events); n != want {
			t.Errorf("%s had %d runs, want %d", id, n, want)
		}
	}
	running, most := map[string]int{}, 0
	begun := map[string]int{}
	for _, line := range notes(dir, "effects") {
		f := strings.Fields(line) // what, process, session
		if f[0] == "end" {
			running[f[1]]--
			continue
		}
		begun[f[2]]++
		running[f[1]]++
		most = max(most, running[f[1]])
	}
	if most > resumeParallel {
		t.Errorf("a process worked on %d sessions at a time, want at most %d", most, resumeParallel)
	}
	for id, n := range begun {
		if n != 1 {
			t.Errorf("the call of %s was made %d times", id, n)
		}
	}
}

func runsIn(events []agent.Event) int {
	n := 0
	for _, e := range events {
		if d, ok := e.Data.(*agent.RunEnded); ok && d.Result.Stop == agent.StopDone {
			n++
		}
	}
	return n
}

// resumeAll is what each process does.
func resumeAll(dir string) error {
	st, err := sqlite.Open(filepath.Join(dir, "s.db"), nil)
	if err != nil {
		return err
	}
	defer st.Close()
	j := &job{dir: dir}
	work := tool.New("work", "", func(ctx context.Context, _ struct{}) (string, error) {
		id := tool.CallFrom(ctx).Session
		err := j.note("effects", "begin %d %s", os.Getpid(), id)
		time.Sleep(5 * time.Millisecond)
		return "done", errors.Join(err, j.note("effects", "end %d %s", os.Getpid(), id))
	}, tool.WithEffect(tool.Mutating))
	a := agent.Agent{Name: "worker", Tools: []tool.Tool{work}, Policy: agent.AllowAll(), Model: llmtest.Func(func(req *llm.Request) llmtest.Turn {
		if req.Messages[len(req.Messages)-1].Role == llm.RoleTool {
			return llmtest.Text("done")
		}
		return llmtest.Call("work", ``)
	})}
	report, err := agent.ResumeAll(context.Background(), st, func(info agent.SessionInfo) (agent.Agent, *agent.OpenOptions, bool) {
		return a, &agent.OpenOptions{Poll: 10 * time.Millisecond}, info.Agent == a.Name
	}, &agent.ResumeOptions{Parallel: resumeParallel})
	if err == nil && len(report.Skipped) != toResume/6 {
		err = fmt.Errorf("%d were skipped, want %d", len(report.Skipped), toResume/6)
	}
	for id, failed := range report.Failed {
		err = errors.Join(err, fmt.Errorf("session %s: %w", id, failed))
	}
	return err
}

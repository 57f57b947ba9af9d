package sqlite_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/helios-go/helios/agent"
	"github.com/helios-go/helios/agent/agenttest"
	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/store/sqlite"
)

// TestKilledAtAnyPointSessionsGoOn kills processes a hundred times, with no
// chance to clean up, at moments that have nothing to do with what they do. Each
// works on three sessions; the next process goes on with them. HELIOS_TEST_SEED
// repeats the choices, though not the timing.
func TestKilledAtAnyPointSessionsGoOn(t *testing.T) {
	t.Parallel()
	const stores, kills, parallel = 20, 5, 8
	seed := uint64(time.Now().UnixNano())
	if s := os.Getenv("HELIOS_TEST_SEED"); s != "" {
		var err error
		if seed, err = strconv.ParseUint(s, 10, 64); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("HELIOS_TEST_SEED=%d", seed)
	began := time.Now()
	var (
		group  sync.WaitGroup
		places = make(chan struct{}, parallel)
		sum    tally
	)
	for i := range stores {
		v := &victim{
			t: t, dir: filepath.Join(t.TempDir(), strconv.Itoa(i)), sum: &sum,
			chance: rand.New(rand.NewPCG(seed, uint64(i))), seen: map[string][]string{},
		}
		group.Go(func() {
			places <- struct{}{}
			defer func() { <-places }()
			if err := v.live(kills); err != nil {
				t.Errorf("store %d: %v", i, err)
			}
		})
	}
	group.Wait()
	t.Logf("%d kills in %v: %d sessions with %d events, %d runs, %d calls started, %d of them in doubt, %d again; %d questions, %d answered in a later process; %d messages",
		sum.kills.Load(), time.Since(began).Round(time.Millisecond), stores*3, sum.events.Load(), sum.runs.Load(), sum.starts.Load(),
		sum.doubts.Load(), sum.again.Load(), sum.questions.Load(), sum.later.Load(), sum.messages.Load())
	if n := sum.kills.Load(); n != stores*kills {
		t.Errorf("%d kills, want %d", n, stores*kills)
	}
	if sum.doubts.Load() == 0 || sum.again.Load() == 0 || sum.later.Load() == 0 {
		t.Error("no kill has hit a mutating call, one that may be repeated, or an open question: the test proves nothing")
	}
}

// tally says what the kills have hit.
type tally struct{ kills, events, runs, starts, doubts, again, questions, later, messages atomic.Int64 }

// A victim is a store whose processes get killed.
type victim struct {
	t      *testing.T
	dir    string
	st     *sqlite.Store
	chance *rand.Rand
	sum    *tally

	posted []string
	seen   map[string][]string // by session, the JSON of each event as it was first seen
}

func (v *victim) live(kills int) error {
	if err := os.Mkdir(v.dir, 0o700); err != nil {
		return err
	}
	var err error
	if v.st, err = sqlite.Open(filepath.Join(v.dir, "s.db"), nil); err != nil {
		return err
	}
	defer v.st.Close()
	for range kills {
		if err := v.kill(); err != nil {
			return err
		}
	}
	last := start(v.t, "calm", v.dir, sessionNames)
	if err := last.Wait(); err != nil {
		return fmt.Errorf("the last process: %w: %s", err, last.out.String())
	}
	if _, err := v.look(); err != nil {
		return err
	}
	var errs []error
	for id := range strings.SplitSeq(sessionNames, ",") {
		if err := v.check(id); err != nil {
			errs = append(errs, fmt.Errorf("session %s: %w", id, err))
		}
	}
	return errors.Join(errs...)
}

// kill has a process at work and kills it. One that is done before that gets
// new messages, and is no victim.
func (v *victim) kill() error {
	for range 10 {
		w := start(v.t, "restless", v.dir, strconv.FormatUint(v.chance.Uint64(), 10))
		ended := make(chan struct{})
		go func() {
			w.Wait()
			close(ended)
		}()
		err := v.await(ended)
		w.Process.Kill()
		<-ended
		if err != nil {
			return err
		}
		if !w.finished() {
			if out := w.out.String(); out != "" {
				return fmt.Errorf("a process failed: %s", out)
			}
			v.sum.kills.Add(1)
			return nil
		}
		for id := range strings.SplitSeq(sessionNames, ",") {
			if err := v.post(id); err != nil {
				return err
			}
		}
	}
	return errors.New("processes are done faster than they can be killed")
}

// await waits for the moment to strike: at the process's beginning, a number of
// events later, or a while after the first sign of life, to the microsecond. It
// reads what is written meanwhile.
func (v *victim) await(ended <-chan struct{}) error {
	first, err := v.look()
	if err != nil {
		return err
	}
	events, while := 1, time.Duration(v.chance.IntN(50_000))*time.Microsecond
	switch v.chance.IntN(8) {
	case 0:
		events = 0
	case 1, 2, 3:
		events, while = 1+v.chance.IntN(20), time.Duration(v.chance.IntN(1500))*time.Microsecond
	}
	post := v.chance.IntN(4) == 0
	for n := first; n < first+events; {
		select {
		case <-ended:
			return nil
		case <-time.After(200 * time.Microsecond):
		}
		if n, err = v.look(); err != nil {
			return err
		}
		if post && n > first {
			post = false
			if err := v.post("s1"); err != nil {
				return err
			}
		}
	}
	time.Sleep(while)
	return nil
}

// post sends a message from this process, which does not work on the sessions.
func (v *victim) post(id string) error {
	text := fmt.Sprintf("%s posted %d", id, len(v.posted))
	events := []agent.Event{{Time: time.Now().UTC(), Data: &agent.UserMessage{Message: llm.User(text), Delivery: agent.Steer, Origin: agent.OriginUser}}}
	if len(v.seen[id]) == 0 {
		return nil // a process has yet to open it
	}
	if _, err := v.st.Post(context.Background(), id, events); err != nil {
		return err
	}
	v.posted = append(v.posted, text)
	return nil
}

// look reads the events that are new, and returns how many there are in all.
func (v *victim) look() (int, error) {
	n := 0
	for id := range strings.SplitSeq(sessionNames, ",") {
		for e, err := range v.st.Read(context.Background(), id, agent.Seq(len(v.seen[id])+1)) {
			if err != nil {
				return 0, err
			}
			if e.Seq != agent.Seq(len(v.seen[id])+1) {
				return 0, fmt.Errorf("session %s: event %d after %d", id, e.Seq, len(v.seen[id]))
			}
			text, err := json.Marshal(e)
			if err != nil {
				return 0, err
			}
			v.seen[id] = append(v.seen[id], string(text))
		}
		n += len(v.seen[id])
	}
	return n, nil
}

// check holds a session that is at rest to what was promised.
func (v *victim) check(id string) error {
	events, err := agenttest.Log(context.Background(), v.st, id)
	if err != nil {
		return err
	}
	errs := []error{agenttest.CheckLog(events), v.nothingLost(id, events), v.messages(id, events), v.calls(id, events), v.questions(id, events)}
	if left := agenttest.Untaken(events); len(left) > 0 {
		errs = append(errs, fmt.Errorf("messages %v were never taken", left))
	}
	v.sum.events.Add(int64(len(events)))
	return errors.Join(errs...)
}

// nothingLost checks that the log is what was seen of it while it grew.
func (v *victim) nothingLost(id string, events []agent.Event) error {
	seen := v.seen[id]
	if len(seen) != len(events) {
		return fmt.Errorf("%d events were seen, %d are there", len(seen), len(events))
	}
	for i, e := range events {
		text, err := json.Marshal(e)
		if err != nil {
			return err
		}
		if string(text) != seen[i] {
			return fmt.Errorf("event %d was %s and is %s", i+1, seen[i], text)
		}
	}
	return nil
}

// messages checks that each one that was accepted is there once, in the log and
// in a turn; that usage adds up in the runs, CheckLog does.
func (v *victim) messages(id string, events []agent.Event) error {
	times, taken := map[string]int{}, map[agent.Seq]int{}
	for _, e := range events {
		switch d := e.Data.(type) {
		case *agent.UserMessage:
			if d.Origin == agent.OriginUser {
				times[d.Message.Text()]++
				taken[e.Seq] += 0
			}
		case *agent.TurnStarted:
			for _, seq := range d.Took {
				taken[seq]++
			}
		}
	}
	for _, text := range append(notes(v.dir, "sent"), v.posted...) {
		if strings.HasPrefix(text, id+" ") && times[text] == 0 {
			return fmt.Errorf("the message %q is lost", text)
		}
	}
	for text, n := range times {
		if n != 1 {
			return fmt.Errorf("the message %q is there %d times", text, n)
		}
	}
	for seq, n := range taken {
		if n != 1 {
			return fmt.Errorf("message %d was taken %d times", seq, n)
		}
	}
	v.sum.messages.Add(int64(len(taken)))
	return nil
}

// calls checks what the tools did to the world against what the log says.
func (v *victim) calls(id string, events []agent.Event) error {
	starts, ended, effects := map[string]int{}, map[string]agent.Outcome{}, map[string]int{}
	open := map[int]string{} // the key of the call at an index of the last message
	usage, turns := llm.Usage{}, 0
	for _, e := range events {
		switch d := e.Data.(type) {
		case *agent.ModelMessage:
			clear(open)
			usage = usage.Add(d.Usage)
			turns++
		case *agent.ToolStarted:
			key := d.Call.Name + " " + d.IdempotencyKey
			if ended[key] != "" {
				return fmt.Errorf("event %d: %s starts, which has ended", e.Seq, key)
			}
			if starts[key]++; starts[key] > 1 {
				v.sum.again.Add(1)
			}
			open[d.Index] = key
		case *agent.ToolEnded:
			if d.Outcome == agent.OutcomeUnknown {
				v.sum.doubts.Add(1)
			}
			if key := open[d.Index]; key != "" {
				ended[key] = d.Outcome
			}
		case *agent.RunEnded:
			v.sum.runs.Add(1)
			if stop := d.Result.Stop; stop != agent.StopDone && stop != agent.StopInterrupted {
				return fmt.Errorf("event %d: the run ends as %s", e.Seq, stop)
			}
			usage = usage.Add(llm.Usage{Input: -d.Result.Usage.Input, Output: -d.Result.Usage.Output})
		}
	}
	if usage.Input != 0 || usage.Output != 0 {
		return fmt.Errorf("usage of %+v is in no result", usage)
	}
	for _, line := range notes(v.dir, "effects") {
		if session, key, _ := strings.Cut(line, " "); session == id {
			effects[key]++
		}
	}
	for key, n := range effects {
		if n > starts[key] {
			return fmt.Errorf("%s took effect %d times, but started %d times", key, n, starts[key])
		}
		if strings.HasPrefix(key, "write ") && n > 1 {
			return fmt.Errorf("the mutating call %s took effect %d times", key, n)
		}
	}
	for key, outcome := range ended {
		if outcome == agent.OutcomeOK && effects[key] == 0 && !strings.HasPrefix(key, "ask ") {
			return fmt.Errorf("%s is ok and never took effect", key)
		}
	}
	v.sum.starts.Add(int64(len(starts)))
	return nil
}

// questions checks that each was asked by whoever answered it: again, if its
// process had died.
func (v *victim) questions(id string, events []agent.Event) error {
	asked := map[string][]string{} // by question, the processes that asked it
	for _, line := range notes(v.dir, "asked") {
		if f := strings.Fields(line); len(f) == 3 && f[0] == id {
			asked[f[1]] = append(asked[f[1]], f[2])
		}
	}
	inLog := map[string]bool{}
	for _, e := range events {
		switch d := e.Data.(type) {
		case *agent.QuestionAsked:
			if inLog[d.Question.ID] {
				return fmt.Errorf("event %d: question %s is there already", e.Seq, d.Question.ID)
			}
			inLog[d.Question.ID] = true
		case *agent.QuestionAnswered:
			by := asked[d.ID]
			if !slices.Contains(by, d.Answer.Text) {
				return fmt.Errorf("event %d: %s was answered in process %s, and asked in %v", e.Seq, d.ID, d.Answer.Text, by)
			}
			v.sum.questions.Add(1)
			if by[0] != d.Answer.Text {
				v.sum.later.Add(1)
			}
		}
	}
	return nil
}

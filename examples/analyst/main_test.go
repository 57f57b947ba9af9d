package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/helios-go/helios/agent"
	"github.com/helios-go/helios/llm"
	"github.com/helios-go/helios/llm/llmtest"
	"github.com/helios-go/helios/sandbox"
	"github.com/helios-go/helios/sandbox/js"
)

func TestMain(m *testing.M) {
	sandbox.Init(js.Worker)
	os.Exit(m.Run())
}

func TestTheModelWorksOnWhatItIsNotShown(t *testing.T) {
	t.Parallel()
	m := model()
	var out strings.Builder
	if err := analyse(t.Context(), m, year(), &out); err != nil {
		t.Fatal(err)
	}
	if want := "2 storms in 8760 hours, the strongest after a coronal mass ejection (3 cells)\n"; out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
	var said []string
	for _, msg := range m.Requests()[3].Messages {
		for _, p := range msg.Parts {
			if p.Result != nil {
				said = append(said, p.Result.Text())
			}
		}
	}
	if last := said[len(said)-1]; !strings.Contains(last, "1824, 7321") || !strings.Contains(last, "coronal mass ejection") {
		t.Errorf("the last cell said %q, so the answer does not come from it", last)
	}
	all := strings.Join(said, "\n")
	if !strings.Contains(all, "give the hour of the minimum") || len(all) > 2000 {
		t.Errorf("the model was sent %d bytes of results: %q", len(all), said)
	}
}

func TestAModelThatFindsNoEndIsStopped(t *testing.T) {
	t.Parallel()
	loops := llmtest.Func(func(*llm.Request) llmtest.Turn { return cell("dst.length") })
	var out strings.Builder
	err := analyse(t.Context(), loops, year(), &out)
	if !errors.Is(err, agent.ErrTurns) || !strings.HasPrefix(err.Error(), "no answer after ") || out.Len() > 0 {
		t.Errorf("got %v and %q, want that the turns are used up", err, out.String())
	}
}

func TestTheProgramRuns(t *testing.T) {
	t.Parallel()
	exe := filepath.Join(t.TempDir(), "analyst.exe")
	if out, err := exec.Command("go", "build", "-o", exe, ".").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	out, err := exec.Command(exe).CombinedOutput()
	if err != nil || !strings.HasPrefix(string(out), "2 storms in 8760 hours") {
		t.Errorf("got %q, %v", out, err)
	}
}

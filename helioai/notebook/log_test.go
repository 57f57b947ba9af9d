package notebook_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/helios-go/helios/agent"
	"github.com/helios-go/helios/helio/archive"
	"github.com/helios-go/helios/helioai/check"
	"github.com/helios-go/helios/helioai/notebook"
	"github.com/helios-go/helios/helioai/tools"
	"github.com/helios-go/helios/internal/testdata"
	"github.com/helios-go/helios/llm"
)

// log makes a session's log of what happened in it.
func log(t *testing.T, happened ...agent.EventData) iter.Seq2[agent.Event, error] {
	t.Helper()
	return func(yield func(agent.Event, error) bool) {
		for i, data := range happened {
			if !yield(agent.Event{Seq: agent.Seq(i + 1), Data: data}, nil) {
				return
			}
		}
	}
}

func ended(t *testing.T, data tools.Data) *agent.ToolEnded {
	t.Helper()
	raw, err := json.Marshal(data)
	if err != nil {
		t.Fatal(err)
	}
	return &agent.ToolEnded{Outcome: agent.OutcomeOK, Data: raw}
}

func user(text string) *agent.UserMessage {
	return &agent.UserMessage{Message: llm.User(text), Origin: agent.OriginUser}
}

func TestALogIsToldTurnByTurn(t *testing.T) {
	t.Parallel()
	doc, err := notebook.FromLog(log(t,
		&agent.SessionOpened{Agent: "lead", Model: "offline/planner", User: "cli"},
		user("How fast?"),
		user("In km/s, please."), // said before the answer: the same turn
		&agent.UserMessage{Message: llm.User("look again"), Origin: agent.OriginCorrection},
		ended(t, tools.Data{Tool: "alfven_speed", Formula: &tools.Formula{Name: "alfven_speed"}}),
		ended(t, tools.Data{Tool: "run_python", Error: "NameError", Script: &tools.Script{Name: "code_0.py"}}),
		&agent.ToolEnded{Outcome: agent.OutcomeDenied},
		&agent.ToolEnded{Outcome: agent.OutcomeOK, Data: json.RawMessage(`["another tool's"]`)},
		ended(t, tools.Data{Tool: "final_answer", Answer: "48.8 km/s.", Verdict: &check.Verdict{Matched: 1}}),
		&agent.RunEnded{Result: &agent.Result{Text: "48.8 km/s."}},
		user("And without the tool?"),
		&agent.ModelMessage{Model: "other/model"},
		&agent.Custom{Name: notebook.VerdictEvent, Data: json.RawMessage(`{"unsourced": 1}`)},
		&agent.RunEnded{Result: &agent.Result{Text: "About 50."}},
	))
	if err != nil {
		t.Fatal(err)
	}
	if doc.User != "cli" || doc.Model != "other/model" || len(doc.Turns) != 2 {
		t.Fatalf("got %+v", doc)
	}
	first, second := doc.Turns[0], doc.Turns[1]
	if first.Question != "How fast?\n\nIn km/s, please." || first.Answer != "48.8 km/s." || first.Verdict.Matched != 1 || len(first.Results) != 2 {
		t.Errorf("the first turn is %+v", first)
	}
	if second.Question != "And without the tool?" || second.Answer != "About 50." || second.Verdict == nil || second.Verdict.Unsourced != 1 {
		t.Errorf("the second turn is %+v", second)
	}
}

func TestALogThatCannotBeReadIsAnError(t *testing.T) {
	t.Parallel()
	broken := errors.New("the disk is gone")
	_, err := notebook.FromLog(func(yield func(agent.Event, error) bool) { yield(agent.Event{}, broken) })
	if !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
}

// Two questions about real data, through JSON as in the log, then run elsewhere.
func TestRealDataAreReproduced(t *testing.T) {
	t.Parallel()
	ace := testdata.File(t, "data/ac_h0_mfi_20230102_v07.cdf")
	omni := testdata.File(t, "data/omni_coho1hr_merged_mag_plasma_20240901_v01.cdf")
	arch, err := archive.OpenLocal([]string{ace, omni})
	if err != nil {
		t.Fatal(err)
	}
	s := newSession(t, true)
	s.Archive = arch
	s.ask("What are the mean and the maximum of the field magnitude, and when?")
	s.call("get_timeseries", args{"param_id": "local/ac_h0_mfi_20230102_v07/Magnitude"})
	s.call("get_timeseries", args{"param_id": "local/ac_h0_mfi_20230102_v07/BGSM"})
	s.call("run_python", args{"code": "b = load_data('bgsm')\nbz = b.column('Bz')\nexport('bz_min', bz.min(), b.units)\nexport('bz_min_time', b.time[bz.argmin()])\nplot_series(load_data('magnitude_data'), b)"})
	s.call("final_answer", args{
		"answer": "The mean was 3.6705 nT, the maximum 5.261 nT at 03:41:01, the minimum Bz -4.394 nT.",
		"claims": []args{
			{"name": "mean", "value": 3.6705, "units": "nT", "source": "magnitude_data_mean"},
			{"name": "maximum", "value": 5.261, "units": "nT", "source": "magnitude_data_max"},
			{"name": "time of the maximum", "value": "2023-01-02T03:41:01Z", "source": "magnitude_data_max_time"},
			{"name": "minimum Bz", "value": json.Number("-4.394"), "units": "nT", "source": "bz_min"},
		},
	})
	if v := s.doc.Turns[0].Verdict; !v.AllMatched() {
		t.Errorf("the verdict on the answer is %s", v.Summary())
	}
	s.ask("And the strongest field in September 2024?")
	s.call("get_timeseries", args{"param_id": "local/omni_coho1hr_merged_mag_plasma_20240901_v01/ABS_B"})
	s.call("get_timeseries", args{"param_id": "local/omni_coho1hr_merged_mag_plasma_20240901_v01/V"})
	s.call("final_answer", args{
		"answer": "28.4 nT in the hour of 2024-09-12T14; the mean speed was 408.7 km/s, and 11 of 720 hours have no field.",
		"claims": []args{
			{"name": "strongest field", "value": 28.4, "units": "nT", "source": "abs_b_max"},
			{"name": "hour", "value": "2024-09-12T14:00:00Z", "source": "abs_b_max_time"},
			{"name": "mean speed", "value": 408.7, "units": "km/s", "source": "v_mean"},
			{"name": "hours without a field", "value": 11, "source": "abs_b_n_missing"},
			{"name": "hours", "value": 720, "source": "abs_b_n_samples"},
		},
	})
	if v := s.doc.Turns[1].Verdict; !v.AllMatched() {
		t.Errorf("the verdict on the answer is %s", v.Summary())
	}

	path := s.export(filepath.Join(t.TempDir(), "real"))
	out, err := execute(t, path)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"all 56 values reproduced", "[figure]",
		"the answer says mean 3.6705 nT: magnitude_data_mean = 3.670545372 nT",
		"the answer says maximum 5.261 nT: magnitude_data_max = 5.261000156 nT",
		"magnitude_data_max_time = 2023-01-02T03:41:01Z",
		"the answer says minimum Bz -4.394 nT: bz_min = -4.394000053 nT [code_0.py]",
		"abs_b_max = 28.39999962 nT",
		"abs_b_max_time = 2024-09-12T14:00:00Z",
		"v_mean = 408.7152778 km/s",
		"the answer says hours without a field 11: abs_b_n_missing = 11",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("the notebook does not say %q:\n%s", want, out)
		}
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"## Conversation", "**You:** And the strongest field", "doi 10.48322/", "N. Ness"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the notebook does not hold %q", want)
		}
	}
}

func ExampleFromLog() {
	raw := json.RawMessage(`{"tool": "final_answer", "answer": "48.8 km/s."}`)
	events := func(yield func(agent.Event, error) bool) {
		_ = yield(agent.Event{Seq: 1, Data: user("How fast?")}, nil) &&
			yield(agent.Event{Seq: 2, Data: &agent.ToolEnded{Data: raw}}, nil)
	}
	doc, err := notebook.FromLog(events)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(doc.Turns[0].Question, doc.Turns[0].Answer)
	// Output: How fast? 48.8 km/s.
}
